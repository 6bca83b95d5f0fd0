public import YaprakExtensions

extension ViewReader {
    /// Whether anything in the view differs between two snapshots.
    ///
    ///     if database.snapshot[mail].hasChanges(since: shown[mail]) { … }
    ///
    /// - Complexity: O(nodes of the trees of groups that the two don't share); mostly O(1).
    public func hasChanges(since earlier: Self) -> Bool { !state.namesOfDifferingGroups(from: earlier.state).isEmpty }

    /// Whether anything in a group differs between two snapshots: rows that came, went, moved or changed.
    /// - Complexity: O(log *groups*), and what differs in the group.
    public func hasChanges(inGroup group: String, since earlier: Self) -> Bool {
        !state.difference(from: earlier.state, ofGroup: group).isEmpty
    }

    /// Whether anything in one of some groups differs between two snapshots.
    public func hasChanges(inAnyOf groups: some Sequence<String>, since earlier: Self) -> Bool {
        groups.contains { hasChanges(inGroup: $0, since: earlier) }
    }
}
