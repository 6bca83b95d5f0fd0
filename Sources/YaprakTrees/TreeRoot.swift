/// The root of a tree: an address and a count, a trivial value.
///
/// Unmanaged: valid only while a ``TreeVersion`` that contains it is alive, or the draft that edits it is open.
/// ``FrozenTree`` is a safe pair of root and version. Public because ``TreeRow`` names it; not API.
public struct TreeRoot: @unchecked Sendable {
    /// nil when the tree is empty.
    var raw: UnsafeMutableRawPointer?
    /// How many rows the tree holds.
    @usableFromInline package internal(set) var count: Int

    @inline(__always)
    init(raw: UnsafeMutableRawPointer?, count: Int) {
        self.raw = raw
        self.count = count
    }

    /// An empty tree.
    package init() { self.init(raw: nil, count: 0) }

    package var isEmpty: Bool { count == 0 }

    /// Whether both have the same nodes, and so the same content. O(1). False does not mean that the content differs.
    package func isIdentical(to other: TreeRoot) -> Bool { raw == other.raw }

    @inline(__always)
    var node: Node? { raw.map { Node($0) } }
}

// MARK: Looking up by key

extension TreeRoot {
    /// The row with this key, unretained. O(log n), no allocation, no reference counting.
    package func lookup(_ key: UnsafeBufferPointer<UInt8>) -> Unmanaged<TreeRow>? {
        guard let raw else { return nil }
        let probe = KeyProbe(key)
        var node = Node(raw)
        while !node.isLeaf {
            node = node.children[node.child(for: probe)]
            node.fetch()
        }
        let place = node.place(of: probe)
        return place.isFound ? node.rows[place.index] : nil
    }

    /// The row with this key. O(log n), one retain.
    package func lookup(_ key: String) -> TreeRow? {
        key.withKeyBytes { lookup($0) }?.takeUnretainedValue()
    }

    /// How many keys are less than this one, and whether it is there. O(log n).
    package func rank(of key: UnsafeBufferPointer<UInt8>) -> (position: Int, isFound: Bool) {
        guard let raw else { return (0, false) }
        let probe = KeyProbe(key)
        var node = Node(raw)
        var before = 0
        while !node.isLeaf {
            let i = node.child(for: probe)
            let sizes = node.sizes
            for j in 0..<i { before &+= Int(sizes[j]) }
            node = node.children[i]
            node.fetch()
        }
        let place = node.place(of: probe)
        return (before &+ place.index, place.isFound)
    }

    package func rank(of key: String) -> (position: Int, isFound: Bool) {
        key.withKeyBytes { rank(of: $0) }
    }

    /// The position of the first key that is not less than this one. O(log n).
    package func lowerBound(_ key: UnsafeBufferPointer<UInt8>) -> Int { rank(of: key).position }

    package func lowerBound(_ key: String) -> Int { rank(of: key).position }
}
