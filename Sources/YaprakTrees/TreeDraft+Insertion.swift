extension TreeDraft {
    /// Inserts a row before the entry that the path leads to.
    func insertRow(_ root: inout TreeRoot, depth: Int, row: TreeRow, hint: UInt64) {
        touch()
        let new = adopt(row)
        ownPath(&root, depth: depth, slack: 1)
        root.count &+= 1
        for level in 0..<depth { path[level].node.sizes[path[level].index] &+= 1 }

        let index = path[depth].index
        var right: Node?
        if path[depth].node.count == Node.fanOut {
            right = insertSplitting(path[depth].node, at: index) { $0.putRow(new, at: $1, hint: hint) }
        } else {
            makeRoom(&root, at: depth).putRow(new, at: index, hint: hint)
        }
        fixBounds(depth: depth, isSameKey: false)
        var level = depth
        while let sibling = right {
            if level == 0 {
                raise(&root, over: path[0].node, sibling)
                break
            }
            level &-= 1
            let parent = path[level].node
            let at = path[level].index
            parent.sizes[at] = UInt32(truncatingIfNeeded: path[level &+ 1].node.total)
            if parent.count == Node.fanOut {
                right = insertSplitting(parent, at: at &+ 1) { $0.insertChild(sibling, at: $1) }
            } else {
                makeRoom(&root, at: level).insertChild(sibling, at: at &+ 1)
                right = nil
            }
        }
        checkShape(root)
    }

    /// Splits a full node of this draft and inserts an entry into its half.
    ///
    /// If entries arrive in order, at either end, the half that gets no more of them is left fuller.
    private func insertSplitting(_ node: Node, at index: Int, _ put: (Node, Int) -> Void) -> Node {
        let middle: Int
        switch index {
        case Node.fanOut: middle = Node.fanOut - Node.minimum
        case 0: middle = Node.minimum
        default: middle = Node.fanOut / 2
        }
        let right = makeNode(
            level: node.level, capacity: Node.room(for: node.count - middle + 1), ordered: node.isOrdered)
        node.split(at: middle, into: right)
        if index <= middle { put(node, index) } else { put(right, index - middle) }
        return right
    }

    /// Makes a new root above two nodes.
    private func raise(_ root: inout TreeRoot, over left: Node, _ right: Node) {
        let top = makeNode(level: left.level + 1, capacity: Node.room(for: 2), ordered: left.isOrdered)
        top.insertChild(left, at: 0)
        top.insertChild(right, at: 1)
        root.raw = top.raw
    }
}

extension Node {
    /// Inserts a row at `i` of a leaf that has room.
    @inline(__always)
    func putRow(_ row: RowRef, at i: Int, hint: UInt64) {
        openGap(at: i)
        rows[i] = row
        settleWord(at: i, hint: hint)
    }
}
