@testable import YaprakStorage

/// Segments that say what no writer says, every sum right.
enum ForgedSegment {
    /// A segment with these items, each in a frame that counts so many commits.
    static func bytes(_ header: FileHeader, _ items: [([UInt8], UInt32)]) -> [UInt8] {
        var builder = FrameBuilder(salt: header.salt, base: 4096, chain: header.previousChain)
        var gate = CompressionGate()
        var number = header.first
        for (item, count) in items {
            item.withUnsafeBytes {
                builder.add(.commitGroup, $0, first: number, count: count, durable: number, gate: &gate)
            }
            number &+= UInt64(count)
        }
        return header.encoded() + builder.bytes
    }

    /// A segment in the place of another, which may have frames as large as the format allows.
    static func bytes(like segment: [UInt8], _ items: [([UInt8], UInt32)]) throws -> [UInt8] {
        var header = try UnprovenFileHeader(bytes: segment).prove(as: .segment)
        (header.maxStored, header.maxRaw) = (FormatLimits.frameStoredMax, FormatLimits.frameRawMax)
        return bytes(header, items)
    }
}
