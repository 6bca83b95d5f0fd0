public import YaprakCore

// Indexes of properties, small values first.

extension RecordIndex {
    /// An index of one property of the object, small values first.
    ///
    ///     RecordIndex("books.isbn", of: .books, \.isbn, unique: true)
    ///
    /// An array or a set makes an entry for each element. For other columns see
    /// ``init(_:versionTag:of:columns:unique:entries:persistence:)``.
    public init<A: IndexColumnValue>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ a: any KeyPath<Object, A> & Sendable,
        unique isUnique: Bool = false, entries: IndexEntries = .holdRecords, persistence: IndexPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, collection, [.ascending(a)], isUnique, entries, persistence)
    }
}

extension RecordIndex {
    /// An index of two properties of the object, small values first.
    ///
    ///     RecordIndex("books.genreRank", of: .books, \.genre, \.salesRank)
    public init<A: IndexColumnValue, B: IndexColumnValue>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ a: any KeyPath<Object, A> & Sendable,
        _ b: any KeyPath<Object, B> & Sendable,
        unique isUnique: Bool = false, entries: IndexEntries = .holdRecords, persistence: IndexPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, collection, [.ascending(a), .ascending(b)], isUnique, entries, persistence)
    }
}

extension RecordIndex {
    /// An index of three properties of the object, small values first.
    public init<A: IndexColumnValue, B: IndexColumnValue, C: IndexColumnValue>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ a: any KeyPath<Object, A> & Sendable,
        _ b: any KeyPath<Object, B> & Sendable,
        _ c: any KeyPath<Object, C> & Sendable,
        unique isUnique: Bool = false, entries: IndexEntries = .holdRecords, persistence: IndexPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, collection, [.ascending(a), .ascending(b), .ascending(c)], isUnique, entries, persistence)
    }
}

extension RecordIndex {
    /// An index of four properties of the object, small values first.
    public init<A: IndexColumnValue, B: IndexColumnValue, C: IndexColumnValue, D: IndexColumnValue>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ a: any KeyPath<Object, A> & Sendable,
        _ b: any KeyPath<Object, B> & Sendable,
        _ c: any KeyPath<Object, C> & Sendable,
        _ d: any KeyPath<Object, D> & Sendable,
        unique isUnique: Bool = false, entries: IndexEntries = .holdRecords, persistence: IndexPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, collection, [.ascending(a), .ascending(b), .ascending(c), .ascending(d)], isUnique,
            entries, persistence)
    }
}

extension RecordIndex {
    /// An index of five properties of the object, small values first.
    public init<
        A: IndexColumnValue, B: IndexColumnValue, C: IndexColumnValue, D: IndexColumnValue, E: IndexColumnValue
    >(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        _ a: any KeyPath<Object, A> & Sendable,
        _ b: any KeyPath<Object, B> & Sendable,
        _ c: any KeyPath<Object, C> & Sendable,
        _ d: any KeyPath<Object, D> & Sendable,
        _ e: any KeyPath<Object, E> & Sendable,
        unique isUnique: Bool = false, entries: IndexEntries = .holdRecords, persistence: IndexPersistence = .rebuilt
    ) {
        self.init(
            name, versionTag, collection, [.ascending(a), .ascending(b), .ascending(c), .ascending(d), .ascending(e)],
            isUnique, entries, persistence)
    }
}
