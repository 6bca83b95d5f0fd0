import Synchronization
import TestSupport
import Testing
import YaprakExtensions

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

    /// What a table of fingerprints does with different ones, with a few alike, with all alike, and with some that would stand in
    /// the same place of it.
    private static let fingerprints: [@Sendable (Int) -> UInt64] = [
        { UInt64($0) &* 0x2545_F491_4F6C_DD1D }, { UInt64($0 / 3) }, { _ in 7 },
        { UInt64($0) &* 0xF1DE_83E1_9937_733D },
    ]

    @Test(arguments: 0..<fingerprints.count)
    func `Rows are found where they went, and found as fast, however alike their fingerprints are`(kind: Int) {
        var random = SplitMix64(seed: UInt64(kind))
        for count in [1, 8, 9, 40, 300, 5_000] {
            let comparisons = Comparisons()
            func placed(_ number: Int, _ position: Int) -> Placed {
                Placed(
                    position: position, row: RowID(collection: number % 2, key: "\(number / 2)"),
                    fingerprint: Self.fingerprints[kind](number), comparisons: comparisons)
            }
            // Two in three of the rows are on both sides.
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
