import YaprakCore
import YaprakTrees

/// An entry that holds its record: a read finds the record in it.
final class RecordEntry: TreeRow, @unchecked Sendable {
    let record: RecordBox

    init(key: String, record: RecordBox) {
        self.record = record
        super.init(key: key)
    }
}
