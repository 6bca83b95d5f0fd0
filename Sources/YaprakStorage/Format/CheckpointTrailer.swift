/// The last 64 bytes of a checkpoint. Without them the file is incomplete.
struct CheckpointTrailer: Equatable, Sendable {
    var number: UInt64
    var footerOffset: UInt64
    var footerSum: UInt64

    func encoded(salt: UInt64, offset: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Layout.trailerBytes)
        bytes.put(Layout.trailerMagic, at: 0)
        bytes.put(number, at: 8)
        bytes.put(footerOffset, at: 16)
        bytes.put(footerSum, at: 24)
        bytes.put(XXH64.hash(Array(bytes[..<56]), seed: salt ^ offset), at: 56)
        return bytes
    }

    init(number: UInt64, footerOffset: UInt64, footerSum: UInt64) {
        self.number = number
        self.footerOffset = footerOffset
        self.footerSum = footerSum
    }

    /// Reads a trailer; nil unless its checksum is right.
    init?(_ bytes: UnsafeRawBufferPointer, salt: UInt64, offset: UInt64) {
        guard bytes.count == Layout.trailerBytes, bytes.number(at: 0) as UInt64 == Layout.trailerMagic,
            XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<56]), seed: salt ^ offset)
                == bytes.number(at: 56) as UInt64
        else { return nil }
        number = bytes.number(at: 8)
        footerOffset = bytes.number(at: 16)
        footerSum = bytes.number(at: 24)
    }
}
