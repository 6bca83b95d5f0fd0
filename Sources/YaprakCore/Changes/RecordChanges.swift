/// What happened to one record of a typed collection.
public struct RecordChange<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    let entry: ChangeEntry

    init(_ entry: ChangeEntry) { self.entry = entry }

    /// The removal of a record that went with all others.
    init(removed record: Record<Object, Metadata>) {
        entry = ChangeEntry(before: record.record, after: nil, kinds: .removed)
    }

    /// The same of a record that was written again after it had gone with all others: both parts of it changed.
    func replacing(_ record: Record<Object, Metadata>) -> RecordChange {
        RecordChange(
            ChangeEntry(
                before: record.record, after: entry.after,
                kinds: entry.kinds.subtracting(.inserted).union([.objectChanged, .metadataChanged])))
    }

    /// The key. O(1).
    public var key: String { entry.key }
    /// What happened. O(1).
    public var kinds: ChangeKinds { entry.kinds }
    /// The record before; `nil` if it was inserted. O(1).
    public var before: Record<Object, Metadata>? { Self.row(entry.before) }
    /// The record after; `nil` if it was removed. O(1).
    public var after: Record<Object, Metadata>? { Self.row(entry.after) }

    private static func row(_ box: RecordBox?) -> Record<Object, Metadata>? {
        // A record that was set aside has no typed value.
        guard let box, !(box is RawRecord) else { return nil }
        return Record(unsafeDowncast(box, to: TypedRecord<Object, Metadata>.self))
    }
}

/// What happened to the records of one typed collection: net, one element per record.
///
///     for change in changeset.changes(in: .books) {
///         print(change.key, change.before?.object.title ?? "new", change.after?.object.title ?? "gone")
///     }
///
/// In the order in which records were first changed. A removal of everything (``MutableRecords/removeAll()``) is
/// one fact, ``didRemoveAll``, not an element per record.
public struct RecordChanges<Object: Codable & Sendable, Metadata: Codable & Sendable>: RandomAccessCollection, Sendable
{
    let changes: CollectionChanges?

    /// Whether everything in the collection was removed at once, before the changes listed here. O(1).
    public var didRemoveAll: Bool { changes?.clearedCount != nil }
    /// The number of records that the removal of everything took away; 0 if there was none. What was set aside
    /// (``UndecodablePolicy/setAside``) does not count, also where the changeset was read back from the log. O(1).
    public var removedAllCount: Int { changes?.clearedCount ?? 0 }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of changed records. O(1).
    public var endIndex: Int { changes?.entries.count ?? 0 }
    /// The change at a position. O(1).
    /// - Precondition: the position is within `0..<count`.
    public subscript(position: Int) -> RecordChange<Object, Metadata> {
        RecordChange(changes!.entries[position])
    }
    /// The change of the record under `key`, or `nil`.
    /// - Complexity: O(log *n*); the first call on a changeset is O(*n*), and the second sorts, O(*n* log *n*).
    public subscript(key: String) -> RecordChange<Object, Metadata>? {
        changes?.entry(forKey: RecordKey.normalized(key)).map { RecordChange($0) }
    }
}
