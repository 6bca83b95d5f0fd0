// Trees that are ordered by a comparator. Only insertion calls it; everything else uses positions.

extension TreeDraft {
    /// Inserts a row after all rows that don't come after it.
    /// - Returns: its position.
    @discardableResult
    package func insert(_ row: TreeRow, into root: inout TreeRoot, order: RowOrder) -> Int {
        precondition(isOpen, "the draft has ended")
        let word = order.prefix(of: row)
        guard let raw = root.raw else {
            plant(row, word: word, ordered: true, in: &root)
            return 0
        }
        let before = changes
        var node = Node(raw)
        var position = 0
        var depth = 0
        while !node.isLeaf {
            let i = max(0, node.place(of: row, word: word, order: order, orEqual: false) - 1)
            for j in 0..<i { position &+= Int(node.sizes[j]) }
            path[depth] = PathStep(node: node, index: i)
            node = node.children[i]
            node.fetch()
            depth &+= 1
        }
        let index = node.place(of: row, word: word, order: order, orEqual: false)
        path[depth] = PathStep(node: node, index: index)
        precondition(changes == before, "a comparator must not edit the trees it compares in")
        insertRow(&root, depth: depth, row: row, hint: word)
        return position &+ index
    }

    /// Removes the row at a position and its nested tree, without a comparator. Works in both kinds of trees.
    @discardableResult
    package func remove(at position: Int, from root: inout TreeRoot) -> TreeRow {
        precondition(isOpen, "the draft has ended")
        precondition(position >= 0 && position < root.count, "position out of range")
        let depth = descend(root, toPosition: position)
        let row = path[depth].node.rows[path[depth].index].takeUnretainedValue()
        removeRow(&root, depth: depth)
        return row
    }

    /// Replaces the row at a position with one that belongs there: same order, same hint (in a tree of keys: same key).
    /// - Returns: the row that was there.
    @discardableResult
    package func replace(at position: Int, with row: TreeRow, in root: inout TreeRoot) -> TreeRow {
        precondition(isOpen, "the draft has ended")
        precondition(position >= 0 && position < root.count, "position out of range")
        let depth = descend(root, toPosition: position)
        let leaf = path[depth].node
        let old = leaf.rows[path[depth].index].takeUnretainedValue()
        if row === old { return old }
        if !leaf.isOrdered {
            precondition(row.compareKey(to: old) == 0, "a row is put under its own key")
        }
        replaceRow(&root, depth: depth, with: row)
        return old
    }
}
