/// A map that is being read.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let state: DecodingState
    /// The offset of the map.
    let place: Int
    /// The number of the value that it was made for, as in ``ItemDecoder``.
    let value: Int
    let first: Int
    let count: Int
    /// The keys between that value and this container.
    let path: InnerPath

    private var inner: [any CodingKey] { state.keys(of: path) }

    /// Whether the state decodes the value that this was made for.
    @inline(__always)
    private var isCurrent: Bool { state.value == value }

    /// The same map: of an outer value its pairs are there, those of a container that was kept are recorded again.
    @inline(never)
    private func resumed() throws -> KeyedDecoding {
        if state.isRunning(value) { return self }
        return try state.keyedOnce(at: place, Key.self, codingPath)
    }

    var codingPath: [any CodingKey] { isCurrent ? state.codingPath + inner : pathElsewhere }

    private var pathElsewhere: [any CodingKey] {
        if state.isRunning(value) { return state.codingPath(of: value) + inner }
        return ItemDecoder(state: state, offset: place, value: value).codingPath
    }

    var allKeys: [Key] {
        guard let here = isCurrent ? self : try? resumed() else { return [] }
        guard here.first + here.count <= here.state.entries.count else { return [] }
        return (here.first..<here.first + here.count).compactMap {
            here.state.codingKey(Key.self, of: here.state.entries.base[$0])
        }
    }

    func contains(_ key: Key) -> Bool {
        if isCurrent { return state.find(key, first, count) != nil }
        // True where the map can't be read any more, so that what asks for an optional gets the error.
        guard let here = try? resumed() else { return true }
        return here.state.find(key, here.first, here.count) != nil
    }

    @inline(__always)
    private func offset(_ key: some CodingKey) throws -> Int {
        if let offset = state.find(key, first, count) { return offset }
        if let offset = state.prototypeOffset(of: key, codingPath) { return offset }
        throw missing(key)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The map has no key \"\(key.stringValue)\"."))
    }

    @inline(__always)
    private func read<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        if isCurrent { return try readHere(key, body) }
        return try readElsewhere(key, body)
    }

    @inline(never)
    private func readElsewhere<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        try resumed().readHere(key, body)
    }

    @inline(__always)
    private func readHere<T>(_ key: Key, _ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
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

    func decodeNil(forKey key: Key) throws -> Bool {
        if isCurrent { return state.isNull(at: try offset(key)) }
        let here = try resumed()
        return here.state.isNull(at: try here.offset(key))
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
        if !isCurrent { return try decodeElsewhere(type, key) }
        let offset = try offset(key)
        if path.isEmpty { return try state.decode(type, at: offset, under: key) }
        return try state.within(inner) { try state.decode(type, at: offset, under: key) }
    }

    @inline(never)
    private func decodeElsewhere<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        let here = try resumed()
        return try here.state.decode(type, at: here.offset(key), under: here.inner + [key], of: here.value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        if isCurrent, !state.keepsPairs {
            let path = inner + [key]
            return try state.keyed(at: offset(key), type, path) { state.number(path) }
        }
        let here = try resumed()
        return KeyedDecodingContainer(
            try here.state.keyedOnce(at: here.offset(key), type, here.codingPath + [key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let here = isCurrent ? self : try resumed()
        return try here.state.unkeyed(at: here.offset(key), here.inner + [key], of: here.value)
    }

    func superDecoder() throws -> any Decoder { try superDecoder(under: SuperKey()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(under: key) }

    private func superDecoder(under key: some CodingKey) throws -> any Decoder {
        let here = isCurrent ? self : try resumed()
        return here.state.branch(at: here.state.find(key, here.first, here.count) ?? -1, path: here.codingPath + [key])
    }
}
