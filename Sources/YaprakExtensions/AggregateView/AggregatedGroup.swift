/// A group of a view, as ``AggregateView`` gives it to the closure that makes a row of it.
///
///     Thread(newest: group.last.object.text, messages: group.count, unread: Int(group.totals[0]))
///
/// - Complexity: `name`, `count` and `totals` are O(1), `first` and `last` O(log *n*), any other row of `rows` as in
///   ``ViewGroup``.
public struct AggregatedGroup<Element: ViewRow> {
    /// The rows of the group, in the order of the view. There is at least one.
    public let rows: ViewGroup<Element>
    /// The sums of what the view adds up, in the order in which it was given.
    public let totals: [Int128]

    /// The group's name, in NFC.
    public var name: String { rows.name }
    /// The number of rows; at least 1.
    public var count: Int { rows.count }
    /// The first row.
    public var first: Element { rows[rows.startIndex] }
    /// The last row.
    public var last: Element { rows[rows.endIndex - 1] }
}
