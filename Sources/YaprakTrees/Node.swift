/// One node of a tree: plain memory, without reference counts except those of the rows in leaves.
///
///     ┌ header, 32 bytes ─────────────────────────────────────────────┐
///     │ born 8 │ count 1 │ level 1 │ capacity 1 │ kind 1 │ skip 4     │
///     │ the first 16 of the `skip` bytes all entries have in common   │
///     ├───────────────────────────────────────────────────────────────┤
///     │ entries: word 8 │ row 8, × capacity                           │  leaf ends here
///     ├────────────────────────┬──────────────────────────────────────┤
///     │ children, 8 × capacity │ counts of rows below, 4 × capacity   │  inner node
///     └────────────────────────┴──────────────────────────────────────┘
///
/// A word and its row are side by side: after a search by words, the row is in the same cache line. The kind is whether a
/// comparator orders the tree, and a ``CopyChange``.
///
/// Invariants, checked by ``TreeRoot/firstViolation(order:)``:
/// - an inner node's `rows[i]` *is* the first row below child i, for every i, so it lives as long as the node is reachable;
/// - `words[i]` are the eight bytes of `rows[i]`'s key from `skip` on, and all keys agree on the `skip` bytes before
///   (in a tree ordered by a comparator: the order's hint, `skip` 0);
/// - a node is at least as young as its children, and a leaf as its rows;
/// - counts are exact, all leaves are equally deep, and only the root may hold fewer than ``minimum`` entries.
struct Node: Equatable {
    #if InvariantChecks
        /// Small nodes make deep trees of few rows, which exhaustive tests can cover.
        static let fanOut = 8
        static let step = 2
    #else
        static let fanOut = 32
        static let step = 8
    #endif
    static let minimum = fanOut / 4
    /// The number of entries that a bulk load puts into a node.
    static let loadFill = fanOut - fanOut / 8
    /// No tree of 2³² rows is deeper.
    static let depthMax = 40
    static let headerBytes = 32

    let raw: UnsafeMutableRawPointer

    @inline(__always)
    init(_ raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inline(__always)
    static func bytes(level: Int, capacity: Int) -> Int { headerBytes &+ capacity &* (level == 0 ? 16 : 28) }

    /// The capacity of a node made for `count` entries.
    @inline(__always)
    static func room(for count: Int) -> Int { min(fanOut, (count &+ (step &- 1)) / step &* step) }

    @inline(__always)
    static func make(
        level: Int, capacity: Int, born: UInt64, ordered: Bool, change: CopyChange = .unknown
    ) -> Node {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: bytes(level: level, capacity: capacity), alignment: 8)
        return make(in: raw, level: level, capacity: capacity, born: born, ordered: ordered, change: change)
    }

    /// An empty node in memory of its size.
    @inline(__always)
    static func make(
        in raw: UnsafeMutableRawPointer, level: Int, capacity: Int, born: UInt64, ordered: Bool,
        change: CopyChange = .unknown
    ) -> Node {
        raw.storeBytes(of: born, as: UInt64.self)
        let kind = UInt32(change.bits) &<< 1 | (ordered ? 1 : 0)
        let shape = UInt32(level) &<< 8 | UInt32(capacity) &<< 16 | kind &<< 24
        raw.storeBytes(of: shape.littleEndian, toByteOffset: 8, as: UInt32.self)
        raw.storeBytes(of: 0, toByteOffset: 12, as: UInt32.self)
        raw.storeBytes(of: 0, toByteOffset: 16, as: UInt64.self)
        raw.storeBytes(of: 0, toByteOffset: 24, as: UInt64.self)
        return Node(raw)
    }
}

// MARK: Fields

extension Node {
    /// The stamp of the draft that made the node.
    @inline(__always)
    var born: UInt64 { raw.load(as: UInt64.self) }

    @inline(__always)
    var count: Int {
        get { Int(raw.load(fromByteOffset: 8, as: UInt8.self)) }
        nonmutating set { raw.storeBytes(of: UInt8(truncatingIfNeeded: newValue), toByteOffset: 8, as: UInt8.self) }
    }
    /// 0 in a leaf.
    @inline(__always)
    var level: Int { Int(raw.load(fromByteOffset: 9, as: UInt8.self)) }
    @inline(__always)
    var capacity: Int { Int(raw.load(fromByteOffset: 10, as: UInt8.self)) }
    /// Whether a comparator orders the tree, not the keys.
    @inline(__always)
    var isOrdered: Bool { raw.load(fromByteOffset: 11, as: UInt8.self) & 1 != 0 }
    @inline(__always)
    var isLeaf: Bool { level == 0 }

    /// The length of the common prefix, which the words leave out.
    @inline(__always)
    var skip: Int {
        get { Int(raw.load(fromByteOffset: 12, as: UInt32.self)) }
        nonmutating set { raw.storeBytes(of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 12, as: UInt32.self) }
    }
    /// Bytes 0..<8 of the common prefix as a word, padded with zeros.
    @inline(__always)
    var commonFirst: UInt64 {
        get { raw.load(fromByteOffset: 16, as: UInt64.self) }
        nonmutating set { raw.storeBytes(of: newValue, toByteOffset: 16, as: UInt64.self) }
    }
    /// Bytes 8..<16 of the common prefix.
    @inline(__always)
    var commonSecond: UInt64 {
        get { raw.load(fromByteOffset: 24, as: UInt64.self) }
        nonmutating set { raw.storeBytes(of: newValue, toByteOffset: 24, as: UInt64.self) }
    }

    @inline(__always)
    var entries: UnsafeMutableRawPointer { raw + Node.headerBytes }
    @inline(__always)
    var words: EntryColumn<UInt64> { EntryColumn(base: entries) }
    /// A leaf's rows; an inner node's bounds, the first row below each child.
    @inline(__always)
    var rows: EntryColumn<RowRef> { EntryColumn(base: entries + 8) }
    @inline(__always)
    var children: UnsafeMutablePointer<Node> {
        (raw + (Node.headerBytes &+ capacity &* 16)).assumingMemoryBound(to: Node.self)
    }
    @inline(__always)
    var sizes: UnsafeMutablePointer<UInt32> {
        (raw + (Node.headerBytes &+ capacity &* 24)).assumingMemoryBound(to: UInt32.self)
    }
    @inline(__always)
    var byteCount: Int { Node.bytes(level: level, capacity: capacity) }

    /// The rows in the whole subtree. O(fan-out).
    var total: Int {
        let n = count
        if isLeaf { return n }
        let sizes = self.sizes
        var sum: UInt32 = 0
        for i in 0..<n { sum &+= sizes[i] }
        return Int(sum)
    }
}

/// A word and what stands beside it in a node.
@usableFromInline
enum NodeEntry {
    /// The bytes of one.
    @inlinable static var stride: Int { 16 }
}

/// One half of a node's entries.
struct EntryColumn<Value: BitwiseCopyable> {
    let base: UnsafeMutableRawPointer

    @inline(__always)
    subscript(i: Int) -> Value {
        get { base.load(fromByteOffset: i &* NodeEntry.stride, as: Value.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: i &* NodeEntry.stride, as: Value.self) }
    }
}
