/// Where the shown part of a group is.
///
///     let hidden = sections.rangePosition(of: "chat")?.offsetFromBeginning ?? 0
///     if hidden > 0 { showButton("\(hidden) earlier messages") }
public struct RangePosition: Hashable, Sendable {
    /// How many rows are not shown before it.
    public let offsetFromBeginning: Int
    /// How many rows are not shown after it.
    public let offsetFromEnd: Int
    /// How many rows are shown.
    public let length: Int

    /// A position with these numbers. O(1).
    public init(offsetFromBeginning: Int, offsetFromEnd: Int, length: Int) {
        self.offsetFromBeginning = offsetFromBeginning
        self.offsetFromEnd = offsetFromEnd
        self.length = length
    }
}
