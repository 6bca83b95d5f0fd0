/// A value that may be missing, which then comes before all others: what a view is sorted by if its closure may return `nil`.
public struct MissingFirst<Value: Comparable & Sendable>: Comparable, Sendable {
    /// The value, if there is one.
    public let value: Value?

    /// The value, or none. O(1).
    public init(_ value: Value?) { self.value = value }

    /// By `<`, `nil` first. A view orders values as it does those that can't be missing: NaN comes last.
    public static func < (a: Self, b: Self) -> Bool {
        guard let second = b.value else { return false }
        guard let first = a.value else { return true }
        return first < second
    }
}
