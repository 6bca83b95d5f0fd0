/// Words of any script, folded: letters of either case are one, and so are letters with and without their accents.
///
///     WordTokenizer()                                  // "Ålesund" and "alesund" are one term
///     WordTokenizer(locale: .turkish)                  // "IĞDIR" and "ığdır", "İzmir" and "izmir"
///     WordTokenizer(foldsDiacritics: false)            // "resume" does not find "résumé"
///
/// A word is a run of letters, digits and their marks; everything else stands between words. Case is folded as Unicode says
/// (`ß` is `ss`, `ς` is `σ`), whatever the form of the text (NFC or NFD). With ``foldsDiacritics``, accents, Hebrew points
/// and Arabic vowel signs are dropped, and letters such as `ł`, `ø` and `æ` become `l`, `o` and `ae`; the vowel signs of
/// Indic scripts are letters, and stay.
///
/// Chinese, Japanese and Korean don't separate words by spaces: each pair of neighbouring characters is a term, and a query
/// of several characters is a phrase of pairs. Thai, Lao and Khmer are not split: words in them are found by how a
/// run of text begins.
/// - Complexity: O(bytes).
public struct WordTokenizer: SearchTokenizer, Hashable {
    /// The language by whose rules letters are folded.
    public let locale: FoldingLocale
    /// Whether letters are the same with and without accents.
    public let foldsDiacritics: Bool

    /// Words folded by the rules of a language.
    public init(locale: FoldingLocale = .root, foldsDiacritics: Bool = true) {
        self.locale = locale
        self.foldsDiacritics = foldsDiacritics
    }

    /// The settings, and the version of Unicode whose tables are used.
    public var identifier: String {
        // The rules of the Turkic I have changed once more.
        let version = locale.isTurkic ? 6 : 5
        let accents = foldsDiacritics ? "" : " accents"
        return "words/\(version) \(locale.identifier)\(accents) unicode/\(UnicodeVersion.current)"
    }

    /// The terms of a text. O(bytes).
    ///
    /// In a query, an empty term stands for the last character of a run of Chinese, Japanese or Korean, which is a term of a
    /// text.
    public func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
        var text = text
        text.makeContiguousUTF8()
        var tokens: [SearchToken] = []
        let scanner = WordScanner(self)
        let utf8 = text.utf8
        // Behind what stands before: the number of a token is its position.
        func leaveGaps(upTo position: Int) {
            while tokens.count < position {
                let end = tokens.last?.range.upperBound ?? utf8.startIndex
                tokens.append(SearchToken("", at: end..<end))
            }
        }
        let count = utf8.withContiguousStorageIfAvailable { bytes in
            scanner.scan(bytes, for: purpose) { token in
                leaveGaps(upTo: token.position)
                let start = utf8.index(utf8.startIndex, offsetBy: token.start)
                tokens.append(
                    SearchToken(
                        String(decoding: token.term, as: UTF8.self),
                        at: start..<utf8.index(start, offsetBy: token.end - token.start), isPrefix: token.isPrefix))
            }
        }
        leaveGaps(upTo: count ?? 0)
        return tokens
    }
}
