import Foundation

/// The NFC form of strings of which Foundation (6.3.1, on Linux) makes another than the standard library.
///
/// Strings that are equal for Swift would be two keys, which every dictionary of keys takes for one; others would be one key,
/// though they are not equal. So such strings get their form here, by the composition algorithm of the Unicode Standard (3.11),
/// with Foundation as the table of all other pairs. They are those with:
///
/// - scalars that came after version 13, whose tables Foundation has. From the Unicode Character Database 16.0 (UnicodeData.txt);
/// - letters of Hangul: Foundation leaves one behind a syllable alone, and takes some of Old Hangul for those of today;
/// - a vowel sign of Kannada, which it leaves alone behind another one that has two parts.
package enum OwnComposition {
    /// The least mark that came after version 13.
    private static let firstMark: UInt32 = 0x897

    /// The second part of U+0CCB, whose first part has two parts itself. No other composition of such a one with a scalar of
    /// class 0 differs from Foundation's.
    private static let kannadaSign: Unicode.Scalar = "\u{cd5}"

    /// Whether a string has a scalar that the standard library decomposes, composes or puts in order otherwise than Foundation.
    ///
    /// - Complexity: O(length).
    static func isNeeded(for string: String) -> Bool {
        string.unicodeScalars.contains { scalar in
            guard scalar.value >= firstMark else { return false }
            if HangulSyllable.isLetter(scalar.value) || scalar == kannadaSign { return true }
            if range.contains(scalar), decompositions[scalar] != nil || firstParts.contains(scalar) { return true }
            let properties = scalar.properties
            return properties.canonicalCombiningClass != .notReordered && (properties.age?.major ?? 0) > 13
        }
    }

    /// A string with the parts of each scalar that came after version 13 in its place; marks are where they were.
    package static func decomposed(_ string: String) -> String {
        var parts = String.UnicodeScalarView()
        for scalar in string.unicodeScalars {
            if range.contains(scalar), let others = decompositions[scalar] {
                parts.append(contentsOf: others)
            } else {
                parts.append(scalar)
            }
        }
        return String(parts)
    }

    /// A string with what composes put together: of decomposed text whose marks are in order, the NFC form.
    ///
    /// A scalar composes with the last one of class 0 before it, unless something between them blocks it: of class 0 too, or of a
    /// class that is not less than its own.
    static func composed(_ string: String) -> String {
        var form: [Unicode.Scalar] = []
        var starter: Int?
        // The class of the last scalar behind the starter.
        var last: UInt8 = 0
        for scalar in string.unicodeScalars {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if let at = starter, at == form.count - 1 || last < order, let whole = pair(form[at], scalar) {
                form[at] = whole
                continue
            }
            form.append(scalar)
            last = order
            if order == 0 { starter = form.count - 1 }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: form)
        return String(text)
    }

    /// What two scalars compose to.
    private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        // The first mark there is.
        if second.value < 0x300 { return nil }
        if HangulSyllable.isLetter(second.value) {
            return HangulSyllable.composed(first.value, second.value).flatMap { Unicode.Scalar($0) }
        }
        var text = String.UnicodeScalarView()
        text.append(first)
        text.append(second)
        // Strings are equal here if the parts of their parts are.
        if range.contains(first), let whole = compositions[String(text)] { return whole }
        // Foundation composes a letter with what is in parts before it, and not with what is one already.
        let parts = String(first).decomposedStringWithCanonicalMapping + String(second)
        let form = parts.precomposedStringWithCanonicalMapping.unicodeScalars
        return form.dropFirst().isEmpty ? form.first : nil
    }

    private static let range: ClosedRange<Unicode.Scalar> = "\u{105c9}"..."\u{16d6a}"

    private static let compositions = Dictionary(uniqueKeysWithValues: decompositions.keys.map { (String($0), $0) })

    /// What the decompositions begin with.
    private static let firstParts = Set(decompositions.values.map { $0[0] })

    /// All canonical decompositions that came after version 13, to the end.
    package static let decompositions: [Unicode.Scalar: [Unicode.Scalar]] = [
        // Todhri
        "\u{105c9}": ["\u{105d2}", "\u{307}"], "\u{105e4}": ["\u{105da}", "\u{307}"],
        // Tulu-Tigalari
        "\u{11383}": ["\u{11382}", "\u{113c9}"], "\u{11385}": ["\u{11384}", "\u{113bb}"],
        "\u{1138e}": ["\u{1138b}", "\u{113c2}"], "\u{11391}": ["\u{11390}", "\u{113c9}"],
        "\u{113c5}": ["\u{113c2}", "\u{113c2}"], "\u{113c7}": ["\u{113c2}", "\u{113b8}"],
        "\u{113c8}": ["\u{113c2}", "\u{113c9}"],
        // Gurung Khema
        "\u{16121}": ["\u{1611e}", "\u{1611e}"], "\u{16122}": ["\u{1611e}", "\u{16129}"],
        "\u{16123}": ["\u{1611e}", "\u{1611f}"], "\u{16124}": ["\u{16129}", "\u{1611f}"],
        "\u{16125}": ["\u{1611e}", "\u{16120}"], "\u{16126}": ["\u{1611e}", "\u{1611e}", "\u{1611f}"],
        "\u{16127}": ["\u{1611e}", "\u{16129}", "\u{1611f}"], "\u{16128}": ["\u{1611e}", "\u{1611e}", "\u{16120}"],
        // Kirat Rai
        "\u{16d68}": ["\u{16d67}", "\u{16d67}"], "\u{16d69}": ["\u{16d63}", "\u{16d67}"],
        "\u{16d6a}": ["\u{16d63}", "\u{16d67}", "\u{16d67}"],
    ]
}
