internal import YaprakCore
internal import YaprakReplay

/// Databases as text that a person reviews: records with their fields, and the rows of views.
///
///     books
///       dune
///         salesRank: 3
///         title: "Dune"
///     view bySalesRank
///       sci-fi: dune
enum SnapshotText {
    /// So many records are shown; nobody reviews more.
    static let recordsMax = 1_000

    /// The lines of a snapshot.
    static func lines(of snapshot: Snapshot, collections: [String]?, withViews: Bool) -> [String] {
        var lines: [String] = []
        for name in collections?.sorted() ?? snapshot.collectionNames {
            lines.append(RecordText.key(name))
            for record in snapshot.untyped(name) { lines += RecordText.fields(of: record, indentation: "  ") }
        }
        if withViews { lines += ViewText.lines(of: snapshot) }
        return lines.isEmpty ? ["(empty)"] : lines
    }

    /// Whether and which views are looked at.
    enum Views {
        case none, ofBoth, all
    }

    /// The lines of what differs between two snapshots.
    static func differences(from before: Snapshot, to after: Snapshot, views: Views) -> [String] {
        let records = RecordText.lines(of: changes(from: before, to: after))
        if views == .none { return records }
        return records + ViewText.differences(from: before, to: after, namingOthers: views == .all)
    }

    /// The records that differ, in order.
    static func changes(from before: Snapshot, to after: Snapshot) -> [ReplayChange] {
        // Those of one database and its forks share what they have in common.
        if after.isRelated(to: before) { return Array(ReplayChanges(from: before, to: after)) }
        // Those of others have the same bytes only where their versions and coders are the same.
        return Set(before.collectionNames).union(after.collectionNames).sorted().flatMap { name in
            ReplayChange.changes(inCollectionNamed: name, from: before, to: after, checking: {})
        }
    }
}
