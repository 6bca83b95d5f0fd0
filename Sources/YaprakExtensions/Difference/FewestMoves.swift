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

    /// - Parameter keptCount: the number of rows that were neither removed nor inserted.
    /// - Complexity: O(*d* log *d*) in the number of rows removed and inserted, however many are kept.
    init<Row: PositionedRow>(_ pairs: RowPairs, removed: [Row], inserted: [Row], keptCount: Int) {
        staying = pairs.staying
        // If anything is out of order, something moves: one is the least.
        if pairs.all.count - pairs.staying.count <= 1 || keptCount == 0 { return }
        let order = Order(pairs, removed: removed, inserted: inserted, keptCount: keptCount)
        let stays = heaviestIncreasingRun(
            order.ranks, weight: { order.items[$0].weight }, count: order.items.count)
        staying = []
        for (rank, item) in order.items.enumerated() {
            if let pair = item.pair {
                if stays[rank] { staying.append(pairs.all[pair]) }
            } else if !stays[rank] {
                moving.append(item.stretch)
            }
        }
    }

    /// A row that is on both sides, or a stretch of kept rows.
    private struct Item {
        /// The index of the pair; `nil` for a stretch.
        var pair: Int?
        var stretch = 0..<0

        var weight: Weight {
            pair == nil ? Weight(rows: stretch.count, kept: stretch.count) : Weight(rows: 1, kept: 0)
        }
    }

    /// The items in their new order, and their ranks there in their old order.
    ///
    /// Pairs ascend by their place in the old order already, and by the number of kept rows before them with it. So both
    /// orders are merged from lists that are sorted.
    private struct Order {
        private(set) var items: [Item] = []
        private(set) var ranks: [Int] = []

        init<Row: PositionedRow>(_ pairs: RowPairs, removed: [Row], inserted: [Row], keptCount: Int) {
            var pairAtArrival = [Int?](repeating: nil, count: inserted.count)
            for (index, pair) in pairs.all.enumerated() { pairAtArrival[pair.inserted] = index }
            let byArrival = pairAtArrival.compactMap { $0 }
            // How many kept rows are before each, in the old order and in the new.
            let old = pairs.all.map { removed[$0.removed].position - $0.removed }
            let new = byArrival.map { index in
                let arrival = pairs.all[index].inserted
                return inserted[arrival].position - arrival
            }
            let stretches = Self.stretches(between: old, new, keptCount)
            var rankOfPair = [Int](repeating: 0, count: pairs.all.count)
            var rankOfStretch = [Int](repeating: 0, count: stretches.count)
            items.reserveCapacity(pairs.all.count + stretches.count)
            Self.merge(new, stretches) { next in
                rankOfPair[byArrival[next]] = items.count
                items.append(Item(pair: byArrival[next]))
            } stretch: { index in
                rankOfStretch[index] = items.count
                items.append(Item(stretch: stretches[index]))
            }
            ranks.reserveCapacity(items.count)
            Self.merge(old, stretches) {
                ranks.append(rankOfPair[$0])
            } stretch: {
                ranks.append(rankOfStretch[$0])
            }
        }

        /// The kept rows, cut wherever a pair stands between two of them in one of the orders.
        private static func stretches(between old: [Int], _ new: [Int], _ keptCount: Int) -> [Range<Int>] {
            var stretches: [Range<Int>] = []
            var start = 0
            func cut(_ end: Int) {
                guard end > start else { return }
                stretches.append(start..<end)
                start = end
            }
            var next = 0
            for place in old {
                while next < new.count, new[next] <= place {
                    cut(new[next])
                    next += 1
                }
                cut(place)
            }
            for place in new[next...] { cut(place) }
            cut(keptCount)
            return stretches
        }

        /// Calls for each pair and each stretch in order; a pair comes before the stretch that begins where it stands.
        private static func merge(
            _ places: [Int], _ stretches: [Range<Int>], pair: (Int) -> Void, stretch: (Int) -> Void
        ) {
            var next = 0
            for (index, kept) in stretches.enumerated() {
                while next < places.count, places[next] <= kept.lowerBound {
                    pair(next)
                    next += 1
                }
                stretch(index)
            }
            for rest in next..<places.count { pair(rest) }
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
