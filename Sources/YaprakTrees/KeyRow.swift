/// A row with a key and nothing else, such as an edge of a relationship. One object of the size its key needs: see
/// ``KeyRoom``.
package enum KeyRow {
    /// The length of keys that are within the row.
    static let packedMax = 128

    /// Makes a row that is in no tree yet.
    package static func make(_ key: UnsafeBufferPointer<UInt8>) -> TreeRow {
        switch key.count {
        case ...16: PackedKeyRow<KeyRoom16>(key)
        case ...32: PackedKeyRow<KeyRoom32>(key)
        case ...48: PackedKeyRow<KeyRoom48>(key)
        case ...64: PackedKeyRow<KeyRoom64>(key)
        case ...96: PackedKeyRow<KeyRoom96>(key)
        case ...packedMax: PackedKeyRow<KeyRoom128>(key)
        default: LongKeyRow(key)
        }
    }

    package static func make(_ key: String) -> TreeRow {
        key.withKeyBytes { make($0) }
    }
}

private final class PackedKeyRow<Room: KeyRoom>: TreeRow, @unchecked Sendable {
    private var room = Room()

    init(_ key: UnsafeBufferPointer<UInt8>) {
        super.init(packed: key.count, behind: 0)
        fillKey(key)
    }
}

private final class LongKeyRow: TreeRow, @unchecked Sendable {
    private let room: LongKey

    init(_ key: UnsafeBufferPointer<UInt8>) {
        room = LongKey(copying: key)
        super.init(packed: LongKey.count, behind: 0)
    }

    deinit { room.free() }
}
