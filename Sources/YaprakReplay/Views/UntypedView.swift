import YaprakCBOR
public import YaprakCore
public import YaprakExtensions
import YaprakModel
import YaprakTrees

extension Snapshot {
    /// The names of the views in this snapshot, in the order in which they were registered or found in the files.
    ///
    /// - Complexity: O(number of extensions).
    public var untypedViewNames: [String] { extensionNames.filter { root(ofExtensionNamed: $0) is ViewRoot } }

    /// A view of this snapshot, whatever its type: groups, and the records in them.
    ///
    ///     let cursor = try reader.cursor(at: 42, followingViews: true)
    ///     let sales = cursor.snapshot.untypedView("salesRank")
    ///     for row in sales?.rows(ofGroup: "sci-fi", at: 0..<20) ?? [] { print(row.key, row.record.object) }
    ///
    /// Works in the snapshots of a program, and in those of a ``HistoryCursor`` that follows views.
    /// - Returns: `nil` if the snapshot has no such view.
    /// - Complexity: O(1).
    public func untypedView(_ name: String) -> UntypedView? {
        guard let root = root(ofExtensionNamed: name) as? ViewRoot else { return nil }
        return UntypedView(name: name, state: ViewState(snapshot: self, root: root))
    }
}

/// A view in one snapshot, without the program's types: groups of rows, and where records are.
///
/// A value that keeps its snapshot. Nothing in it is computed on demand.
public struct UntypedView: Sendable {
    /// The name under which the program registered it.
    public let name: String
    let state: ViewState

    /// The snapshot. O(1).
    public var snapshot: Snapshot { state.snapshot }
    /// The names of the groups, in ascending order of their bytes. O(number of groups).
    public var groupNames: [String] { state.groupNames }
    /// The number of groups. O(1).
    public var groupCount: Int { state.root.groups.count }
    /// The number of rows in all groups. O(1).
    public var count: Int { state.root.count }
    /// The number of rows in a group; 0 if there is no such group. O(log *groups*).
    public func count(ofGroup name: String) -> Int { state.count(ofGroup: name) }
    /// The names of the collections the rows come from.
    public var collectionNames: [String] { state.root.configuration.collectionNames }
    /// The version tag of the code that grouped and sorted the rows.
    public var versionTag: String { state.root.configuration.versionTag }

    /// Some rows of a group, in its order. Positions that the group does not have are left out.
    ///
    /// - Complexity: O(log *n*) for each row.
    public func rows(ofGroup group: String, at positions: Range<Int>) -> [UntypedRow] {
        let wanted = positions.clamped(to: 0..<state.count(ofGroup: group))
        return wanted.map { index in
            let placement = state.placement(inGroup: group, at: index)
            return UntypedRow(
                collectionName: collectionNames[placement.row.collection], group: placement.group, index: index,
                key: placement.key, snapshot: snapshot)
        }
    }

    /// Where a record of a collection is in the view: one place in most views. O(log *n*) each.
    public func places(ofKey key: String, inCollectionNamed name: String) -> [(group: String, index: Int)] {
        guard let number = collectionNames.firstIndex(of: name) else { return [] }
        return state.place(of: RowID(collection: number, key: key.normalizedKey))
    }

    /// Where a record stands, between which others, and by what it was sorted there, if the view knows.
    ///
    ///     for place in sales.explain(key: "abc", inCollectionNamed: "books") { print(place) }
    ///
    /// - Returns: none if the record is not in the view. - Complexity: O(log *n*) each.
    public func explain(key: String, inCollectionNamed name: String) -> [ViewExplanation.Place] {
        guard let number = collectionNames.firstIndex(of: name) else { return [] }
        return state.placements(of: RowID(collection: number, key: key.normalizedKey)).map { state.describe($0) }
    }
}

/// A row of a view without the program's types.
public struct UntypedRow: Sendable {
    /// The name of the collection the record is in.
    public let collectionName: String
    /// The group the row is in.
    public let group: String
    /// The position in the group.
    public let index: Int
    /// The record's key, in NFC.
    public let key: String
    let snapshot: Snapshot

    /// The record. O(log *n*); a record of a type is encoded.
    public var record: ReplayRecord? { snapshot.untyped(collectionName)[key] }
}
