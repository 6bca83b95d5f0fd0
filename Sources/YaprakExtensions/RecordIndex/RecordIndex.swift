public import YaprakCore
import YaprakTrees

/// Finds the records of a collection by their values: an index of one to five columns, part of every snapshot.
///
///     let genreRank = RecordIndex("books.genreRank", of: .books, \.genre, \.salesRank)
///     try await database.register(genreRank)
///     let index = database.snapshot[genreRank]
///     for book in try index.equal("sci-fi").range(..<100) { print(book.object.title) }
///     try index.equal("sci-fi").count                       // O(log n)
///
/// Entries stand in the order of their columns, then of the keys of their records. They follow each write in the same
/// commit, and a snapshot's index has what its records have: in a transaction, a fork, at a commit of the past. Queries
/// use the indexes that are registered; nothing but ``IndexRows``, which is what the subscript returns, names one.
///
/// The tag that the engine compares when a persisted index is adopted is ``versionTag`` with the types, the order and the
/// options of the columns. Raise `versionTag` whenever a closure changes its answers.
///
/// - Complexity: a changed record costs O(log *n*) for each entry. What no column reads moves no entry.
public struct RecordIndex<Object: Codable & Sendable, Metadata: Codable & Sendable>: DatabaseExtension {
    package let configuration: IndexConfiguration

    /// The name under which it is registered.
    public var name: String { configuration.name }
    /// Says which code made it: the program's tag, and the types, order and options of the columns.
    public var versionTag: String { configuration.versionTag }
    /// The name of its collection.
    public var collectionNames: [String]? { [configuration.collection.name] }

    /// An index of columns in any form.
    ///
    ///     RecordIndex("mails.inbox", of: .mails, columns: .metadata(\.folder), .descending(\.date))
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - versionTag: says which code its closures are; another tag means other answers.
    ///   - collection: the collection whose records it finds.
    ///   - columns: what entries are sorted by; the first counts most.
    ///   - isUnique: whether no two records may have the same values; see <doc:Queries>.
    ///   - entries: what an entry holds of its record.
    ///   - persistence: whether checkpoints have it.
    /// - Precondition: one to five columns, at most one of them with several values.
    public init(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        columns: IndexColumn<Object, Metadata>..., unique isUnique: Bool = false, entries: IndexEntries = .holdRecords,
        persistence: IndexPersistence = .rebuilt
    ) {
        self.init(name, versionTag, collection, columns, isUnique, entries, persistence)
    }

    init(
        _ name: String, _ versionTag: String, _ collection: RecordCollection<Object, Metadata>,
        _ columns: [IndexColumn<Object, Metadata>], _ isUnique: Bool, _ entries: IndexEntries,
        _ persistence: IndexPersistence
    ) {
        configuration = IndexConfiguration(
            name, versionTag: versionTag, of: CollectionTypes(collection), columns.map(\.rule), isUnique: isUnique,
            holdsRecords: entries == .holdRecords, isPersistent: persistence == .checkpoints)
    }

    /// The root over an empty database.
    public func makeRoot() -> IndexRoot { IndexRoot(configuration) }

    /// Moves the entries of changed records.
    public func update(_ root: inout IndexRoot, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        _ = follow(&root, changes, in: context)
        return nil
    }

    /// All entries, in order. O(1).
    public func reader(of root: IndexRoot, in snapshot: Snapshot) -> IndexRows<Object, Metadata> {
        IndexRows(IndexSource(snapshot, root))
    }
}

extension RecordIndex: InPlaceExtension {
    package func follow(
        _ root: inout IndexRoot, _ changes: NetChanges, in context: ExtensionContext
    ) -> (any Sendable)? {
        let editor = IndexEditor(configuration, context.draft)
        if configuration.isPure, let update = changes.onlyUpdate(in: configuration.collection) {
            editor.update(&root, by: update)
        } else if let boxes = changes.boxes(in: configuration.collection) {
            editor.update(&root, isCleared: boxes.isCleared, boxes.entries, in: context)
        }
        if root.duplicates > 0 { context.askToJudge() }
        return nil
    }
}

extension RecordIndex: SelectiveExtension {
    package var isSelective: Bool { !configuration.holdsRecords }

    package func isLeftAlone(by changes: NetChanges) -> Bool {
        guard let boxes = changes.boxes(in: configuration.collection) else { return true }
        return !boxes.isCleared && boxes.entries.allSatisfy { configuration.isUnconcerned(by: $0) }
    }
}

/// What an entry of a ``RecordIndex`` holds of its record.
public enum IndexEntries: Sendable, Hashable {
    /// The record: a read finds it with the entry. A write of the record exchanges it in its entry, in place.
    case holdRecords
    /// Its key: a read looks the record up, which takes about twice as long. A write that leaves the columns alone does not
    /// touch the index.
    ///
    /// It can't be read in a state whose records are ahead of it, such as `ExtensionContext.after` in an extension that does not
    /// depend on it, or a fork of that: an entry whose record is gone stops the program.
    case holdKeys
}

/// Whether a ``RecordIndex`` is stored in files.
public enum IndexPersistence: Sendable, Hashable {
    /// It is not: a launch computes it, while writers go on.
    case rebuilt
    /// Checkpoints have the keys of its records in the order of its entries, and no values. A launch restores it, and reads
    /// what changed since.
    case checkpoints
}
