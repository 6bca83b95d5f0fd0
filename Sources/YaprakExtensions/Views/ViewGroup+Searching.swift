import YaprakCore
import YaprakTrees

/// On which side of a wanted range a row lies.
public enum RangeSide: Sendable, Hashable {
    /// The range comes after the row.
    case before
    /// The row is in the range.
    case within
    /// The range comes before the row.
    case after
}

// Finding by the order of the rows. A closure that does not agree with that order finds a wrong range, or none.
extension ViewGroup {
    /// The positions of the rows that `side` calls ``RangeSide/within``; `nil` if there is none.
    ///
    ///     let july = holidays.range { row in
    ///         row.object.month < 7 ? .before : row.object.month > 7 ? .after : .within
    ///     }
    ///
    /// `side` has to agree with the order of the group: rows before the range, then rows in it, then rows after.
    /// - Complexity: O(log *n*) calls of `side`.
    public func range(where side: (Element) throws -> RangeSide) rethrows -> Range<Int>? {
        let lower = try rows.partitioningIndex(in: bounds) { try side(element($0)) != .before }
        let upper = try rows.partitioningIndex(in: lower..<bounds.upperBound) { try side(element($0)) == .after }
        return lower < upper ? lower..<upper : nil
    }

    /// The position of a row that `side` calls ``RangeSide/within``, the first; `nil` if there is none.
    /// - Complexity: O(log *n*) calls of `side`.
    public func firstPosition(where side: (Element) throws -> RangeSide) rethrows -> Int? {
        let lower = try rows.partitioningIndex(in: bounds) { try side(element($0)) != .before }
        guard lower < bounds.upperBound, try side(self[lower]) == .within else { return nil }
        return lower
    }

    /// The rows whose value lies in `range`, in a group that is sorted by that value.
    ///
    ///     for row in books.rows(by: \.object.salesRank, in: 10...20) { … }
    ///
    /// Works in ascending and descending order. Empty if there is none. NaN is in no range.
    /// - Complexity: O(log *n*) calls of `value`.
    public func rows<Value: Comparable>(by value: (Element) -> Value, in range: ClosedRange<Value>) -> Self {
        rows(by: value, isBelow: { $0 < range.lowerBound }, isAbove: { $0 > range.upperBound })
    }

    /// As ``rows(by:in:)-swift.method``, without the upper bound itself.
    public func rows<Value: Comparable>(by value: (Element) -> Value, in range: Range<Value>) -> Self {
        rows(by: value, isBelow: { $0 < range.lowerBound }, isAbove: { $0 >= range.upperBound })
    }

    /// The rows whose value is at least the bound, in a group that is sorted by that value.
    public func rows<Value: Comparable>(by value: (Element) -> Value, in range: PartialRangeFrom<Value>) -> Self {
        rows(by: value, isBelow: { $0 < range.lowerBound }, isAbove: { _ in false })
    }

    /// The rows whose value is less than the bound, in a group that is sorted by that value.
    public func rows<Value: Comparable>(by value: (Element) -> Value, in range: PartialRangeUpTo<Value>) -> Self {
        rows(by: value, isBelow: { _ in false }, isAbove: { $0 >= range.upperBound })
    }

    /// The rows whose value is at most the bound, in a group that is sorted by that value.
    public func rows<Value: Comparable>(by value: (Element) -> Value, in range: PartialRangeThrough<Value>) -> Self {
        rows(by: value, isBelow: { _ in false }, isAbove: { $0 > range.upperBound })
    }

    private func rows<Value: Comparable>(
        by value: (Element) -> Value, isBelow: (Value) -> Bool, isAbove: (Value) -> Bool
    ) -> Self {
        let isDescending = rows.state.root.configuration.order.isDescending
        // A value that is not equal to itself is NaN: it stands behind all other numbers, and `<` says nothing of it.
        func isBehind(_ value: Value) -> Bool { value != value || isAbove(value) }
        let lower = rows.partitioningIndex(in: bounds) { placement in
            let value = value(element(placement))
            return isDescending ? !isBehind(value) : !isBelow(value)
        }
        let upper = rows.partitioningIndex(in: lower..<bounds.upperBound) { placement in
            let value = value(element(placement))
            return isDescending ? isBelow(value) : isBehind(value)
        }
        return self[lower..<upper]
    }

    /// The position of the record under `key` in this group, or `nil`. O(log *n*).
    public func position(of key: String) -> Int? {
        for collection in rows.collections.indices {
            let row = RowID(collection: collection, key: key.normalizedKey)
            let found = withExtendedLifetime(rows.state.snapshot) {
                rows.state.root.place(of: row)?.placement(inGroup: name)
                    .flatMap { rows.root.position(of: $0, order: rows.state.root.configuration.order) }
            }
            if let found, bounds.contains(found) { return found }
        }
        return nil
    }

    private func element(_ placement: Placement) -> Element {
        Element(ViewRecord(placement, rows.collections))
    }
}
