public import YaprakCore
import YaprakExtensions

extension ViewMappings {
    /// Shows a part of a group; all of it with `nil` (the default).
    ///
    ///     sections.setRange(.fixed(length: 20, from: .beginning), for: "sci-fi")
    ///
    /// In a group that is already reversed, the beginning is where the list begins.
    /// Setting the same range again changes nothing. O(number of groups).
    public mutating func setRange(_ range: ListRange?, for group: String) {
        core.configure { $0.setRange(range, for: group.normalizedKey) }
    }

    /// Shows a part of each group. O(number of groups).
    public mutating func setRangeForAllGroups(_ range: ListRange?) {
        core.configure { $0.setRange(range, for: nil) }
    }

    /// The range that was asked for, as the list shows it; `nil` if all of the group is shown. Where it is now is
    /// ``rangePosition(of:)``. O(1).
    public func range(of group: String) -> ListRange? { core.settings.shownRange(of: group.normalizedKey) }

    /// Shows more of a group at one end, and returns what changed in the list and what stood in the way.
    ///
    ///     let more = try sections.extend("chat", by: 50, at: .beginning, in: shown)
    ///     if more.obstacle == .maxLength { … }          // no longer range is allowed
    ///
    /// The range that is asked for is longer from then on. A fixed range grows towards its pin as far as its offset
    /// goes; a flexible one to its greatest length. Nothing happens to a group without a range.
    /// - Parameters:
    ///   - group: the group.
    ///   - count: the number of rows to show in addition, not less than 0.
    ///   - side: the end, as the list shows it.
    ///   - snapshot: the snapshot the list shows. If the mappings have not been updated to it, they are updated first.
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if the snapshot does not have the view, or the index of
    ///   a search.
    /// - Complexity: O(*count* · log *n* + *g*) in the number of groups.
    @discardableResult
    public mutating func extend(
        _ group: String, by count: Int, at side: ListRange.Side, in snapshot: Snapshot
    ) throws -> ListExtension {
        let state = try state(in: snapshot)
        self = try fitted(to: state)
        let before = core
        let group = group.normalizedKey
        let lengthBefore = core.layout.group(named: group)?.window.count ?? 0
        core.extend(group, by: count, at: side)
        let added = (core.layout.group(named: group)?.window.count ?? 0) - lengthBefore
        let changes = changes(since: before, in: state)
        return ListExtension(
            changes: changes, addedCount: added, obstacle: added < count ? obstacle(of: group, at: side) : nil)
    }

    /// What keeps a group from showing more rows at a side.
    private func obstacle(of group: String, at side: ListRange.Side) -> ListExtension.Obstacle {
        guard let position = rangePosition(of: group), core.layout.group(named: group)?.count ?? 0 > 0 else {
            return .notShown
        }
        guard let range = core.settings.ranges[group] else { return .noRange }
        if core.isRangeBehindEnd(of: group) { return .notShown }
        let hidden = side == .beginning ? position.offsetFromBeginning : position.offsetFromEnd
        if hidden == 0 { return .endOfGroup }
        // One that has just come into the group may have rows before it that it does not show.
        return range.flexibility.map { position.length >= $0.maxLength } == true ? .maxLength : .notShown
    }

    /// Where the shown part of a group is, as the list shows it; `nil` if the group is not in the list. O(log *g*).
    public func rangePosition(of group: String) -> RangePosition? {
        guard let group = core.layout.group(named: group.normalizedKey) else { return nil }
        let low = group.window.lowerBound
        let high = group.count - group.window.upperBound
        return RangePosition(
            offsetFromBeginning: group.isReversed ? high : low, offsetFromEnd: group.isReversed ? low : high,
            length: group.window.count)
    }
}
