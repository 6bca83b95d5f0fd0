public import YaprakCore
public import YaprakExtensions

/// One update of a list: two snapshots, its mappings as of each, and what changes from one to the other.
///
///     for try await update in database.updates(of: sections) {
///         if update.isReload { list.reloadData() } else { list.apply(update.sectionChanges, update.rowChanges) }
///     }
public struct ListUpdate<View: OrderedView>: Sendable {
    /// The newest snapshot that was looked at and has the list as the update before left it; the same as ``new`` in the first
    /// update, unless that goes on from a snapshot.
    ///
    /// Commits that change nothing in the list are skipped without an update. So it may be newer than the `new` of the
    /// update before.
    public let old: Snapshot
    /// The snapshot the list shows now.
    public let new: Snapshot
    /// The mappings as of ``old``. Use them with that snapshot only, and not with the `new` of the update before.
    public let mappingsBefore: ViewMappings<View>
    /// The mappings as of ``new``.
    public let mappings: ViewMappings<View>
    /// What changes.
    public let changes: ListChanges

    package init(
        old: Snapshot, new: Snapshot, mappingsBefore: ViewMappings<View>, mappings: ViewMappings<View>,
        changes: ListChanges
    ) {
        self.old = old
        self.new = new
        self.mappingsBefore = mappingsBefore
        self.mappings = mappings
        self.changes = changes
    }

    /// What happens to sections. See ``ListChanges/sectionChanges``.
    public var sectionChanges: [SectionChange] { changes.sectionChanges }
    /// What happens to rows. See ``ListChanges/rowChanges``.
    public var rowChanges: [RowChange] { changes.rowChanges }
    /// Whether the list should be reloaded. See ``ListChanges/isReload``.
    public var isReload: Bool { changes.isReload }
}
