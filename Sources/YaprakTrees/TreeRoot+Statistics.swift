/// The size and shape of a tree.
package struct TreeStatistics: Sendable, Equatable {
    package var rows = 0
    package var nodes = 0
    package var leaves = 0
    /// The allocated memory of the nodes, without the allocator's overhead and without rows.
    package var bytes = 0
    /// The number of levels.
    package var depth = 0
    /// Entries in all nodes.
    package var entries = 0
    package var capacity = 0

    /// The fill factor of the nodes, 0 to 1.
    package var fill: Double { capacity == 0 ? 0 : Double(entries) / Double(capacity) }
}

extension TreeRoot {
    /// Counts the nodes of the tree. O(nodes).
    package var statistics: TreeStatistics {
        var result = TreeStatistics()
        guard let node else { return result }
        result.depth = node.level + 1
        Self.add(node, to: &result)
        return result
    }

    private static func add(_ node: Node, to result: inout TreeStatistics) {
        result.nodes += 1
        result.bytes += node.byteCount
        result.entries += node.count
        result.capacity += node.capacity
        if node.isLeaf {
            result.leaves += 1
            result.rows += node.count
        } else {
            for i in 0..<node.count { add(node.children[i], to: &result) }
        }
    }

    /// Adds the addresses of all nodes and rows, including nested trees, to sets: what a version keeps alive.
    package func collectAddresses(nodes: inout Set<UInt>, rows: inout Set<UInt>) {
        if let node { Self.collect(node, &nodes, &rows) }
    }

    private static func collect(_ node: Node, _ nodes: inout Set<UInt>, _ rows: inout Set<UInt>) {
        guard nodes.insert(UInt(bitPattern: node.raw)).inserted else { return }
        for i in 0..<node.count {
            guard node.isLeaf else {
                collect(node.children[i], &nodes, &rows)
                continue
            }
            let row = node.rows[i]
            guard rows.insert(UInt(bitPattern: row.toOpaque())).inserted else { continue }
            if let nested = row._withUnsafeGuaranteedRef({ $0.nestedTree })?.node { collect(nested, &nodes, &rows) }
        }
    }
}
