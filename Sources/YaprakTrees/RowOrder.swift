/// An order of rows that differs from the order of their keys, such as a view's.
///
/// Not API, although it is `open`: a class with package access can't be subclassed in another module, and the layer above
/// does so. A comparator is a user's closure and may be inconsistent (NaN, a closure whose results change). The tree then
/// has a wrong order, never a broken shape, and rows can be removed by their position.
open class RowOrder: @unchecked Sendable {
    public init() {}

    /// Negative if `a` comes first, positive if `b` does, 0 if they are equals.
    open func compare(_ a: TreeRow, _ b: TreeRow) -> Int { a.compareKey(to: b) }

    /// A number whose order agrees with ``compare(_:_:)``: a smaller number comes first, equal numbers are compared.
    ///
    /// Nodes store it beside the row, which saves a search most comparisons. It must not change while the row is in a tree.
    open func prefix(of row: TreeRow) -> UInt64 { 0 }
}
