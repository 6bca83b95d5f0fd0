import TestSupport
import Testing

@testable import YaprakLists

/// Sets of rows, a bit for each.
@Suite(.bounded) struct RowBitsTests {
    @Test(arguments: (1...UInt64(Soak.volume(20, soak: 400))).map { $0 })
    func `Rows of a range are those of both sets, and no others are touched`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = 1 + random.below(300)
        var (bits, expected) = (RowBits(count: count), Set<Int>())
        for step in 0..<40 {
            var (other, rows) = (RowBits(count: count), Set<Int>())
            if random.chance(30) {
                other = RowBits(allOf: count)
                rows = Set(0..<count)
            } else {
                for _ in 0..<random.below(40) {
                    let row = random.below(count)
                    rows.insert(row)
                    other.withWords { $0[row >> 6] |= 1 << UInt64(row & 63) }
                }
            }
            #expect(Self.rows(other) == rows.sorted(), "seed \(seed), step \(step)")
            let start = random.below(count)
            let range = start..<start + random.below(min(count - start, 70) + 1)
            bits.formUnion(other, in: range)
            expected.formUnion(rows.filter(range.contains))
            #expect(Self.rows(bits) == expected.sorted(), "seed \(seed), step \(step), \(range) of \(count)")
            #expect(bits.count == expected.count, "seed \(seed), step \(step)")
        }
    }

    private static func rows(_ bits: RowBits) -> [Int] {
        bits.words.indices.flatMap { index in
            (0..<64).filter { bits.words[index] >> UInt64($0) & 1 == 1 }.map { index * 64 + $0 }
        }
    }
}
