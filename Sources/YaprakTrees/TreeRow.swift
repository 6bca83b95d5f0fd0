/// What a tree holds: an object with a key.
///
/// Not part of the API of the package, although it must be `open`: the generic record class of the floor above
/// derives from it and is inlined into programs.
///
/// A row goes into *one* tree, *once*: the leaf that holds it owns one reference, counted by the row's birth.
/// Whoever wants the same content somewhere else makes another box for it.
open class TreeRow: @unchecked Sendable {
    /// The key, in NFC, as native contiguous UTF-8. Keys are ordered by their bytes.
    public final let key: String

    /// The stamp of the draft that put this row into a tree; 0 before.
    ///
    /// Written once, before anybody else can see the row: no runtime check of exclusive access.
    @exclusivity(unchecked)
    @usableFromInline package internal(set) final var birth: UInt64 = 0

    /// The key's last eight bytes. With a node's word they often are the whole key, and the string stays unread.
    final let tail: UInt64

    /// Makes a row that is in no tree yet. `key` must be in NFC already.
    public init(key: String) {
        var key = key
        tail = key.withUTF8 { KeyBytes.tail($0) }
        self.key = key
    }

    /// A tree that lives and dies with this row, such as the rows of a view's group; none by default.
    ///
    /// When a row is *replaced* its successor takes the nested tree over; when it is *removed* the nested tree goes too.
    open var nestedTree: TreeRoot? { nil }
}

extension TreeRow {
    /// The bytes of the key. O(1), no allocation, no reference counting.
    @inline(__always)
    final func withKey<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        key.utf8.withContiguousStorageIfAvailable(body).unsafelyUnwrapped
    }
}

/// A leaf's own reference to a row.
typealias RowRef = Unmanaged<TreeRow>

extension Unmanaged where Instance == TreeRow {
    @inline(__always)
    func withKey<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        _withUnsafeGuaranteedRef { $0.withKey(body) }
    }

    @inline(__always)
    static func === (a: Self, b: Self) -> Bool { a.toOpaque() == b.toOpaque() }

    /// The stamp under which the row came into its tree.
    @inline(__always)
    var birth: UInt64 { _withUnsafeGuaranteedRef { $0.birth } }
}
