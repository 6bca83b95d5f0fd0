import YaprakCore

/// What all searches of an index share.
final class SearchTools: Sendable {
    let columnNames: [String]
    /// The weight of each column; `nil` if all are 1.
    let weights: [Double]?
    let types: CollectionTypes
    let kits: IdlePool<SearchKit>

    init(
        columnNames: [String], weights: [Double]?, types: CollectionTypes, tokenizer: any SearchTokenizer
    ) {
        self.columnNames = columnNames
        self.weights = weights
        self.types = types
        kits = IdlePool(8) { SearchKit(tokenizer) }
    }
}

/// What one search uses, and the next one again.
final class SearchKit {
    let splitter: TextSplitter
    let room = TermRoom()

    init(_ tokenizer: any SearchTokenizer) { splitter = TextSplitter(tokenizer) }
}
