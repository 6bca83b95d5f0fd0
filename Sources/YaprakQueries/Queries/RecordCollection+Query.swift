public import Foundation
public import YaprakCore

extension RecordCollection {
    /// A query of this collection, whose types follow from it.
    ///
    ///     let cheap = RecordCollection.books.query(where: #Predicate { $0.price < 5 }, limit: 20)
    ///     let rows = database.snapshot[cheap]
    ///
    /// The same as ``RecordQuery/init(_:where:key:metadata:sortedBy:limit:)``, for which the types have to be written out where
    /// the compiler can't infer them.
    /// - Complexity: O(size of the predicates).
    public func query(
        where predicate: Predicate<Object>? = nil, key: Predicate<String>? = nil, metadata: Predicate<Metadata>? = nil,
        sortedBy sorts: RecordSort<Object, Metadata>..., limit: Int? = nil
    ) -> RecordQuery<Object, Metadata> {
        RecordQuery(self, where: predicate, key: key, metadata: metadata, sorts: sorts, limit: limit, keys: nil)
    }

    /// A query of this collection for the records for whose object a closure returns true. No index can help.
    ///
    ///     let long = RecordCollection.books.query(sortedBy: RecordSort(\.title)) { $0.title.count > 20 }
    ///
    /// The same as ``RecordQuery/init(_:sortedBy:limit:where:)``.
    /// - Complexity: O(1).
    public func query(
        sortedBy sorts: RecordSort<Object, Metadata>..., limit: Int? = nil,
        where isIncluded: @escaping @Sendable (Object) -> Bool
    ) -> RecordQuery<Object, Metadata> {
        RecordQuery(self, sorts: sorts, limit: limit, keys: nil, where: isIncluded)
    }
}
