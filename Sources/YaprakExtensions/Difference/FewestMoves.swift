/// How a group gets from one order to the other with as few rows moving as possible.
///
/// A difference of trees says which rows kept what they are sorted by. Keeping all of those in place is not always the
/// least: where `a` kept its value and `b` and `c` went before it, moving `a` alone is less. So every stretch of such rows
/// that nothing passes counts as one item, as heavy as it is long, every other row that is on both sides as an item by
/// itself, and the heaviest sequence that stands in the same order on both sides stays.
///
///     before   a b c             kept: a          stays: b c
///     after    b c a             moved: b, c      moves: a
///
/// Where two sequences are equally heavy, the one with more rows that kept their value stays.
struct FewestMoves {
    /// Rows that were removed and inserted, and stay; ascending in both.
    private(set) var staying: [(removed: Int, inserted: Int)] = []
    /// Kept rows, by number, that move; ascending.
    private(set) var moving: [Range<Int>] = []

    private struct Item {
        /// Kept rows before it, in the old order and in the new.
        let old: Int
        let new: Int
        /// Among items with as many kept rows before them, in each order. A stretch of kept rows comes last.
        let oldTie: Int
        let newTie: Int
        let weight: Weight
        /// The index of the pair, or the stretch of kept rows.
        let pair: Int
        let stretch: Range<Int>
    }
    /// - Parameter keptCount: the number of rows that were neither removed nor inserted.
    /// - Complexity: O(*d* log *d*) in the number of rows removed and inserted, however many are kept.
    init<Row: PositionedRow>(_ pairs: RowPairs, removed: [Row], inserted: [Row], keptCount: Int) {
        staying = pairs.staying
        // If anything is out of order, something moves: one is the least.
        if pairs.all.count - pairs.staying.count <= 1 || keptCount == 0 { return }
        var items: [Item] = []
        var borders: Set<Int> = [0, keptCount]
        for (index, pair) in pairs.all.enumerated() {
            let old = removed[pair.removed].position - pair.removed
            let new = inserted[pair.inserted].position - pair.inserted
            borders.formUnion([old, new])
            items.append(
                Item(
                    old: old, new: new, oldTie: pair.removed, newTie: pair.inserted, weight: Weight(rows: 1, kept: 0),
                    pair: index,
                    stretch: 0..<0))
        }
        let cuts = borders.sorted()
        for (low, high) in zip(cuts, cuts.dropFirst()) {
            items.append(
                Item(
                    old: low, new: low, oldTie: .max, newTie: .max, weight: Weight(rows: high - low, kept: high - low),
                    pair: -1,
                    stretch: low..<high))
        }
        items.sort { ($0.new, $0.newTie) < ($1.new, $1.newTie) }
        let ranks = items.indices.sorted { (items[$0].old, items[$0].oldTie) < (items[$1].old, items[$1].oldTie) }
        let stays = heaviestIncreasingRun(ranks, weight: { items[$0].weight }, count: items.count)
        staying = []
        for (rank, item) in items.enumerated() {
            if item.pair >= 0 {
                if stays[rank] { staying.append(pairs.all[item.pair]) }
            } else if !stays[rank] {
                moving.append(item.stretch)
            }
        }
    }
}

/// Rows count first; among as many rows, those that kept their value.
private struct Weight: Comparable {
    var rows = 0
    var kept = 0

    static func < (a: Self, b: Self) -> Bool { (a.rows, a.kept) < (b.rows, b.kept) }
    static func + (a: Self, b: Self) -> Self { Self(rows: a.rows + b.rows, kept: a.kept + b.kept) }
}

/// Which of different numbers below `count` are in a strictly increasing subsequence of the greatest weight.
///
/// `best[n]` is the heaviest run so far that ends with a number below n, kept as sums of a binary tree in an array.
/// - Complexity: O(*n* log *n*).
private func heaviestIncreasingRun(_ values: [Int], weight: (Int) -> Weight, count: Int) -> [Bool] {
    var best = [(weight: Weight, last: Int)](repeating: (Weight(), -1), count: count + 1)
    var previous = [Int](repeating: -1, count: count)
    func heaviest(below value: Int) -> (weight: Weight, last: Int) {
        var found = (weight: Weight(), last: -1)
        var index = value
        while index > 0 {
            if best[index].weight > found.weight { found = best[index] }
            index &= index - 1
        }
        return found
    }
    for value in values {
        let before = heaviest(below: value)
        previous[value] = before.last
        let run = (weight: before.weight + weight(value), last: value)
        var index = value + 1
        while index <= count {
            if run.weight > best[index].weight { best[index] = run }
            index += index & -index
        }
    }
    var isIn = [Bool](repeating: false, count: count)
    var value = heaviest(below: count).last
    while value >= 0 {
        isIn[value] = true
        value = previous[value]
    }
    return isIn
}
