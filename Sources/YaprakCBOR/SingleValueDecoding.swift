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
