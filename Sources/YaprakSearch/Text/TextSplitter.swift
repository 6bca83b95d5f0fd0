/// Splits texts by a tokenizer of either kind: ``WordScanner`` where it is ours, the protocol's method where it is not.
///
/// Used by one thread at a time.
final class TextSplitter {
    private enum Kind {
        case words(WordScanner)
        case other(any SearchTokenizer)
    }

    private let kind: Kind

    init(_ tokenizer: any SearchTokenizer) {
        kind = (tokenizer as? WordTokenizer).map { .words(WordScanner($0)) } ?? .other(tokenizer)
    }

    /// Calls `body` with each term, its place in bytes, and the number of its position. O(bytes).
    /// - Returns: how many positions the text takes, also those without a term.
    @inline(__always)
    @discardableResult
    func split(_ text: String, for purpose: TokenPurpose, _ body: (WordScanner.Token) -> Void) -> Int {
        switch kind {
        case .words(let scanner):
            var text = text
            return text.withUTF8 { scanner.scan($0, for: purpose, body) }
        case .other(let tokenizer):
            return Self.split(text, by: tokenizer, for: purpose, body)
        }
    }

    private static func split(
        _ text: String, by tokenizer: any SearchTokenizer, for purpose: TokenPurpose,
        _ body: (WordScanner.Token) -> Void
    ) -> Int {
        var text = text
        text.makeContiguousUTF8()
        let utf8 = text.utf8
        var position = 0
        for token in tokenizer.tokens(in: text, for: purpose) {
            var term = token.term
            // What somebody else's code says is in the text may not be.
            let start = utf8.scalarStart(of: token.range.lowerBound)
            let end = max(start, utf8.scalarStart(of: token.range.upperBound))
            term.withUTF8 { bytes in
                let whole = UnsafeBufferPointer(rebasing: bytes.prefix(WordScanner.termBytesMax))
                let length = bytes.count > whole.count ? whole.wholeScalarCount : whole.count
                // A NUL stands behind terms in keys.
                guard length > 0, !whole.prefix(length).contains(0) else { return }
                body(
                    WordScanner.Token(
                        term: UnsafeBufferPointer(rebasing: whole.prefix(length)), position: position,
                        start: utf8.distance(from: utf8.startIndex, to: start),
                        end: utf8.distance(from: utf8.startIndex, to: end), isPrefix: token.isPrefix))
            }
            position += 1
        }
        return position
    }
}

extension String.UTF8View {
    /// An index within the text, at the beginning of the scalar that it is in.
    fileprivate func scalarStart(of index: String.Index) -> String.Index {
        var index = Swift.min(Swift.max(index, startIndex), endIndex)
        while index > startIndex, index < endIndex, self[index] & 0xC0 == 0x80 { index = self.index(before: index) }
        return index
    }
}
