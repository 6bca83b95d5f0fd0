/// An array, or a byte string, that is being read.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let item: ItemDecoder
    let inner: [any CodingKey]
    /// The bytes of a byte string, each an item.
    let blob: [UInt8]?
    /// How many items an array of known length has.
    let total: Int?
    private var position: Int
    private(set) var currentIndex = 0
    /// The number of `inner`, once a container of an item has asked for it: all of them have the same.
    private var innerPath: InnerPath?

    init(item: ItemDecoder, inner: [any CodingKey], blob: [UInt8]?, total: Int?, position: Int) {
        self.item = item
        self.inner = inner
        self.blob = blob
        self.total = total
        self.position = position
    }

    private var state: DecodingState { item.state }
    var codingPath: [any CodingKey] { item.isCurrent ? state.codingPath + inner : pathElsewhere }
    private var pathElsewhere: [any CodingKey] {
        state.isRunning(item.value) ? state.codingPath(of: item.value) + inner : item.codingPath
    }
    /// Nil for an indefinite length. Never more than the number of bytes there are.
    var count: Int? { blob?.count ?? total }
    var isAtEnd: Bool {
        if let count { return currentIndex >= count }
        // After the root call nobody knows whether more items came: reading on gives the error.
        guard position < state.bytes.count else { return state.value >= 0 }
        return state.bytes[position] == InitialByte.stop
    }

    /// Does this at the same item of the same array, in a state that has not left it: the one of a container that was kept is
    /// at another value, and has that one's path. Numbers and texts are read where they stand, in any state.
    @inline(never)
    private mutating func resumed<Result>(_ body: (inout UnkeyedDecoding) throws -> Result) rethrows -> Result {
        if state.isRunning(item.value) { return try body(&self) }
        var other = UnkeyedDecoding(item: item.resumed(), inner: [], blob: blob, total: total, position: position)
        other.currentIndex = currentIndex
        defer { (position, currentIndex) = (other.position, other.currentIndex) }
        return try body(&other)
    }

    @inline(never)
    private func ended(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(codingPath: codingPath + [IndexKey(currentIndex)], debugDescription: "The array has no more items."))
    }

    @inline(__always)
    private mutating func read<T>(_ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        if isAtEnd { throw ended(T.self) }
        do throws(CBORError) {
            if let blob { return try UnkeyedDecoding.read(blob[currentIndex], body, &currentIndex) }
            var reader = try state.reader(at: position)
            let value = try body(&reader)
            position = reader.position
            currentIndex += 1
            return value
        } catch {
            throw state.translated(
                error, T.self, at: blob == nil ? position : 0, path: codingPath + [IndexKey(currentIndex)])
        }
    }

    /// Reads a byte of a byte string as an integer item.
    @inline(never)
    private static func read<T>(
        _ byte: UInt8, _ body: (inout CBORReader) throws(CBORError) -> T, _ index: inout Int
    ) throws(CBORError) -> T {
        let item: (UInt8, UInt8) = (0x18, byte)
        let value = try withUnsafeBytes(of: item) { (raw) throws(CBORError) in
            var reader = CBORReader(raw)
            return try body(&reader)
        }
        index += 1
        return value
    }

    @inline(__always)
    private mutating func integer<T: FixedWidthInteger>(as type: T.Type = T.self) throws -> T {
        try read { reader throws(CBORError) in try reader.readInteger(as: type) }
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw ended(Any?.self) }
        guard blob == nil, state.isNull(at: position) else { return false }
        return try read { reader throws(CBORError) in reader.readNull() }
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try read { reader throws(CBORError) in try reader.readBool() }
    }
    mutating func decode(_ type: String.Type) throws -> String {
        try read { reader throws(CBORError) in try reader.readText() }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try read { reader throws(CBORError) in try reader.readDouble() }
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        try read { reader throws(CBORError) in try reader.readFloat() }
    }
    mutating func decode(_ type: Int.Type) throws -> Int { try integer() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        if let blob, currentIndex < blob.count {
            currentIndex += 1
            return blob[currentIndex - 1]
        }
        return try integer()
    }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if !item.isCurrent { return try resumed { try $0.decodeElsewhere(type) } }
        if blob != nil, currentIndex < count ?? 0 { return try decodeByte(type) }
        let (offset, end) = try next(type)
        let value = try state.within(inner) { try state.decode(type, at: offset, under: IndexKey(currentIndex)) }
        position = end
        currentIndex += 1
        return value
    }

    private mutating func decodeElsewhere<T: Decodable>(_ type: T.Type) throws -> T {
        if blob != nil, currentIndex < count ?? 0 { return try decodeByte(type) }
        let (offset, end) = try next(type)
        let value = try state.decode(type, at: offset, under: inner + [IndexKey(currentIndex)], of: item.value)
        position = end
        currentIndex += 1
        return value
    }

    @inline(never)
    private mutating func decodeByte<T: Decodable>(_ type: T.Type) throws -> T {
        guard let blob else { throw notAnItem(type) }
        let value = try state.decode(type, byte: blob[currentIndex], path: codingPath + [IndexKey(currentIndex)])
        currentIndex += 1
        return value
    }

    /// Where the next item begins and ends. The bytes of a byte string are no items and can't be containers.
    private func next(_ type: Any.Type) throws -> (Int, Int) {
        if isAtEnd { throw ended(type) }
        if blob != nil { throw notAnItem(type) }
        do throws(CBORError) {
            return (position, try CBORItem.end(state.bytes, position, CBORItem.depthMax))
        } catch {
            throw state.translated(error, type, at: position, path: codingPath + [IndexKey(currentIndex)])
        }
    }

    @inline(never)
    private func notAnItem(_ type: Any.Type) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath + [IndexKey(currentIndex)], debugDescription: "The item is a byte."))
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        if !item.isCurrent || state.keepsPairs { return try resumed { try $0.nestedElsewhere(type) } }
        let (offset, end) = try next([String: Any].self)
        if innerPath == nil { innerPath = state.number(inner) }
        let path = (innerPath ?? .none).item(currentIndex)
        let container = try state.keyed(at: offset, type, state.keys(of: path)) { path }
        position = end
        currentIndex += 1
        return container
    }

    private mutating func nestedElsewhere<Nested: CodingKey>(
        _ type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let (offset, end) = try next([String: Any].self)
        let container = try state.keyedOnce(at: offset, type, codingPath + [IndexKey(currentIndex)])
        position = end
        currentIndex += 1
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if !item.isCurrent { return try resumed { try $0.nestedListHere() } }
        return try nestedListHere()
    }

    private mutating func nestedListHere() throws -> UnkeyedDecoding {
        let (offset, end) = try next([Any].self)
        let container = try state.unkeyed(at: offset, inner + [IndexKey(currentIndex)], of: item.value)
        position = end
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        if !item.isCurrent { return try resumed { try $0.branchHere() } }
        return try branchHere()
    }

    private mutating func branchHere() throws -> ItemDecoder {
        let (offset, end) = try next((any Decoder).self)
        let branch = state.branch(at: offset, path: codingPath + [IndexKey(currentIndex)])
        position = end
        currentIndex += 1
        return branch
    }
}
