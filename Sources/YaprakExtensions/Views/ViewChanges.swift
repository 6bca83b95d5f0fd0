package import YaprakCore

/// What one commit changed in a view: which rows came, moved, changed and went.
///
/// For derived views, and for a count. A list gets its changes by comparing two snapshots.
public struct ViewChanges: Sendable {
    /// A row's places before and after.
    package struct RowChange: Sendable {
        package let row: RowID
        /// `nil` if it was not in the view.
        package let before: PlaceRow?
        /// `nil` if it is not in the view any more.
        package let after: PlaceRow?
        /// What happened to its record.
        package let kinds: ChangeKinds
    }

    /// Collections all rows of which were taken out at once, before the changes of single rows.
    package var clearedCollections: [Int] = []
    /// In the order in which they happened; a row may be there more than once.
    package var rows: [RowChange] = []
    /// Rows that were touched in this view alone.
    package var touched: [RowChange] = []
    /// Set if all rows were put in another order: the configuration of the view from now on.
    package var reordering: ViewConfiguration?
    /// Set if rows may be in several groups from now on, or in one at most, whether or not any moved: the configuration.
    package var regrouping: ViewConfiguration?

    init() {}

    /// The number of rows that came, moved, changed and went one by one.
    public var rowCount: Int { rows.count + touched.count }

    package var isEmpty: Bool {
        clearedCollections.isEmpty && rows.isEmpty && touched.isEmpty && reordering == nil && regrouping == nil
    }
}
