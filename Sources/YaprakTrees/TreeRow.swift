/// An element of a tree: an object with a key.
///
/// Not API, although it is `open`: a class with package access can't be subclassed in another module, and the generic
/// record class of the layer above derives from it and is inlined into programs.
///
/// A row is inserted into *one* tree, *once*: the leaf that holds it owns one reference, counted by the row's birth. The
/// same content elsewhere needs another row.
open class TreeRow: @unchecked Sendable {
    /// The key, in NFC, as native contiguous UTF-8. Keys are ordered by their bytes.
    public final let key: String

    /// The stamp of the draft that put this row into a tree; 0 before.
    ///
    /// Written once, before the row is shared, so it needs no runtime check of exclusive access.
    @exclusivity(unchecked)
    @usableFromInline package internal(set) final var birth: UInt64 = 0

    /// The key's last eight bytes. Together with a node's word they are often the whole key, and the string is not read.
    final let tail: UInt64

    /// Makes a row that is in no tree yet. `key` must be in NFC already.
    public init(key: String) {
        var key = key
        tail = key.withUTF8 { KeyBytes.tail($0) }
        self.key = key
    }

    /// A tree with the lifetime of this row, such as the rows of a view's group; none by default.
    ///
    /// When a row is *replaced*, its successor adopts the nested tree. When it is *removed*, the nested tree is removed, too.
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

    /// The stamp of the row's insertion into its tree.
    @inline(__always)
    var birth: UInt64 { _withUnsafeGuaranteedRef { $0.birth } }
}
