/// A position between two rows that moves in both directions.
///
/// Holds one leaf and finds the next one by position when that ends: no stack, no allocation. Unmanaged, like the root it
/// was made from.
///
///     var cursor = TreeCursor(root, at: 100)
///     while let row = cursor.next() { … }
package struct TreeCursor {
    private let root: TreeRoot
    /// The number of rows before the position.
    package private(set) var position: Int
    private var leaf: Node?
    /// The position of the leaf's first row.
    private var leafStart = 0
    private var leafEnd = 0

    /// A cursor with `position` rows before it. O(1); the first step is O(log n).
    package init(_ root: TreeRoot, at position: Int) {
        precondition(position >= 0 && position <= root.count, "a cursor stands between two rows, or at an end")
        self.root = root
        self.position = position
    }

    /// Goes to where `position` rows are before it. O(1); the next step is O(log n) if it leads out of the leaf.
    @inline(__always)
    package mutating func seek(to position: Int) {
        precondition(position >= 0 && position <= root.count, "a cursor stands between two rows, or at an end")
        self.position = position
    }

    /// Moves forward over a row and returns it, unretained. O(1) except at the ends of leaves.
    @inline(__always)
    package mutating func next() -> Unmanaged<TreeRow>? {
        if position < leafStart || position >= leafEnd {
            guard position < root.count else { return nil }
            enterLeaf(containing: position)
        }
        let row = leaf.unsafelyUnwrapped.rows[position &- leafStart]
        position &+= 1
        return row
    }

    /// Moves backward over a row and returns it, unretained.
    @inline(__always)
    package mutating func previous() -> Unmanaged<TreeRow>? {
        guard position > 0 else { return nil }
        position &-= 1
        if position < leafStart || position >= leafEnd { enterLeaf(containing: position) }
        return leaf.unsafelyUnwrapped.rows[position &- leafStart]
    }

    @inline(never)
    private mutating func enterLeaf(containing position: Int) {
        let (leaf, index) = root.leaf(containing: position)
        self.leaf = leaf
        leafStart = position &- index
        leafEnd = leafStart &+ leaf.count
    }
}

// MARK: By position

extension TreeRoot {
    /// The leaf that holds the row at `position`, and its index there. `position` is less than `count`.
    @inline(__always)
    func leaf(containing position: Int) -> (leaf: Node, index: Int) {
        var node = Node(raw.unsafelyUnwrapped)
        var rest = position
        while !node.isLeaf {
            let (i, before) = node.childContaining(rest)
            rest &-= before
            node = node.children[i]
            node.fetch()
        }
        return (node, rest)
    }

    /// The row at `position`, unretained. O(log n), no allocation.
    package func reference(at position: Int) -> Unmanaged<TreeRow> {
        precondition(position >= 0 && position < count, "position out of range")
        let (leaf, index) = leaf(containing: position)
        return leaf.rows[index]
    }

    /// The row at `position`. O(log n), one retain.
    package func row(at position: Int) -> TreeRow { reference(at: position).takeUnretainedValue() }

    /// Calls `body` with each row of a range of positions, in order or from the last to the first.
    /// - Complexity: O(log n + rows), no allocation, no reference counting.
    package func forEach(
        in range: Range<Int>? = nil, reversed: Bool = false, _ body: (TreeRow) throws -> Void
    ) rethrows {
        let range = range ?? 0..<count
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "positions out of range")
        if reversed {
            var cursor = TreeCursor(self, at: range.upperBound)
            for _ in range { try cursor.previous().unsafelyUnwrapped._withUnsafeGuaranteedRef(body) }
        } else {
            var cursor = TreeCursor(self, at: range.lowerBound)
            for _ in range { try cursor.next().unsafelyUnwrapped._withUnsafeGuaranteedRef(body) }
        }
    }
}

extension TreeRoot {
    /// Calls `body` with the rows at some positions, unretained, and their places among these.
    ///
    /// Rows that don't stand side by side are seldom in the cache: some are fetched at once.
    /// - Complexity: O(rows) where positions ascend, and stand close; else O(log n) each. No reference counting.
    package func forEach(at positions: ArraySlice<UInt32>, _ body: (Int, Unmanaged<TreeRow>) throws -> Void) rethrows {
        let most = 16
        try withUnsafeTemporaryAllocation(of: Unmanaged<TreeRow>.self, capacity: most) { rows in
            var cursor = TreeCursor(self, at: 0)
            var start = positions.startIndex
            while start < positions.endIndex {
                let end = min(start + most, positions.endIndex)
                for index in start..<end {
                    cursor.seek(to: Int(positions[index]))
                    guard let row = cursor.next() else { preconditionFailure("position out of range") }
                    row.fetch()
                    rows[index - start] = row
                }
                for index in start..<end { try body(index, rows[index - start]) }
                start = end
            }
        }
    }
}

extension Node {
    /// The child that holds the row at `position` below this inner node, and how many rows lie before it.
    @inline(__always)
    func childContaining(_ position: Int) -> (index: Int, before: Int) {
        let sizes = self.sizes
        var i = 0
        var before = 0
        while position &- before >= Int(sizes[i]) {
            before &+= Int(sizes[i])
            i &+= 1
        }
        return (i, before)
    }
}
