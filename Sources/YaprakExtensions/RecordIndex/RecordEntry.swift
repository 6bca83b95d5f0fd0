import YaprakCore
import YaprakTrees

/// An entry that holds its record: a read finds the record in it.
///
///     ┌ header 16 ┬ label 8 ┬ record 8 ┬ room: the bytes of the key ┐
///
/// One object of the size its key needs: see ``KeyRoom``. The record stands at the same place in all of them.
class RecordEntry: TreeRow, @unchecked Sendable {
    // Written once, before the entry is shared; that is the whole of the @unchecked.
    final let record: RecordBox

    fileprivate init(_ record: RecordBox, keyCount: Int) {
        self.record = record
        super.init(packed: keyCount, behind: 8)
    }

    /// Makes an entry that is in no tree yet.
    static func make(_ key: UnsafeBufferPointer<UInt8>, _ record: RecordBox) -> RecordEntry {
        switch key.count {
        case ...8: PackedRecordEntry<KeyRoom8>(key, record)
        case ...24: PackedRecordEntry<KeyRoom24>(key, record)
        case ...40: PackedRecordEntry<KeyRoom40>(key, record)
        case ...56: PackedRecordEntry<KeyRoom56>(key, record)
        case ...72: PackedRecordEntry<KeyRoom72>(key, record)
        case ...104: PackedRecordEntry<KeyRoom104>(key, record)
        case ...136: PackedRecordEntry<KeyRoom136>(key, record)
        default: LongRecordEntry(key, record)
        }
    }
}

private final class PackedRecordEntry<Room: KeyRoom>: RecordEntry, @unchecked Sendable {
    private var room = Room()

    init(_ key: UnsafeBufferPointer<UInt8>, _ record: consuming RecordBox) {
        super.init(consume record, keyCount: key.count)
        fillKey(key)
    }
}

private final class LongRecordEntry: RecordEntry, @unchecked Sendable {
    private let room: LongKey

    init(_ key: UnsafeBufferPointer<UInt8>, _ record: RecordBox) {
        room = LongKey(copying: key)
        super.init(record, keyCount: LongKey.count)
    }

    deinit { room.free() }
}
