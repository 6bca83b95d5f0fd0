import YaprakCore
import YaprakExtensions
import YaprakTrees

/// Stretches of a collection, by the keys of its records: what a condition on keys leaves to be looked at.
struct KeyRanges {
    /// Ascending and apart, as the bytes that a column of the keys would have.
    let spans: [IndexSpan]
    /// Whether every record in them matches: nothing else is asked.
    let areExact: Bool

    /// The positions in a tree of records. O(log² *n*) for each stretch.
    func positions(in records: TreeRoot) -> [Range<Int>] {
        spans.compactMap { span in
            let lower = position(of: span.lower, in: records)
            let upper = max(lower, position(of: span.upper, in: records))
            return lower == upper ? nil : lower..<upper
        }
    }

    /// The position of the first record whose key, as bytes, is not before some bytes.
    private func position(of bytes: [UInt8], in records: TreeRoot) -> Int {
        var (lower, upper) = (0, records.count)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            let key = ColumnRule.key.bytes(of: unsafeDowncast(records.row(at: middle), to: RecordBox.self))
            if key.lexicographicallyPrecedes(bytes) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
