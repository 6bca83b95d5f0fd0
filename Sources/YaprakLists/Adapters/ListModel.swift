public import Observation
public import YaprakCore
public import YaprakExtensions

/// A list for declarative user interfaces: observed by reading it, kept up to date by ``follow()``.
///
///     struct Inbox: SwiftUI.View {
///         let model: ListModel<AutoView<Record<Mail, NoMetadata>>>
///         var body: some SwiftUI.View {
///             List {
///                 ForEach(model.sections) { section in
///                     Section(section.name) { ForEach(section, id: \.key) { row in Text(row.object.subject) } }
///                 }
///             }
///             .task { try? await model.follow() }
///         }
///     }
///
/// Observers of ``sections`` are notified when something in the list differs, and not when something else does. Everything
/// in it belongs to one snapshot.
///
/// - Note: The identity of a row by its key, as in the example, is enough where no section shows a key twice. A view over
///   several collections may have equal keys in a group, and ``ViewMappings/consolidate(below:into:)`` puts the rows of several
///   groups into one section: such a list takes the ``ListItemID`` of each row from `snapshot.itemIDs(of: mappings)` instead.
@MainActor @Observable
public final class ListModel<View: OrderedView> {
    /// What the list shows.
    public var sections: [ListSection<View>] {
        access(keyPath: \.sections)
        return shownSections
    }
    /// Replaced with every snapshot, so that none before is kept; observers are notified only when something differs.
    @ObservationIgnored private var shownSections: [ListSection<View>]
    /// The snapshot that is shown. Not observed: it changes with every commit.
    @ObservationIgnored public private(set) var snapshot: Snapshot
    /// The mappings as of ``snapshot``. Not observed.
    @ObservationIgnored public private(set) var mappings: ViewMappings<View>
    /// What changed last.
    @ObservationIgnored public private(set) var changes = ListChanges()
    @ObservationIgnored private let snapshots: SnapshotSequence

    /// The list as it is now.
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if the view is not registered.
    /// - Complexity: O(*g* log *g*) in the number of groups.
    public init(_ mappings: ViewMappings<View>, in database: Database) throws {
        var mappings = mappings
        let snapshot = database.snapshot
        try mappings.update(to: snapshot)
        self.mappings = mappings
        self.snapshot = snapshot
        snapshots = database.snapshots
        shownSections = snapshot.sections(of: mappings)
    }

    /// Keeps the list up to date until the database closes or the task is cancelled.
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` once the view is not registered any more.
    public func follow() async throws {
        try await follow(snapshots)
    }

    /// Shows the newest snapshot whenever one comes. What comes may be late: another who follows, or who shows a snapshot, was
    /// faster. So it only says that there is something newer.
    func follow(_ signals: some AsyncSequence<Snapshot, Never>) async throws {
        for await _ in signals { try show(snapshots.newest) }
    }

    /// Shows another snapshot: the newest, or any other.
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if it does not have the view.
    /// - Complexity: as ``ViewMappings/advance(from:to:reloadAbove:)``, and O(*g* log *g*) in the number of groups for the
    ///   sections.
    public func show(_ other: Snapshot) throws {
        if other.isIdentical(to: snapshot) { return }
        let changes = try mappings.advance(from: snapshot, to: other)
        adopt(changes, other)
    }

    /// Shows more of a group at one end. See ``ViewMappings/extend(_:by:at:in:)``.
    ///
    ///     Button("Earlier") { _ = try? model.extend("chat", by: 50, at: .beginning) }
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - count: the number of rows to show in addition, not less than 0.
    ///   - side: the end, as the list shows it.
    /// - Throws: as ``ViewMappings/extend(_:by:at:in:)``: `extensionNotRegistered` if ``snapshot`` does not have the view, which
    ///   no model shows.
    /// - Complexity: O(*count* · log *n* + *g* log *g*) in the number of groups.
    @discardableResult
    public func extend(_ group: String, by count: Int, at side: ListRange.Side) throws -> ListExtension {
        let more = try mappings.extend(group, by: count, at: side, in: snapshot)
        adopt(more.changes, snapshot)
        return more
    }

    private func adopt(_ changes: ListChanges, _ snapshot: Snapshot) {
        self.snapshot = snapshot
        let sections = snapshot.sections(of: mappings)
        guard changes.hasChanges else {
            shownSections = sections
            return
        }
        self.changes = changes
        withMutation(keyPath: \.sections) { shownSections = sections }
    }

    /// The row at a path; `nil` if there is none. O(log *n*).
    public func row(at path: ListPath) -> View.Element? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.row) else {
            return nil
        }
        return sections[path.section][path.row]
    }
}
