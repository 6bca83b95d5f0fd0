import Synchronization
import TestSupport
import Testing
import YaprakExtensions

/// Rows that were removed and inserted are paired, by a table of fingerprints, of any quality.
@Suite(.bounded) struct RowPairsTests {
    /// How many comparisons there were.
    private final class Comparisons: Sendable {
        let count = Atomic(0)
    }

    private struct Placed: PositionedRow {
        let position: Int
        let row: RowID
        let fingerprint: UInt64
        let comparisons: Comparisons

        func isSameRow(as other: Placed) -> Bool {
            comparisons.count.add(1, ordering: .relaxed)
            return row == other.row
        }
    }

    /// What a table of fingerprints does with different ones, with a few alike, with all alike, with some that belong to the same
    /// slot of it, and with rows that fill slots side by side, where all that are not there belong to the first.
    private static let fingerprints: [@Sendable (_ number: Int, _ count: Int) -> UInt64] = [
        { number, _ in UInt64(number) &* 0x2545_F491_4F6C_DD1D }, { number, _ in UInt64(number / 3) }, { _, _ in 7 },
        { number, _ in UInt64(number) &* inverse },
        { number, count in
            let bits = Int.bitWidth - (2 * count - 1).leadingZeroBitCount
            return number % 3 == 0 ? UInt64(number / 3) << UInt64(64 - bits) &* inverse : 0
        },
    ]

    /// Of the number that fingerprints are multiplied with.
    private static let inverse: UInt64 = 0xF1DE_83E1_9937_733D

    @Test(arguments: 0..<fingerprints.count)
    func `Rows are found where they went, and found as fast, however alike their fingerprints are`(kind: Int) {
        var random = SplitMix64(seed: UInt64(kind))
        for count in [1, 8, 9, 40, 300, 5_000] {
            let comparisons = Comparisons()
            func placed(_ number: Int, _ position: Int) -> Placed {
                Placed(
                    position: position, row: RowID(collection: number % 2, key: "\(number / 2)"),
                    fingerprint: Self.fingerprints[kind](number, count), comparisons: comparisons)
            }
            // Half of those that go come elsewhere.
            let gone = (0..<count).map { $0 * 3 / 2 }
            let come = (0..<count).map { $0 * 3 }.shuffled(using: &random)
            let pairs = RowPairs(
                removed: gone.enumerated().map { placed($1, $0) }, inserted: come.enumerated().map { placed($1, $0) })
            let places = Dictionary(uniqueKeysWithValues: zip(come, come.indices))
            let expected = gone.enumerated().compactMap { index, number in places[number].map { [index, $0] } }
            #expect(pairs.all.map { [$0.removed, $0.inserted] } == expected, "\(count) rows, kind \(kind)")
            if count > 8 {
                let done = comparisons.count.load(ordering: .relaxed)
                #expect(done <= 65 * count, "\(count) rows, kind \(kind): \(done) comparisons")
            }
        }
    }
}
