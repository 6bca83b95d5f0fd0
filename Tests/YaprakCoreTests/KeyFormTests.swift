import Foundation
import TestSupport
import Testing

@testable import YaprakCore

#if os(Linux)
    // The standard library's own normal forms, which only its tests may use elsewhere. Apple's SDKs do not declare them.
    @_spi(_Unicode) import Swift
#endif

/// The normal form of a key costs what its length costs, and is that of the standard library.
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
    func `A long key has the form of the standard library`(seed: UInt64) {
        let string = Self.string(seed, marks: 1)
        let key = RecordKey.normalized(string)
        let isSame = Array(key.utf8) == Array(string.nfc.utf8)
        #expect(isSame, "seed \(seed)")
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `The form of a letter with more marks than any language has is its own form`(seed: UInt64) {
        let key = RecordKey.normalized(Self.string(seed, marks: 90))
        let isItsForm = Array(RecordKey.normalized(key).utf8) == Array(key.utf8)
        #expect(isItsForm, "seed \(seed)")
    }

    /// Letters, marks and their compositions that Foundation does not know, and some that it does.
    private static let newer: [[Unicode.Scalar]] =
        OwnComposition.decompositions.sorted { $0.key < $1.key }.map { [$0.key] + $0.value }
        + [["\u{897}"], ["\u{898}"], ["\u{899}"], ["\u{10efd}"], ["\u{1e4ec}"], ["\u{113ce}"], ["\u{1612f}"]]
        + [
            ["\u{ac01}", "\u{1100}", "\u{1161}", "\u{11a8}"], ["\u{ac01}", "\u{ac00}", "\u{11a8}"],
            ["\u{ac00}", "\u{1100}", "\u{1161}"], ["\u{ccb}", "\u{cc6}", "\u{cc2}", "\u{cd5}"],
            ["\u{ccb}", "\u{cca}", "\u{cd5}"],
        ]
        + [
            ["a"], ["\u{e9}", "e", "\u{301}"], ["\u{316}"], ["\u{344}", "\u{308}", "\u{301}"], ["\u{307}"], ["\u{334}"],
        ]

    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `Strings that Swift calls equal are one key`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parts = (0..<random.below(8) + 1).map { _ in Self.newer[random.below(Self.newer.count)] }
        // Each part as it is or decomposed, and marks of different classes in another order.
        func form() -> String {
            var scalars: [Unicode.Scalar] = []
            for part in parts {
                if part.count > 1, random.chance(2) { scalars += part.dropFirst() } else { scalars.append(part[0]) }
            }
            for _ in 0..<20 where scalars.count > 1 {
                let at = random.below(scalars.count - 1)
                let (a, b) = (scalars[at].properties, scalars[at + 1].properties)
                if a.canonicalCombiningClass != b.canonicalCombiningClass, a.canonicalCombiningClass != .notReordered,
                    b.canonicalCombiningClass != .notReordered
                {
                    scalars.swapAt(at, at + 1)
                }
            }
            return String(String.UnicodeScalarView(scalars))
        }
        let (one, two) = (form(), form())
        let (first, second) = (RecordKey.normalized(one), RecordKey.normalized(two))
        let isSame = Array(first.utf8) == Array(second.utf8)
        #expect(one == two && isSame, "seed \(seed): \(Array(one.unicodeScalars)) and \(Array(two.unicodeScalars))")
        #expect(first == one, "seed \(seed)")
        let isItsForm = Array(RecordKey.normalized(first).utf8) == Array(first.utf8)
        #expect(isItsForm, "seed \(seed)")
        #if os(Linux)
            // So the order of the bytes is Swift's own.
            let isForm = Array(first.unicodeScalars) == Array(one._nfc)
            #expect(isForm, "seed \(seed): \(Array(one.unicodeScalars)) to \(Array(first.unicodeScalars))")
        #endif
        // What is not equal stays apart.
        let other = RecordKey.normalized(one + "b")
        #expect(other != first, "seed \(seed)")
    }

    // Foundation takes them for others, and the record of one was replaced by that of the other.
    @Test(arguments: [
        ("\u{1100}\u{1176}", "까"), ("\u{1100}\u{1161}\u{11a7}", "가"), ("\u{1100}\u{1161}\u{11c3}", "개"),
        ("\u{1113}\u{1161}", "\u{d7a4}"), ("\u{1113}\u{1165}", "\u{1113}\u{1166}"),
    ])
    func `Letters of Old Hangul are none of the syllables of today`(old: String, other: String) async throws {
        #expect(RecordKey.normalized(old) == old && RecordKey.normalized(other) == other)
        #expect(old != other)
        let database = Database.inMemory()
        let notes = RecordCollection<String, NoMetadata>("notes")
        try await database.write {
            $0[notes][other] = "other"
            $0[notes][old] = "old"
        }
        #expect(database.snapshot[notes][other] == "other" && database.snapshot[notes].count == 2)
    }

    /// Marks that the standard library's own form does not put in order as it decomposes them (decision 3).
    private static let inconsistent: [Unicode.Scalar] = ["\u{f73}", "\u{f75}", "\u{f81}"]

    #if os(Linux)
        @Test func `What the standard library decomposes or orders and Foundation does not is known`() {
            var strays: [String] = []
            for value in 0...0x10FFFF as ClosedRange<UInt32> {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let text = String(scalar)
                let parts = Array(text._nfd)
                if Array(RecordKey.normalized(String(String.UnicodeScalarView(parts))).unicodeScalars)
                    != Array(text._nfc),
                    !Self.inconsistent.contains(scalar)
                {
                    strays.append(String(value, radix: 16))
                }
                if parts != Array(text.decomposedStringWithCanonicalMapping.unicodeScalars) {
                    if OwnComposition.decompositions[scalar] != parts { strays.append(String(value, radix: 16)) }
                } else if scalar.properties.canonicalCombiningClass > Unicode.CanonicalCombiningClass(rawValue: 1) {
                    // A mark of the least class goes before any other.
                    let marked = ("a" + text + "\u{334}").decomposedStringWithCanonicalMapping.unicodeScalars
                    if !marked.dropFirst().starts(with: ["\u{334}"]), !OwnComposition.isNeeded(for: text) {
                        strays.append(String(value, radix: 16))
                    }
                }
            }
            #expect(strays.isEmpty)
        }

        // All pairs of what was composed before and what composes with it: tests began with wholes or with all of their parts.
        @Test func `A whole and a letter behind it compose as in the standard library`() {
            var firsts: Set<Unicode.Scalar> = [], seconds: Set<Unicode.Scalar> = []
            for value in 0x80...0x2FFFF as ClosedRange<UInt32> where !(0xAC00...0xD7A3).contains(value) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let parts = Array(String(scalar)._nfd)
                if parts == [scalar] { continue }
                firsts.insert(scalar)
                firsts.formUnion(parts)
                seconds.formUnion(parts.dropFirst().filter { $0.properties.canonicalCombiningClass == .notReordered })
            }
            var strays: [String] = []
            func compare(_ first: Unicode.Scalar, _ second: Unicode.Scalar) {
                let text = String(String.UnicodeScalarView([first, second]))
                let isForm = Array(RecordKey.normalized(text).unicodeScalars) == Array(text._nfc)
                if !isForm { strays.append("\(String(first.value, radix: 16)) \(String(second.value, radix: 16))") }
            }
            #expect(firsts.count > 3_000 && seconds.count > 20)
            for first in firsts { for second in seconds { compare(first, second) } }
            let letters = (0x1100...0x11FF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }
            var wholes = stride(from: 0xAC00, through: 0xD7A3 as UInt32, by: 28).compactMap { Unicode.Scalar($0) }
            #expect(wholes.count == 399)
            wholes += [
                "\u{1100}", "\u{1112}", "\u{1113}", "\u{115f}", "\u{1161}", "\u{11a8}", "\u{ac01}", "\u{ac1b}",
                "\u{d7a3}",
            ]
            for first in wholes {
                for second in letters { compare(first, second) }
            }
            #expect(strays.isEmpty)
        }

        @Test(arguments: 1...40 as ClosedRange<UInt64>)
        func `A long key with newer letters has the form of the standard library`(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var text = String.UnicodeScalarView()
            for _ in 0..<1_000 {
                let part = Self.newer[random.below(Self.newer.count)]
                text.append(contentsOf: part.count > 1 && random.chance(2) ? part[1...] : part[..<1])
            }
            let isForm = Array(RecordKey.normalized(String(text)).unicodeScalars) == Array(String(text)._nfc)
            #expect(isForm, "seed \(seed)")
        }
    #endif

    @Test(arguments: [
        "\u{316}\u{301}", "e\u{301}", "\u{1100}\u{1161}", "\u{915}\u{94d}", "\u{301}", "\u{105d2}\u{307}", "\u{897}",
        "\u{16d67}", "\u{ac00}\u{11a8}", "\u{cca}\u{cd5}",
    ])
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
