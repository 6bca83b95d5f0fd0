public import YaprakTrees

/// The records of one collection in one snapshot, in ascending order of their keys.
///
///     let books = database.snapshot[.books]
///     books["abc"]?.title                        // one record
///     books.count                                // O(1)
///     for row in books where row.object.salesRank < 10 { … }
///     for row in books[keys: "a"..<"b"] { … }    // a range of keys, found in O(log n)
///     books.reversed().prefix(20)
///
/// A `RandomAccessCollection` of ``Record``: any position is O(log *n*), the next one O(1) on average, nothing is
/// copied. It keeps its snapshot alive.
public struct Records<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    @usableFromInline let state: SnapshotState
    @usableFromInline let root: TreeRoot
    /// Where in the tree this collection begins and ends: all of it, or the range of a slice.
    @usableFromInline let bounds: Range<Int>

    @inlinable @inline(__always)
    init(state: SnapshotState, collection: RecordCollection<Object, Metadata>) {
        self.state = state
        root = state.root(ofCollection: collection.name, Object.self, Metadata.self)
        bounds = Range(uncheckedBounds: (0, root.rowCount))
    }

    @inlinable
    init(state: SnapshotState, root: TreeRoot, bounds: Range<Int>) {
        self.state = state
        self.root = root
        self.bounds = bounds
    }

    /// The object under `key`, as it was written; `nil` if there is none.
    ///
    /// No decoding, no waiting.
    /// - Complexity: O(log *n*), no allocation for keys in ASCII.
    @inlinable
    public subscript(key: String) -> Object? {
        // The row comes retained, and only the row: in this form the optimiser sees that `records[key]?.title` needs
        // nothing but the title, and does not retain the object's other strings.
        guard let box = state.box(in: root, recordKey: key) else { return nil }
        return unsafeDowncast(box, to: TypedRecord<Object, Metadata>.self).object
    }

    /// The metadata under `key`; `nil` if there is no record or it has none. O(log *n*).
    @inlinable
    public func metadata(for key: String) -> Metadata? {
        withExtendedLifetime(state) {
            guard let row = root.lookup(recordKey: key) else { return nil }
            return row._withUnsafeGuaranteedRef { unsafeDowncast($0, to: TypedRecord<Object, Metadata>.self).metadata }
        }
    }

    /// The record under `key`, object and metadata in one look-up; `nil` if there is none. O(log *n*).
    @inlinable
    public func row(for key: String) -> Record<Object, Metadata>? {
        guard let box = state.box(in: root, recordKey: key) else { return nil }
        return Record(unsafeDowncast(box, to: TypedRecord<Object, Metadata>.self))
    }

    /// Whether there is a record under `key`. O(log *n*).
    @inlinable
    public func contains(key: String) -> Bool {
        withExtendedLifetime(state) { root.lookup(recordKey: key) != nil }
    }

    /// The records for `keys`, in the order of `keys`; `nil` where there is none.
    /// - Complexity: O(*k* · log *n*), lazy.
    public func rows(for keys: some Sequence<String>) -> some Sequence<(key: String, row: Record<Object, Metadata>?)> {
        keys.lazy.map { (key: $0, row: self.row(for: $0)) }
    }
}

extension SnapshotState {
    /// The box under `key`, given in any form, in a tree of this state.
    @usableFromInline @inline(never)
    func box(in root: TreeRoot, recordKey key: String) -> RecordBox? {
        withExtendedLifetime(self) { root.lookup(recordKey: key)?.takeUnretainedValue() }
    }
}

extension TreeRoot {
    /// The box under `key`, given in any form.
    @usableFromInline
    func lookup(recordKey key: String) -> Unmanaged<RecordBox>? {
        // Keys in ASCII, nearly all, are looked up where they stand.
        let found = key.utf8.withContiguousStorageIfAvailable { bytes in
            RecordKey.isASCII(bytes) ? Optional(lookup(bytes)) : nil
        }
        let row = if case .some(.some(let row)) = found { row } else { lookup(normalizing: key) }
        return row.map { Unmanaged<RecordBox>.fromOpaque($0.toOpaque()) }
    }

    @inline(never)
    private func lookup(normalizing key: String) -> Unmanaged<TreeRow>? {
        RecordKey.normalized(key).withKeyBytes { lookup($0) }
    }

    @usableFromInline
    func box(at position: Int) -> RecordBox {
        unsafeDowncast(row(at: position), to: RecordBox.self)
    }

    @inlinable @inline(__always) var rowCount: Int { count }
}

// MARK: - As a collection

extension Records: RandomAccessCollection {
    /// The position of the first record. O(1).
    @inlinable public var startIndex: Int { bounds.lowerBound }
    /// The position after the last record. O(1).
    @inlinable public var endIndex: Int { bounds.upperBound }
    /// The number of records. O(1).
    @inlinable public var count: Int { bounds.count }

    /// The record at a position.
    /// - Precondition: the position is within `startIndex..<endIndex`.
    /// - Complexity: O(log *n*).
    @inlinable
    public subscript(position: Int) -> Record<Object, Metadata> {
        precondition(bounds.contains(position), "position \(position) is outside of \(bounds)")
        return withExtendedLifetime(state) {
            Record(unsafeDowncast(root.box(at: position), to: TypedRecord<Object, Metadata>.self))
        }
    }

    /// The records at some positions, sharing the snapshot. O(1).
    @inlinable
    public subscript(positions: Range<Int>) -> Self {
        precondition(
            positions.lowerBound >= bounds.lowerBound && positions.upperBound <= bounds.upperBound,
            "positions \(positions) are outside of \(bounds)")
        return Self(state: state, root: root, bounds: positions)
    }

    /// Walks the records in order; O(1) per record on average.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(self) }

    /// Walks records in ascending order of their keys.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let state: SnapshotState
        @usableFromInline var cursor: RowCursor

        @usableFromInline
        init(_ records: Records) {
            state = records.state
            cursor = RowCursor(records.root, records.bounds)
        }

        /// The next record, or `nil` at the end. O(1) on average.
        @inlinable
        public mutating func next() -> Record<Object, Metadata>? {
            guard let row = cursor.next() else { return nil }
            return Record(unsafeDowncast(row.takeUnretainedValue(), to: TypedRecord<Object, Metadata>.self))
        }
    }
}
