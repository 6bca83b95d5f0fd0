public import YaprakCore
import YaprakTrees

/// A full-text index in one snapshot: what finds and ranks.
///
///     let reader = database.snapshot[text]
///     for hit in reader.top(10, for: .words("dune messiah")) { print(hit.key, hit.score) }
public struct FullTextReader<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// The index.
    public let index: FullTextIndex<Object, Metadata>
    /// The snapshot it is part of.
    public let snapshot: Snapshot
    package let root: FullTextRoot

    init(index: FullTextIndex<Object, Metadata>, root: FullTextRoot, snapshot: Snapshot) {
        self.index = index
        self.root = root
        self.snapshot = snapshot
    }

    /// The number of records in the index. O(1).
    public var count: Int { root.documentCount }

    @inline(__always)
    private func search<Result>(
        _ query: SearchQuery, isCancelled: (() -> Bool)? = nil, _ body: (FullTextSearch) -> Result
    ) -> Result {
        let tools = index.tools
        return tools.kits.withItem { kit in
            let search = FullTextSearch(query, root, tools, kit, isCancelled: isCancelled)
            return withExtendedLifetime(snapshot) { body(search) }
        }
    }

    // MARK: By rank

    /// The records that fit best, best first; of equally good ones, the smaller key first.
    ///
    ///     reader.top(10, for: .typing(field.text))
    ///
    /// The score is BM25 (k1 1.2, b 0.75) with the inverse document frequency ln(1 + (N − n + ½) ÷ (n + ½)), added up over
    /// the words, phrases and beginnings of words in the query, but for those that are excluded. A word in a column counts
    /// as often as the column's weight says; a document's length is that of all columns.
    /// - Complexity: O(postings of the query's words), once for each part of the query that has the word; equal words side by
    ///   side are one part. What an AND rules out is skipped. O(postings · log *a*) for more than 16 parts *a* of ORs. Memory for
    ///   the documents of at most 64 parts of the query at once, and for the places of beginnings within one phrase or `NEAR`.
    @inlinable
    public func top(_ count: Int = 10, for query: SearchQuery) -> [SearchHit<Object, Metadata>] {
        var hits: [SearchHit<Object, Metadata>] = []
        forEachOfBest(count, for: query) { box, score, foundCount in
            if hits.isEmpty { hits.reserveCapacity(foundCount) }
            hits.append(SearchHit(record: Record(box: box), score: score))
        }
        return hits
    }

    /// The same without their types, which are given to them in the program's own code: a generic array that is filled here
    /// would ask for the types of its elements at each step.
    @usableFromInline
    func forEachOfBest(
        _ count: Int, for query: SearchQuery, _ body: (_ record: RecordBox, _ score: Double, _ foundCount: Int) -> Void
    ) {
        precondition(count >= 0, "a number of hits is not less than 0")
        let records = snapshot.tree(of: index.tools.types)
        search(query) { search in
            let best = search.top(count)
            withUnsafeTemporaryAllocation(of: Unmanaged<TreeRow>.self, capacity: best.count) { rows in
                for (index, hit) in best.enumerated() {
                    let row = Unmanaged<TreeRow>.passUnretained(root.row(of: hit.document))
                    row.fetch()
                    rows.initializeElement(at: index, to: row)
                }
                records.forEach(withKeysOf: UnsafeBufferPointer(rows)) { index, row in
                    row?._withUnsafeGuaranteedRef {
                        body(unsafeDowncast($0, to: RecordBox.self), best[index].score, best.count)
                    }
                }
            }
        }
    }

    // MARK: Without a rank

    /// The keys of all records that match, ascending. O(postings of the query + hits · log).
    public func keys(matching query: SearchQuery) -> [String] {
        search(query) { search in
            var keys: [String] = []
            search.matches().forEach { keys.append(root.row(of: $0).key) }
            return keys.sorted { $0.comesBefore($1) }
        }
    }

    /// How many records match. O(postings of the query).
    public func count(matching query: SearchQuery) -> Int { search(query) { $0.matches().count } }

    /// Whether the record under `key` matches. O(postings of the query).
    public func contains(_ key: String, matching query: SearchQuery) -> Bool {
        guard let number = number(ofKey: key) else { return false }
        return search(query) { $0.matches().contains(number) }
    }

    /// The numbers of all records that match.
    /// - Throws: `CancellationError` if `isCancelled` says so.
    func documents(matching query: SearchQuery, isCancelled: @escaping () -> Bool) throws -> DocumentSet {
        let found = search(query, isCancelled: isCancelled) { $0.matches() }
        if isCancelled() { throw CancellationError() }
        return found
    }

    /// The numbers of all records that match, best first.
    /// - Throws: `CancellationError` if `isCancelled` says so.
    func rankedDocuments(for query: SearchQuery, isCancelled: @escaping () -> Bool) throws -> [UInt32] {
        let found = search(query, isCancelled: isCancelled) { $0.top(.max) }
        if isCancelled() { throw CancellationError() }
        return found.map(\.document)
    }

    package func number(ofKey key: String) -> UInt32? {
        withExtendedLifetime(snapshot) { root.number(ofKey: key.normalizedKey) }
    }

    // MARK: Showing

    /// What a query found in a column of a record, ascending and apart from each other: indexes of the column's text.
    ///
    ///     for range in reader.highlights(in: "title", of: hit.record, for: query) { … }
    ///
    /// Empty if there is no such column.
    /// - Complexity: O(bytes of the text and of the query + *k* log *k*) for the *k* places that parts of the query find. A word
    ///   that may be misspelt is compared with all words of the text.
    public func highlights(
        in column: String, of record: Record<Object, Metadata>, for query: SearchQuery
    ) -> [Range<String.Index>] {
        guard let number = index.columns.firstIndex(where: { $0.name == column }),
            let text = index.columns[number].text(record)
        else { return [] }
        return highlighter(query).highlights(in: text, column: number)
    }

    /// A part of a record's texts that shows what a query found: that with most of the query.
    ///
    ///     print(reader.snippet(of: hit.record, for: query).marked("[", "]"))
    ///
    /// - Parameters:
    ///   - record: a record.
    ///   - query: what was searched for.
    ///   - count: the most terms it has.
    ///   - column: the column to take it from; the one with most of the query if `nil`, and the first of equals.
    /// - Complexity: as ``highlights(in:of:for:)`` of all texts.
    public func snippet(
        of record: Record<Object, Metadata>, for query: SearchQuery, terms count: Int = 16, in column: String? = nil
    ) -> SearchSnippet {
        let scan = SearchScan(query, columns: index.columnNames, tokenizer: index.tokenizer)
        return scan.snippet(of: index.columns.map { $0.text(record) ?? "" }, terms: count, in: column)
    }

    private func highlighter(_ query: SearchQuery) -> TextHighlighter {
        TextHighlighter(scan: SearchScan(query, columns: index.columnNames, tokenizer: index.tokenizer))
    }

    // MARK: Misspelt words

    /// Terms of the index that are like a word: what might have been meant.
    ///
    ///     reader.suggestions(for: "drgaon").first?.term        // "dragon"
    ///
    /// Nearest first, then those in most records, then in order. Words of up to four letters differ by one letter, longer
    /// ones by up to two (``SearchQuery/fuzzy(_:distance:)`` says what a difference is). The word itself is not among them.
    /// Terms are folded, as the tokenizer has them.
    /// - Parameters:
    ///   - count: the most suggestions.
    ///   - word: a word; of several, the first.
    /// - Complexity: O(different terms): some milliseconds for 100,000.
    public func suggestions(_ count: Int = 5, for word: String) -> [SearchSuggestion] {
        var wanted: [UInt8]?
        _ = index.tools.kits.withItem {
            $0.splitter.split(word, for: .query) { if wanted == nil { wanted = Array($0.term) } }
        }
        guard let wanted, count > 0 else { return [] }
        let distanceMax = String(decoding: wanted, as: UTF8.self).unicodeScalars.count <= 4 ? 1 : 2
        var found: [SearchSuggestion] = []
        withExtendedLifetime(snapshot) {
            PostingReader(root.pages).forEachRun(near: wanted, atMost: distanceMax) { run, distance in
                guard distance > 0 else { return }
                let bytes = UnsafeBufferPointer(start: run.term, count: run.termCount)
                let term = String(decoding: bytes, as: UTF8.self)
                if found.last?.term == term {
                    found[found.count - 1].recordCount += run.count
                } else {
                    found.append(SearchSuggestion(term: term, recordCount: run.count, distance: distance))
                }
            }
        }
        found.sort { a, b in
            if a.distance != b.distance { return a.distance < b.distance }
            return a.recordCount != b.recordCount ? a.recordCount > b.recordCount : a.term.comesBefore(b.term)
        }
        return Array(found.prefix(count))
    }
}

/// A record that was found, and how well it fits.
public struct SearchHit<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable, Identifiable {
    /// The record.
    public let record: Record<Object, Metadata>
    /// How well it fits: greater is better. Comparable only with other hits of the same query and snapshot.
    public let score: Double

    @inlinable
    init(record: Record<Object, Metadata>, score: Double) {
        self.record = record
        self.score = score
    }

    /// The record's key.
    public var key: String { record.key }
    /// The record's key.
    public var id: String { record.key }
}

/// A term that is like a word.
public struct SearchSuggestion: Sendable, Hashable {
    /// The term, as the tokenizer folds it.
    public let term: String
    /// In how many records it stands.
    public internal(set) var recordCount: Int
    /// How many letters it differs by.
    public let distance: Int
}
