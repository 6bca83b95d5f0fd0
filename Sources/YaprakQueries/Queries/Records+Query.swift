public import Foundation
public import YaprakCore

extension Records {
    /// The records of this collection, or of this slice of it, for which a predicate of the object holds.
    ///
    ///     for book in snapshot[.books].query(where: #Predicate { $0.salesRank < 10 }, limit: 20) { … }
    ///
    /// For a question that is asked often make a ``RecordQuery``, which is made ready once.
    /// - Complexity: as that of a query.
    public func query(
        where predicate: Predicate<Object>, sortedBy sorts: RecordSort<Object, Metadata>..., limit: Int? = nil
    ) -> QueryRows<Object, Metadata> {
        guard let first, let last, let (snapshot, name) = origin else { return QueryRows(RowList()) }
        let keys = isWhole ? nil : first.key...last.key
        let query = RecordQuery(RecordCollection(name), where: predicate, sorts: sorts, limit: limit, keys: keys)
        return snapshot[query]
    }

    /// The records of this collection, or of this slice of it, for whose object a closure returns true.
    ///
    ///     for book in snapshot[.books].query(sortedBy: RecordSort(\.title), where: { $0.isInPrint }) { … }
    ///
    /// - Complexity: O(*n*): no index can help. Sorting, and a limit, as in a query.
    public func query(
        sortedBy sorts: RecordSort<Object, Metadata>..., limit: Int? = nil,
        where isIncluded: @escaping @Sendable (Object) -> Bool
    ) -> QueryRows<Object, Metadata> {
        guard let first, let last, let (snapshot, name) = origin else { return QueryRows(RowList()) }
        let keys = isWhole ? nil : first.key...last.key
        let query = RecordQuery(RecordCollection(name), sorts: sorts, limit: limit, keys: keys, where: isIncluded)
        return snapshot[query]
    }
}
