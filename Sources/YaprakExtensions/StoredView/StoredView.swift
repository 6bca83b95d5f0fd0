public import YaprakCore
package import YaprakTrees

/// A view as the files have it, without the code that made it: groups, positions, rows.
///
///     let sales = StoredView("salesRank")
///     let then = try reader.view("salesRank", at: 42)
///     for row in then["sci-fi"].prefix(20) { print(row.key, row.record.object) }
///
/// In a snapshot it is a view like any other: mappings and differences work with it. Such snapshots are read from files, by
/// `ReplayReader` of the library YaprakReplay. It can't be registered in a database: there is no code to keep it up to date. A
/// fork of such a snapshot does not have it.
/// A row in several groups has them in the order of their names, whatever the order of its view.
public struct StoredView: OrderedView {
    /// What a row is read as.
    public typealias Element = StoredRow

    /// The name under which the program registered it.
    public let name: String

    /// Whether its rows are placed explicitly, as far as the files say.
    let isManual: Bool

    /// The view that a program registered as `name`. O(1).
    public init(_ name: String) { self.init(name, isManual: false) }

    init(_ name: String, isManual: Bool) {
        self.name = name
        self.isManual = isManual
    }

    /// None.
    public var collectionNames: [String]? { [] }

    /// Not called: only the files keep it up to date.
    public func update(_ root: inout ViewRoot, for changes: NetChanges, in context: ExtensionContext) -> ViewChanges? {
        nil
    }
}

/// A row of a view without its types: a record as it stands on disk.
public struct StoredRow: ViewRow {
    /// The record.
    package let raw: RawRecord
    /// The name of the collection it is in.
    public let collectionName: String
    /// The group it is in.
    public let group: String

    /// The row of a record in a view. O(1).
    public init(_ record: ViewRecord) {
        // The rows of such a view are raw, always.
        raw =
            record.placement.record as? RawRecord
            ?? RawRecord(key: record.placement.key, object: [0xf7], metadata: nil, version: 1)
        collectionName = record.collection.text
        group = record.placement.group
    }

    /// The key, in NFC. O(1).
    public var key: String { raw.key }
}

extension StoredView: TreeBackedExtension, ReplayedExtension {
    package struct Seed: Sendable {}
    struct ViewIsReadOnly: Error {}

    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) throws { throw ViewIsReadOnly() }
    package func build(_ seed: Seed, in context: ExtensionContext) throws -> ViewRoot { throw ViewIsReadOnly() }
    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot { throw ViewIsReadOnly() }
    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { root.configuration.versionTag }
}

/// What the files have of a view's configuration.
final class StoredConfiguration: ViewConfiguration, @unchecked Sendable {
    override package var rowsHaveOnePlace: Bool { !hasSeveral }
    private let hasSeveral: Bool

    init(versionTag: String, of names: [String], order: PlacementOrder, hasSeveral: Bool) {
        self.hasSeveral = hasSeveral
        super.init(versionTag: versionTag, of: names.map { CollectionTypes(untyped: $0) }, order: order)
    }
}
