package import YaprakCore
package import YaprakTrees

/// The state of a view in one snapshot. Opaque; read it through ``ViewReader``.
///
///     groups ──▶ "fantasy" ──▶ rows in order          a tree of groups by name, each with the tree of its rows
///                "sci-fi"  ──▶ rows in order
///     places ──▶ key ──▶ where the record was put     one tree per collection of the view
///
/// One reference: every reader, every group and every cursor of a view has a root, and a copy counts once.
public struct ViewRoot: Sendable {
    private var fields: Fields

    /// Changed only while one root has it; that is the whole of the @unchecked.
    private final class Fields: @unchecked Sendable {
        @exclusivity(unchecked) var groups = TreeRoot()
        @exclusivity(unchecked) var places: OneOrMany<TreeRoot>
        @exclusivity(unchecked) var configuration: ViewConfiguration
        @exclusivity(unchecked) var count = 0
        @exclusivity(unchecked) var rawOperations = 0
        @exclusivity(unchecked) var identity: ViewIdentity
        @exclusivity(unchecked) var absent = AbsentRows()

        init(_ configuration: ViewConfiguration) {
            self.configuration = configuration
            identity = .next()
            places = OneOrMany(repeatElement(TreeRoot(), count: configuration.collectionNames.count))
        }

        init(copying other: Fields) {
            groups = other.groups
            places = other.places
            configuration = other.configuration
            count = other.count
            rawOperations = other.rawOperations
            identity = other.identity
            absent = other.absent
        }
    }

    init(configuration: ViewConfiguration) { fields = Fields(configuration) }

    /// What may be changed: of this root alone. While one field is being changed, no other may be: that would find two
    /// references, and change a copy.
    @inline(__always)
    private var own: Fields {
        mutating get {
            if !isKnownUniquelyReferenced(&fields) { fields = Fields(copying: fields) }
            return fields
        }
    }

    /// Groups by name.
    package var groups: TreeRoot {
        get { fields.groups }
        _modify { yield &own.groups }
    }
    /// Where each record was put, one tree per collection.
    package var places: OneOrMany<TreeRoot> {
        get { fields.places }
        _modify { yield &own.places }
    }
    /// How rows are grouped, sorted and filtered in this snapshot.
    package var configuration: ViewConfiguration {
        get { fields.configuration }
        set { own.configuration = newValue }
    }
    /// The number of rows in all groups.
    package var count: Int {
        get { fields.count }
        _modify { yield &own.count }
    }
    /// Rows and groups that came, changed and went since the view was registered; only differences mean something.
    package var rawOperations: Int {
        get { fields.rawOperations }
        _modify { yield &own.rawOperations }
    }
    /// Which root it is: copies have the same, and so have all snapshots between two changes of the view.
    package internal(set) var identity: ViewIdentity {
        get { fields.identity }
        set { own.identity = newValue }
    }
    /// What is kept of rows that it does not show.
    var absent: AbsentRows {
        get { fields.absent }
        set { own.absent = newValue }
    }
    /// The touches of rows that were explicitly removed, for when they are inserted again.
    var departed: DepartedTouches {
        get { fields.absent.departed }
        set { own.absent.departed = newValue }
    }
    /// Rows of a manual view whose records are set aside.
    var hidden: HiddenRows {
        get { fields.absent.hidden }
        set { own.absent.hidden = newValue }
    }

    struct RequiresPopulation: Error {}

    package var trees: [TreeRoot] { Array(places) + [groups] }

    package func group(_ name: String) -> GroupRow? {
        groups.lookup(name).map { unsafeDowncast($0, to: GroupRow.self) }
    }

    package func place(of row: RowID) -> PlaceRow? {
        guard places.indices.contains(row.collection) else { return nil }
        return places[row.collection].lookup(row.key).map { unsafeDowncast($0, to: PlaceRow.self) }
    }

    /// The index of a placement in its group.
    package func index(of placement: Placement) -> Int? {
        group(placement.group)?.rows.position(of: placement, order: configuration.order)
    }
}

/// The code in force for a view: an immutable object, so that it is known by its identity.
package class ViewConfiguration: @unchecked Sendable {
    // Subclasses hold only immutable Sendable state; that is the whole of the @unchecked.
    package final let versionTag: String
    /// The view's collections; a collection's number in the view is its index here.
    final let collections: [CollectionTypes]
    /// Their names.
    package final let collectionNames: [String]
    /// The same, as rows have them.
    final let rowCollections: [CollectionName]
    /// The order of rows in each group. The same object means the same order.
    package final let order: PlacementOrder

    /// Whether a record is in one group at most, so that a change of groups is a move.
    package var rowsHaveOnePlace: Bool { true }
    /// Whether each row is the record of a collection; otherwise the view has made it.
    package var rowsAreRecords: Bool { true }
    /// The tags of the code that is in force, part by part, if parts were exchanged and have not all got the same; else `nil`.
    var partTags: [String]? { nil }
    /// What the view has made for a row; `nil` if the row is a record.
    package func madeObject(of placement: Placement) -> (any Codable & Sendable & Equatable)? { nil }

    init(versionTag: String = "", of collections: [CollectionTypes], order: PlacementOrder = PlacementOrder()) {
        self.versionTag = versionTag
        self.collections = collections
        collectionNames = collections.map(\.name)
        rowCollections = collectionNames.map { CollectionName($0) }
        self.order = order
    }
}
