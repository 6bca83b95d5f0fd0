import YaprakTrees

/// An entry that holds the key of its record: a read looks the record up.
///
///     ┌ header 16 ┬ label 8 ┬ key of the record 16 ┬ room: the bytes of the key ┐
///
/// One object of the size its key needs, as a ``RecordEntry``; the record's key shares the bytes of the record's.
class KeyEntry: TreeRow, @unchecked Sendable {
    // Written once, before the entry is shared; that is the whole of the @unchecked.
    final let recordKey: String

    fileprivate init(_ recordKey: String, keyCount: Int) {
        self.recordKey = recordKey
        super.init(packed: keyCount, behind: 16)
    }

    /// Makes an entry that is in no tree yet.
    static func make(_ key: UnsafeBufferPointer<UInt8>, _ recordKey: String) -> KeyEntry {
        switch key.count {
        case ...16: PackedKeyEntry<KeyRoom16>(key, recordKey)
        case ...32: PackedKeyEntry<KeyRoom32>(key, recordKey)
        case ...48: PackedKeyEntry<KeyRoom48>(key, recordKey)
        case ...64: PackedKeyEntry<KeyRoom64>(key, recordKey)
        case ...96: PackedKeyEntry<KeyRoom96>(key, recordKey)
        case ...128: PackedKeyEntry<KeyRoom128>(key, recordKey)
        default: LongKeyEntry(key, recordKey)
        }
    }
}

private final class PackedKeyEntry<Room: KeyRoom>: KeyEntry, @unchecked Sendable {
    private var room = Room()

    init(_ key: UnsafeBufferPointer<UInt8>, _ recordKey: String) {
        super.init(recordKey, keyCount: key.count)
        fillKey(key)
    }
}

private final class LongKeyEntry: KeyEntry, @unchecked Sendable {
    private let room: LongKey

    init(_ key: UnsafeBufferPointer<UInt8>, _ recordKey: String) {
        room = LongKey(copying: key)
        super.init(recordKey, keyCount: LongKey.count)
    }

    deinit { room.free() }
}
