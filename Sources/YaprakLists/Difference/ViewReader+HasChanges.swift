public import YaprakExtensions

extension ViewReader {
    /// Whether anything in the view differs between two snapshots.
    ///
    ///     if database.snapshot[mail].hasChanges(since: shown[mail]) { … }
    ///
    /// A view whose new sorting gives the same order has none. Snapshots of two openings, or of two databases that
    /// are no forks of each other, can't be compared: the answer is `true`. The same goes where the view begins or ceases to
    /// put rows into several groups.
    /// - Complexity: O(nodes that the two don't share), up to the first row that differs in a group; mostly O(1).
    ///   O(*n* log *n*) if the sorting changed between the two.
    public func hasChanges(since earlier: Self) -> Bool {
        if state.root.identity == earlier.state.root.identity { return false }
        guard state.isComparable(to: earlier.state) else { return true }
        return state.namesOfDifferingGroups(from: earlier.state).contains {
            !state.difference(from: earlier.state, ofGroup: $0).isEmpty
        }
    }

    /// Whether anything in a group differs between two snapshots: rows that came, went, moved or changed. True for every group
    /// where ``hasChanges(since:)`` can't compare.
    /// - Complexity: O(log *groups*), and what differs in the group.
    public func hasChanges(inGroup group: String, since earlier: Self) -> Bool {
        if state.root.identity == earlier.state.root.identity { return false }
        guard state.isComparable(to: earlier.state) else { return true }
        return !state.difference(from: earlier.state, ofGroup: group).isEmpty
    }

    /// Whether anything in one of some groups differs between two snapshots.
    public func hasChanges(inAnyOf groups: some Sequence<String>, since earlier: Self) -> Bool {
        groups.contains { hasChanges(inGroup: $0, since: earlier) }
    }
}
