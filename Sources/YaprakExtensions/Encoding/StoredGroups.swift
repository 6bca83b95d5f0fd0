import YaprakCBOR
import YaprakCore
import YaprakTrees

/// A view as it is stored: the keys of each group, in order.
struct StoredGroups: Codable {
    struct Group: Codable {
        var name: String
        /// Keys in order.
        var keys: [String]
        /// The collection of each key; left out if the view has one.
        var of: [UInt8]?

        mutating func append(_ row: RowID) {
            keys.append(row.key)
            of?.append(UInt8(clamping: row.collection))
        }
    }

    /// What is stored does not match the records or the view's code.
    struct SchemaMismatch: Error {}

    var collections: [String]
    var groups: [Group] = []
    /// Whether a row can be in several groups; left out if not.
    var several: Bool?
    /// The tags of the code of an ``AutoView``, of its groupings and then of its sorting, if they differ: no code that is
    /// registered under one tag makes these rows. Left out if they are the same.
    var tags: [String]?

    /// What a file has of a view.
    /// - Throws: ``SchemaMismatch`` if the parts don't fit together, what decoding throws.
    init(decoding bytes: [UInt8]) throws {
        self = try CBORDecoder().decode(Self.self, from: bytes)
        try validate()
    }

    /// Checks everything that a reader relies on.
    func validate() throws {
        guard Set(collections).count == collections.count, Set(groups.map(\.name)).count == groups.count else {
            throw SchemaMismatch()
        }
        for group in groups {
            if let of = group.of {
                guard of.count == group.keys.count, of.allSatisfy({ collections.indices.contains(Int($0)) }) else {
                    throw SchemaMismatch()
                }
            } else if collections.isEmpty, !group.keys.isEmpty {
                throw SchemaMismatch()
            }
        }
    }

    init(_ root: ViewRoot) {
        collections = root.configuration.collectionNames
        several = root.configuration.rowsHaveOnePlace ? nil : true
        tags = root.configuration.partTags
        let isMixed = collections.count > 1
        let hidden = root.hidden
        root.groups.forEach { row in
            let rows = unsafeDowncast(row, to: GroupRow.self).rows
            var group = Group(name: row.keyString, keys: [], of: isMixed ? [] : nil)
            group.keys.reserveCapacity(rows.count)
            var rest = hidden.rows(ofGroup: group.name)[...]
            var index = 0
            rows.forEach { row in
                while let next = rest.first, next.shownBefore <= index {
                    group.append(next.id)
                    rest.removeFirst()
                }
                index += 1
                group.keys.append(row.keyString)
                if isMixed { group.of?.append(UInt8(clamping: unsafeDowncast(row, to: Placement.self).collection)) }
            }
            for next in rest { group.append(next.id) }
            groups.append(group)
        }
        for name in hidden.groupNames.sorted() where root.group(name) == nil {
            var group = Group(name: name, keys: [], of: isMixed ? [] : nil)
            for row in hidden.rows(ofGroup: name) { group.append(row.id) }
            groups.append(group)
        }
    }

    /// The root over the records there are.
    ///
    /// - Parameters:
    ///   - groups: the groups of a record in the order in which the view has them. Only asked where there are several: what is
    ///     stored says which they are, and not which was the first.
    ///   - place: the placement of a record in a group.
    /// - Throws: ``SchemaMismatch`` if a record is missing, a group isn't in order or has a name that is not in NFC, or parts of
    ///   the code were exchanged; nothing was built then.
    func root(
        _ configuration: ViewConfiguration, in context: ExtensionContext,
        orderedBy groups: (RecordBox, Int) -> [String],
        _ place: (RecordBox, Int, String) -> Placement
    ) throws -> ViewRoot {
        if tags != nil { throw SchemaMismatch() }
        let seed = ViewSeed(collections: collections.count)
        // Everything is checked before anything is built.
        var places: [[String: [Placement]]] = Array(repeating: [:], count: collections.count)
        let order = configuration.order
        for group in self.groups {
            // Groups are found by the bytes of their names: one in another form than the code gives, as an older table made it,
            // is not found.
            guard group.name.utf8.elementsEqual(group.name.normalizedKey.utf8) else { throw SchemaMismatch() }
            var last: Placement?
            for (index, key) in group.keys.enumerated() {
                let collection = Int(group.of?[index] ?? 0)
                guard collections.indices.contains(collection),
                    let record = context.before.box(forKey: key, in: configuration.collections[collection])
                else { throw SchemaMismatch() }
                let placement = place(record, collection, group.name)
                if let last, order.compare(last, placement) >= 0 { throw SchemaMismatch() }
                places[collection][key, default: []].append(placement)
                seed.addToGroup(placement)
                last = placement
            }
        }
        for (collection, places) in places.enumerated() {
            context.before.tree(of: configuration.collections[collection]).forEach { row in
                guard let placements = places[row.keyString] else { return }
                guard placements.count > 1 else { return seed.addPlaces(placements) }
                let names = groups(placements[0].record, collection)
                let ranks = Dictionary(zip(names, names.indices), uniquingKeysWith: { $1 })
                // Stable, so that groups that the code does not give any more stay in order behind those that it does.
                seed.addPlaces(placements.sorted { ranks[$0.group, default: .max] < ranks[$1.group, default: .max] })
            }
        }
        return ViewRoot(seed, configuration, draft: context.draft, isSorted: true)
    }
}
