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

    // The next three are for this type alone, whose parts are in several files.

    /// The indexes of frames, by their serials.
    var indexes: [Int: EntryIndex] = [:]
    var level = 0
    /// Whether a stack was made for the values that are being encoded.
    var isOnDeepStack = false
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

    func newFrame(depth: Int) -> Frame {
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

    // MARK: The end of an item

    /// Completes the item; returns the fault if that is impossible. `level` counts the branches it is in.
    func finish(_ level: Int) -> Fault {
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
}
