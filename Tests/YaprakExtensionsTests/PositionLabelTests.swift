import TestSupport
import Testing

@testable import YaprakExtensions

/// Labels of rows of a view that is read without its code: between any two there is another, in few digits.
@Suite(.bounded) struct PositionLabelTests {
    private enum Arrival: CaseIterable, CustomTestStringConvertible {
        case behindTheLatest, beforeTheLatest, atTheBeginning, atTheEnd
        var testDescription: String { "\(self)" }
    }

    private func precedes(_ a: PositionLabel, _ b: PositionLabel) -> Bool {
        a.head != b.head ? a.head < b.head : a.tail.lexicographicallyPrecedes(b.tail)
    }

    // Every twenty rows that came behind one that stayed took a digit more: 500 digits for each of them after 10,000.
    @Test(arguments: Arrival.allCases)
    private func `Ten thousand rows that come to one place have labels of three digits at most`(arrival: Arrival) {
        let first = PositionLabel.spread(0, of: 2), last = PositionLabel.spread(1, of: 2)
        var (before, after): (PositionLabel?, PositionLabel?) =
            switch arrival {
            case .behindTheLatest, .beforeTheLatest: (first, last)
            case .atTheBeginning: (nil, first)
            case .atTheEnd: (last, nil)
            }
        var longest = 0, isOrdered = true
        for _ in 0..<10_000 {
            let label = PositionLabel.between(before, after)
            if let before, !precedes(before, label) { isOrdered = false }
            if let after, !precedes(label, after) { isOrdered = false }
            longest = max(longest, label.tail.count + 1)
            switch arrival {
            case .behindTheLatest, .atTheEnd: before = label
            case .beforeTheLatest, .atTheBeginning: after = label
            }
        }
        #expect(isOrdered && longest <= 3, "\(longest) digits")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Labels are in order wherever rows come`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var labels = [PositionLabel.spread(0, of: 2), .spread(1, of: 2)]
        var position = 1
        for _ in 0..<2_000 {
            // Anywhere, and at the two sides of the latest.
            position = random.chance(5) ? random.below(labels.count + 1) : position + random.below(2)
            let (before, after) = (
                position > 0 ? labels[position - 1] : nil, position < labels.count ? labels[position] : nil
            )
            labels.insert(.between(before, after), at: position)
        }
        let isOrdered = zip(labels, labels.dropFirst()).allSatisfy(precedes)
        #expect(isOrdered, "seed \(seed)")
        #expect(labels.allSatisfy { $0.tail.last != 0 }, "seed \(seed)")
    }
}
