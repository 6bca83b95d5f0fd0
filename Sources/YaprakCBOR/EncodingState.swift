import YaprakLocks

/// What the encoders that types see, ``ItemEncoder``, have in common, and the one buffer they all write to.
///
/// A nested value is encoded in place: the frame of the outer value is saved on the call stack, and the inner one continues
/// at the end of the same buffer. Only containers from `nestedContainer` or `superEncoder` may outlive the call that made
/// them. They get a state of their own (a *branch*), which is copied in when the outer container ends.
///
///     buffer: … ┌────────┬─────┬───────┬─────┬───────┬──────────────┐
///               │ 1 byte │ key │ value │ key │ value │ key (branch) │
///               └────────┴─────┴───────┴─────┴───────┴──────────────┘
///     entries:             ↑ entry 0     ↑ entry 1     ↑ entry 2
///
/// When a map ends, its entries are sorted by the encoded key (RFC 8949 §4.2.1), the pairs are moved into that order, and
/// the head is written into the byte that was kept for it.
///
/// Invariants: `frame.start` ≤ every entry of the frame ≤ `writer.count`; entries and branches of a frame are the ones from
/// its base on; an encoder or a container may write only while its frame is the current one (`serial`).
final class EncodingState: Pooled {
    /// The levels of nested values, containers or not. Keeps an object graph with a cycle from exhausting the stack.
    static let levelMax = 2 * CBORItem.depthMax

    /// `refused` is a container that is nested too deep: nothing can be written into it.
    enum Kind { case empty, single, keyed, unkeyed, refused }
    enum Fault { case none, tooDeep, misuse }

    struct Frame {
        var kind: Kind
        /// Set while an unkeyed container holds nothing but the bytes of one `encode(contentsOf:)`.
        var isBlob = false
        /// Set when the type used the encoder incorrectly. Reported when the frame ends.
        var fault = Fault.none
        /// Where the item begins.
        var start: Int
        var count = 0
        var entriesBase: Int
        var branchesBase: Int
        /// How many containers are around this item.
        let depth: Int
        let serial: Int
    }

    /// A pair of a map that is being written.
    struct Entry {
        /// The first eight bytes of the encoded key, zero padded. No key is the beginning of another, so that the padding
        /// decides nothing.
        var prefix: UInt64
        var key: Int
        var value: Int
        var end: Int
    }

    struct Branch {
        var offset: Int
        /// That of its item.
        let encoder: ItemEncoder
        /// In a map, the entry whose value it is.
        let entry: Int

        var state: EncodingState { encoder.state }
    }

    /// The entries of a large map by their keys, for those who request containers under keys.
    private final class EntryIndex {
        var entries: [[UInt8]: Int] = [:]
        /// Where the entries end that are in it.
        var end: Int
        var requestCount = 0
        init(end: Int) { self.end = end }
    }
    /// Maps with more entries get an index when they are asked for more containers than a few.
    private static let entriesWithoutIndex = 32
    private static let requestsWithoutIndex = 32

    let writer: CBORWriter
    var frame: Frame
    let entries: NoteStack<Entry>
    var branches: [Branch] = []
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] = [:]
    /// Containers may be nested this deep.
    var depthMax = CBORItem.depthMax
    /// Whether elements of sets are put into the order of their bytes.
    var sortsSets = false
    /// The indexes of frames, by their serials.
    private var indexes: [Int: EntryIndex] = [:]
    private var level = 0
    /// Whether a stack was made for the values that are being encoded.
    private var isOnDeepStack = false
    private var serial = 0

    /// - Parameter isOneOfMany: whether little is reserved, because there are many at once.
    init(depth: Int = 0, isOneOfMany: Bool = false) {
        writer = isOneOfMany ? CBORWriter(capacity: 32) : CBORWriter()
        entries = isOneOfMany ? NoteStack(capacity: 2) : NoteStack()
        frame = Frame(kind: .empty, start: 0, entriesBase: 0, branchesBase: 0, depth: depth, serial: 0)
    }

    /// Makes the state ready for another value. Containers that were kept can't write to it any more.
    func reset() {
        writer.removeAll()
        entries.cut(to: 0)
        if !branches.isEmpty { branches.removeAll() }
        if !indexes.isEmpty { indexes = [:] }
        if !userInfo.isEmpty { userInfo = [:] }
        level = 0
        frame = newFrame(depth: 0)
    }

    var bytesReserved: Int { writer.bytesReserved &+ entries.bytesReserved }

    private func newFrame(depth: Int) -> Frame {
        serial &+= 1
        return Frame(
            kind: .empty, start: writer.count, entriesBase: entries.count, branchesBase: branches.count, depth: depth,
            serial: serial)
    }

    // MARK: Values

    func encodeRoot<T: Encodable>(_ value: T) throws { try encodeInPlace(value) }

    /// Encodes a value that stands under `key`.
    func encode<T: Encodable>(_ value: T, under key: some CodingKey) throws {
        if writeScalar(value) { return }
        codingPath.append(key)
        defer { codingPath.removeLast() }
        try encodeInPlace(value)
    }

    /// Encodes a value at the end of the buffer. If an error is thrown the buffer is as it was.
    func encodeInPlace<T: Encodable>(_ value: T) throws {
        if writeScalar(value) { return }
        let outer = frame
        let depth = outer.depth + (outer.kind == .keyed || outer.kind == .unkeyed ? 1 : 0)
        guard depth <= depthMax, level < EncodingState.levelMax else { throw failure(value, .tooDeep) }
        if level >= DeepStack.levelsBefore, !isDeep { return try encodeOnDeepStack(value) }
        if T.self == CBORValue.self {
            let start = writer.count
            do { try (value as! CBORValue).write(to: writer, depth: depthMax - depth) } catch {
                writer.truncate(to: start)
                throw failure(value, error)
            }
            return
        }
        let inner = newFrame(depth: depth)
        frame = inner
        level += 1
        do {
            try value.encode(to: ItemEncoder(state: self, serial: inner.serial))
            let fault = finish(0)
            if fault != .none { throw failure(value, fault == .tooDeep ? .tooDeep : .misuse) }
            if sortsSets { sortElements(of: value, from: inner.start) }
        } catch {
            writer.truncate(to: inner.start)
            entries.cut(to: inner.entriesBase)
            if branches.count > inner.branchesBase { branches.removeLast(branches.count - inner.branchesBase) }
            if !indexes.isEmpty { indexes[inner.serial] = nil }
            frame = outer
            level &-= 1
            throw error
        }
        frame = outer
        level &-= 1
    }

    @inline(never)
    private func encodeOnDeepStack<T: Encodable>(_ value: T) throws {
        let before = isOnDeepStack
        isOnDeepStack = true
        defer { isOnDeepStack = before }
        try CoderStack.run { try encodeInPlace(value) }
    }

    /// Whether this runs on the stack that was made for its values, or on that of another coder: a branch of what was there
    /// may be used when that stack has ended.
    private var isDeep: Bool { isOnDeepStack && CoderStack.isCurrent }

    /// Writes values that need no frame. Arrays and dictionaries of the standard library call this for each element.
    @inline(__always)
    private func writeScalar<T>(_ value: T) -> Bool {
        if T.self == String.self {
            writer.write(text: unsafeBitCast(value, to: String.self))
        } else if T.self == Int.self {
            writer.write(integer: Int64(unsafeBitCast(value, to: Int.self)))
        } else if T.self == Double.self {
            writer.write(unsafeBitCast(value, to: Double.self))
        } else if T.self == Bool.self {
            writer.write(unsafeBitCast(value, to: Bool.self))
        } else if T.self == Int64.self {
            writer.write(integer: unsafeBitCast(value, to: Int64.self))
        } else if T.self == [UInt8].self {
            writer.write(bytes: unsafeBitCast(value, to: [UInt8].self))
        } else {
            return false
        }
        return true
    }

    @inline(never)
    func failure(_ value: Any, _ code: CBORError.Code) -> EncodingError {
        let text =
            code == .tooDeep
            ? "containers are nested more than \(depthMax) deep"
            : "the type used its encoder out of order: one item takes one kind of container, and each ends before the next"
        return failure(value, CBORError(code, text))
    }

    @inline(never)
    private func failure(_ value: Any, _ error: CBORError) -> EncodingError {
        .invalidValue(
            value, .init(codingPath: codingPath, debugDescription: error.message, underlyingError: error))
    }

    // MARK: Containers

    /// The encoder of the item that is current now.
    var encoder: ItemEncoder { ItemEncoder(state: self, serial: frame.serial) }

    /// Begins the container of this item, or continues it if a superclass began it.
    func open(_ kind: Kind) {
        if frame.kind == .empty {
            frame.kind = kind
            if kind == .single { return }
            _ = writer.openHead()
            if frame.depth >= depthMax {
                frame.kind = .refused
                frame.fault = .tooDeep
            }
        } else if frame.kind != kind, frame.kind != .refused {
            frame.fault = .misuse
        }
    }

    /// The error of a container that can't write: its item is another one by now, or is nested too deep. A type that goes on
    /// within itself without end is stopped by it.
    @inline(never)
    func refusal(_ value: Any) -> EncodingError { failure(value, frame.fault == .tooDeep ? .tooDeep : .misuse) }

    /// What such a container gives where it can't throw. What is written there is discarded, and the item reports the error.
    func discarded(under key: some CodingKey) -> ItemEncoder {
        if frame.fault != .tooDeep { frame.fault = .misuse }
        return inner(under: key, depth: frame.fault == .tooDeep ? CBORItem.depthMax : frame.depth + 1).encoder
    }

    /// An encoder of a container that may outlive the call. Its item belongs at the current end of the buffer.
    func branch(under key: some CodingKey) -> ItemEncoder {
        let encoder = inner(under: key, depth: frame.depth + 1).encoder
        branches.append(Branch(offset: writer.count, encoder: encoder, entry: entries.count - 1))
        return encoder
    }

    /// The encoder of the container that this map has already under the key of the entry that was just begun, which goes
    /// then; `nil` if the key is new.
    func continued(under key: some CodingKey) -> ItemEncoder? {
        guard entries.count - frame.entriesBase > 1, let earlier = earlierEntry() else { return nil }
        abandonEntry()
        let base = frame.branchesBase
        let index = base + firstIndex(branches.count - base) { branches[base + $0].entry >= earlier }
        // A value that was encoded can't be continued.
        guard index < branches.count, branches[index].entry == earlier else { return discarded(under: key) }
        return branches[index].encoder
    }

    /// The last entry of this map that has the key of the one that was just begun.
    @inline(never)
    private func earlierEntry() -> Int? {
        let base = frame.entriesBase, last = entries.count - 1, bytes = UnsafeRawPointer(writer.base)
        let entry = entries.base[last]
        func lookBack() -> Int? {
            (base..<last).last { entries.base[$0].prefix == entry.prefix && isSame(entries.base[$0], entry, bytes) }
        }
        if last - base <= EncodingState.entriesWithoutIndex { return lookBack() }
        func key(_ entry: Entry) -> [UInt8] {
            [UInt8](UnsafeRawBufferPointer(start: bytes + entry.key, count: entry.value - entry.key))
        }
        let index = indexes[frame.serial] ?? EntryIndex(end: base)
        indexes[frame.serial] = index
        index.requestCount += 1
        if index.requestCount <= EncodingState.requestsWithoutIndex { return lookBack() }
        // Entries that are followed by others stay.
        for position in index.end..<last { index.entries[key(entries.base[position])] = position }
        index.end = last
        return index.entries[key(entry)]
    }

    private func inner(under key: some CodingKey, depth: Int) -> EncodingState {
        let state = EncodingState(depth: depth, isOneOfMany: branches.count >= 16)
        state.codingPath = codingPath + [key]
        state.userInfo = userInfo
        state.depthMax = depthMax
        state.sortsSets = sortsSets
        state.level = level + 1
        state.isOnDeepStack = isOnDeepStack
        return state
    }

    /// Writes the key of the next pair.
    @inline(__always)
    func beginEntry(_ key: String) {
        let offset = writer.count
        writer.write(text: key)
        var prefix = UInt64(bigEndian: (writer.base + offset).loadUnaligned(as: UInt64.self))
        let length = writer.count &- offset
        if length < 8 { prefix &= ~(UInt64.max >> UInt64(truncatingIfNeeded: 8 &* length)) }
        entries.push(Entry(prefix: prefix, key: offset, value: writer.count, end: 0))
        frame.count &+= 1
    }

    /// Removes the key whose value could not be encoded.
    func abandonEntry() {
        guard entries.count > frame.entriesBase else { return }
        writer.truncate(to: entries.base[entries.count - 1].key)
        entries.cut(to: entries.count - 1)
        frame.count -= 1
    }

    /// Writes bytes that become a byte string if nothing follows.
    func beginBlob(_ bytes: some Sequence<UInt8>) {
        let before = writer.count
        let done: Void? = bytes.withContiguousStorageIfAvailable { writer.raw(UnsafeRawBufferPointer($0)) }
        if done == nil { for byte in bytes { writer.byte(byte) } }
        frame.isBlob = true
        frame.count = writer.count - before
    }

    /// Turns the bytes into items of an array, because something follows.
    func endBlob() {
        guard frame.isBlob else { return }
        frame.isBlob = false
        let start = frame.start
        let bytes = writer.withBytes { Array($0[(start + 1)...]) }
        writer.truncate(to: start + 1)
        for byte in bytes { writer.write(unsigned: UInt64(byte)) }
    }

    // MARK: The end of an item

    /// Completes the item; returns the fault if that is impossible. `level` counts the branches it is in.
    private func finish(_ level: Int) -> Fault {
        if frame.fault != .none { return frame.fault }
        if branches.count > frame.branchesBase {
            let fault =
                level == DeepStack.levelsBefore
                ? DeepStack.run { mergeBranches(level + 1) } : mergeBranches(level + 1)
            if fault != .none { return fault }
        }
        switch frame.kind {
        case .empty: writer.byte(InitialByte.emptyMap)
        case .single: if frame.count != 1 { return .misuse }
        case .unkeyed: writer.closeHead(at: frame.start, frame.isBlob ? Major.bytes : Major.array, frame.count)
        case .keyed: finishMap()
        case .refused: return .tooDeep
        }
        return .none
    }

    /// Copies the items of the branches to their places.
    @inline(never)
    private func mergeBranches(_ level: Int) -> Fault {
        let base = frame.branchesBase, start = frame.start
        let merged = Array(branches[base...])
        branches.removeLast(merged.count)
        if !indexes.isEmpty { indexes[frame.serial] = nil }
        for branch in merged {
            let fault = branch.state.finish(level)
            if fault != .none { return fault }
            // What is written to its containers from now on has no place any more: they throw.
            branch.state.frame = branch.state.newFrame(depth: branch.state.frame.depth)
            // A type may keep an encoder in what it was given there.
            branch.state.userInfo = [:]
        }
        writer.replace(from: start) { other in
            writer.withBytes { bytes in
                var from = start
                for branch in merged {
                    other.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[from..<branch.offset]))
                    branch.state.writer.withBytes { other.write(encoded: $0) }
                    from = branch.offset
                }
                other.write(encoded: UnsafeRawBufferPointer(rebasing: bytes[from...]))
            }
        }
        // Entries after a branch moved; a key before its branch did not.
        var shift = 0, next = 0
        for index in frame.entriesBase..<entries.count {
            while next < merged.count, merged[next].offset <= entries.base[index].key {
                shift += merged[next].state.writer.count
                next += 1
            }
            entries.base[index].key += shift
            entries.base[index].value += shift
        }
        return .none
    }

    private func finishMap() {
        let base = frame.entriesBase
        let own = UnsafeMutableBufferPointer(start: entries.base + base, count: entries.count - base)
        var isSorted = true, end = writer.count
        for index in stride(from: own.count &- 1, through: 0, by: -1) {
            own[index].end = end
            end = own[index].key
            // Equal prefixes count as unsorted: the longer comparison is made there.
            if index > 0, own[index].prefix <= own[index &- 1].prefix { isSorted = false }
        }
        if isSorted {
            writer.closeHead(at: frame.start, Major.map, own.count)
        } else {
            sort(own)
            rearrange(own)
        }
        entries.cut(to: base)
    }

    private func sort(_ entries: UnsafeMutableBufferPointer<Entry>) {
        let bytes = UnsafeRawPointer(writer.base)
        var own = entries
        guard own.count <= 24 else { return own.sort { EncodingState.precedes($0, $1, bytes) } }
        for index in 1..<own.count {
            let entry = own[index]
            var hole = index
            while hole > 0, EncodingState.precedes(entry, own[hole &- 1], bytes) {
                own[hole] = own[hole &- 1]
                hole &-= 1
            }
            own[hole] = entry
        }
    }

    /// Bytewise order of the encoded keys; equal keys stay in the order they were written in.
    @inline(__always)
    private static func precedes(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Bool {
        if a.prefix != b.prefix { return a.prefix < b.prefix }
        let order = compare(a, b, bytes)
        return order == 0 ? a.key < b.key : order < 0
    }

    @inline(never)
    private static func compare(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Int {
        orderBytewise(
            UnsafeRawBufferPointer(start: bytes + a.key, count: a.value - a.key),
            UnsafeRawBufferPointer(start: bytes + b.key, count: b.value - b.key))
    }

    /// Moves the pairs into the order of the entries; of equal keys the last one stays.
    private func rearrange(_ own: UnsafeMutableBufferPointer<Entry>) {
        let start = frame.start, end = writer.count, length = end - start - 1
        // The old order is copied behind the content and then back over it, pair by pair.
        writer.reserve(length)
        let bytes = writer.base, copy = UnsafeRawPointer(bytes + end) - (start + 1)
        (bytes + end).copyMemory(from: bytes + start + 1, byteCount: length)
        var to = start + 1, kept = 0
        for index in 0..<own.count {
            let entry = own[index]
            if index + 1 < own.count, own[index + 1].prefix == entry.prefix, isSame(entry, own[index + 1], copy) {
                continue
            }
            (bytes + to).copyMemory(from: copy + entry.key, byteCount: entry.end &- entry.key)
            to &+= entry.end &- entry.key
            kept &+= 1
        }
        writer.truncate(to: to)
        writer.closeHead(at: start, Major.map, kept)
    }

    private func isSame(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Bool {
        EncodingState.compare(a, b, bytes) == 0
    }
}

/// Bytewise lexicographic order (RFC 8949 §4.2.1): negative, zero or positive.
func orderBytewise(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    for index in 0..<shared where a[index] != b[index] { return Int(a[index]) - Int(b[index]) }
    return a.count - b.count
}
