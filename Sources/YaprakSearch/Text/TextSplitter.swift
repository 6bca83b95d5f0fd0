/// Splits texts by a tokenizer of either kind: ``WordScanner`` where it is ours, the protocol's method where it is not.
///
/// Used by one thread at a time.
final class TextSplitter {
    private let tokenizer: any SearchTokenizer
    private let scanner: WordScanner?
    /// The same, without references to count.
    private let words: Unmanaged<WordScanner>?

    init(_ tokenizer: any SearchTokenizer) {
        self.tokenizer = tokenizer
        scanner = (tokenizer as? WordTokenizer).map { WordScanner($0) }
        words = scanner.map { Unmanaged.passUnretained($0) }
    }

    /// Calls `body` with each term, its place in bytes, and the number of its position. O(bytes).
    /// - Returns: how many positions the text takes, also those without a term.
    @inline(__always)
    @discardableResult
    func split(_ text: String, for purpose: TokenPurpose, _ body: (WordScanner.Token) -> Void) -> Int {
        guard let words else { return Self.split(text, by: tokenizer, for: purpose, body) }
        var text = text
        return text.withUTF8 { bytes in words._withUnsafeGuaranteedRef { $0.scan(bytes, for: purpose, body) } }
    }

    /// What two texts have in common: the same terms at the same positions.
    struct CommonParts {
        /// Bytes at the beginning.
        var start = 0
        /// Bytes at the end, and how many positions there are between both.
        var end = 0
        var middle = 0
    }

    /// Splits what differs of two texts.
    ///
    /// Words are what stands between spaces, whatever stands elsewhere. Of another tokenizer nothing is known: such texts have
    /// nothing in common, but for those that are the same.
    ///
    /// - Parameter body: gets each term, with its position behind the part that both begin with, and whether it is the new
    ///   text's.
    /// - Returns: the parts that were left out.
    /// - Complexity: O(bytes), those at the beginning and at the end compared only.
    @inline(__always)
    func splitDifference(
        of old: String, _ new: String, _ body: (WordScanner.Token, _ isNew: Bool) -> Void
    ) -> CommonParts {
        var (old, new) = (old, new)
        if let words {
            return old.withUTF8 { old in
                new.withUTF8 { new in
                    words._withUnsafeGuaranteedRef { $0.scanDifference(of: old, new, body) }
                }
            }
        }
        if old.utf8.elementsEqual(new.utf8) { return CommonParts(start: old.utf8.count) }
        split(old, for: .document) { body($0, false) }
        split(new, for: .document) { body($0, true) }
        return CommonParts()
    }

    /// Splits the parts of a text that it has in common with another, and calls `body` with all terms that begin with some
    /// bytes. Others may be left out.
    /// - Returns: the position of what stands behind the first of the parts.
    /// - Complexity: O(bytes).
    @inline(__always)
    func split(
        _ parts: CommonParts, of text: String, for wanted: TermBeginnings, _ body: (WordScanner.Token) -> Void
    ) -> Int {
        if let words {
            var text = text
            return text.withUTF8 { bytes in
                words._withUnsafeGuaranteedRef { $0.scan(parts, of: bytes, for: wanted, body) }
            }
        }
        return parts.start > 0 ? split(text, for: .document, body) : 0
    }

    private static func split(
        _ text: String, by tokenizer: any SearchTokenizer, for purpose: TokenPurpose,
        _ body: (WordScanner.Token) -> Void
    ) -> Int {
        // A text without a character has no term, whatever somebody else's code says.
        if text.isEmpty { return 0 }
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
