/// What leads from one state of a list to another: changes of sections, then changes of rows.
///
///     let changes = try sections.changes(from: shown, to: database.snapshot)
///     if changes.isReload { list.reloadData() } else { list.apply(changes.sectionChanges, changes.rowChanges) }
///
/// Applied to the list as it was, they give the list as it is. That is a promise for every combination of options, and
/// checked for it by property tests.
public struct ListChanges: Hashable, Sendable {
    /// What happened to sections: deletes descending, inserts and moves ascending.
    public let sectionChanges: [SectionChange]
    /// What happened to rows: deletes descending, inserts ascending, then moves, then updates. Rows of deleted and of
    /// inserted sections are among them.
    public let rowChanges: [RowChange]
    /// Whether the list should be reloaded instead: there was none before, or one of another view, its order is reversed, its
    /// rows have other identities (``ListItemID``), or more changed than the caller's limit. The lists of changes are then empty.
    public let isReload: Bool
    /// How many rows of the groups in the list were inserted, removed, moved or changed, shown or not. In a list of a view, a row
    /// that went to another group counts in both.
    public let rawChangeCount: Int

    /// Whether anything is to be done. O(1).
    public var hasChanges: Bool { isReload || !sectionChanges.isEmpty || !rowChanges.isEmpty }

    package init(sectionChanges: [SectionChange] = [], rowChanges: [RowChange] = [], rawChangeCount: Int = 0) {
        self.sectionChanges = sectionChanges
        self.rowChanges = rowChanges
        isReload = false
        self.rawChangeCount = rawChangeCount
    }

    private init(reload rawChangeCount: Int) {
        sectionChanges = []
        rowChanges = []
        isReload = true
        self.rawChangeCount = rawChangeCount
    }

    package static func reload(rawChangeCount: Int) -> Self { Self(reload: rawChangeCount) }
}
