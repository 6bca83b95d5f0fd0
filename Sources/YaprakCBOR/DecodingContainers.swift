/// A map that is being read.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let state: DecodingState
    let first: Int
    let count: Int
    /// The number of the keys between the value being decoded and this container.
    let path: Int

    private var inner: [any CodingKey] { state.path(path) }

    var codingPath: [any CodingKey] { state.codingPath + inner }

    var allKeys: [Key] {
        guard first + count <= state.entries.count else { return [] }
        return (first..<first + count).compactMap { state.codingKey(Key.self, of: state.entries.base[$0]) }
    }

    func contains(_ key: Key) -> Bool { state.find(key, first, count) != nil }

    @inline(__always)
    private func offset(_ key: some CodingKey) throws -> Int {
        if let offset = state.find(key, first, count) { return offset }
        throw missing(key)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The map has no key \"\(key.stringValue)\"."))
    }

    @inline(__always)
    private func read<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        let offset = try offset(key)
        do throws(CBORError) {
            var reader = try state.reader(at: offset)
            return try body(&reader)
        } catch {
            throw state.translated(error, T.self, at: offset, path: codingPath + [key])
        }
    }

    @inline(__always)
    private func integer<T: FixedWidthInteger>(_ key: Key, as type: T.Type = T.self) throws -> T {
        try read(key) { reader throws(CBORError) in try reader.readInteger(as: type) }
    }

    func decodeNil(forKey key: Key) throws -> Bool { state.isNull(at: try offset(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { reader throws(CBORError) in try reader.readBool() }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { reader throws(CBORError) in try reader.readText() }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { reader throws(CBORError) in try reader.readDouble() }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try read(key) { reader throws(CBORError) in try reader.readFloat() }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let offset = try offset(key)
        if path == 0 { return try state.decode(type, at: offset, under: key) }
        return try state.within(inner) { try state.decode(type, at: offset, under: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try state.keyed(at: offset(key), type, inner + [key]) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try state.unkeyed(at: offset(key), inner + [key])
    }

    func superDecoder() throws -> any Decoder {
        state.branch(at: state.find(SuperKey(), first, count) ?? -1, path: codingPath + [SuperKey()])
    }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        state.branch(at: state.find(key, first, count) ?? -1, path: codingPath + [key])
    }
}

/// An array, or a byte string, that is being read.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let state: DecodingState
    let inner: [any CodingKey]
    /// The bytes of a byte string, each an item.
    let blob: [UInt8]?
    /// How many items an array of known length has.
    let total: Int?
    private var position: Int
    private(set) var currentIndex = 0

    init(state: DecodingState, inner: [any CodingKey], blob: [UInt8]?, total: Int?, position: Int) {
        self.state = state
        self.inner = inner
        self.blob = blob
        self.total = total
        self.position = position
    }

    var codingPath: [any CodingKey] { state.codingPath + inner }
    /// Nil for an indefinite length. Never more than the number of bytes there are.
    var count: Int? { blob?.count ?? total }
    var isAtEnd: Bool {
        if let count { return currentIndex >= count }
        guard position < state.bytes.count else { return true }
        return state.bytes[position] == InitialByte.stop
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
        if let blob, currentIndex < blob.count {
            let value = try state.decode(type, byte: blob[currentIndex], under: inner + [IndexKey(currentIndex)])
            currentIndex += 1
            return value
        }
        let (offset, end) = try item(type)
        let value = try state.within(inner) { try state.decode(type, at: offset, under: IndexKey(currentIndex)) }
        position = end
        currentIndex += 1
        return value
    }

    /// Where the next item begins and ends. The bytes of a byte string are no items and can't be containers.
    private func item(_ type: Any.Type) throws -> (Int, Int) {
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
        let (offset, end) = try item([String: Any].self)
        let container = try state.keyed(at: offset, type, inner + [IndexKey(currentIndex)])
        position = end
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let (offset, end) = try item([Any].self)
        let container = try state.unkeyed(at: offset, inner + [IndexKey(currentIndex)])
        position = end
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let (offset, end) = try item((any Decoder).self)
        let branch = state.branch(at: offset, path: codingPath + [IndexKey(currentIndex)])
        position = end
        currentIndex += 1
        return branch
    }
}

/// A single item that is being read.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let state: DecodingState
    let offset: Int

    var codingPath: [any CodingKey] { state.codingPath }

    @inline(__always)
    private func integer<T: FixedWidthInteger>(as type: T.Type = T.self) throws -> T {
        try state.read(at: offset) { reader throws(CBORError) in try reader.readInteger(as: type) }
    }

    func decodeNil() -> Bool { state.isNull(at: offset) }
    func decode(_ type: Bool.Type) throws -> Bool {
        try state.read(at: offset) { reader throws(CBORError) in try reader.readBool() }
    }
    func decode(_ type: String.Type) throws -> String {
        try state.read(at: offset) { reader throws(CBORError) in try reader.readText() }
    }
    func decode(_ type: Double.Type) throws -> Double {
        try state.read(at: offset) { reader throws(CBORError) in try reader.readDouble() }
    }
    func decode(_ type: Float.Type) throws -> Float {
        try state.read(at: offset) { reader throws(CBORError) in try reader.readFloat() }
    }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try state.decode(type, at: offset) }
}

extension DecodingState {
    /// Decodes a byte of a byte string as the integer item that it would be in an array.
    @inline(never)
    func decode<T: Decodable>(_ type: T.Type, byte: UInt8, under inner: [any CodingKey]) throws -> T {
        let item: (UInt8, UInt8) = (0x18, byte)
        return try withUnsafeBytes(of: item) { raw in
            let state = DecodingState()
            state.open(raw, [:])
            state.codingPath = codingPath + inner
            defer { state.close() }
            return try state.decode(type, at: 0)
        }
    }

    /// Runs `body` with these keys at the end of the coding path.
    @inline(__always)
    func within<Result>(_ inner: [any CodingKey], _ body: () throws -> Result) rethrows -> Result {
        if inner.isEmpty { return try body() }
        codingPath += inner
        defer { codingPath.removeLast(inner.count) }
        return try body()
    }
}

extension CBORReader {
    /// A float, rounded to the nearest; a finite one stays finite.
    mutating func readFloat() throws(CBORError) -> Float {
        let before = position
        let wide = try readDouble()
        let value = Float(wide)
        if wide.isFinite, !value.isFinite { throw .outOfRange("the number is too large for a float", before) }
        return value
    }
}
