import Foundation
import TestSupport
import Testing

@testable import YaprakCore

/// The normal form of a key costs what its length costs, and is what Foundation makes.
@Suite(.bounded) struct KeyFormTests {
    /// Letters and marks that compose, decompose and change places.
    private static let scalars: [Unicode.Scalar] = [
        "a", "e", "o", " ", "\u{e9}", "\u{301}", "\u{308}", "\u{316}", "\u{327}", "\u{344}", "\u{345}", "\u{5b0}",
        "\u{1100}", "\u{1161}", "\u{11a8}", "\u{ac00}", "\u{212b}", "\u{fb1d}", "\u{1d15e}", "\u{1f1e6}", "\u{200d}",
        "\u{1f600}", "\u{915}", "\u{93c}", "\u{94d}", "\u{9c7}", "\u{9be}",
    ]

    private static func string(_ seed: UInt64, marks most: Int) -> String {
        var random = SplitMix64(seed: seed)
        var string = String.UnicodeScalarView()
        let marks = scalars.filter { $0.properties.canonicalCombiningClass != .notReordered && $0 != "\u{344}" }
        while string.count < 40 * Int(seed) {
            let scalar = scalars[random.below(scalars.count)]
            let endsRun = scalar.properties.canonicalCombiningClass == .notReordered
            if endsRun || string.suffix(20).contains(where: { !marks.contains($0) }) { string.append(scalar) }
            if random.chance(5) { for _ in 0..<random.below(most) { string.append(marks[random.below(marks.count)]) } }
        }
        return String(string)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `A long key has the form that Foundation makes of it`(seed: UInt64) {
        let string = Self.string(seed, marks: 1)
        let key = RecordKey.normalized(string)
        let isSame = Array(key.utf8) == Array(string.precomposedStringWithCanonicalMapping.utf8)
        #expect(isSame, "seed \(seed)")
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `The form of a letter with more marks than any language has is its own form`(seed: UInt64) {
        let key = RecordKey.normalized(Self.string(seed, marks: 90))
        let isItsForm = Array(RecordKey.normalized(key).utf8) == Array(key.utf8)
        #expect(isItsForm, "seed \(seed)")
    }

    @Test(arguments: ["\u{316}\u{301}", "e\u{301}", "\u{1100}\u{1161}", "\u{915}\u{94d}", "\u{301}"])
    func `The time for a key grows with its length, not with the square of it`(unit: String) {
        func time(_ count: Int) -> Double {
            let key = "a" + String(repeating: unit, count: count)
            return (0..<3).map { _ in
                let start = ThreadClock.seconds
                _ = RecordKey.normalized(key)
                return ThreadClock.seconds - start
            }.min()!
        }
        // Sixteen times the work, of which the square is 256; a sanitizer makes a long key dearer than a short one.
        let (small, large) = (time(8_000), time(128_000))
        #expect(large < small * 160, "\(small) and \(large)")
    }
}
