import Yaprak

/// Words between spaces, but for those that every text has: they leave gaps.
struct StopWords: SearchTokenizer {
    let identifier = "stop words/1"

    func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
        text.split(whereSeparator: \.isWhitespace).map { word in
            let term = word.lowercased()
            return SearchToken(["of", "the", "a"].contains(term) ? "" : term, at: word.startIndex..<word.endIndex)
        }
    }
}
