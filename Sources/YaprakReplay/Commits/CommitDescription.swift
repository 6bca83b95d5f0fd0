public import YaprakCBOR
public import YaprakCore
public import YaprakModel

/// What is known of any commit without the program's types: of one that a log has, and of one that a program has just made.
///
///     func show(_ commit: some CommitDescription) {
///         print(commit.commitNumber, commit.origin, commit.changedRecords.map(\.collectionName))
///     }
///     for try await changeset in database.changesets() { show(changeset) }
///     for try await commit in reader.commits() { show(commit) }
public protocol CommitDescription: Sendable {
    /// The number.
    var commitNumber: CommitNumber { get }
    /// When the commit was made, in nanoseconds since 1970, by the clock of the program that made it.
    var nanosecondsSince1970: Int64 { get }
    /// Who wrote; empty if the program did not say.
    var origin: String { get }
    /// Whether every record of every collection was removed first.
    var removesAll: Bool { get }
    /// The value that the program attached, or `nil`. O(size).
    var untypedInfo: CBORValue? { get }
    /// Which records were changed one by one, collection by collection. O(number of changes).
    var changedRecords: [ChangedRecords] { get }
    /// The number of records that were changed one by one. O(number of collections).
    var changeCount: Int { get }
}

/// The records of a collection that a commit changed.
public struct ChangedRecords: Sendable, Hashable {
    /// The name of the collection.
    public let collectionName: String
    /// Whether every record of it was removed first.
    public let removesAll: Bool
    /// The keys, in the order in which they were first changed, and what happened to each.
    public let changes: [Change]

    /// What happened to a record.
    public struct Change: Sendable, Hashable {
        /// The key, in NFC.
        public let key: String
        /// What happened.
        public let kinds: ChangeKinds
    }
}

extension ReplayCommit: CommitDescription {
    /// As ``info``.
    public var untypedInfo: CBORValue? { info }

    /// Which records were changed one by one. O(number of changes).
    public var changedRecords: [ChangedRecords] {
        logged.collections.map { collection in
            ChangedRecords(
                collectionName: collection.name, removesAll: collection.isCleared,
                changes: collection.operations.map { .init(key: $0.key, kinds: $0.kinds) })
        }
    }
}

extension Changeset: CommitDescription {
    /// The value that was attached, without its type; `undefined` if it has no encoding. O(size).
    public var untypedInfo: CBORValue? {
        guard let bytes = encodedInfo else { return nil }
        return (try? bytes.map { try CBORValue(decoding: $0) }) ?? .undefined
    }

    /// Whether every record of every collection was removed first. O(1).
    public var removesAll: Bool { didRemoveEverything }

    /// Which records were changed one by one. O(number of changes).
    public var changedRecords: [ChangedRecords] {
        changedCollections.map { collection in
            ChangedRecords(
                collectionName: collection.name, removesAll: collection.isCleared,
                changes: collection.entries.map { .init(key: $0.key, kinds: $0.kinds) })
        }
    }

    /// The number of records that were changed one by one. O(number of collections).
    public var changeCount: Int { changedCollections.reduce(0) { $0 + $1.entries.count } }

    /// What the commit changed, record by record, without types, in the order of collections and keys. Records that a removal
    /// of everything took away are not among it. O(size of the changed records).
    public var untypedChanges: [ReplayChange] { untypedChanges(checking: {}) }

    /// The same; `check` is called before each record, and what it throws ends the work.
    package func untypedChanges(checking check: () throws -> Void) rethrows -> [ReplayChange] {
        var changes: [ReplayChange] = []
        try netChanges.forEachRaw { collection, kinds, before, after in
            try check()
            changes.append(
                ReplayChange(
                    collectionName: collection, kinds: kinds, before: before.map { ReplayRecord($0) },
                    after: after.map { ReplayRecord($0) }))
        }
        return changes.sorted { ($0.collectionName, $0.key) < ($1.collectionName, $1.key) }
    }
}
