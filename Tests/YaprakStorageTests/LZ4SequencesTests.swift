import TestSupport
import Testing

@testable import YaprakStorage

/// What the coder of Apple's platforms needs to know about a block, checked against liblz4.
@Suite(.bounded) struct LZ4SequencesTests {
    @Test func `The lengths in a block give the number of bytes that were compressed`() {
        for seed in 0..<Soak.volume(400, soak: 20_000) {
            var random = SplitMix64(seed: UInt64(seed))
            let raw = Self.bytes(&random)
            var block: [UInt8] = []
            guard raw.withUnsafeBytes({ LZ4Block.append($0, to: &block) }) != nil else { continue }
            #expect(block.withUnsafeBytes(LZ4Sequences.unpackedCount) == raw.count, "seed \(seed)")
        }
    }

    @Test func `A damaged block that liblz4 unpacks has the length that its sequences say`() {
        var agreed = 0
        for seed in 0..<Soak.volume(2_000, soak: 100_000) {
            var random = SplitMix64(seed: UInt64(seed) ^ 0x6c7a34)
            let raw = Self.bytes(&random)
            var block: [UInt8] = []
            guard raw.withUnsafeBytes({ LZ4Block.append($0, to: &block) }) != nil else { continue }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                block[Int.random(in: block.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            if Bool.random(using: &random) {
                block.removeLast(Int.random(in: 0...min(8, block.count - 1), using: &random))
            }
            let counted = block.withUnsafeBytes(LZ4Sequences.unpackedCount)
            // Exactly as long as the sequences say, or by nothing that liblz4 accepts near that length.
            for length in Set([counted ?? raw.count, raw.count, (counted ?? raw.count) + 1]) where length > 0 {
                var target = [UInt8](repeating: 0, count: length)
                let isWhole = block.withUnsafeBytes { stored in
                    target.withUnsafeMutableBytes { LZ4Block.decompress(stored, into: $0) }
                }
                if isWhole {
                    agreed += 1
                    #expect(counted == length, "seed \(seed)")
                }
            }
        }
        #expect(agreed > 0)
    }

    @Test func `Random bytes never trap, and an empty block has no length`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<Soak.volume(5_000, soak: 200_000) {
            let block = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            _ = block.withUnsafeBytes(LZ4Sequences.unpackedCount)
        }
        #expect([].withUnsafeBytes(LZ4Sequences.unpackedCount) == nil)
        #expect([UInt8(0)].withUnsafeBytes(LZ4Sequences.unpackedCount) == 0)
    }

    /// Text with repetitions of many distances and lengths, long ones too.
    private static func bytes(_ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        let length = Int.random(in: 300...6_000, using: &random)
        while bytes.count < length {
            if bytes.count > 8, Bool.random(using: &random) {
                let from = Int.random(in: 0..<bytes.count, using: &random)
                for i in 0..<Int.random(in: 4...700, using: &random) { bytes.append(bytes[from + i]) }
            } else {
                let count = Int.random(in: 1...60, using: &random)
                for _ in 0..<count { bytes.append(.random(in: 0...255, using: &random)) }
            }
        }
        return bytes
    }
}
