/// A single item that is being read.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let item: ItemDecoder

    var codingPath: [any CodingKey] { item.codingPath }

    @inline(__always)
    private func read<T>(_ body: (inout CBORReader) throws(CBORError) -> T) throws -> T {
        try item.state.read(at: item.offset, path: item.codingPath, body)
    }

    @inline(__always)
    private func integer<T: FixedWidthInteger>(as type: T.Type = T.self) throws -> T {
        try read { reader throws(CBORError) in try reader.readInteger(as: type) }
    }

    func decodeNil() -> Bool { item.state.isNull(at: item.offset) }
    func decode(_ type: Bool.Type) throws -> Bool { try read { reader throws(CBORError) in try reader.readBool() } }
    func decode(_ type: String.Type) throws -> String { try read { reader throws(CBORError) in try reader.readText() } }
    func decode(_ type: Double.Type) throws -> Double {
        try read { reader throws(CBORError) in try reader.readDouble() }
    }
    func decode(_ type: Float.Type) throws -> Float { try read { reader throws(CBORError) in try reader.readFloat() } }
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
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if item.isCurrent { return try item.state.decode(type, at: item.offset) }
        let here = item.resumed()
        if here.state.value < 0 {
            // After the root call: also a type that reads nothing is not decoded any more.
            _ = try here.state.read(at: max(item.offset, 0), path: []) { reader throws(CBORError) in try reader.peek() }
        }
        return try here.state.decode(type, at: item.offset, under: [], of: here.value)
    }
}
