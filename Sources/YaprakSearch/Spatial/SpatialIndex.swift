public import YaprakCore
package import YaprakTrees

/// Finds records by where they are: in a box, within a distance, nearest first.
///
///     let places = SpatialIndex("cities.place", of: .cities, at: \.coordinate)
///     try await database.register(places)
///
///     let reader = database.snapshot[places]
///     for hit in reader.nearest(5, to: GeoCoordinate(latitude: 41, longitude: 29)) { print(hit.key, hit.distance) }
///
/// Part of the snapshot, and updated in the same commit as the records. A record whose place is `nil`, or no place
/// (``GeoCoordinate/isValid``), is not in the index. Nothing is stored in files: it is made again at each launch, in about
/// 1 µs for each record.
///
/// - Complexity: a record that moves costs O(log *n*) and two pages of up to 64 places.
public struct SpatialIndex<Object: Codable & Sendable, Metadata: Codable & Sendable>: DatabaseExtension {
    /// What is read through.
    public typealias Reader = SpatialReader<Object, Metadata>
    /// What one commit changed; not reported.
    public typealias Changes = Never

    /// The name under which it is registered.
    public let name: String
    /// Says which code computes places; see ``DatabaseExtension/versionTag``.
    public let versionTag: String
    let collection: RecordCollection<Object, Metadata>
    private let place: @Sendable (Object) -> GeoCoordinate?
    private let types: CollectionTypes

    /// An index of the places of a collection's records.
    ///
    ///     SpatialIndex("cities.place", of: .cities) { GeoCoordinate(latitude: $0.latitude, longitude: $0.longitude) }
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - versionTag: says which code computes places.
    ///   - collection: the collection whose records are found.
    ///   - place: where a record is; a key path or a closure. Must depend on the object alone.
    public init(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        at place: @escaping @Sendable (_ object: Object) -> GeoCoordinate?
    ) {
        self.name = name
        self.versionTag = versionTag
        self.collection = collection
        self.place = place
        types = CollectionTypes(collection)
    }

    /// The collection whose records are found.
    public var collectionNames: [String]? { [collection.name] }

    /// The root over an empty database.
    public func makeRoot() -> SpatialRoot { SpatialRoot() }

    /// Follows the places of changed records.
    public func update(_ root: inout SpatialRoot, for changes: NetChanges, in context: ExtensionContext) -> Never? {
        guard let boxes = changes.boxes(in: types) else { return nil }
        if boxes.isCleared {
            for var tree in root.trees { context.draft.clear(&tree) }
            root = SpatialRoot()
        }
        var editor = SpatialEditor(root, draft: context.draft)
        for entry in boxes.entries { editor.follow(entry.key, to: place(of: entry.after)) }
        root = editor.root
        return nil
    }

    private func place(of box: RecordBox?) -> GeoCoordinate? {
        guard let box, !(box is RawRecord), let found = box.lendObject(to: place), found.isValid
        else { return nil }
        return found.normalized
    }

    /// What is read through. O(1).
    public func reader(of root: SpatialRoot, in snapshot: Snapshot) -> SpatialReader<Object, Metadata> {
        SpatialReader(index: self, root: root, snapshot: snapshot)
    }
}

extension SpatialIndex: TreeBackedExtension {
    /// The places of the records, in ascending order of their keys.
    package struct Seed: Sendable {
        var places: [(key: String, place: GeoCoordinate)] = []
    }

    package func makeSeed() -> Seed { Seed() }

    package func gather(_ changes: NetChanges, into seed: inout Seed) {
        guard let boxes = changes.boxes(in: types) else { return }
        for entry in boxes.entries {
            if let place = place(of: entry.after) { seed.places.append((entry.key, place)) }
        }
    }

    package func build(_ seed: Seed, in context: ExtensionContext) -> SpatialRoot {
        SpatialRoot(seed.places, draft: context.draft)
    }

    struct NothingIsStored: Error {}

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> SpatialRoot {
        throw NothingIsStored()
    }
    package func trees(of root: SpatialRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: SpatialRoot) -> String { versionTag }
}
