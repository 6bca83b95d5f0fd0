public import YaprakCore

/// A view: rows of one or several collections, in groups, each group in an order. Part of every snapshot.
///
///     let fantasy = database.snapshot[salesRank]["fantasy"]
///     for row in fantasy.prefix(20) { print(row.object.title) }
///
/// A dictionary from names of groups to lists of rows, kept up to date in the same commit as the records. A group exists
/// as long as there is a row in it.
///
/// A record's places in an ``AutoView`` depend on that record alone and on the code that is in force: the view follows from the
/// records of its snapshot, the same after a rebuild, a replay, a fork. Views of another view follow from that one, and a
/// ``JoinedView`` from both of its collections. A ``ManualView`` has been arranged, and grouping, sorting and filters that were
/// exchanged in a write are those of registration again after a launch.
///
/// ``AutoView`` groups and sorts by closures, ``ManualView`` is arranged explicitly, ``FilteredView`` leaves out rows of
/// another view, ``AggregateView`` has a row for each group of one. Not a protocol to conform to outside of this package.
public protocol OrderedView: DatabaseExtension
where Root == ViewRoot, Changes == ViewChanges, Reader == ViewReader<Element> {
    /// What a row is read as: ``Record`` in a view of one collection, ``MixedRecord`` in a view of several.
    associatedtype Element: ViewRow
}

extension OrderedView {
    /// What one reads through. O(1).
    public func reader(of root: ViewRoot, in snapshot: Snapshot) -> ViewReader<Element> {
        ViewReader(ViewState(snapshot: snapshot, root: root))
    }

    /// The root over an empty database has no rows; but a view is computed from records, so this one is not used.
    public func makeRoot() -> ViewRoot { ViewRoot(configuration: ViewConfiguration(of: [])) }

    /// Not called: a view's root is changed where there is a draft.
    public func decode(_ bytes: [UInt8]) throws -> ViewRoot { throw ViewRoot.RequiresPopulation() }
}
