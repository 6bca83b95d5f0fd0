/// The syllables of Hangul, which have no table: they are composed by arithmetic (The Unicode Standard, 3.12).
package enum HangulSyllable {
    /// The letters that syllables are composed of, and those of Old Hangul, which are in none.
    package static func isLetter(_ scalar: UInt32) -> Bool { (0x1100...0x11FF).contains(scalar) }

    /// A consonant and a vowel as a syllable, or such a syllable with a consonant at its end; `nil` for any other two.
    package static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) {
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        }
        if (0xAC00...0xD7A3).contains(first), (first - 0xAC00) % 28 == 0, (0x11A8...0x11C2).contains(second) {
            return first + second - 0x11A7
        }
        return nil
    }
}
