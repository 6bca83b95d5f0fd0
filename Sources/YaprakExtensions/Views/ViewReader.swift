public import YaprakCore
import YaprakTrees

/// A view as one snapshot has it: groups of rows.
///
///     let view = database.snapshot[salesRank]
///     view.groupNames                      // ["fantasy", "sci-fi"]
///     view["sci-fi"].count                 // O(1)
///     view["sci-fi"][3].object.title
///     view.place(of: "abc")                // (group: "sci-fi", index: 3)
///
/// A value that keeps its snapshot; O(1) to take, to copy and to keep. Nothing in it is computed on demand.
public struct ViewReader<Element: ViewRow>: Sendable {
    /// The view without the types of its rows.
    package let state: ViewState

    package init(_ state: ViewState) { self.state = state }

    // MARK: Groups

    /// The names of the groups, in ascending order of their bytes. Groups have no other order. O(number of groups).
    public var groupNames: [String] { state.groupNames }

    /// The number of groups. O(1).
    public var groupCount: Int { state.root.groups.count }

    /// The number of rows in all groups. O(1).
    public var count: Int { state.root.count }

    /// Whether there is no row. O(1).
    public var isEmpty: Bool { count == 0 }

    /// The number of rows in a group; 0 if there is no such group. O(log *groups*).
    public func count(of group: String) -> Int { state.count(ofGroup: group) }

    /// Whether there is a row in a group. O(log *groups*).
    public func contains(group: String) -> Bool { count(of: group) > 0 }

    /// The rows of a group, in order; empty if there is no such group. O(log *groups*).
    public subscript(group: String) -> ViewGroup<Element> { ViewGroup(state, named: group) }

    /// All groups with their rows, in ascending order of their names.
    public var groups: some Sequence<ViewGroup<Element>> { groupNames.lazy.map { self[$0] } }

    /// The version tag of the code that grouped, sorted or filtered this snapshot's rows.
    public var versionTag: String { state.root.configuration.versionTag }

    /// The names of the collections the rows come from.
    public var collectionNames: [String] { state.root.configuration.collectionNames }
}

// MARK: - Where a record is

extension ViewReader {
    /// Where the record under `key` is, if the view has it.
    ///
    /// In a view that puts rows into several groups: the first place; see ``places(of:)``. In a view of several
    /// collections: of the first of them that has the key in the view; see ``place(of:in:)``.
    /// - Complexity: O(log *n*).
    public func place(of key: String) -> (group: String, index: Int)? {
        for collection in collectionNames.indices {
            if let place = state.place(of: RowID(collection: collection, key: key.normalizedKey)).first { return place }
        }
        return nil
    }

    /// Where the record under `key` of a collection is, if the view has it. O(log *n*).
    public func place<Object, Metadata>(
        of key: String, in collection: RecordCollection<Object, Metadata>
    ) -> (group: String, index: Int)? { places(of: key, in: collection).first }

    /// Every place of the record under `key`: one in most views, several where rows are put into several groups.
    /// - Complexity: O(log *n*) each.
    public func places(of key: String) -> [(group: String, index: Int)] {
        collectionNames.indices.flatMap { state.place(of: RowID(collection: $0, key: key.normalizedKey)) }
    }

    /// Every place of the record under `key` of a collection. O(log *n*) each.
    public func places<Object, Metadata>(
        of key: String, in collection: RecordCollection<Object, Metadata>
    ) -> [(group: String, index: Int)] {
        // Rows that are no records are in no collection, also if there is one of that name.
        guard state.root.configuration.rowsAreRecords, let number = collectionNames.firstIndex(of: collection.name)
        else { return [] }
        return state.place(of: RowID(collection: number, key: key.normalizedKey))
    }

    /// The group the record under `key` is in, the first of several. O(log *n*), without looking for its index.
    public func group(of key: String) -> String? {
        for collection in collectionNames.indices {
            let row = RowID(collection: collection, key: key.normalizedKey)
            if let placement = state.placements(of: row).first { return placement.group }
        }
        return nil
    }

    /// Whether the view has the record under `key`. O(log *n*).
    public func contains(key: String) -> Bool { group(of: key) != nil }

    /// About how much has changed in the view between two snapshots: the rows and groups that came, changed and went,
    /// commit by commit, without taking together what cancels out. Enough to choose between animating and reloading.
    ///
    /// It is a difference of two counts, of snapshots of one database between which the view stayed registered. Of a fork and
    /// its origin, or of before and after a registration, both counts may be the same where everything differs.
    /// - Complexity: O(1), a subtraction.
    public func rawChangeCount(since earlier: ViewReader) -> Int { state.rawChangeCount(since: earlier.state) }
}
