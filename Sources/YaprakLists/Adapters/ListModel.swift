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
@MainActor @Observable
public final class ListModel<View: OrderedView> {
    /// What the list shows.
    public private(set) var sections: [ListSection<View>]
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
    /// - Complexity: O(number of groups).
    public init(_ mappings: ViewMappings<View>, in database: Database) throws {
        var mappings = mappings
        let snapshot = database.snapshot
        try mappings.update(to: snapshot)
        self.mappings = mappings
        self.snapshot = snapshot
        snapshots = database.snapshots
        sections = snapshot.sections(of: mappings)
    }

    /// Keeps the list up to date until the database closes or the task is cancelled.
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` once the view is not registered any more.
    public func follow() async throws {
        for await newest in snapshots { try show(newest) }
    }

    /// Shows another snapshot: the newest, or any other.
    ///
    /// - Throws: ``DatabaseError`` with the code `extensionNotRegistered` if it does not have the view.
    /// - Complexity: as ``ViewMappings/advance(from:to:reloadAbove:)``.
    public func show(_ other: Snapshot) throws {
        if other.isIdentical(to: snapshot) { return }
        let changes = try mappings.advance(from: snapshot, to: other)
        adopt(changes, other)
    }

    /// Shows more of a group at one end. See ``ViewMappings/extend(_:by:at:in:)``.
    ///
    ///     Button("Earlier") { _ = try? model.extend("chat", by: 50, at: .beginning) }
    @discardableResult
    public func extend(_ group: String, by count: Int, at side: ListRange.Side) throws -> ListExtension {
        let more = try mappings.extend(group, by: count, at: side, in: snapshot)
        adopt(more.changes, snapshot)
        return more
    }

    private func adopt(_ changes: ListChanges, _ snapshot: Snapshot) {
        self.snapshot = snapshot
        guard changes.hasChanges else { return }
        self.changes = changes
        sections = snapshot.sections(of: mappings)
    }

    /// The row at a path; `nil` if there is none. O(log *n*).
    public func row(at path: ListPath) -> View.Element? {
        guard sections.indices.contains(path.section), sections[path.section].indices.contains(path.row) else {
            return nil
        }
        return sections[path.section][path.row]
    }
}
