import Foundation
import YaprakCore

extension WordScanner {
    /// A wide character and the one behind it as one, if they are parts of a decomposed syllable or kana.
    @inline(__always)
    static func composed(
        _ scalar: UInt32, _ bytes: UnsafePointer<UInt8>, _ at: Int, _ end: Int
    ) -> (scalar: UInt32, end: Int)? {
        guard at &+ 2 < end else { return nil }
        let isJamo = bytes[at] == 0xE1 && bytes[at &+ 1] >= 0x85 && bytes[at &+ 1] <= 0x87
        let isKanaMark =
            bytes[at] == 0xE3 && bytes[at &+ 1] == 0x82 && (bytes[at &+ 2] == 0x99 || bytes[at &+ 2] == 0x9A)
        guard isJamo || isKanaMark else { return nil }
        return composedSlowly(scalar, bytes, at)
    }

    @inline(never)
    private static func composedSlowly(
        _ scalar: UInt32, _ bytes: UnsafePointer<UInt8>, _ at: Int
    ) -> (scalar: UInt32, end: Int)? {
        var next = at
        let second = decode(bytes, &next)
        // Foundation leaves the third part of a syllable alone.
        if let syllable = HangulSyllable.composed(scalar, second) { return (syllable, next) }
        guard FoldingRules.isKanaMark(second), let mark = Unicode.Scalar(second), let kana = Unicode.Scalar(scalar)
        else {
            return nil
        }
        let text = String(String.UnicodeScalarView([kana, mark])).precomposedStringWithCanonicalMapping
        guard let only = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { return nil }
        return (only.value, next)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How many of the bytes are whole scalars.
    var wholeScalarCount: Int {
        var start = count
        while start > 0, self[start - 1] & 0xC0 == 0x80 { start -= 1 }
        guard start > 0 else { return 0 }
        let first = self[start - 1]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return start - 1 + length <= count ? start - 1 + length : start - 1
    }
}

extension String {
    func withKeyBytesCopied<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var copy = self
        return copy.withUTF8(body)
    }
}
