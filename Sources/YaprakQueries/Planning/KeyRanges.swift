import YaprakCore
import YaprakExtensions
import YaprakTrees

/// Stretches of a collection, by the keys of its records: what a condition on keys leaves to be looked at.
struct KeyRanges {
    /// Ascending and apart, as the bytes that a column of the keys would have.
    let spans: [IndexSpan]
    /// Whether every record in them matches: nothing else is asked.
    let areExact: Bool

    /// The positions in a tree of records; `nil` where looking for them would read more keys than there are. O(log² *n*) for
    /// each stretch.
    func positions(in records: TreeRoot) -> [Range<Int>]? {
        // Two searches for each.
        let keysRead = 2 * spans.count * (Int.bitWidth - records.count.leadingZeroBitCount)
        if spans.count > 16, keysRead > records.count { return nil }
        return spans.compactMap { span in
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

// MARK: - Alternatives

extension KeyRanges {
    /// Keys of which one of some alternatives may hold; `nil` if one of them does not say where they lie.
    static func term(ofAlternatives parts: [QueryShape]) -> QueryTerm? {
        var all: [IndexSpan] = []
        for shape in parts {
            guard let spans = spans(of: shape) else { return nil }
            all += spans
        }
        let spans = union(all)
        let key = QueryProperty(path: \String.self, stored: nil)
        return QueryTerm(key, isExact: false) { $0.type.accepts(String.indexType) ? spans : nil }
    }

    /// Where keys lie that a condition can hold for; `nil` if it does not say.
    private static func spans(of shape: QueryShape) -> [IndexSpan]? {
        var clauses: [QueryOutline.Clause] = []
        func add(_ shape: QueryShape) -> Bool {
            switch shape {
            case .term(let term): clauses.append(.init(term: term, part: .key, test: nil))
            case .all(let parts): return parts.allSatisfy(add)
            case .any(let parts):
                if let term = term(ofAlternatives: parts) { clauses.append(.init(term: term, part: .key, test: nil)) }
            case .never: return false
            case .unknown: break
            }
            return true
        }
        return add(shape) ? IndexOutline.spans(.key, clauses)?.spans : []
    }

    /// The same keys in spans that ascend and are apart.
    private static func union(_ spans: [IndexSpan]) -> [IndexSpan] {
        var apart: [IndexSpan] = []
        for span in spans.sorted(by: { $0.lower.lexicographicallyPrecedes($1.lower) }) where !span.isEmpty {
            guard let last = apart.last, !last.upper.lexicographicallyPrecedes(span.lower) else {
                apart.append(span)
                continue
            }
            if last == span { continue }
            let isWithin = !last.upper.lexicographicallyPrecedes(span.upper)
            if isWithin && last.point == nil { continue }
            apart[apart.count - 1] = IndexSpan(last.lower, isWithin ? last.upper : span.upper)
        }
        return apart
    }
}
