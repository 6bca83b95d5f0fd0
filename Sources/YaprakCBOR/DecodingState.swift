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
final class DecodingState: Pooled {
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
    var rootPairs = -1
    /// The keys between a value and the containers that `nestedContainer` made for it, until its `init(from:)` returns.
    /// Containers refer to them by number, so that a container is one reference and some integers. Number 0 means no keys.
    private var paths: [[any CodingKey]] = []
    private(set) var pathCount = 0
    private(set) var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The offset of the item that missing keys come from; nil without one.
    var prototype: Int?
    let entries: NoteStack<Entry>
    /// The pair that was found last.
    var cursor = 0
    /// The end of the item at offset 0, once all of it was read.
    var rootEnd: Int?
    /// The keys that came in chunks. Every field that is looked for may ask for them; nothing is called within that.
    @exclusivity(unchecked)
    var joined: [UInt8] = []

    init() {
        call = DecodingCall()
        entries = NoteStack()
    }

    private init(partOf call: DecodingCall) {
        self.call = call
        entries = call.hasManyStates ? NoteStack(capacity: 2) : NoteStack()
    }

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

    var bytesReserved: Int { entries.bytesReserved }

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
        if paths.capacity > 0 { (paths, pathCount) = ([], 0) }
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
        let call = call, before = value, cursorBefore = cursor, notes = entries.count, pathsBefore = pathCount
        let level = call.running.count, number = call.valuesBegun &+ 1
        call.valuesBegun = number
        value = number
        call.running.push(.init(value: number, keys: keys.count))
        defer {
            value = before
            cursor = cursorBefore
            entries.cut(to: notes)
            dropPaths(behind: pathsBefore)
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

    // MARK: Keys of nested containers

    /// Keeps these keys and gives their number.
    func number(_ inner: [any CodingKey]) -> InnerPath {
        if inner.isEmpty { return .none }
        paths.append(inner)
        pathCount = paths.count
        return InnerPath(number: UInt32(pathCount))
    }

    /// Drops all but the first `count` of them: those of a value that has ended are not asked for. A container that was kept
    /// finds its path by its offset.
    @inline(__always)
    private func dropPaths(behind count: Int) {
        if pathCount > count { removePaths(behind: count) }
    }

    @inline(never)
    private func removePaths(behind count: Int) {
        // They go when this returns, outside of any access: a coding key is the user's.
        if pathCount == count + 1 {
            let last = paths.removeLast()
            pathCount = count
            return withExtendedLifetime(last) {}
        }
        var gone: [[any CodingKey]] = []
        while paths.count > count { gone.append(paths.removeLast()) }
        pathCount = count
    }

    /// The keys that a path stands for. O(length).
    func keys(of path: InnerPath) -> [any CodingKey] {
        let number = Int(path.number)
        let keys = number > 0 && number <= paths.count ? paths[number - 1] : []
        return path.isOfItem ? keys + [IndexKey(Int(path.index))] : keys
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
