import YaprakCore
import YaprakExtensions
import YaprakTrees

/// A ``RecordSort`` without the types of its records.
struct SortRule: Sendable {
    /// The property it compares; `nil` for anything else.
    let path: (any AnyKeyPath & Sendable)?
    /// The same, if it is stored in the object.
    var stored: StoredProperty?
    /// The part of a record that it reads.
    let part: Aspects
    /// The type of the property, if an index of it has the same order; `nil` if not.
    let type: IndexType?
    var isDescending: Bool
    /// Whether it says the same of the same records each time, for sure: no code of the program takes part.
    var isPure = false
    /// Negative if the first comes before the second, positive after it, 0 if neither; ascending.
    let compare: @Sendable (RecordBox, RecordBox) -> Int
}

/// Compares two records by one value. Not a bare closure: one that goes through an optional is wrapped on its way.
struct RecordComparison: Sendable {
    let compare: @Sendable (RecordBox, RecordBox) -> Int

    /// A property that is stored in the object, at `offset` bytes from the address of the record; `nil` if it is of none of the
    /// usual types.
    static func stored(_ type: any Any.Type, at offset: Int) -> RecordComparison? {
        @Sendable func stored<Value: Comparable & Sendable>(_: Value.Type, _ a: RecordBox, _ b: RecordBox) -> Int {
            order(
                (a.address + offset).assumingMemoryBound(to: Value.self).pointee,
                (b.address + offset).assumingMemoryBound(to: Value.self).pointee)
        }
        switch type {
        case is Int.Type: return RecordComparison { stored(Int.self, $0, $1) }
        case is String.Type: return RecordComparison { stored(String.self, $0, $1) }
        case is Double.Type: return RecordComparison { stored(Double.self, $0, $1) }
        default: return nil
        }
    }
}

/// The order of two values by `<`. NaN comes after all other numbers.
@inline(__always)
func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
    if a < b { return -1 }
    if b < a { return 1 }
    if a == b { return 0 }
    let (isA, isB) = (a == a, b == b)
    return isA == isB ? 0 : isA ? -1 : 1
}

/// The order of the rows of a query: by its sorts, then by key.
struct RecordOrder: Sendable {
    let sorts: [SortRule]
    /// The first of them, which most often decides: in place, so that asking it retains nothing.
    private let first: RecordComparison
    private let isFirstDescending: Bool

    init(sorts: [SortRule]) {
        self.sorts = sorts
        if let rule = sorts.first {
            first = RecordComparison(compare: rule.compare)
            isFirstDescending = rule.isDescending
        } else {
            first = RecordComparison { _, _ in 0 }
            isFirstDescending = false
        }
    }

    func compare(_ a: RecordBox, _ b: RecordBox) -> Int {
        let order = first.compare(a, b)
        if order != 0 { return isFirstDescending ? -order : order }
        return sorts.count <= 1 ? compareKeys(a, b) : compareRest(a, b)
    }

    private func compareRest(_ a: RecordBox, _ b: RecordBox) -> Int {
        for sort in sorts[1...] {
            let order = sort.compare(a, b)
            if order != 0 { return sort.isDescending ? -order : order }
        }
        return compareKeys(a, b)
    }

    func compareKeys(_ a: RecordBox, _ b: RecordBox) -> Int {
        if a === b || a.key == b.key { return 0 }
        return a.key.utf8.lexicographicallyPrecedes(b.key.utf8) ? -1 : 1
    }
}
