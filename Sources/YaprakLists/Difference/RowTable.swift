package import YaprakExtensions

/// The keys of all rows of a state of a view in their order, in flat memory: made once, for the choices of a list in that state.
///
///     groups   AD │ AE │ AF …
///     starts   0  │ 3  │ 11 …
///     keys     k12 k7 k40 │ k3 …          one group after the other
///
/// A row is known by its place, counted through all groups. No record is kept alive.
package final class RowTable: Sendable {
    private let identity: ViewIdentity
    /// The names of the view's groups, ascending by their bytes.
    package let groupNames: [String]
    /// The place at which each group begins, then the number of all rows.
    package let starts: [Int]
    let keys: [String]
    /// The number of each row's collection; empty if there is only one.
    private let collections: [UInt32]
    /// What the changes of each group's rows of the first collection have in common; empty if there are many groups.
    private let contexts: [RowChange.Context]
    /// Of so many groups these are kept: a keystroke would make them for nearly all. Of more, it concerns a part.
    private static let contextsMax = 1000

    /// - Parameter body: gets each row and its place.
    /// - Complexity: O(rows).
    package init(_ state: ViewState, _ body: (Placement, Int) -> Void) {
        identity = state.root.identity
        let names = state.groupNames
        let configuration = state.root.configuration
        let isOfSeveral = configuration.collectionNames.count > 1
        var starts: [Int] = []
        var keys: [String] = []
        var collections: [UInt32] = []
        starts.reserveCapacity(names.count + 1)
        keys.reserveCapacity(state.root.count)
        if isOfSeveral { collections.reserveCapacity(state.root.count) }
        for name in names {
            starts.append(keys.count)
            state.forEachPlacement(ofGroup: name) { placement in
                body(placement, keys.count)
                let row = placement.row
                keys.append(row.key)
                if isOfSeveral { collections.append(UInt32(row.collection)) }
            }
        }
        starts.append(keys.count)
        groupNames = names
        self.starts = starts
        self.keys = keys
        self.collections = collections
        let kept = names.count <= Self.contextsMax ? names : []
        contexts = kept.map { name in
            RowChange.Context(
                group: name, oldGroup: name, collection: 0, collectionName: configuration.collectionNames[0],
                rowsHaveOnePlace: configuration.rowsHaveOnePlace)
        }
    }

    /// The number of rows in all groups.
    package var count: Int { keys.count }

    /// The number of a row's collection in the view.
    @inline(__always)
    func collection(ofRowAt place: Int) -> Int { collections.isEmpty ? 0 : Int(collections[place]) }

    /// What the changes of a group's rows of the first collection have in common, if it is at hand.
    func context(ofGroup number: Int) -> RowChange.Context? { contexts.isEmpty ? nil : contexts[number] }

    /// Whether these are the rows of a state.
    func isTable(of state: ViewState) -> Bool { identity == state.root.identity }
}
