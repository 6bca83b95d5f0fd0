/// Walks the rows of a range of positions, from the first to the last: for loops that are inlined into programs.
///
///     var cursor = RowCursor(root, 100..<200)
///     while let row = cursor.next() { … }
///
/// Rows are read where their leaf has them, so that a row costs no call, and a leaf one. Unmanaged, like the root it was
/// made from.
@usableFromInline
package struct RowCursor {
    private let root: TreeRoot
    /// The position after the rows of the leaf that was entered last.
    private var position: Int
    private let end: Int
    /// The entry of the next row in that leaf, and the one after its last row.
    @usableFromInline var entry: UnsafeRawPointer?
    @usableFromInline var leafEnd: UnsafeRawPointer?

    /// A cursor before the first of some positions. O(1); the first step is O(log n).
    @usableFromInline
    package init(_ root: TreeRoot, _ positions: Range<Int>) {
        precondition(positions.lowerBound >= 0 && positions.upperBound <= root.count, "positions out of range")
        self.root = root
        position = positions.lowerBound
        end = positions.upperBound
    }

    /// The next row, unretained; `nil` at the end. O(1) except at the ends of leaves.
    @inlinable
    @inline(__always)
    package mutating func next() -> Unmanaged<TreeRow>? {
        if entry == leafEnd { enterLeaf() }
        guard let row = entry, row != leafEnd else { return nil }
        entry = row + NodeEntry.stride
        return row.load(as: Unmanaged<TreeRow>.self)
    }

    @usableFromInline
    mutating func enterLeaf() {
        guard position < end else { return }
        let (leaf, index) = root.leaf(containing: position)
        let count = min(leaf.count &- index, end &- position)
        let first = UnsafeRawPointer(leaf.rows.base) + index &* NodeEntry.stride
        entry = first
        leafEnd = first + count &* NodeEntry.stride
        position &+= count
    }
}
