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

    /// One reference, because a changeset keeps the changes of extensions without their types: what is larger than three words
    /// would be put into a box there, and copied for each. `nil` as long as nothing changed.
    private var fields: Fields?

    /// Changed only while one value has it; that is the whole of the @unchecked.
    private final class Fields: @unchecked Sendable {
        @exclusivity(unchecked) var clearedCollections: [Int] = []
        @exclusivity(unchecked) var rows: OneOrMany<RowChange> = []
        @exclusivity(unchecked) var touched: [RowChange] = []
        @exclusivity(unchecked) var reordering: ViewConfiguration?
        @exclusivity(unchecked) var regrouping: ViewConfiguration?

        init() {}

        init(copying other: Fields) {
            clearedCollections = other.clearedCollections
            rows = other.rows
            touched = other.touched
            reordering = other.reordering
            regrouping = other.regrouping
        }
    }

    init() {}

    /// What may be changed: of this value alone.
    private var own: Fields {
        mutating get {
            if fields == nil {
                fields = Fields()
            } else if !isKnownUniquelyReferenced(&fields) {
                fields = Fields(copying: fields!)
            }
            return fields!
        }
    }

    /// Collections all rows of which were taken out at once, before the changes of single rows.
    package var clearedCollections: [Int] { fields?.clearedCollections ?? [] }
    /// In the order in which they happened; a row may be there more than once.
    package var rows: OneOrMany<RowChange> { fields?.rows ?? [] }
    /// Rows that were touched in this view alone.
    package var touched: [RowChange] { fields?.touched ?? [] }
    /// Set if all rows were put in another order: the configuration of the view from now on.
    package var reordering: ViewConfiguration? {
        get { fields?.reordering }
        set { own.reordering = newValue }
    }
    /// Set if rows may be in several groups from now on, or in one at most, whether or not any moved: the configuration.
    package var regrouping: ViewConfiguration? {
        get { fields?.regrouping }
        set { own.regrouping = newValue }
    }

    mutating func noteClear(of collection: Int) { own.clearedCollections.append(collection) }
    mutating func note(_ change: RowChange) { own.rows.append(change) }
    mutating func noteTouch(_ change: RowChange) { own.touched.append(change) }

    /// The number of rows that came, moved, changed and went one by one.
    public var rowCount: Int { fields.map { $0.rows.count + $0.touched.count } ?? 0 }

    /// Whether nothing changed.
    package var isEmpty: Bool { fields == nil }
}
