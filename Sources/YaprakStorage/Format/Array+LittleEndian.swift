extension Array<UInt8> {
    /// Overwrites the bytes at `offset` with a little-endian number.
    mutating func put<T: FixedWidthInteger>(_ value: T, at offset: Int) {
        withUnsafeMutableBytes { $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self) }
    }

    /// Appends a little-endian number.
    mutating func append<T: FixedWidthInteger>(number value: T) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// The little-endian number at `offset`, which the caller has checked to be inside.
    func number<T: FixedWidthInteger>(at offset: Int) -> T { withUnsafeBytes { $0.number(at: offset) } }
}

extension UnsafeRawBufferPointer {
    /// The little-endian number at `offset`; stops the program if that is outside.
    func number<T: FixedWidthInteger>(at offset: Int) -> T {
        precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size, "numbers are read inside their buffer")
        return T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}
