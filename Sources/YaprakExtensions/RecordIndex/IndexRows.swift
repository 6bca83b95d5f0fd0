public import YaprakCore
import YaprakModel
import YaprakTrees

/// Records in the order of an index: all of them, or those that were asked for. A lazy collection of ``Record``.
///
///     let index = database.snapshot[genreRank]
///     let best = try index.equal("sci-fi").range(..<100)
///     print(best.count, best.first?.object.title ?? "")       // O(log n) to ask, O(1) to count
///     for book in best { … }
///     for book in best.reversed().prefix(20) { … }
///
/// Each question narrows the next column: ``equal(_:)``, then again for the next, ``range(_:)-(Range<Value>)``,
/// ``oneOf(_:)``, ``starting(with:)``. It keeps its snapshot alive. Getting it from a snapshot takes a search by name: for
/// many questions, keep it.
public struct IndexRows<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    @usableFromInline package let source: IndexSource
    @usableFromInline package let ranges: IndexRanges
    /// What the columns so far are equal to, a stretch of bytes for each range; `nil` if the last question was not for
    /// single values.
    let prefixes: [[UInt8]]?
    /// The number of columns that were asked about.
    let depth: Int

    init(_ source: IndexSource) {
        self.source = source
        ranges = IndexRanges(0..<source.root.tree.count)
        prefixes = [[]]
        depth = 0
    }

    init(_ source: IndexSource, _ ranges: IndexRanges, prefixes: [[UInt8]]? = nil, depth: Int) {
        self.source = source
        self.ranges = ranges
        self.prefixes = prefixes
        self.depth = depth
    }

    /// The first record whose first column is `value`; the only one, if the index is unique and of one column.
    ///
    ///     let book = try snapshot[isbn].row(for: "978-0-441-17271-9")
    ///
    /// - Throws: `invalidQuery` if the column is of another type, or if `value` is NaN.
    /// - Complexity: O(log *n*), as a read by key.
    @inlinable
    public func row<Value: IndexValue>(for value: Value) throws -> Record<Object, Metadata>? {
        let box = try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            var writer = IndexKeyWriter(into: buffer)
            value.write(to: &writer)
            return try source.first(&writer, Value.indexType)
        }
        // Handed on as it is: a closure that makes the record counts a reference to it.
        guard let box else { return nil }
        return Record(box: box)
    }

    /// The offset of a record among these; `nil` if it is not one of them. Of several entries the first.
    /// - Complexity: O(log *n*), and O(number of ranges).
    public func offset(of key: String) -> Int? {
        let configuration = source.configuration
        let key = key.normalizedKey
        return withExtendedLifetime(source.snapshot) {
            guard let record = source.snapshot.box(forKey: key, in: configuration.collection) else { return nil }
            var offset: Int?
            var writer = IndexKeyWriter()
            configuration.forEachEntry(of: record, &writer) { bytes, _ in
                let count = bytes.count
                var place = source.root.tree.rank(of: bytes.bytes)
                if !place.isFound || configuration.recordKey(source.root.tree.row(at: place.position)) != key {
                    bytes.append(key: key)
                    place = source.root.tree.rank(of: bytes.bytes)
                    bytes.truncate(to: count)
                }
                guard place.isFound, let found = ranges.offset(of: place.position) else { return }
                offset = offset.map { Swift.min($0, found) } ?? found
            }
            return offset
        }
    }

    /// The keys of the records, in order. Reads no record.
    /// - Complexity: lazy; O(1) for each on average.
    public var keys: some Sequence<String> {
        IndexEntrySequence(source: source, ranges: ranges) { source.configuration.recordKey($0) }
    }
}

// MARK: - As a collection

extension IndexRows: RandomAccessCollection {
    /// 0.
    @inlinable public var startIndex: Int { 0 }
    /// The number of entries. O(1).
    @inlinable public var endIndex: Int { ranges.count }
    /// The number of entries. O(1).
    @inlinable public var count: Int { ranges.count }

    /// The record at an offset.
    /// - Precondition: the offset is within `0..<count`.
    /// - Complexity: O(log *n*), and O(number of ranges).
    public subscript(offset: Int) -> Record<Object, Metadata> {
        withExtendedLifetime(source.snapshot) {
            let entry = source.root.tree.reference(at: ranges.position(at: offset))
            return Record(box: source.record(entry, in: source.records).takeUnretainedValue())
        }
    }

    /// Walks the records in order; O(1) per record on average, O(log *n*) where entries hold keys.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Walks records in the order of an index.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let source: IndexSource
        @usableFromInline var cursor: IndexCursor

        @usableFromInline
        init(_ rows: IndexRows) {
            source = rows.source
            cursor = IndexCursor(rows.source, rows.ranges)
        }

        /// The next record, or `nil` at the end.
        @inlinable
        public mutating func next() -> Record<Object, Metadata>? {
            guard let box = cursor.next() else { return nil }
            return Record(box: box.takeUnretainedValue())
        }
    }
}

/// What is made of each entry, in order.
struct IndexEntrySequence<Element>: Sequence, IteratorProtocol {
    private let source: IndexSource
    private var cursor: IndexCursor
    private let make: (TreeRow) -> Element?

    init(source: IndexSource, ranges: IndexRanges, _ make: @escaping (TreeRow) -> Element?) {
        self.source = source
        cursor = IndexCursor(source, ranges)
        self.make = make
    }

    mutating func next() -> Element? {
        withExtendedLifetime(source) {
            while let entry = cursor.nextEntry() {
                if let element = entry._withUnsafeGuaranteedRef(make) { return element }
            }
            return nil
        }
    }
}
