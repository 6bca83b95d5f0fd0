// Lookup in a tree that is ordered by a comparator.

extension TreeRoot {
    /// The first position whose row doesn't come before `row` by `order`. O(log n).
    package func lowerBound(of row: TreeRow, order: RowOrder) -> Int { bound(of: row, order: order, orEqual: true) }

    /// The first position whose row comes after `row` by `order`. O(log n).
    package func upperBound(of row: TreeRow, order: RowOrder) -> Int { bound(of: row, order: order, orEqual: false) }

    private func bound(of row: TreeRow, order: RowOrder, orEqual: Bool) -> Int {
        guard let raw else { return 0 }
        let word = order.prefix(of: row)
        var node = Node(raw)
        var before = 0
        while !node.isLeaf {
            let i = max(0, node.place(of: row, word: word, order: order, orEqual: orEqual) - 1)
            for j in 0..<i { before &+= Int(node.sizes[j]) }
            node = node.children[i]
            node.fetch()
        }
        return before &+ node.place(of: row, word: word, order: order, orEqual: orEqual)
    }

    /// The position of this row, which is identified by reference among equal ones. O(log n) if the order is consistent.
    ///
    /// If the comparator is inconsistent, the row is found by a linear search: O(n).
    package func position(of row: TreeRow, order: RowOrder) -> Int? {
        var at = lowerBound(of: row, order: order)
        let end = max(at, upperBound(of: row, order: order))
        var cursor = TreeCursor(self, at: at)
        while at < end, let next = cursor.next() {
            if next.toOpaque() == Unmanaged.passUnretained(row).toOpaque() { return at }
            at += 1
        }
        return position(identicalTo: row)
    }

    private func position(identicalTo row: TreeRow) -> Int? {
        let wanted = Unmanaged.passUnretained(row).toOpaque()
        var cursor = TreeCursor(self, at: 0)
        var at = 0
        while let next = cursor.next() {
            if next.toOpaque() == wanted { return at }
            at += 1
        }
        return nil
    }
}
