/// Two values, of which the first counts more: what a view is sorted by if its closure returns a tuple.
public struct ValuePair<First: Comparable & Sendable, Second: Comparable & Sendable>: Comparable, Sendable {
    /// The value that counts more.
    public let first: First
    /// The value that counts where the first ones are equal.
    public let second: Second

    /// A pair. O(1).
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// By the first, then by the second. A view orders each part as it orders such a value alone: NaN comes last.
    public static func < (a: Self, b: Self) -> Bool {
        if a.first < b.first { return true }
        if b.first < a.first { return false }
        return a.second < b.second
    }
}
