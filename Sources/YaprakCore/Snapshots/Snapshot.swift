public import YaprakModel
import YaprakTrees

/// The whole database as of one commit: a value.
///
/// Immutable, `Sendable`, O(1) to take, to copy and to keep. Nothing that happens later changes it, and keeping it never
/// makes a writer, a checkpoint or another reader wait; it costs the memory of what changed since.
///
///     let before = database.snapshot
///     try await database.write { $0[.books].removeAll() }
///     print(before[.books].count)            // still all of them
///
/// Everything read from one snapshot belongs together: records, and the extensions computed from them.
/// For many reads take the snapshot once; `database.snapshot` costs a lock of nanoseconds each time.
public struct Snapshot: Sendable {
    @usableFromInline package let state: SnapshotState

    @usableFromInline package init(_ state: SnapshotState) { self.state = state }

    /// The newest commit in this snapshot. O(1).
    public var commitNumber: CommitNumber { state.number }

    /// The records of a collection.
    ///
    /// A collection that was never written is empty.
    ///
    ///     let dune = snapshot[.books]["abc"]
    ///
    /// - Precondition: the collection holds records of these types. One that came from disk has to be bound first
    ///   (``Database/open(at:options:collections:)-(FilePath,_,_)``, ``Database/bind(_:)``).
    /// - Complexity: O(1) in the number of records.
    @inlinable
    public subscript<Object, Metadata>(_ collection: RecordCollection<Object, Metadata>) -> Records<Object, Metadata> {
        Records(state: state, collection: collection)
    }

    /// The names of the collections that hold at least one record, in ascending order.
    /// - Complexity: O(*c* log *c*) in the number of collections.
    public var collectionNames: [String] {
        zip(state.directory.bindings, state.roots)
            .filter { !$1.isEmpty && !$0.isHidden }
            .map { $0.0.name }
            .sorted()
    }

    /// The number of records in the collection called `name`, whatever its type; 0 if there is none. O(1).
    public func count(inCollectionNamed name: String) -> Int {
        state.root(ofCollection: name)?.count ?? 0
    }

    /// The number of records in all collections. O(number of collections).
    public var count: Int {
        zip(state.directory.bindings, state.roots).reduce(0) { $1.0.isHidden ? $0 : $0 + $1.1.count }
    }

    /// The names of the collections that hold a record under `key`, in ascending order.
    /// - Complexity: O(*c* · log *n*).
    public func collectionNames(containing key: String) -> [String] {
        zip(state.directory.bindings, state.roots)
            .filter { !$0.isHidden && $1.lookup(recordKey: key) != nil }
            .map { $0.0.name }
            .sorted()
    }

    /// Whether two snapshots are the same moment of the same database. O(1).
    public func isIdentical(to other: Snapshot) -> Bool { state === other.state }

    /// Whether both are of one database in one opening, or of its forks: what was written says when, and can be compared.
    package func isRelated(to other: Snapshot) -> Bool {
        state.version.timeline.arena === other.state.version.timeline.arena
    }
}

extension Snapshot {
    /// The keys of records that did not decode when the collection called `name` was bound, and were set aside
    /// (``UndecodablePolicy/setAside``); ascending.
    /// - Complexity: O(number of keys).
    public func setAsideKeys(inCollectionNamed name: String) -> [String] {
        guard let root = state.root(ofCollection: CollectionDirectory.asideName(of: name)) else { return [] }
        var keys: [String] = []
        withExtendedLifetime(state) { root.forEach { keys.append($0.keyString) } }
        return keys
    }
}
