extension TreeDraft {
    /// Removes the row that the path leads to, with its nested tree.
    func removeRow(_ root: inout TreeRoot, depth: Int) {
        touch()
        ownPath(&root, depth: depth, slack: 0)
        let leaf = path[depth].node
        let old = leaf.rows[path[depth].index]
        leaf.closeGap(at: path[depth].index)
        root.count &-= 1
        for level in 0..<depth { path[level].node.sizes[path[level].index] &-= 1 }
        if leaf.count > 0 { fixBounds(depth: depth, isSameKey: false) }
        var level = depth
        while level > 0, path[level].node.count < Node.minimum {
            fillUp(parent: path[level - 1].node, child: path[level - 1].index)
            level &-= 1
        }
        lower(&root)
        // Last, because the row's key may be compared with others until here.
        discardWhole(old)
        checkShape(root)
    }

    /// Removes roots that have a single child, or no row.
    private func lower(_ root: inout TreeRoot) {
        while let top = root.node, !top.isLeaf, top.count == 1 {
            root.raw = top.children[0].raw
            discard(top)
        }
        if let top = root.node, top.count == 0 {
            root.raw = nil
            discard(top)
        }
    }

    /// Child `i` has too few entries: moves some from a neighbour, or merges the two.
    private func fillUp(parent: Node, child i: Int) {
        let left = max(0, i - 1)
        let counts = (parent.children[left].count, parent.children[left + 1].count)
        let sum = counts.0 + counts.1
        // Not merged to a full node, so that the next insertion does not split it again.
        let isMerge = sum <= Node.fanOut - Node.fanOut / 8
        let a = own(parent, child: left, atLeast: isMerge ? sum : max(counts.0, (sum + 1) / 2))
        if isMerge {
            let b = parent.children[left + 1]
            a.take(counts.1, from: b, at: 0, to: counts.0)
            a.count = sum
            a.change = .unknown
            a.settleAfterMove(from: b)
            parent.closeGap(at: left + 1)
            discard(b)
        } else {
            let b = own(parent, child: left + 1, atLeast: max(counts.1, (sum + 1) / 2))
            let half = sum / 2
            if counts.0 < half {
                let moved = half - counts.0
                a.take(moved, from: b, at: 0, to: counts.0)
                b.take(counts.1 - moved, from: b, at: moved, to: 0)
            } else {
                let moved = counts.0 - half
                b.take(counts.1, from: b, at: 0, to: moved)
                b.take(moved, from: a, at: half, to: 0)
            }
            a.count = half
            b.count = sum - half
            (a.change, b.change) = (.unknown, .unknown)
            let isAlike = a.hasPrefix(of: b)
            a.settleAfterMove(isAlike: isAlike)
            b.settleAfterMove(isAlike: isAlike)
            parent.sizes[left + 1] = UInt32(truncatingIfNeeded: b.total)
            parent.setBound(at: left + 1)
        }
        parent.sizes[left] = UInt32(truncatingIfNeeded: a.total)
    }

    /// Copies a child unless this draft made it, with room for `capacity` entries.
    private func own(_ parent: Node, child i: Int, atLeast capacity: Int) -> Node {
        let node = parent.children[i]
        if node.born == ownStamp, node.capacity >= capacity { return node }
        let copy = copy(
            node, capacity: Node.room(for: max(capacity, node.count)),
            change: node.born == ownStamp ? node.change : .nothing)
        parent.children[i] = copy
        parent.noteChange(at: i)
        discard(node)
        return copy
    }
}

extension Node {
    func hasPrefix(of other: Node) -> Bool {
        skip == other.skip && skip <= 16 && commonFirst == other.commonFirst && commonSecond == other.commonSecond
    }

    func settleAfterMove(from other: Node) { settleAfterMove(isAlike: hasPrefix(of: other)) }

    /// Updates the words of entries from a neighbour, which are for the neighbour's prefix.
    func settleAfterMove(isAlike: Bool) {
        if isAlike { tightenIfTied() } else { refit() }
    }
}
