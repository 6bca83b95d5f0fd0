import YaprakCBOR
public import YaprakCore
package import YaprakTrees

extension AutoView: TreeBackedExtension {
    package func makeSeed() -> UnsortedRows { UnsortedRows(configuration.order) }

    package func gather(_ changes: NetChanges, into seed: inout UnsortedRows) {
        for (collection, types) in configuration.collections.enumerated() {
            guard let boxes = changes.boxes(in: types) else { continue }
            for entry in boxes.entries {
                guard let record = entry.after, !(record is RawRecord) else { continue }
                configuration.add(record, collection, to: seed)
            }
        }
    }

    package func build(_ seed: UnsortedRows, in context: ExtensionContext) -> ViewRoot {
        configuration.root(of: seed, draft: context.draft)
    }

    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }

    package func versionTag(of root: ViewRoot) -> String { root.configuration.versionTag }

    /// The bytes of the view for a checkpoint; `nil` if it isn't persistent. O(number of rows).
    public func encode(_ root: ViewRoot) throws -> [UInt8]? {
        persistence == .rebuilt ? nil : try CBOREncoder().encode(StoredGroups(root))
    }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        let stored = try StoredGroups(decoding: bytes)
        guard stored.collections == configuration.collectionNames else { throw StoredGroups.SchemaMismatch() }
        return try stored.root(
            configuration, in: context, orderedBy: { configuration.groupings[$1].names($0).all },
            { configuration.sortings[$1].place($0, $1, $2, Touches()) })
    }
}

extension AutoConfiguration {
    /// Adds a record, if it belongs to a group.
    func add(_ record: RecordBox, _ collection: Int, to rows: UnsortedRows) {
        rows.add(record, collection, in: groupings[collection].names(record), sortedBy: sortings[collection])
    }

    /// The root of the rows that were added. Closures are called only to compare.
    func root(of rows: UnsortedRows, draft: TreeDraft) -> ViewRoot {
        ViewRoot(rows.sorted(collections: collectionNames.count), self, draft: draft, isSorted: true)
    }
}
