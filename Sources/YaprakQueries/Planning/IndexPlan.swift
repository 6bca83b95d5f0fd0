import YaprakCore
import YaprakExtensions

/// Which entries of which indexes hold all records that a condition can match.
struct IndexPlan {
    /// Entries of one index.
    struct Part {
        let source: IndexSource
        let ranges: [Range<Int>]
        /// Whether a record may have several entries among them.
        let mayRepeat: Bool

        var count: Int { ranges.reduce(0) { $0 + $1.count } }
    }

    /// How the entries of the only part stand in the order of the query.
    struct Order {
        let isBackward: Bool
        /// So many columns are the same in all entries.
        let fixed: Int
        /// So many columns decide; entries with the same are sorted by their keys.
        let columns: Int
        /// Whether entries with the same columns stand in the order of their keys already.
        let isComplete: Bool
    }

    var parts: [Part]
    /// The parts of the condition that hold for every entry.
    var proven = TestNumbers()
    var order: Order?

    var count: Int { parts.reduce(0) { $0 + $1.count } }
    var rangeCount: Int { parts.reduce(0) { $0 + $1.ranges.count } }
    var mayRepeat: Bool { parts.count > 1 || parts.contains(where: \.mayRepeat) }

    /// What reading the entries costs, in entries that hold records.
    var readingCost: Int {
        parts.reduce(0) { $0 + $1.count * ($1.source.configuration.holdsRecords ? 1 : 3) }
    }

    /// The same, with finding them.
    var cost: Int { readingCost + 4 * rangeCount }
}
