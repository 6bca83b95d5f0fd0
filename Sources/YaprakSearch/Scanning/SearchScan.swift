/// A query asked of texts one by one, without an index: what an index gives, slower.
///
///     let scan = SearchScan(query, columns: ["title", "body"])
///     if scan.matches([title, body]) { … }
///
/// Used by one thread at a time. O(bytes of the texts and of the query + places found + parts of the query · texts that have a
/// word of it) for a document; if a word may be misspelt, it is compared with all words of the texts, and all other parts of the
/// query are looked for in all texts as well.
package final class SearchScan {
    private let splitter: TextSplitter
    private let query: CompiledQuery
    private let columns: [String]
    /// The number of each column in the query; `nil` if they are as here.
    private let numbers: [Int]?
    /// The units of the query, if it has many.
    private let units: UnitTable?
    /// Whether a word of the query may be misspelt, which is no unit.
    private let hasFuzzyWord: Bool

    /// The most columns that a query may name where there are more than an index can have.
    package static let namedColumnsMax = CompiledQuery.columnsMax - 1

    /// - Parameter columns: the names of the columns, in the order in which their texts come. There may be any number.
    /// - Precondition: of more than ``CompiledQuery/columnsMax`` columns, the query names no more than ``namedColumnsMax``.
    package init(_ query: SearchQuery, columns: [String], tokenizer: any SearchTokenizer = WordTokenizer()) {
        self.columns = columns
        splitter = TextSplitter(tokenizer)
        if columns.count <= CompiledQuery.columnsMax {
            numbers = nil
            self.query = CompiledQuery(query, columnNames: columns, splitter)
        } else {
            // Those that the query does not name have the last number, all of them.
            let named = Array(query.columnNames.intersection(columns))
            precondition(named.count < CompiledQuery.columnsMax, "a query names \(named.count) columns")
            numbers = columns.map { named.firstIndex(of: $0) ?? CompiledQuery.columnsMax - 1 }
            self.query = CompiledQuery(query, columnNames: named, splitter)
        }
        units = UnitTable(self.query.leaves)
        hasFuzzyWord = self.query.leaves.contains { if case .fuzzy = $0.kind { true } else { false } }
    }

    /// Whether a leaf may stand in a column.
    private func isIn(_ column: Int, _ leaf: CompiledQuery.Leaf) -> Bool {
        leaf.columns >> UInt64(numbers?[column] ?? column) & 1 == 1
    }

    /// Whether a part of the query may stand in a text, so that each of them has to be looked for.
    private func mayHavePart(_ text: ScannedText) -> Bool { hasFuzzyWord || !text.hasNoUnit }

    /// Whether a document matches.
    package func matches(_ texts: [String]) -> Bool {
        var scanned: [(column: Int, text: ScannedText)] = []
        for (column, text) in texts.enumerated() {
            let text = scan(text)
            if mayHavePart(text) { scanned.append((column, text)) }
        }
        return matches(query.root, scanned)
    }

    private func matches(_ node: CompiledQuery.Node, _ texts: [(column: Int, text: ScannedText)]) -> Bool {
        switch node {
        case .nothing: false
        case .leaf(let number, _):
            texts.contains { column, text in
                isIn(column, query.leaves[number]) && !text.occurrences(of: query.leaves[number]).isEmpty
            }
        case .all(let nodes): nodes.allSatisfy { matches($0, texts) }
        case .any(let nodes): nodes.contains { matches($0, texts) }
        case .without(let wanted, let unwanted): matches(wanted, texts) && !matches(unwanted, texts)
        }
    }

    /// Where the parts of the query that are wanted stand in the text of a column, and which leaf each is.
    func occurrences(in text: ScannedText, column: Int) -> [(leaf: Int, found: ScannedText.Occurrence)] {
        guard mayHavePart(text) else { return [] }
        return query.leaves.enumerated().flatMap { number, leaf -> [(leaf: Int, found: ScannedText.Occurrence)] in
            guard leaf.isWanted, isIn(column, leaf) else { return [] }
            return text.occurrences(of: leaf).map { (number, $0) }
        }
    }

    /// The part of a document's texts with most of the query: of one column, or of that which has most.
    package func snippet(of texts: [String], terms count: Int, in column: String? = nil) -> SearchSnippet {
        let highlighter = TextHighlighter(scan: self)
        var best: (snippet: SearchSnippet, score: Int)?
        for (number, text) in texts.enumerated() where column == nil || columns[number] == column {
            let found = highlighter.snippet(of: text, column: number, named: columns[number], terms: count)
            if found.score > best?.score ?? -1 { best = found }
        }
        return best?.snippet
            ?? SearchSnippet(column: column ?? "", text: "", highlights: [], isCutAtStart: false, isCutAtEnd: false)
    }

    /// The terms of a text.
    func scan(_ text: String) -> ScannedText { ScannedText(text, splitter, units: units) }
}
