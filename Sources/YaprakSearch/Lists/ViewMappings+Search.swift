import YaprakCore
import YaprakExtensions
public import YaprakLists

extension ViewMappings {
    /// Shows only the rows of the view that a query finds, or all again.
    ///
    ///     var next = sections
    ///     next.setSearch(.typing(field.text), in: text)
    ///     list.apply(try next.changes(since: sections, in: shown))
    ///     sections = next
    ///
    /// An option of this list alone: no write is needed, no other list is concerned. It goes with every other option. From
    /// then on ``advance(from:to:reloadAbove:)`` keeps the search up to date with writes: rows come and go as their texts do.
    /// Counts and paths are those of the search after the next ``update(to:)``. Ranges begin again at what was asked for.
    ///
    /// `database.updates(of:searching:in:order:)` does all of it while somebody types.
    /// - Parameters:
    ///   - query: what to find; all rows are shown if `nil`.
    ///   - index: a full-text index of a collection of the view. Rows of other collections are not found.
    ///   - order: in which order the rows of a group are shown.
    /// - Complexity: O(1). The next update costs O(postings of the query), and once for each state of the view and the index
    ///   O(rows of the view · log *n*): 5 ms for 34,000 rows. A later commit costs O(hits · log) more than without a search.
    public mutating func setSearch<Object, Metadata>(
        _ query: SearchQuery?, in index: FullTextIndex<Object, Metadata>, order: SearchOrder = .asInView
    ) {
        setSearch(query, in: index, order: order) { false }
    }

    mutating func setSearch<Object, Metadata>(
        _ query: SearchQuery?, in index: FullTextIndex<Object, Metadata>, order: SearchOrder,
        cache: PlaceMapCache? = nil, isCancelled: @escaping @Sendable () -> Bool
    ) {
        guard let query else { return select(nil) }
        let former = selection as? FullTextSelection<Object, Metadata>
        select(
            FullTextSelection(
                index: index, query: query, order: order, cache: cache ?? former?.cache ?? PlaceMapCache(),
                isCancelled: isCancelled))
    }

    /// Whether the list shows what a search found. O(1).
    public var isSearching: Bool { selection != nil }
}
