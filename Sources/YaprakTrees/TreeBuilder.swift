/// Builds a tree from rows in order: a bulk load.
///
///     let builder = TreeBuilder(in: draft)
///     for row in sorted { try builder.append(row) }
///     root = builder.finish()
///
/// Faster than insertion (no search, no split), and the nodes are fuller. A builder that is not finished frees what it made;
/// its rows can then be inserted into a tree.
package final class TreeBuilder {
    private let draft: TreeDraft
    private let order: RowOrder?
    private let session: UInt64
    private var leaves: [Node] = []
    private var leaf: Node?
    private var last: TreeRow?
    private var count = 0

    /// A builder for a tree in key order, or in the order of a comparator.
    package init(in draft: TreeDraft, order: RowOrder? = nil) {
        precondition(draft.isOpen, "the draft has ended")
        self.draft = draft
        self.order = order
        session = draft.session
    }

    /// Appends a row.
    /// - Throws: ``UnorderedRow`` if its key is not greater than the last one (for a comparator: if it comes before the
    ///   last). The row is not added then, and the builder can continue.
    package func append(_ row: TreeRow) throws(UnorderedRow) {
        precondition(draft.session == session && draft.isOpen, "the draft has ended")
        if let last {
            let isAscending =
                if let order { order.compare(last, row) <= 0 } else { last.compareKey(to: row) < 0 }
            guard isAscending else { throw UnorderedRow(index: count, key: row.keyString) }
        }
        let node: Node
        if let leaf, leaf.count < Node.loadFill {
            node = leaf
        } else {
            closeLeaf()
            node = draft.makeNode(level: 0, capacity: Node.fanOut, ordered: order != nil)
            leaf = node
        }
        let i = node.count
        node.rows[i] = draft.adopt(row)
        if let order { node.words[i] = order.prefix(of: row) }
        node.count = i + 1
        last = row
        count += 1
    }

    /// The tree of all rows so far. Empties the builder.
    package func finish() -> TreeRoot {
        guard leaf != nil else { return TreeRoot() }
        closeLeaf()
        draft.touch()
        var nodes = leaves
        if nodes.count > 1 { balanceEnd(&nodes) }
        while nodes.count > 1 { nodes = parents(of: nodes) }
        let root = TreeRoot(raw: nodes[0].raw, count: count)
        forget()
        draft.checkShape(root)
        return root
    }

    deinit {
        if let leaf { leaves.append(leaf) }
        for node in leaves {
            for i in 0..<node.count {
                node.rows[i]._withUnsafeGuaranteedRef { $0.setBirth(0) }
                node.rows[i].release()
            }
            draft.made.rows -= node.count
            draft.made.nodes -= 1
            draft.made.bytes -= node.byteCount
            node.raw.deallocate()
        }
    }

    private func forget() {
        leaves = []
        leaf = nil
        last = nil
        count = 0
    }

    private func closeLeaf() {
        guard let leaf else { return }
        leaf.refit()
        leaves.append(leaf)
        self.leaf = nil
    }

    /// The last leaf may have too few rows: then it shares with the one before.
    private func balanceEnd(_ nodes: inout [Node]) {
        let b = nodes[nodes.count - 1]
        let a = nodes[nodes.count - 2]
        guard b.count < Node.minimum else { return }
        let moved = (a.count + b.count) / 2 - b.count
        b.take(b.count, from: b, at: 0, to: moved)
        b.take(moved, from: a, at: a.count - moved, to: 0)
        a.count -= moved
        b.count += moved
        a.refit()
        b.refit()
    }

    /// Inner nodes above these, as evenly filled as possible.
    private func parents(of nodes: [Node]) -> [Node] {
        let groups = (nodes.count + Node.loadFill - 1) / Node.loadFill
        return (0..<groups).map { group in
            let range = nodes.count * group / groups..<nodes.count * (group + 1) / groups
            let capacity = Node.room(for: range.count)
            let parent = draft.makeNode(level: nodes[0].level + 1, capacity: capacity, ordered: order != nil)
            for (i, child) in nodes[range].enumerated() {
                parent.children[i] = child
                parent.rows[i] = child.rows[0]
                parent.words[i] = child.words[0]
                parent.sizes[i] = UInt32(child.total)
            }
            parent.count = range.count
            parent.refit()
            return parent
        }
    }
}

/// Rows of a bulk load were not in order.
package struct UnorderedRow: Error, Equatable {
    /// The first row that is not greater than the one before.
    package let index: Int
    package let key: String
}

extension TreeDraft {
    /// A tree of rows that are in order. See ``TreeBuilder``. If they are not in order, nothing is added.
    package func build(from rows: some Sequence<TreeRow>, order: RowOrder? = nil) throws(UnorderedRow) -> TreeRoot {
        let builder = TreeBuilder(in: self, order: order)
        for row in rows { try builder.append(row) }
        return builder.finish()
    }

    /// A tree of rows that are in the order of their keys, wherever they stand in memory: each is fetched before its turn comes.
    package func build(fromKeyed rows: [KeyedRow]) throws(UnorderedRow) -> TreeRoot {
        let builder = TreeBuilder(in: self)
        for (index, row) in rows.enumerated() {
            if index + FetchDistance.row < rows.count {
                Unmanaged.passUnretained(rows[index + FetchDistance.row]).fetch()
            }
            if index + FetchDistance.key < rows.count {
                Unmanaged.passUnretained(rows[index + FetchDistance.key]).fetchKey()
            }
            try builder.append(row)
        }
        return builder.finish()
    }
}
