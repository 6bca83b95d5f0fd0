import YaprakTrees

// What a program without the types sees of a state that was read from files: bytes. Bound collections, whose rows are
// values, don't answer.
extension SnapshotState {
    /// The record under `key` as it stands on disk; `nil` if there is none. O(log *n*).
    package func rawRecord(forKey key: String, inCollection name: String) -> RawRecord? {
        root(ofCollection: name)?.lookup(recordKey: key)?.takeUnretainedValue() as? RawRecord
    }

    /// Hands over the records of a collection as they stand on disk, in ascending order of their keys. O(*n*).
    package func forEachRawRecord(
        inCollection name: String, _ body: (_ key: String, _ record: RawRecord) throws -> Void
    ) rethrows {
        try root(ofCollection: name)?.forEach { row in
            if let record = row as? RawRecord { try body(row.key, record) }
        }
    }
}
