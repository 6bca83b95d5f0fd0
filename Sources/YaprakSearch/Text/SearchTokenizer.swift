/// Splits text into the terms that an index finds it by.
///
/// ``WordTokenizer`` is right for most text. A tokenizer of your own gets each text once when it is indexed, once more when
/// it changes or goes, and each word of a query. It is called on several threads at the same time.
///
///     struct Tags: SearchTokenizer {
///         let identifier = "tags/1"
///         func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken] {
///             text.split(separator: ",").map { SearchToken(String($0), at: $0.startIndex..<$0.endIndex) }
///         }
///     }
///
/// The same text must always give the same terms: what is taken out of the index is found by them.
public protocol SearchTokenizer: Sendable {
    /// Names the tokenizer and all of its settings. Part of the index's version tag: with another one it is rebuilt.
    var identifier: String { get }

    /// The terms of a text, in the order in which they stand.
    ///
    /// The number of a token in the array is its position: neighbours form phrases. Empty terms, and those with a NUL, are
    /// not indexed, and leave a gap; of long ones the first 240 bytes count.
    func tokens(in text: String, for purpose: TokenPurpose) -> [SearchToken]
}

/// What a text is split for.
public enum TokenPurpose: Sendable, Hashable {
    /// It is indexed.
    case document
    /// It is a word or a phrase of a query.
    case query
}

/// A term, and where it stands.
public struct SearchToken: Sendable, Hashable {
    /// What is compared, byte by byte: folded, if the tokenizer folds.
    public var term: String
    /// Where it stands in the text, for highlights. May be within that of another term, as the parts of a compound are.
    public var range: Range<String.Index>
    /// Whether it also stands for the terms that begin with it. Only asked in queries.
    public var isPrefix: Bool

    /// A term at a place of the text.
    public init(_ term: String, at range: Range<String.Index>, isPrefix: Bool = false) {
        self.term = term
        self.range = range
        self.isPrefix = isPrefix
    }
}
