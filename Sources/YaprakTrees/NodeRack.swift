/// A few nodes whose memory is free, of any size. A plain value: its owner passes the nodes on or frees them.
struct NodeStack {
    static let countMax = 16

    private var top: Node?
    private var count = 0

    var isEmpty: Bool { top == nil }

    /// Adds a node unless there are enough. The node keeps its shape; its first word is the way to the next.
    @inline(__always)
    mutating func push(_ node: Node) -> Bool {
        if count == Self.countMax { return false }
        node.raw.storeBytes(of: UInt(bitPattern: top?.raw), as: UInt.self)
        top = node
        count &+= 1
        return true
    }

    @inline(__always)
    mutating func pop() -> Node? {
        guard let node = top else { return nil }
        top = UnsafeMutableRawPointer(bitPattern: node.raw.load(as: UInt.self)).map(Node.init)
        count &-= 1
        return node
    }
}

/// Nodes whose memory is free, sorted by size, for the copies that a draft makes: four sizes of leaves and of inner nodes.
///
/// A commit of one record copies the nodes from the root to its leaf, and the reclaiming after it frees as many. Sizes differ
/// from leaf to leaf, so a few of each are kept: never more than ``bytesMax``.
struct NodeRack {
    /// What the nodes of one size take at most: three of the largest, seventeen of the smallest.
    private static let bytesMaxOfSize = Node.bytes(level: 1, capacity: Node.fanOut) * 3
    /// What all take at most.
    static let bytesMax = bytesMaxOfSize * sizes

    private static let sizesOfKind = Node.fanOut / Node.step
    private static let sizes = 2 * sizesOfKind

    private typealias Shelf = (top: UInt, bytes: Int)
    private typealias Shelves = (Shelf, Shelf, Shelf, Shelf, Shelf, Shelf, Shelf, Shelf)
    private var shelves: Shelves = ((0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0))

    @inline(__always)
    private static func shelf(level: Int, capacity: Int) -> Int {
        assert(capacity > 0 && capacity == Node.room(for: capacity), "\(capacity) is no size of nodes")
        return (capacity &- 1) / Node.step &+ (level == 0 ? 0 : sizesOfKind)
    }

    @inline(__always)
    private mutating func withShelf<R>(level: Int, capacity: Int, _ body: (inout Shelf) -> R) -> R {
        withUnsafeMutablePointer(to: &shelves) { all in
            all.withMemoryRebound(to: Shelf.self, capacity: Self.sizes) {
                body(&$0[Self.shelf(level: level, capacity: capacity)])
            }
        }
    }

    /// Memory for a node of exactly this size, if there is some.
    @inline(__always)
    mutating func take(level: Int, capacity: Int) -> UnsafeMutableRawPointer? {
        withShelf(level: level, capacity: capacity) { shelf in
            guard let raw = UnsafeMutableRawPointer(bitPattern: shelf.top) else { return nil }
            shelf.top = raw.load(as: UInt.self)
            shelf.bytes &-= Node.bytes(level: level, capacity: capacity)
            return raw
        }
    }

    /// Keeps the memory of a node that nothing refers to, or frees it.
    @inline(__always)
    mutating func keep(_ node: Node) {
        let bytes = node.byteCount
        let isKept = withShelf(level: node.level, capacity: node.capacity) { shelf in
            if shelf.bytes &+ bytes > Self.bytesMaxOfSize { return false }
            node.raw.storeBytes(of: shelf.top, as: UInt.self)
            shelf.top = UInt(bitPattern: node.raw)
            shelf.bytes &+= bytes
            return true
        }
        if !isKept { node.raw.deallocate() }
    }

    mutating func free() {
        for level in 0...1 {
            for capacity in stride(from: Node.step, through: Node.fanOut, by: Node.step) {
                while let raw = take(level: level, capacity: capacity) { raw.deallocate() }
            }
        }
    }
}
