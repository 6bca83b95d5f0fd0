/// An element of a tree: an object with a key.
///
/// Where the bytes of its key are, the row says itself, so that reading them needs no call that depends on its class. They
/// are those of a string (``KeyedRow``), or within the row, behind the fields of its class (``KeyRow``):
///
///     ┌ header 16 ┬ label 8 ┬ tail 8 ┬ string 16 ┬ fields of subclasses … ┐   KeyedRow
///     ├───────────┼─────────┼────────┴───┬───────┴────────────────────────┤
///     └ header 16 ┴ label 8 ┴ payload, … ┴ room: the bytes of the key     ┘   a packed row
///
/// Not API, although it is `open`: a class with package access can't be subclassed in another module, and the generic
/// record class of the layer above derives from it and is inlined into programs.
///
/// A row is inserted into *one* tree, *once*: the leaf that holds it owns one reference, counted by the row's birth. The
/// same content elsewhere needs another row.
open class TreeRow: @unchecked Sendable {
    /// The row's birth and the shape of its key, see ``KeyPlace``.
    ///
    /// Written before the row is shared, so it needs no runtime check of exclusive access.
    @exclusivity(unchecked)
    @usableFromInline final var label: UInt64

    init(shape: UInt64) { label = shape }

    /// Makes a row whose key has `count` bytes behind `payload` bytes of fields. They are not there yet: see
    /// ``fillKey(_:)``.
    package init(packed count: Int, behind payload: Int) {
        label = KeyPlace.packed(count, behind: payload)
    }

    /// A tree with the lifetime of this row, such as the rows of a view's group; none by default.
    ///
    /// When a row is *replaced*, its successor adopts the nested tree. When it is *removed*, the nested tree is removed, too.
    open var nestedTree: TreeRoot? { nil }
}

/// A row whose key is a string.
///
/// `open` as ``TreeRow`` is, and no more API than that.
open class KeyedRow: TreeRow, @unchecked Sendable {
    /// The key's last eight bytes. Together with a node's word they are often the whole key, and the string is not read.
    final let tail: UInt64

    /// The key, in NFC, as native contiguous UTF-8. Keys are ordered by their bytes.
    public final let key: String

    /// Alike for equal keys, made of their length and their last eight bytes. Others have the same seldom, unless somebody chose
    /// them. Reads no byte of the key.
    package final var keyFingerprint: UInt64 { tail ^ (label & KeyPlace.mask) &<< 56 }

    /// Makes a row that is in no tree yet. `key` must be in NFC already.
    public init(key: String) {
        var key = key
        let (tail, count) = key.withUTF8 { (KeyBytes.tail($0), $0.count) }
        self.tail = tail
        self.key = key
        super.init(shape: KeyPlace.keyed(count))
    }

    /// Makes a row with the key of another. The bytes of the key are not read.
    package init(withKeyOf other: KeyedRow) {
        tail = other.tail
        key = other.key
        super.init(shape: other.label & KeyPlace.mask)
    }
}

// Rows, nodes and records have their fields where a system of 64 bits puts them. On any other, keys would be written behind
// the ends of their rows.
#if !_pointerBitWidth(_64)
    #error("Yaprak needs a system with pointers of 64 bits.")
#endif

/// Where the bytes of a row's key are: the last twelve bits of its label.
///
///     ┌ birth, 52 bits ┬ words before the room, 4 bits ┬ length, 8 bits ┐
///
/// Without words before it, the key is the string of a ``KeyedRow``. A length of 255 means 255 or more: of a packed row, the
/// room has a ``LongKey``.
@usableFromInline
enum KeyPlace {
    @usableFromInline static var bits: UInt64 { 12 }
    @usableFromInline static var mask: UInt64 { 0xFFF }
    @usableFromInline static var long: UInt64 { 0xFF }

    /// The bytes of a row before its payload: the header of every object, and the label.
    static let headerBytes = 24

    static func keyed(_ count: Int) -> UInt64 { UInt64(min(count, Int(long))) }

    static func packed(_ count: Int, behind payload: Int) -> UInt64 {
        let words = (headerBytes + payload) / 8
        assert(payload.isMultiple(of: 8) && words < 16, "\(payload) bytes of fields before a key")
        return UInt64(words) << 8 | UInt64(min(count, Int(long)))
    }
}

// MARK: Birth

extension TreeRow {
    /// The stamp of the draft that put this row into a tree; 0 before.
    ///
    /// 52 bits: at a million drafts a second they last for 140 years.
    @inlinable
    package final var birth: UInt64 {
        @inline(__always) get { label &>> KeyPlace.bits }
    }

    /// Only before the row is shared.
    @inline(__always)
    final func setBirth(_ stamp: UInt64) {
        assert(stamp >> (64 - KeyPlace.bits) == 0, "stamps have 52 bits")
        label = stamp &<< KeyPlace.bits | label & KeyPlace.mask
    }
}

// MARK: The key

extension TreeRow {
    /// The bytes of the key. O(1), no allocation, no reference counting.
    @inlinable
    @inline(__always)
    package final func withKey<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let shape = label & KeyPlace.mask
        if shape <= KeyPlace.long {
            return try unsafeDowncast(self, to: KeyedRow.self).key.utf8.withContiguousStorageIfAvailable(body)
                .unsafelyUnwrapped
        }
        return try withExtendedLifetime(self) { try body(packedKey(shape)) }
    }

    /// The bytes of the key of a packed row.
    @inlinable
    @inline(__always)
    final func packedKey(_ shape: UInt64) -> UnsafeBufferPointer<UInt8> {
        let room = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) + 8 &* Int(shape &>> 8)
        let count = shape & 0xFF
        if count == KeyPlace.long { return room.assumingMemoryBound(to: LongKey.self).pointee.bytes }
        return UnsafeBufferPointer(start: room.assumingMemoryBound(to: UInt8.self), count: Int(count))
    }

    /// Copies the bytes of the key into the row's room. Once, in the initializer of a packed row.
    @inlinable
    @inline(__always)
    package final func fillKey(_ key: UnsafeBufferPointer<UInt8>) {
        let shape = label & KeyPlace.mask
        assert(shape > KeyPlace.long && Int(shape & 0xFF) == key.count, "a packed row is made for the key it gets")
        guard let start = key.baseAddress else { return }
        let room = Unmanaged.passUnretained(self).toOpaque() + 8 &* Int(shape &>> 8)
        room.copyMemory(from: start, byteCount: key.count)
    }

    /// Whether the key is this one, of `count` bytes of which `tail` are the last. Looks at no bytes of a string; false where
    /// that does not suffice.
    @inline(__always)
    final func isSurelyKey(count: Int, tail: @autoclosure () -> UInt64) -> Bool {
        // Without words before a room, so the row is one with a string.
        count < Int(KeyPlace.long) && label & KeyPlace.mask == UInt64(truncatingIfNeeded: count)
            && unsafeDowncast(self, to: KeyedRow.self).tail == tail()
    }

    /// Whether two keys are equal. Strings that share their memory are not read.
    @inline(__always)
    final func hasKey(of other: TreeRow) -> Bool {
        withKey { a in
            other.withKey { b in a.baseAddress == b.baseAddress && a.count == b.count || KeyBytes.compare(a, b) == 0 }
        }
    }

    /// Three-way comparison of two keys by their bytes.
    package final func compareKey(to other: TreeRow) -> Int {
        withKey { a in other.withKey { KeyBytes.compare(a, $0) } }
    }

    /// Three-way comparison of the key with bytes.
    package final func compareKey(to bytes: UnsafeBufferPointer<UInt8>) -> Int {
        withKey { KeyBytes.compare($0, bytes) }
    }

    /// Whether the key begins with these bytes.
    package final func hasKey(beginningWith bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let n = bytes.count
        if n == 0 { return true }
        return withKey { key in
            key.count >= n
                && KeyBytes.compare(
                    UnsafeRawPointer(key.baseAddress.unsafelyUnwrapped),
                    UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped), count: n) == 0
        }
    }

    /// The first eight bytes of the key as a number with the same order, padded with zeros.
    package final var firstBytes: UInt64 { withKey { KeyBytes.word($0, at: 0) } }

    /// The key as a string; of a packed row a new one. O(length).
    @inlinable
    package final var keyString: String {
        if label & KeyPlace.mask <= KeyPlace.long { return unsafeDowncast(self, to: KeyedRow.self).key }
        return packedKeyString
    }

    @usableFromInline
    final var packedKeyString: String { withKey { String(decoding: $0, as: UTF8.self) } }
}

// MARK: References

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
