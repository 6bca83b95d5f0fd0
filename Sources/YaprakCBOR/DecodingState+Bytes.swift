extension DecodingState {
    /// Decodes a byte of a byte string as the integer item that it would be in an array.
    @inline(never)
    func decode<T: Decodable>(_ type: T.Type, byte: UInt8, path: [any CodingKey]) throws -> T {
        let item: (UInt8, UInt8) = (0x18, byte)
        return try withUnsafeBytes(of: item) { raw in
            let state = DecodingState()
            state.open(raw, asPartOf: self, path: path)
            // With what was kept of it: the byte goes with this call.
            defer { state.closeRoot() }
            return try state.decode(type, at: 0)
        }
    }
}
