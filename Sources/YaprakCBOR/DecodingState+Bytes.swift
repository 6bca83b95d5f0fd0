extension DecodingState {
    /// Decodes a byte of a byte string as the integer item that it would be in an array.
    @inline(never)
    func decode<T: Decodable>(_ type: T.Type, byte: UInt8, path: [any CodingKey]) throws -> T {
        let item: (UInt8, UInt8) = (0x18, byte)
        return try withUnsafeBytes(of: item) { raw in
            let state = DecodingState()
            state.open(raw, asPartOf: self, path: path)
            defer { state.close() }
            return try state.decode(type, at: 0)
        }
    }
}
