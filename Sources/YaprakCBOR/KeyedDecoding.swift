/// A map that is being read.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let item: ItemDecoder
    let first: Int
    let count: Int
    /// The number of the keys between the value being decoded and this container.
    let path: Int

    private var state: DecodingState { item.state }
    private var inner: [any CodingKey] { state.path(path) }

    /// The same map, recorded again by a state of its own: the pairs that were recorded for a container that was kept are gone.
    @inline(never)
    private func moved() throws -> KeyedDecoding { try item.moved().keyedOfKept(Key.self) }

    var codingPath: [any CodingKey] { item.isKept ? item.codingPath : state.codingPath + inner }

    var allKeys: [Key] {
        if item.isKept { return (try? moved().allKeys) ?? [] }
        guard first + count <= state.entries.count else { return [] }
        return (first..<first + count).compactMap { state.codingKey(Key.self, of: state.entries.base[$0]) }
    }

    func contains(_ key: Key) -> Bool {
        // True where the map can't be read any more, so that what asks for an optional gets the error.
        if item.isKept { return (try? moved().contains(key)) ?? true }
        return state.find(key, first, count) != nil
    }

    @inline(__always)
    private func offset(_ key: some CodingKey) throws -> Int {
        if let offset = state.find(key, first, count) { return offset }
        if let offset = state.prototypeOffset(of: key, inner) { return offset }
        throw missing(key)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The map has no key \"\(key.stringValue)\"."))
    }

    @inline(__always)
    private func read<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        if item.isKept { return try readKept(key, body) }
        let offset = try offset(key)
        do throws(CBORError) {
            var reader = try state.reader(at: offset)
            return try body(&reader)
        } catch {
            throw state.translated(error, T.self, at: offset, path: codingPath + [key])
        }
    }

    @inline(never)
    private func readKept<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        try moved().read(key, body)
    }

    @inline(__always)
    private func integer<T: FixedWidthInteger>(_ key: Key, as type: T.Type = T.self) throws -> T {
        try read(key) { reader throws(CBORError) in try reader.readInteger(as: type) }
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        if item.isKept { return try moved().decodeNil(forKey: key) }
        return state.isNull(at: try offset(key))
    }
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
        if item.isKept { return try moved().decode(type, forKey: key) }
        let offset = try offset(key)
        if path == 0 { return try state.decode(type, at: offset, under: key) }
        return try state.within(inner) { try state.decode(type, at: offset, under: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        if item.isKept { return try moved().nestedContainer(keyedBy: type, forKey: key) }
        return try state.keyed(at: offset(key), type, inner + [key])
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        if item.isKept { return try moved().nestedUnkeyedContainer(forKey: key) }
        return try state.unkeyed(at: offset(key), inner + [key])
    }

    func superDecoder() throws -> any Decoder { try superDecoder(under: SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(under: key) }

    private func superDecoder(under key: some CodingKey) throws -> any Decoder {
        if item.isKept { return try moved().superDecoder(under: key) }
        return state.branch(at: state.find(key, first, count) ?? -1, path: codingPath + [key])
    }
}
