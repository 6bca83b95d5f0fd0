import YaprakTrees

/// An entry that holds the key of its record: a read looks the record up.
final class KeyEntry: TreeRow, @unchecked Sendable {
    let recordKey: String

    init(key: String, recordKey: String) {
        self.recordKey = recordKey
        super.init(key: key)
    }
}
