import YaprakCore
import YaprakExtensions
import YaprakLists

/// In which order a list shows what a search found.
public enum SearchOrder: Sendable, Hashable {
    /// As the view sorts its rows.
    case asInView
    /// In each group the best first; of equally good ones the smaller key.
    case byRank
}

/// The rows of a view that a query finds.
struct FullTextSelection<Object: Codable & Sendable, Metadata: Codable & Sendable>: RowSelection {
    let index: FullTextIndex<Object, Metadata>
    let query: SearchQuery
    let order: SearchOrder
    /// Shared by the searches of one list, one after the other.
    let cache: PlaceMapCache
    /// Asked now and then: whether nobody waits for the answer any more.
    var isCancelled: @Sendable () -> Bool = { false }

    func stamp(in snapshot: Snapshot) throws -> UInt64 { try snapshot.reader(of: index).root.identity }

    func positions(in state: ViewState) throws -> RowPositions {
        let reader = try state.snapshot.reader(of: index)
        if isCancelled() { throw CancellationError() }
        let map = cache.map(state, reader.root, collection: index.collection.name)
        switch order {
        case .asInView: return map.positions(of: try reader.documents(matching: query, isCancelled: isCancelled))
        case .byRank: return map.positions(ranked: try reader.rankedDocuments(for: query, isCancelled: isCancelled))
        }
    }
}
