import YaprakLocks

import struct Foundation.Data

/// What the decoders that types see, ``ItemDecoder``, have in common.
///
/// Nested values are decoded by the same object: `value` is the number of the inner one for the time of its `init(from:)`,
/// and is restored afterwards. Decoders and containers have the number of the value that they were made for.
///
/// A keyed container reads its map once, from end to end, and records the place of each pair:
///
///     entries: … ┌────────────────────────┬─────┬────────┬───────┐
///                │ prefix                 │ key │ length │ value │  one per pair, ascending by (kind, prefix, key)
///                │ length, first 7 bytes  │  →  │        │   →   │
///                └────────────────────────┴─────┴────────┴───────┘
///
/// so that a field is found by comparing words, starting after the field that was found last. The entries of a value's
/// containers are dropped when its `init(from:)` returns. A container that is used while `value` is another number belongs to
/// an outer value, whose entries are there, or it was kept and reads its map again (``kept(at:)``).
///
/// Every offset is checked against `bytes.count` where it is used, also recorded ones: a container that is kept longer than
/// the call of the root decoder gives an error, never foreign memory.
final class DecodingState {
    /// The levels of nested values, containers or not. Keeps a type that decodes itself from exhausting the stack.
    static let levelMax = 2 * CBORItem.depthMax
    /// The levels of nested values that stay on the caller's stack. Items of more than 16 levels are decoded on a stack of
    /// their own as a whole. In others, only types that are decoded more than twice for each container get here, such as
    /// wrappers of single values in optionals.
    static let levelsBefore = 2 * DeepStack.levelsBefore

    /// What a key is. The raw values are the order of the deterministic form.
    enum KeyKind: UInt8 { case unsigned, negative, bytes, text, other }

    /// A pair of a map that is being read. Offsets fit in 32 bits because the input is below 4 GiB.
    struct Entry {
        var prefix: UInt64
        var key: UInt32
        var length: UInt32
        var value: UInt32
        var kind: KeyKind
        /// The key came in chunks: `key` is an offset in `joined`.
        var isJoined: Bool
    }

    private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The number of the value that is being decoded; 0 before the first, -1 after the call of the root decoder.
    private(set) var value = 0
    /// What this has in common with the states that were made for branches and for what was kept.
    let call: DecodingCall
    /// The keys to the value that is being decoded, from the item that this began with. No code of a user runs within an access.
    @exclusivity(unchecked)
    var keys: [any CodingKey] = []
    /// How many keys this began with.
    private(set) var keysBefore = 0
    /// The keys that were left for those of an outer value, and the value that was being decoded by then.
    var left: [(value: Int, keys: [any CodingKey])] = []
    /// The offset of the item whose decoder or container was kept. Its path is found when it is asked for.
    private var keptAt: Int?
    /// Where the pairs of the item at `keptAt` are, once they were recorded.
    var ownPairs: (first: Int, count: Int)?
    /// How many pairs of the item at offset 0 were recorded before its value began; -1 for none.
    private var rootPairs = -1
    /// The keys between a value and the containers that `nestedContainer` made for it. Containers refer to them by number, so
    /// that a container is one reference and some integers. Number 0 means no keys.
    private var paths: [[any CodingKey]] = []
    private(set) var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The offset of the item that missing keys come from; nil without one.
    var prototype: Int?
    let entries = NoteStack<Entry>()
    /// The pair that was found last.
    var cursor = 0
    /// The end of the item at offset 0, once all of it was read.
    private(set) var rootEnd: Int?
    /// The keys that came in chunks. Every field that is looked for may ask for them; nothing is called within that.
    @exclusivity(unchecked)
    private var joined: [UInt8] = []

    init() { call = DecodingCall() }

    private init(partOf call: DecodingCall) { self.call = call }

    /// The keys to the item that this began with.
    var base: [any CodingKey] { keptAt.map { path(to: $0) } ?? [] }
    var codingPath: [any CodingKey] { keptAt == nil ? keys : base + keys }
    /// Whether what is recorded now stays until the root call ends: only once for each map.
    @inline(__always)
    var keepsPairs: Bool { value == 0 && keptAt != nil }

    /// Begins with an input.
    func open(_ bytes: UnsafeRawBufferPointer, _ userInfo: [CodingUserInfoKey: any Sendable]) {
        self.bytes = bytes
        value = 0
        if !userInfo.isEmpty { self.userInfo = userInfo.mapValues { $0 } }
    }

    /// Begins with an input, for the types that `other` decodes at `path`.
    func open(_ bytes: UnsafeRawBufferPointer, asPartOf other: DecodingState, path: [any CodingKey]) {
        self.bytes = bytes
        userInfo = other.userInfo
        keys = path
        keysBefore = path.count
    }

    /// One without bytes, as after the root call.
    static func closed() -> DecodingState {
        let state = DecodingState()
        state.value = -1
        return state
    }

    /// Drops the bytes and everything recorded about them.
    func close() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        value = -1
        cursor = 0
        rootEnd = nil
        prototype = nil
        entries.cut(to: 0)
        ownPairs = nil
        rootPairs = -1
        if !userInfo.isEmpty { userInfo = [:] }
        if !paths.isEmpty { paths = [] }
        if !joined.isEmpty { joined = [] }
    }

    /// Drops them, and the ones of the states that were made for this call.
    func closeRoot() {
        close()
        call.close()
    }

    /// A decoder of the item at `offset` that types may keep while they decode other things.
    func branch(at offset: Int, path: @autoclosure () -> [any CodingKey]) -> ItemDecoder {
        let state = begin(keptAt: keptAt != nil && offset >= 0 ? offset : nil)
        if state.keptAt == nil {
            state.keys = path()
            state.keysBefore = state.keys.count
        }
        call.add(branch: state)
        return ItemDecoder(state: state, offset: offset, value: 0)
    }

    /// A state that begins at an item in the bytes.
    func begin(keptAt offset: Int?) -> DecodingState {
        let state = DecodingState(partOf: call)
        state.bytes = bytes
        state.userInfo = userInfo
        state.prototype = prototype
        state.keptAt = offset
        return state
    }

    // MARK: Values

    /// Decodes the item at `offset`, which stands under `key`.
    func decode<T: Decodable>(_ type: T.Type, at offset: Int, under key: some CodingKey) throws -> T {
        // A scalar needs the key for errors only; then it is read again with the key in place.
        if T.self == String.self || T.self == Int.self || T.self == Double.self {
            do { return try decode(type, at: offset) } catch {}
        }
        keys.append(key)
        defer { keys.removeLast() }
        return try decode(type, at: offset)
    }

    /// Decodes the item at `offset`.
    func decode<T: Decodable>(_ type: T.Type, at offset: Int) throws -> T {
        if T.self == String.self {
            return unsafeBitCast(try read(at: offset) { r throws(CBORError) in try r.readText() }, to: T.self)
        }
        if T.self == Int.self {
            return unsafeBitCast(
                try read(at: offset) { r throws(CBORError) in try r.readInteger(as: Int.self) }, to: T.self)
        }
        if T.self == Double.self {
            return unsafeBitCast(try read(at: offset) { r throws(CBORError) in try r.readDouble() }, to: T.self)
        }
        if T.self == CBORValue.self { return try decodeValue(at: offset) as! T }
        if offset >= 0, offset < bytes.count, bytes[offset] >> 5 == Major.bytes {
            return try decodeByteString(type, at: offset)
        }
        return try descend(type, at: offset)
    }

    /// The value of the whole item. One of many levels is decoded on a ``CoderStack`` as a whole: it may have very many items
    /// at the level at which each would otherwise go to one of its own.
    ///
    /// - Parameter isDeep: whether it has many levels; nil if it was not measured.
    @inline(__always)
    func decodeRoot<T: Decodable>(_ type: T.Type, isDeep: Bool?) throws -> T {
        // A value of this type makes a stack itself.
        if T.self != CBORValue.self, isDeep ?? isRootDeep() { return try decodeDeepRoot(type) }
        return try decode(type, at: 0)
    }

    @inline(never)
    private func decodeDeepRoot<T: Decodable>(_ type: T.Type) throws -> T {
        call.isOnDeepStack = true
        defer { call.isOnDeepStack = false }
        return try CoderStack.run { try decode(type, at: 0) }
    }

    /// From here on a map is measured. The pairs of smaller ones are recorded first, and only containers among them measured.
    private static let largeBytes = 4096

    /// Whether the map at offset 0 has many levels. What is malformed says so where it is decoded.
    @inline(never)
    private func isRootDeep() -> Bool {
        guard bytes.count < DecodingState.largeBytes, (try? note(at: 0)) != nil else {
            entries.cut(to: 0)
            return (try? CBORItem.measure(bytes, from: 0))?.isDeep ?? false
        }
        rootPairs = entries.count
        let entries = UnsafeBufferPointer(start: entries.base, count: rootPairs), bytes = bytes
        for entry in entries where bytes[Int(entry.value)] &- 0x80 < 0x60 {
            let measure = try? CBORItem.measure(bytes, from: Int(entry.value), DeepStack.levelsBefore - 1)
            if measure?.isDeep ?? false { return true }
        }
        return false
    }

    /// Lets the type decode itself from the item at `offset`.
    @inline(__always)
    private func descend<T: Decodable>(_ type: T.Type, at offset: Int) throws -> T {
        let level = call.running.count
        guard level < DecodingState.levelMax else { throw corrupted(.tooDeep(offset), nil) }
        if level >= DecodingState.levelsBefore, !isDeep { return try descendOnDeepStack(type, at: offset) }
        return try decodeSelf(type, at: offset)
    }

    @inline(never)
    private func descendOnDeepStack<T: Decodable>(_ type: T.Type, at offset: Int) throws -> T {
        let before = call.isOnDeepStack
        call.isOnDeepStack = true
        defer { call.isOnDeepStack = before }
        return try CoderStack.run { try decodeSelf(type, at: offset) }
    }

    /// Whether this runs on the stack that was made for its values, or on that of another coder.
    private var isDeep: Bool { call.isOnDeepStack && CoderStack.isCurrent }

    @inline(__always)
    private func decodeSelf<T: Decodable>(_ type: T.Type, at offset: Int) throws -> T {
        let call = call, before = value, cursorBefore = cursor, notes = entries.count
        let level = call.running.count, number = call.valuesBegun &+ 1
        call.valuesBegun = number
        value = number
        call.running.push(.init(value: number, keys: keys.count))
        defer {
            value = before
            cursor = cursorBefore
            entries.cut(to: notes)
            call.running.cut(to: level)
        }
        return try T(from: ItemDecoder(state: self, offset: offset, value: number))
    }

    /// The item as it is, tags and all.
    @inline(never)
    private func decodeValue(at offset: Int) throws -> CBORValue {
        do throws(CBORError) {
            var reader = CBORReader(offset == -1 ? nullItem.bytes : bytes, at: max(offset, 0))
            return try CBORValue(&reader)
        } catch {
            throw corrupted(error, nil)
        }
    }

    @inline(never)
    private func decodeByteString<T: Decodable>(_ type: T.Type, at offset: Int) throws -> T {
        try decodeBytes(type, at: offset) ?? descend(type, at: offset)
    }

    /// A byte string as a whole, for the types whose own way to read it, byte by byte, comes to the same. A collection of the
    /// user's is read as it says itself.
    @inline(never)
    private func decodeBytes<T>(_ type: T.Type, at offset: Int) throws -> T? {
        func content() throws -> [UInt8] {
            try read(at: offset) { reader throws(CBORError) in try reader.readBytes() }
        }
        if T.self == [UInt8].self { return try content() as? T }
        if T.self == Data.self { return try Data(content()) as? T }
        if T.self == ContiguousArray<UInt8>.self { return try ContiguousArray(content()) as? T }
        return nil
    }

    /// A reader at `offset`, behind the tags there.
    @inline(__always)
    func reader(at offset: Int) throws(CBORError) -> CBORReader {
        var reader = CBORReader(offset == -1 ? nullItem.bytes : bytes, at: max(offset, 0))
        try reader.skipTags()
        return reader
    }

    /// Reads the item at `offset`; an error gets the coding path.
    @inline(__always)
    func read<T>(at offset: Int, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        try read(at: offset, path: codingPath, body)
    }

    @inline(__always)
    func read<T>(
        at offset: Int, path: @autoclosure () -> [any CodingKey], _ body: (inout CBORReader) throws(CBORError) -> T
    ) throws -> T {
        do throws(CBORError) {
            var reader = try reader(at: offset)
            return try body(&reader)
        } catch {
            throw translated(error, T.self, at: offset, path: path())
        }
    }

    func isNull(at offset: Int) -> Bool {
        guard offset >= 0 else { return true }
        return (try? reader(at: offset))?.isNull ?? false
    }

    /// Runs `body` with these keys at the end of the coding path.
    @inline(__always)
    func within<Result>(_ inner: [any CodingKey], _ body: () throws -> Result) rethrows -> Result {
        if inner.isEmpty { return try body() }
        keys += inner
        defer { keys.removeLast(inner.count) }
        return try body()
    }

    // MARK: Errors

    @inline(never)
    func corrupted(_ error: CBORError, _ key: (any CodingKey)?) -> DecodingError {
        let path = key.map { codingPath + [$0] } ?? codingPath
        return .dataCorrupted(.init(codingPath: path, debugDescription: error.description, underlyingError: error))
    }

    /// The error as an error of `Codable`.
    @inline(never)
    func translated(_ error: CBORError, _ type: Any.Type, at offset: Int, path: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: error.description, underlyingError: error)
        guard error.code == .wrongType else { return .dataCorrupted(context) }
        return isNull(at: offset) ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    // MARK: Keys of nested containers

    /// The offset of what the prototype has under `key` in the container at `path`; nil if it has nothing there.
    @inline(never)
    func prototypeOffset(of key: any CodingKey, _ path: @autoclosure () -> [any CodingKey]) -> Int? {
        guard var offset = prototype else { return nil }
        for step in path() + [key] {
            guard let next = try? child(of: offset, step) else { return nil }
            offset = next
        }
        return offset
    }

    /// The offset of the value under a key of the map at `offset`, or of the first item of the array there.
    private func child(of offset: Int, _ key: any CodingKey) throws(CBORError) -> Int? {
        var reader = try reader(at: offset)
        if try reader.peek() == .array {
            if try reader.readArrayHead() == 0 { return nil }
            return try reader.peek() == .stop ? nil : reader.position
        }
        var left = try reader.readMapHead() ?? .max
        while left > 0, try reader.peek() != .stop {
            let name = try CBORValue(&reader)
            if name.text == key.stringValue || name.integer != nil && name.integer == key.intValue.map(Int64.init) {
                return reader.position
            }
            try reader.skip()
            left -= 1
        }
        return nil
    }

    /// Keeps these keys and gives their number.
    func number(_ inner: [any CodingKey]) -> Int {
        if inner.isEmpty { return 0 }
        paths.append(inner)
        return paths.count
    }

    /// The keys with that number.
    func path(_ number: Int) -> [any CodingKey] { number > 0 && number <= paths.count ? paths[number - 1] : [] }

    // MARK: The pairs of a map

    /// Records the pairs of the map at `offset`, which is at `path`, and gives their place.
    @inline(__always)
    func pairs(at offset: Int, path: @autoclosure () -> [any CodingKey]) throws -> (first: Int, count: Int) {
        if offset == 0, rootPairs >= 0 {
            cursor = 0
            return (0, rootPairs)
        }
        let first = entries.count
        do throws(CBORError) {
            try note(at: offset)
        } catch {
            entries.cut(to: first)
            throw translated(error, [String: Any].self, at: offset, path: path())
        }
        cursor = first
        return (first, entries.count - first)
    }

    private func note(at offset: Int) throws(CBORError) {
        let first = entries.count
        var reader = try reader(at: offset)
        let bytes = reader.bytes
        let count = try reader.readMapHead()
        var isSorted = true, position = reader.position, read = 0
        while read != count {
            if count == nil, try reader.readStop(at: &position) { break }
            let head = try Head(bytes, at: position)
            var entry: Entry
            let behind: Int
            if head.major == Major.text, !head.isIndefinite {
                guard head.argument <= UInt64(bytes.count - head.end) else { throw .truncated(bytes.count) }
                let length = Int(head.argument)
                behind = head.end + length
                entry = Entry(
                    prefix: DecodingState.prefix(bytes, head.end, length), key: UInt32(head.end),
                    length: UInt32(length), value: UInt32(behind), kind: .text, isJoined: false)
                // The prefix has the first seven bytes. A key that is no text would be missing from a dictionary.
                if length > 7 || entry.prefix & 0x0080_8080_8080_8080 != 0 {
                    let key = UnsafeRawBufferPointer(rebasing: bytes[head.end..<behind])
                    guard CBORReader.isText(key) else { throw .invalidText(position) }
                }
            } else {
                (entry, behind) = try unusual(head, at: position, bytes)
            }
            if read > 0, isSorted {
                let last = entries.base[entries.count &- 1]
                // Equal prefixes count as unsorted: the longer comparison is made there.
                isSorted =
                    last.kind == entry.kind ? last.prefix < entry.prefix : last.kind.rawValue < entry.kind.rawValue
            }
            entries.push(entry)
            position = try CBORItem.end(bytes, behind, CBORItem.depthMax - 1)
            read += 1
        }
        if offset == 0 { rootEnd = position }
        if !isSorted { try sort(from: first) }
    }

    /// A key that is not text, or one in chunks.
    @inline(never)
    private func unusual(
        _ head: Head, at position: Int, _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> (Entry, Int) {
        let end = try CBORItem.end(bytes, position, head, CBORItem.depthMax - 1)
        var entry = Entry(
            prefix: head.argument, key: UInt32(position), length: UInt32(end - position), value: UInt32(end),
            kind: .other, isJoined: false)
        switch head.major {
        case Major.unsigned: entry.kind = .unsigned
        case Major.negative: entry.kind = .negative
        case Major.bytes, Major.text:
            var reader = CBORReader(bytes, at: position)
            if head.major == Major.text, head.isIndefinite {
                // Each chunk has to be text by itself (§3.2.3).
                var text = reader
                _ = try text.readText()
            }
            let (content, chunks) = try reader.string(head.major, "a string")
            entry.kind = head.major == Major.text ? .text : .bytes
            entry.length = UInt32(content.count)
            entry.key = UInt32(end - content.count)
            if let chunks {
                entry.isJoined = true
                entry.key = UInt32(joined.count)
                entry.length = UInt32(chunks.count)
                joined += chunks
                entry.prefix = chunks.withUnsafeBytes { DecodingState.prefix($0, 0, chunks.count) }
            } else {
                entry.prefix = DecodingState.prefix(bytes, Int(entry.key), content.count)
            }
        default: entry.prefix = 0
        }
        return (entry, end)
    }

    /// The length of a string, up to 255, and its first seven bytes. Decides alone up to seven bytes.
    @inline(__always)
    static func prefix(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ length: Int) -> UInt64 {
        var word: UInt64 = 0
        if bytes.count &- offset >= 8 {
            word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) >> 8
            if length < 7 { word &= ~(0xff_ffff_ffff_ffff >> UInt64(truncatingIfNeeded: 8 &* length)) }
        } else {
            for index in 0..<min(length, 7) {
                word |= UInt64(bytes[offset &+ index]) << UInt64(truncatingIfNeeded: 48 &- 8 &* index)
            }
        }
        return UInt64(truncatingIfNeeded: min(length, 255)) << 56 | word
    }

    @inline(never)
    private func sort(from first: Int) throws(CBORError) {
        var own = UnsafeMutableBufferPointer(start: entries.base + first, count: entries.count - first)
        own.sort { order($0, $1) < 0 }
        for index in own.indices.dropFirst() where order(own[index - 1], own[index]) == 0 {
            throw CBORError(.duplicateKey, "a map has one key twice", offset: Int(own[index].value))
        }
    }

    private func order(_ a: Entry, _ b: Entry) -> Int {
        if a.kind != b.kind { return Int(a.kind.rawValue) - Int(b.kind.rawValue) }
        if a.prefix != b.prefix { return a.prefix < b.prefix ? -1 : 1 }
        if a.kind == .unsigned || a.kind == .negative { return 0 }
        if a.length != b.length { return a.length < b.length ? -1 : 1 }
        return withKey(a) { x in withKey(b) { y in orderBytewise(x, y) } }
    }

    private func withKey<Result>(_ entry: Entry, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = Int(entry.key), end = start + Int(entry.length)
        if entry.isJoined { return joined.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) } }
        guard end <= bytes.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }

    /// The key as the coding key a type would make of it; nil for a key that can't be one.
    func codingKey<Key: CodingKey>(_ type: Key.Type, of entry: Entry) -> Key? {
        switch entry.kind {
        case .text: withKey(entry) { CBORReader.text($0) }.flatMap { Key(stringValue: $0) }
        case .unsigned: Int(exactly: entry.prefix).flatMap { Key(intValue: $0) }
        case .negative: Int(exactly: entry.prefix).flatMap { Key(intValue: ~$0) }
        default: nil
        }
    }

    /// The offset of the value under `key` in the map whose notes begin at `first`, or nil.
    @inline(__always)
    func find(_ key: some CodingKey, _ first: Int, _ count: Int) -> Int? {
        let name = key.stringValue
        let found = name.utf8.withContiguousStorageIfAvailable { find(UnsafeRawBufferPointer($0), first, count) }
        let offset = found ?? findForeign(name, first, count)
        if offset >= 0 { return offset }
        return key.intValue.flatMap { find(integer: $0, first, count) }
    }

    @inline(never)
    private func findForeign(_ name: String, _ first: Int, _ count: Int) -> Int {
        var native = name
        return native.withUTF8 { find(UnsafeRawBufferPointer($0), first, count) }
    }

    private func find(_ name: UnsafeRawBufferPointer, _ first: Int, _ count: Int) -> Int {
        let prefix = DecodingState.prefix(name, 0, name.count)
        let end = first + count
        guard first >= 0, end <= entries.count else { return -1 }
        let entries = entries.base
        // The field is most likely the one found last (an optional is requested three times) or the next one. From there the
        // search goes around, or becomes binary.
        var index = cursor >= first && cursor < end ? cursor : first
        for _ in 0..<min(count, 16) {
            if isMatch(entries[index], prefix, name) {
                cursor = index
                return Int(entries[index].value)
            }
            index &+= 1
            if index == end { index = first }
        }
        if count <= 16 { return -1 }
        var low = first, high = end
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(entries[middle], prefix, name) { low = middle + 1 } else { high = middle }
        }
        guard low < end, isMatch(entries[low], prefix, name) else { return -1 }
        cursor = low
        return Int(entries[low].value)
    }

    @inline(__always)
    private func isMatch(_ entry: Entry, _ prefix: UInt64, _ name: UnsafeRawBufferPointer) -> Bool {
        entry.prefix == prefix && entry.kind == .text && (name.count <= 7 || isSame(entry, name))
    }

    private func isSame(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> Bool {
        Int(entry.length) == name.count && withKey(entry) { orderBytewise($0, name) == 0 }
    }

    private func isBefore(_ entry: Entry, _ prefix: UInt64, _ name: UnsafeRawBufferPointer) -> Bool {
        if entry.kind != .text { return entry.kind.rawValue < KeyKind.text.rawValue }
        if entry.prefix != prefix { return entry.prefix < prefix }
        if Int(entry.length) != name.count { return Int(entry.length) < name.count }
        return withKey(entry) { orderBytewise($0, name) < 0 }
    }

    @inline(never)
    private func find(integer: Int, _ first: Int, _ count: Int) -> Int? {
        guard first >= 0, first + count <= entries.count else { return nil }
        let kind: KeyKind = integer < 0 ? .negative : .unsigned
        let prefix = UInt64(integer < 0 ? ~integer : integer)
        // Integers come first in the order of keys.
        var low = first, high = first + count
        while low < high {
            let middle = low + (high - low) / 2, entry = entries.base[middle]
            let isBefore =
                entry.kind == kind ? entry.prefix < prefix : entry.kind.rawValue < kind.rawValue
            if isBefore { low = middle + 1 } else { high = middle }
        }
        guard low < first + count else { return nil }
        let found = entries.base[low]
        return found.kind == kind && found.prefix == prefix ? Int(found.value) : nil
    }
}

/// A null for the decoder of an absent item.
private final class NullItem: Sendable {
    // Made once, never changed and never freed.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    init() {
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        byte[0] = InitialByte.null
        bytes = UnsafeRawBufferPointer(byte)
    }
}
private let nullItem = NullItem()
