import YaprakCBOR

public import struct Foundation.Date
public import struct YaprakModel.CommitNumber

/// What one commit did: which records of which collections, from which value to which.
///
///     for try await changeset in database.changesets() {
///         guard changeset.hasChange(in: .books) else { continue }
///         for change in changeset.changes(in: .books) { print(change.key, change.kinds) }
///     }
///
/// A value; it keeps the records it names, old and new, and nothing else of its commit. The has-change questions can be
/// put to one changeset or to many at once, which then answer as if they were one commit.
public struct Changeset: Sendable {
    private let storage: ChangesetStorage

    init(_ contents: consuming CommitContents) { storage = ChangesetStorage(contents) }

    /// What it has, where it is.
    var contents: CommitContents { _read { yield storage.contents } }

    /// The number of the commit. O(1).
    public var commitNumber: CommitNumber { contents.number }
    /// Who wrote: the name of the ``Connection``, or what was given to ``Database/write(origin:_:)``; empty by default.
    public var origin: String { contents.origin }
    /// When the commit was made, by the clock of ``DatabaseOptions/clock``.
    public var time: Date { Date(timeIntervalSince1970: Double(contents.nanoseconds) / 1e9) }
    /// The same in nanoseconds since 1970, as it stands in the log.
    public var nanosecondsSince1970: Int64 { contents.nanoseconds }

    /// Whether it was read back from the log. Such a changeset has no changes of extensions, which the log does not have:
    /// ``changes(of:)`` is empty. O(1).
    ///
    ///     for try await changeset in database.changesets() {
    ///         if changeset.isFromLog { reload() } else { apply(changeset.changes(of: inbox)) }
    ///     }
    ///
    /// ``Database/changesets(after:)`` delivers such changesets of commits that are not in memory any more, and every stream does
    /// to a consumer that fell too far behind (``ChangesetSequence``). ``ExtensionHost/changes(of:)`` never delivers any.
    public var isFromLog: Bool { contents.extensionChanges == nil }

    /// The value that was attached with ``WriteTransaction/setInfo(_:)``, or `nil`.
    ///
    /// A value of another type than the one asked for is `nil` where the changeset comes from memory, and an error where
    /// it was read back from the log.
    /// - Complexity: O(1) from memory, O(bytes) from the log.
    /// - Throws: `DecodingError`, only if the changeset was read back from the log.
    public func info<Info: Codable & Sendable>(as type: Info.Type = Info.self) throws -> Info? {
        switch contents.info {
        case nil: return nil
        case .value(let value, _)?: return value as? Info
        case .encoded(let bytes)?: return try CBORDecoder().decode(Info.self, from: bytes)
        }
    }

    /// The names of the collections in which something changed, ascending. O(*c* log *c*).
    public var changedCollectionNames: [String] {
        contents.batch.collections.map(\.binding.name).sorted()
    }

    /// What happened in one collection. O(number of changed collections).
    ///
    /// - Precondition: the collection holds records of these types.
    public func changes<Object, Metadata>(
        in collection: RecordCollection<Object, Metadata>
    ) -> RecordChanges<Object, Metadata> {
        let changes = contents.batch.changes(inCollection: collection.name)
        changes?.binding.check(Object.self, Metadata.self)
        return RecordChanges(changes: changes)
    }

    /// The keys that changed in the collection called `name`, in the order in which they were first changed. Without those
    /// that a removal of everything took away. O(number of changes in the collection).
    public func changedKeys(inCollectionNamed name: String) -> [String] {
        contents.batch.changes(inCollection: name)?.entries.map(\.key) ?? []
    }
}

/// The object of a ``Changeset``.
private final class ChangesetStorage: Sendable {
    let contents: CommitContents

    init(_ contents: consuming CommitContents) { self.contents = contents }
}

/// What one commit did, as its writer leaves it. Most commits are followed by nobody, and make no ``Changeset`` of it.
struct CommitContents: Sendable {
    /// Indirect, so that the many commits without one copy and destroy an empty reference.
    indirect enum Info: Sendable {
        /// As it was given, with its encoding where there is a log.
        case value(any Sendable, encoded: [UInt8]?)
        case encoded([UInt8])
    }

    let number: CommitNumber
    let origin: String
    let nanoseconds: Int64
    let info: Info?
    let batch: ChangeBatch
    /// `nil` if the commit was read back from the log, which does not have them.
    let extensionChanges: [(name: String, changes: any Sendable)]?

    init(
        number: CommitNumber, origin: String, nanoseconds: Int64, info: Info?, batch: consuming ChangeBatch,
        extensionChanges: [(name: String, changes: any Sendable)]?
    ) {
        self.number = number
        self.origin = origin
        self.nanoseconds = nanoseconds
        self.info = info
        self.batch = batch
        self.extensionChanges = extensionChanges
    }

    /// What a changeset keeps in memory, about; see ``DatabaseOptions/lagBytesLimit``.
    /// - Parameter item: the commit as it goes to the log; `nil` without one.
    func retainedBytes(encodedAs item: [UInt8]? = nil) -> Int {
        let records = batch.recordCount
        return 64 + records * 128 + (item?.count ?? records * 128)
    }
}
