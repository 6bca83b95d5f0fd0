public import YaprakCore

/// The rows of a ``RecordQuery`` in one snapshot, in order: a collection of ``Record``.
///
/// Those of an update keep their snapshot as long as they are kept.
public struct QueryRows<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    @usableFromInline let list: RowList

    /// The name of the collection; empty if there is no row.
    let collectionName: String

    init(_ list: RowList, of collectionName: String = "") {
        self.list = list
        self.collectionName = collectionName
    }

    /// The same rows, kept by another snapshot that has them all. O(1).
    func kept(by snapshot: Snapshot) -> QueryRows {
        var list = list
        list.snapshot = snapshot
        return QueryRows(list, of: collectionName)
    }
}

extension QueryRows: RandomAccessCollection {
    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of rows. O(1).
    @inlinable public var endIndex: Int { list.count }
    /// The row at a position. O(1); O(log *n*) of the rows of an update.
    /// - Precondition: the position is within `0..<count`.
    @inlinable public subscript(position: Int) -> Record<Object, Metadata> { Record(box: list[position]) }
}

extension Snapshot {
    /// The rows of a query.
    ///
    ///     for book in snapshot[bestsellers] { … }
    ///
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: what ``explain(_:)`` counts, and sorting.
    public subscript<Object, Metadata>(_ query: RecordQuery<Object, Metadata>) -> QueryRows<Object, Metadata> {
        var execution = query.execution(over: self)
        execution.run()
        return QueryRows(RowList(execution.rows), of: query.collection.name)
    }

    /// How many rows a query has. Nothing is sorted, and no row is kept.
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: O(1) without a condition; O(log *n*) if an index has its matches and nothing else; otherwise as the query
    ///   without sorting, and no further than to its limit.
    public func count<Object, Metadata>(of query: RecordQuery<Object, Metadata>) -> Int {
        let execution = query.execution(over: self)
        if query.start == nil, let count = execution.countOfIndex { return min(execution.limit, count) }
        return execution.countOfMatches
    }

    /// Runs a query and says how: which index, how much was read, and why no other.
    /// - Precondition: the collection holds records of these types.
    public func explain<Object, Metadata>(_ query: RecordQuery<Object, Metadata>) -> QueryExplanation {
        var execution = query.execution(over: self)
        execution.run()
        return QueryExplanation(execution)
    }
}

extension WriteTransaction {
    /// The rows of a query at this point of the transaction, its changes included.
    /// - Throws: `extensionFailed` if an extension can't follow what the transaction did.
    public subscript<Object, Metadata>(_ query: RecordQuery<Object, Metadata>) -> QueryRows<Object, Metadata> {
        get throws { try snapshot()[query] }
    }
}
