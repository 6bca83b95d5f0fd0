/// An order of rows other than that of their keys, such as a view's.
///
/// Open, so that the floor above can derive from it; not API. A comparator is a user's closure in the end and may be
/// inconsistent (NaN, a closure that changes its mind). A tree then has a wrong order, never a broken shape, and what was
/// put in can be removed by its position.
open class RowOrder: @unchecked Sendable {
    public init() {}

    /// Negative if `a` comes first, positive if `b` does, 0 if they are equals.
    open func compare(_ a: TreeRow, _ b: TreeRow) -> Int {
        a.withKey { a in b.withKey { KeyBytes.compare(a, $0) } }
    }

    /// A number that orders as ``compare(_:_:)`` does as far as it goes: less if less, equal if in doubt.
    ///
    /// Kept in the nodes beside the row, it spares a search most comparisons. It must not change while the row is in a tree.
    open func prefix(of row: TreeRow) -> UInt64 { 0 }
}
