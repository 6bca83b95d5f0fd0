package import YaprakCore

/// The records of one collection in one snapshot, in ascending order of their keys, without the program's types.
///
///     let books = try reader.snapshot(at: 42).untyped("books")
///     books["abc"]?.object                        // one record
///     books.count                                 // O(1)
///     for record in books { print(record.key, record.object) }
///
/// A `RandomAccessCollection` of ``ReplayRecord``: any position is O(log *n*), the next one O(1) on average. Keeps its
/// snapshot alive.
public struct UntypedRecords: RandomAccessCollection, Sendable {
    private let raw: RawCollection?

    package init(_ raw: RawCollection?) { self.raw = raw }

    /// The record under `key`; `nil` if there is none. O(log *n*).
    public subscript(key: String) -> ReplayRecord? { raw?[key].map { ReplayRecord($0) } }

    /// Whether there is a record under `key`. O(log *n*).
    public func contains(key: String) -> Bool { raw?[key] != nil }

    /// The position of `key`, or of the first key after it. O(log *n*).
    public func position(notBefore key: String) -> Int { raw?.position(notBefore: key) ?? 0 }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of records. O(1).
    public var endIndex: Int { raw?.count ?? 0 }

    /// The record at a position. O(log *n*).
    /// - Precondition: the position is within `0..<count`.
    public subscript(position: Int) -> ReplayRecord {
        precondition(indices.contains(position), "position \(position) is outside of \(indices)")
        return ReplayRecord(raw![position])
    }

    /// Walks the records in order; O(1) per record on average.
    public func makeIterator() -> Iterator { Iterator(raw: raw?.makeIterator(0..<count)) }

    /// Walks records in ascending order of their keys.
    public struct Iterator: IteratorProtocol {
        fileprivate var raw: RawCollection.Iterator?

        /// The next record, or `nil` at the end. O(1) on average.
        public mutating func next() -> ReplayRecord? { raw?.next().map { ReplayRecord($0) } }
    }
}
