@testable import YaprakLists

/// Mappings written a second time, without arithmetic: every row of every group is looked at.
struct NaiveMappings {
    let options: Options
    let mapped: [String]
    /// For each mapped group, which positions are shown, as stored.
    var windows: [String: Range<Int>] = [:]
    /// How far from their pin ranges begin that no row has reached.
    var waiting: [String: Int] = [:]
    /// A promise that was not kept.
    var problem: String?

    func shown(_ contents: Contents) -> ShownList {
        var blocks: [(name: String, isDynamic: Bool, rows: [Int])] = []
        for name in mapped {
            let settled = options.settled(name)
            let rows = contents.rows(name)[windows[name]!].map(\.key)
            blocks.append((name, settled.isDynamic, settled.isReversed ? rows.reversed() : rows))
        }
        if isConsolidated {
            return ShownList(sections: [.init(name: "all", rows: blocks.flatMap(\.rows))])
        }
        return ShownList(
            sections: blocks.filter { !($0.isDynamic && $0.rows.isEmpty) }.map { .init(name: $0.name, rows: $0.rows) })
    }

    /// Whether there are so few rows that they share a section. Without a row, groups that all hide have none.
    var isConsolidated: Bool {
        guard let threshold = options.threshold else { return false }
        let count = windows.values.reduce(0) { $0 + $1.count }
        if count == 0, mapped.allSatisfy({ options.settled($0).isDynamic }) { return false }
        return count < threshold
    }

    /// The part that a range shows of a group nobody has looked at before.
    static func fresh(_ range: ListRange, count: Int) -> Range<Int> {
        var window: [Int] = []
        for distance in range.offset..<(range.offset + range.length) where distance < count {
            window.append(range.pin == .beginning ? distance : count - 1 - distance)
        }
        let edge = min(range.offset, count)
        let place = range.pin == .beginning ? edge : count - edge
        var low = window.min() ?? place
        var high = window.max().map { $0 + 1 } ?? place
        if let flexibility = range.flexibility { clamp(&low, &high, range.pin, flexibility, count) }
        return low..<high
    }

    /// One row at a time.
    static func clamp(
        _ low: inout Int, _ high: inout Int, _ pin: ListRange.Side, _ flexibility: ListRange.Flexibility, _ count: Int
    ) {
        while high - low > flexibility.maxLength { if pin == .beginning { high -= 1 } else { low += 1 } }
        while high - low < flexibility.minLength && high - low < count {
            if pin == .beginning {
                if low > 0 { low -= 1 } else { high += 1 }
            } else {
                if high < count { high += 1 } else { low -= 1 }
            }
        }
    }

    /// The part a flexible range shows after a change, found by marking rows; `nil` where the rows can't say: nothing was kept.
    static func followed(
        _ range: ListRange, _ rows: KeptRows, window: Range<Int>, isRefilling: Bool
    ) -> Range<Int>? {
        let flexibility = range.flexibility!
        let kept = rows.oldPositions
        if kept.allSatisfy({ $0 == nil }) { return nil }
        // Two marks among the rows: where the window begins and where it ends.
        let inside = kept.indices.filter { kept[$0].map(window.contains) ?? false }
        let before = kept.indices.filter { kept[$0].map { $0 < window.lowerBound } ?? false }
        let after = kept.indices.filter { kept[$0].map { $0 >= window.upperBound } ?? false }
        let widest = ((before.last ?? -1) + 1)..<(after.first ?? kept.count)
        var low: Int
        var high: Int
        if let first = inside.first, let last = inside.last {
            let growsAtPin = flexibility.growth == .pinSide || flexibility.growth == .bothSides
            let growsAway = flexibility.growth == .otherSide || flexibility.growth == .bothSides
            let (growsLow, growsHigh) = range.pin == .beginning ? (growsAtPin, growsAway) : (growsAway, growsAtPin)
            (low, high) = (growsLow ? widest.lowerBound : first, growsHigh ? widest.upperBound : last + 1)
            // A short one fills up with what came beside it, on whichever side: also if it is short since its last rows went.
            let endsGroup = range.pin == .beginning ? after.isEmpty : before.isEmpty
            let fillsUp = isRefilling || endsGroup && inside.count < range.length
            while fillsUp && high - low < range.length && low > widest.lowerBound { low -= 1 }
            while fillsUp && high - low < range.length && high < widest.upperBound { high += 1 }
        } else {
            // Its rows went, and others came to their place.
            (low, high) = (widest.lowerBound, widest.upperBound)
        }
        clamp(&low, &high, range.pin, flexibility, kept.count)
        return low..<high
    }
}
