public import YaprakCore
public import YaprakExtensions
public import YaprakModel

/// How a list shows a view: which groups are its sections, in which order, and which part of each is shown.
///
///     var sections = ViewMappings(salesRank, groups: ["fantasy", "sci-fi", "horror"])
///     sections.setRange(.fixed(length: 20, from: .beginning), for: "sci-fi")
///     sections.setDynamicForAllGroups(true)
///     try sections.update(to: database.snapshot)
///
///     sections.numberOfSections
///     sections.numberOfItems(inSection: 0)
///     database.snapshot.row(at: ListPath(section: 0, row: 3), in: sections)
///
/// A value: a copy is another list. It holds counts and ranges, where somebody searches also positions and keys, never records,
/// and knows the view as of one commit (``commitNumber``); options may be set before and after.
/// ``advance(from:to:reloadAbove:)`` moves it to another snapshot and returns what changed;
/// `database.updates(of:since:reloadAbove:)` does so whenever there is a commit.
///
/// Every option is set for one group, which need not exist yet, or for all groups, which discards what was set for
/// single ones before.
public struct ViewMappings<View: OrderedView>: Sendable {
    /// The view that is shown. O(1).
    public var view: View { shown.view }
    private let shown: Shown
    var core: ListCore
    /// The commit whose counts it has; `nil` if it has never been updated. All counts are 0 then.
    public private(set) var commitNumber: CommitNumber?
    /// The state of the view whose counts it has.
    private var identity: ViewIdentity?
    /// Who chooses the rows that are shown, and which they are; `nil` if all are shown.
    private(set) var choice: RowChoice?
    /// Chooses the rows that are shown, of those that the view has; all if `nil`.
    package var selection: (any RowSelection)? { choice?.selection }

    /// A view behind one reference: each update of a list copies the mappings several times.
    private final class Shown: Sendable {
        let view: View
        init(_ view: View) { self.view = view }
    }

    /// The sections show these groups, in this order, whether they hold rows or not.
    ///
    ///     ViewMappings(mail, groups: ["inbox", "sent"])
    ///
    /// - Precondition: no group is named twice.
    /// - Complexity: O(number of groups).
    public init(_ view: View, groups: [String]) {
        shown = Shown(view)
        core = ListCore(groups: groups)
    }

    /// The sections show the groups that hold rows and pass `filter`, sorted by `order`.
    ///
    ///     ViewMappings(contacts)                                        // all groups, ascending
    ///     ViewMappings(archive, filter: { $0 != "spam" }, order: { $0 > $1 })   // newest year first
    ///
    /// Both are evaluated again at each update to another commit. The result is reported like any other change: sections come,
    /// go and move.
    /// - Parameters:
    ///   - filter: whether a group is shown; all are if `nil`.
    ///   - order: whether the first group is shown before the second; they ascend by the bytes of their names if `nil`.
    /// - Complexity: O(1).
    public init(
        _ view: View, filter: (@Sendable (_ group: String) -> Bool)? = nil,
        order: (@Sendable (_ first: String, _ second: String) -> Bool)? = nil
    ) {
        shown = Shown(view)
        core = ListCore(filter: filter, order: order)
    }

    /// Reads the counts of the view in a snapshot.
    ///
    ///     try sections.update(to: database.snapshot)
    ///     list.reloadData()
    ///
    /// Windows of flexible ranges keep their distance from their pin and the length they have grown to; ranges that were short
    /// because their group was get what was asked for. Where a group has no rows, or is not in the list any more, its range
    /// begins again at what was asked for, here as in ``advance(from:to:reloadAbove:)``.
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if the snapshot does not have the view, or the index of
    ///   a search.
    /// - Complexity: O(*g* log *g*) in the number of groups.
    public mutating func update(to snapshot: Snapshot) throws {
        try refresh(to: state(in: snapshot))
    }

    private mutating func refresh(to state: ViewState) throws {
        try note(state)
        core.refresh(to: rows(in: state))
    }

    private mutating func note(_ state: ViewState) throws {
        if let choice {
            let stamp = try choice.selection.stamp(in: state.snapshot)
            if identity != state.root.identity || choice.chosen?.stamp != stamp {
                self.choice = RowChoice(choice.selection, (try choice.selection.positions(in: state), stamp))
            }
        }
        commitNumber = state.snapshot.commitNumber
        identity = state.root.identity
    }

    /// Whether it has the counts of a state.
    private func isFitted(to state: ViewState) throws -> Bool {
        guard identity == state.root.identity else { return false }
        guard let choice else { return true }
        return try choice.chosen?.stamp == choice.selection.stamp(in: state.snapshot)
    }

    /// The rows that it shows of a state that it has.
    private func rows(in state: ViewState) -> any GroupedRows {
        guard let chosen = choice?.chosen else { return state }
        return SelectedRows(state, chosen.positions)
    }

    /// The rows that it shows of a state that it has, by their positions.
    private func selectedRows(in state: ViewState) -> SelectedRows {
        SelectedRows(state, choice?.chosen?.positions ?? RowPositions(allOf: state))
    }

    /// Shows only the rows that are chosen, or all. Counts are those of before until the next update; ranges begin again at
    /// what was asked for.
    package mutating func select(_ selection: (any RowSelection)?) {
        choice = selection.map { RowChoice($0) }
        identity = nil
        core.restartWindows()
    }

    /// Moves the list from one snapshot to another, and returns what changes.
    ///
    ///     let newest = database.snapshot          // once: the list, the changes and `shown` are of one commit
    ///     let changes = try sections.advance(from: shown, to: newest)
    ///     shown = newest
    ///     if changes.isReload { list.reloadData() } else if changes.hasChanges { list.apply(changes) }
    ///
    /// Any two snapshots do, near or far, forwards or backwards, and those of forks. If the mappings have not been updated to
    /// the view as it is in `old`, they are updated first. Snapshots of two openings, or of two databases that are no forks
    /// of each other, can't be compared: the answer is ``ListChanges/isReload``. The same goes where the view puts each row into
    /// one group in one snapshot, and may put it into several in the other: all rows have another ``ListItemID`` then.
    /// - Parameter limit: if more rows than that changed in the groups of the list, the answer is ``ListChanges/isReload``.
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if a snapshot does not have the view, or the index of a
    ///   search.
    /// - Complexity: O((*d* + *w*) log *n*), with *d* what differs between the two snapshots in groups that are shown, and *w*
    ///   how many rows windows slid; never O(*n*), unless the sorting of the view changed. Groups in which nothing differs
    ///   are shared with the mappings before: one change among 1,000,000 of them costs what it costs among ten. It is a
    ///   walk, O(*g* log *g*), where a closure filters or orders them, and while all rows are in one section.
    public mutating func advance(from old: Snapshot, to new: Snapshot, reloadAbove limit: Int = .max) throws
        -> ListChanges
    {
        try advance(from: state(in: old), to: state(in: new), reloadAbove: limit)
    }

    /// The view as a snapshot has it.
    func state(in snapshot: Snapshot) throws -> ViewState { try snapshot.reader(of: shown.view).state }

    /// As ``advance(from:to:reloadAbove:)``, where the states are at hand.
    mutating func advance(from before: ViewState, to after: ViewState, reloadAbove limit: Int) throws -> ListChanges {
        try fit(to: before)
        let rowsBefore = choice == nil ? nil : selectedRows(in: before)
        try note(after)
        if before.snapshot.isIdentical(to: after.snapshot) { return ListChanges() }
        guard after.isComparable(to: before) else {
            core.refresh(to: rows(in: after))
            return .reload(rawChangeCount: before.root.count + after.root.count)
        }
        if let rowsBefore {
            let difference = SelectedRowsDifference(from: rowsBefore, to: selectedRows(in: after))
            return core.advance(over: difference, rawChangesMax: limit)
        }
        return core.advance(over: ViewStatesDifference(from: before, to: after), rawChangesMax: limit)
    }

    /// What changes in the list from one snapshot to another. The mappings stay as they are; see
    /// ``advance(from:to:reloadAbove:)``.
    ///
    ///     let backwards = try sections.changes(from: database.snapshot, to: yesterday)
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if a snapshot does not have the view, or the index of a
    ///   search.
    public func changes(from old: Snapshot, to new: Snapshot, reloadAbove limit: Int = .max) throws -> ListChanges {
        var copy = self
        return try copy.advance(from: old, to: new, reloadAbove: limit)
    }

    /// What changes in the list when other options take the place of `earlier`, in one snapshot.
    ///
    ///     let earlier = sections
    ///     sections.setRange(.fixed(length: 100, from: .beginning), for: "sci-fi")
    ///     sections.setDynamicForAllGroups(true)
    ///     let changes = try sections.changes(since: earlier, in: shown)
    ///     if changes.isReload { list.reloadData() } else { list.apply(changes.sectionChanges, changes.rowChanges) }
    ///
    /// Any options may be different, the groups too. If a group that both lists show is in the opposite order, or `earlier` shows
    /// another view, the answer is ``ListChanges/isReload``, without changes.
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if the snapshot does not have the view, or the index of
    ///   a search.
    /// - Complexity: O(*w* log *n* + *g*), with *w* the rows that come and go; in a searched list O(*w* + *g* + *n* / 64).
    public func changes(since earlier: Self, in snapshot: Snapshot) throws -> ListChanges {
        let state = try state(in: snapshot)
        guard earlier.view.name == view.name else { return .reload(rawChangeCount: 0) }
        let before = try earlier.fitted(to: state)
        let after = try fitted(to: state)
        if before.choice == nil && after.choice == nil {
            return after.core.changes(
                since: before.core, in: state, collectionNames: state.root.configuration.collectionNames,
                rowsHaveOnePlace: state.root.configuration.rowsHaveOnePlace)
        }
        return after.core.changes(
            since: before.core, from: before.selectedRows(in: state), to: after.selectedRows(in: state))
    }

    /// The same list, with the view as it is in a state.
    func fitted(to state: ViewState) throws -> Self {
        var other = self
        try other.fit(to: state)
        return other
    }

    /// Takes the counts of a state, if it does not have them.
    mutating func fit(to state: ViewState) throws { if try !isFitted(to: state) { try refresh(to: state) } }

    /// The changes since the same list with other windows, in a state that both have.
    func changes(since earlier: ListCore, in state: ViewState) -> ListChanges {
        core.changes(
            since: earlier, in: rows(in: state), collectionNames: state.root.configuration.collectionNames,
            rowsHaveOnePlace: state.root.configuration.rowsHaveOnePlace)
    }
}
