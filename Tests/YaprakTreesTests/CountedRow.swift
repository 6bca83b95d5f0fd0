import Synchronization

@testable import YaprakTrees

/// Counts how many of its rows are alive.
final class RowCensus: Sendable {
    private let alive = Atomic<Int>(0)
    var count: Int { alive.load(ordering: .sequentiallyConsistent) }
    func change(by n: Int) { alive.wrappingAdd(n, ordering: .sequentiallyConsistent) }
}

/// A row with a number and, if wanted, a nested tree; its census knows when it goes.
final class CountedRow: KeyedRow, @unchecked Sendable {
    let value: Int
    private let census: RowCensus?
    private let nested: TreeRoot?

    init(_ key: String, _ number: Int = 0, census: RowCensus? = nil, nested: TreeRoot? = nil) {
        value = number
        self.census = census
        self.nested = nested
        super.init(key: key)
        census?.change(by: 1)
    }

    deinit { census?.change(by: -1) }

    override var nestedTree: TreeRoot? { nested }
}

extension TreeRow {
    var number: Int { (self as? CountedRow)?.value ?? (self as? CountedPackedRow)?.value ?? -1 }
}

extension TreeRoot {
    /// Keys and numbers, in order.
    var content: [String] {
        var result: [String] = []
        forEach { result.append("\($0.keyString)=\($0.number)") }
        return result
    }
}

extension Timeline {
    /// Reclaims until nothing is left, in slices of this size.
    func reclaimAll(limit: Int = 64) {
        while reclaim(limit: limit) {}
    }
}
