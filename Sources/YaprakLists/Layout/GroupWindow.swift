import YaprakExtensions

/// Where the range of one group is now: what was asked for, and what came of it.
///
/// Everything here is in the order the group is stored in; reversing happens where paths are made.
///
///     pin: beginning        offset   window
///     ┌───────────────────┬────────┬────────┬──────────┐
///     │ group             │ ··  ·· │ ██████ │ ········ │
///     └───────────────────┴────────┴────────┴──────────┘
struct GroupWindow: Hashable, Sendable {
    /// What was asked for. Never changed by rows that come and go.
    let asked: ListRange
    /// Rows between the pin and the window, as far as there are so many.
    private(set) var offset: Int
    /// The length, as far as the group has so many rows.
    private(set) var length: Int
    /// Shorter than asked, because the group ends there or all rows of the window went: grows on both sides until it is not.
    private(set) var isRefilling = false
    /// Behind the end of its group, at a distance from the pin and not among rows: begins as soon as there are so many.
    ///
    /// A window that lost its rows where its group ends is at the same position, but among rows: it moves with those before it.
    private(set) var isWaiting = false

    init(_ asked: ListRange) {
        self.asked = asked
        offset = asked.offset
        length = asked.length
    }

    /// The positions shown of a group with `count` rows. O(1).
    func positions(count: Int) -> Range<Int> {
        guard let flexibility = asked.flexibility else { return place(length, count: count) }
        return clamp(place(length, count: count), flexibility, count: count)
    }

    private func place(_ length: Int, count: Int) -> Range<Int> {
        let near = min(offset, count)
        let far = near + min(length, count - near)
        return asked.pin == .beginning ? near..<far : count - far..<count - near
    }

    /// Trims away from the pin; refills towards the pin first.
    private func clamp(_ window: Range<Int>, _ flexibility: ListRange.Flexibility, count: Int) -> Range<Int> {
        var low = window.lowerBound
        var high = window.upperBound
        let excess = max(0, high - low - flexibility.maxLength)
        if asked.pin == .beginning { high -= excess } else { low += excess }
        let lacking = max(0, min(flexibility.minLength, count) - (high - low))
        if asked.pin == .beginning {
            let before = min(lacking, low)
            low -= before
            high += lacking - before
        } else {
            let after = min(lacking, count - high)
            high += after
            low -= lacking - after
        }
        return low..<high
    }

    /// Whether a window of a group with `count` rows ends where the group does, on the side away from the pin.
    private func reachesEnd(_ window: Range<Int>, count: Int) -> Bool {
        asked.pin == .beginning ? window.upperBound == count : window.lowerBound == 0
    }

    /// Fits the window to the group without knowing what changed: what was asked for counts again if it was not reached.
    mutating func refit(count: Int) {
        guard asked.isFlexible else { return }
        // No row to stay with: start again, as where the last one was seen to go.
        if count == 0 { self = GroupWindow(asked) }
        if isRefilling || reachesEnd(positions(count: count), count: count) { length = max(length, asked.length) }
        let shown = positions(count: count)
        isRefilling = shown.count < asked.length && length >= asked.length
        isWaiting = shown.isEmpty && count <= offset
    }

    /// Starts again at what was asked for.
    mutating func restart(count: Int) {
        self = GroupWindow(asked)
        refit(count: count)
    }
}

extension GroupWindow {
    /// Follows the rows of the window through a change of their group.
    ///
    /// - Parameter positions: the window before.
    mutating func follow(_ rows: GroupDifference, from positions: Range<Int>) {
        guard let flexibility = asked.flexibility else { return }
        if rows.isReplaced {
            guard rows.hasRowsInCommon else { return restart(count: rows.newCount) }
            // Another order of the same rows: there are no rows to stay with, so the window stays in place.
            if !isWaiting { length = max(positions.count, isRefilling ? asked.length : 0) }
            return refit(count: rows.newCount)
        }
        if isWaiting { return refit(count: rows.newCount) }
        // A change is its removals, then its insertions, however many commits it covers; it is clamped after both.
        let first = rows.keptBefore(old: positions.lowerBound)
        let end = rows.keptBefore(old: positions.upperBound)
        let wasShort = isRefilling || first == end || reachesEnd(first..<end, count: rows.keptCount)
        isRefilling = wasShort && end - first < asked.length
        let followed = clamp(edges(rows, first, end, flexibility.growth), flexibility, count: rows.newCount)
        offset = asked.pin == .beginning ? followed.lowerBound : rows.newCount - followed.upperBound
        length = followed.count
        isRefilling = (isRefilling || reachesEnd(followed, count: rows.newCount)) && length < asked.length
    }

    /// Where the window is whose rows from `first` to `end`, by their numbers among the kept ones, are still there.
    private func edges(
        _ rows: GroupDifference, _ first: Int, _ end: Int, _ growth: ListRange.Growth
    ) -> Range<Int> {
        let afterPrevious = first == 0 ? 0 : rows.newPosition(ofKept: first - 1) + 1
        let beforeNext = end == rows.keptCount ? rows.newCount : rows.newPosition(ofKept: end)
        // No row is left: what came to its place came at both of its edges, and it grows at one of them at least.
        if first == end { return afterPrevious..<beforeNext }
        let growsAtPin = growth != .otherSide
        let growsAway = growth != .pinSide
        let growsAtBeginning = asked.pin == .beginning ? growsAtPin : growsAway
        let growsAtEnd = asked.pin == .beginning ? growsAway : growsAtPin
        var low = growsAtBeginning ? afterPrevious : rows.newPosition(ofKept: first)
        var high = growsAtEnd ? beforeNext : rows.newPosition(ofKept: end - 1) + 1
        // One side at most has not taken all that came there; it takes what is lacking.
        let lacking = isRefilling ? max(0, asked.length - (high - low)) : 0
        low -= min(lacking, low - afterPrevious)
        high += min(lacking, beforeNext - high)
        return low..<high
    }
}

extension GroupWindow {
    /// Longer by `count` rows at a side; the rows it has stay.
    mutating func extend(by count: Int, at side: ListRange.Side, positions: Range<Int>, groupCount: Int) {
        // Not by so much that rows on the other side would have to leave.
        let room = max(0, (asked.flexibility?.maxLength ?? .max) - positions.count)
        let count = min(count, room)
        // There are no more rows than these to show.
        let shown = min(count, groupCount)
        guard let flexibility = asked.flexibility else {
            self = GroupWindow(asked.extended(by: count, at: side))
            return
        }
        if isWaiting {
            // It keeps its distance from the pin.
            let towardsPin = side == asked.pin ? min(count, offset) : 0
            let distance = offset - towardsPin
            self = GroupWindow(asked.extended(by: count, at: side, addedAtPin: towardsPin))
            offset = distance
            return refit(count: groupCount)
        }
        let low = side == .beginning ? max(0, positions.lowerBound - shown) : positions.lowerBound
        let high = side == .end ? min(groupCount, positions.upperBound + shown) : positions.upperBound
        let added = high - low - positions.count
        var next = GroupWindow(asked.extended(by: count, at: side, addedAtPin: side == asked.pin ? added : 0))
        let grown = clamp(low..<high, flexibility, count: groupCount)
        next.offset = asked.pin == .beginning ? grown.lowerBound : groupCount - grown.upperBound
        next.length = grown.count
        let isShort = isRefilling || grown.isEmpty || reachesEnd(grown, count: groupCount)
        next.isRefilling = isShort && grown.count < next.asked.length
        self = next
    }
}
