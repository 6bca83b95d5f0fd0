import Foundation
import YaprakCore

/// What single scalars are folded to. Slow: the standard library's properties. ``FoldingTable`` keeps the answers.
///
/// A scalar is decomposed first (canonically), then marks are dropped, then case is folded; in another sequence, texts that
/// are canonically equivalent would have different terms.
struct FoldingRules: Sendable {
    let isTurkic: Bool
    let foldsDiacritics: Bool

    /// The folded form; `nil` if it stands between words, empty if it leaves no trace.
    func fold(_ value: UInt32) -> [Unicode.Scalar]? {
        guard let scalar = Unicode.Scalar(value) else { return nil }
        // A space of no width is invisible, and written to part words in scripts without spaces.
        if value == 0x200B { return nil }
        if scalar.properties.isDefaultIgnorableCodePoint || Self.isKanaMark(value) { return [] }
        guard Self.isInWords(scalar) else { return nil }
        // An I with marks behind it is that of what follows; the scanner looks.
        if isTurkic {
            if value == 0x49 || value == Self.fullwidthI { return ["\u{131}"] }
            if value == 0x130 { return ["i"] }
        }
        if Self.isWide(value) {
            // Compatibility ideographs are other names of unified ones. Syllables and voiced kana stay in one piece.
            let decomposed = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            return decomposed.count == 1 ? decomposed : [scalar]
        }
        let base = (0xFF01...0xFF5E).contains(value) ? Unicode.Scalar(value - 0xFEE0) ?? scalar : scalar
        var folded: [Unicode.Scalar] = []
        let parts = OwnComposition.decomposed(String(base)).decomposedStringWithCanonicalMapping
        for part in parts.unicodeScalars {
            if foldsDiacritics && Self.isDiacritic(part) { continue }
            for letter in caseFolded(part) {
                if foldsDiacritics, let plain = Self.plainLetters[letter], !(isTurkic && letter == "\u{131}") {
                    folded += plain.unicodeScalars
                } else if !(foldsDiacritics && Self.isDiacritic(letter)) {
                    folded.append(letter)
                }
            }
        }
        return folded
    }

    private static let fullwidthI: UInt32 = 0xFF29

    /// Whether the marks behind a letter say what it is: a Turkic capital I without a mark above it, in whatever form.
    func dependsOnMarks(_ value: UInt32) -> Bool {
        guard isTurkic, let scalar = Unicode.Scalar(value) else { return false }
        if value == Self.fullwidthI { return true }
        let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
        return parts.first == "I" && parts.allSatisfy { $0.properties.canonicalCombiningClass != .above }
    }

    /// Case folding by way of the capital, which makes one letter of `ς` and `σ`, `ſ` and `s`, `ß` and `ss`.
    private func caseFolded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        var text = String(scalar)
        // The dotless i is a letter of its own; its capital is not, without the locale.
        if scalar == "\u{131}" { return [scalar] }
        for _ in 0..<3 {
            let upper = text.unicodeScalars.map(\.properties.uppercaseMapping).joined()
            let folded = upper.unicodeScalars.map(\.properties.lowercaseMapping).joined()
            if folded == text { break }
            text = folded
        }
        return Array(text.unicodeScalars)
    }

    /// Letters whose stroke is no mark of its own.
    private static let plainLetters: [Unicode.Scalar: String] = [
        "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i",
    ]

    private static func isInWords(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Marks that a reader may leave out, and writers do. The vowel signs of Indic scripts are not among them.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        guard isMark(scalar) else { return false }
        return diacritics.contains { $0.contains(scalar.value) }
    }

    private static let diacritics: [ClosedRange<UInt32>] = [
        0x300...0x36F, 0x483...0x489, 0x591...0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670...0x670, 0x6D6...0x6ED,
        0x711...0x711, 0x730...0x74A, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,
    ]

    /// The voicing marks of decomposed kana. The scanner composes them with the letter before; alone they say nothing.
    static func isKanaMark(_ value: UInt32) -> Bool { value == 0x3099 || value == 0x309A }

    /// Scripts that write without spaces, and Hangul, whose endings stand within the word.
    static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x11FF, 0x3005...0x3007, 0x3031...0x3035, 0x3040...0x312F, 0x3130...0x318F, 0x31A0...0x31BF,
            0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF,
            0xFF66...0xFF9F, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
