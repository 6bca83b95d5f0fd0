import YaprakCore
import YaprakTrees

/// What a view is made of: placements by group, sorted or not, and places.
///
/// A class, because it grows and is never shared.
package final class ViewSeed: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    private var numbers: [String: Int] = [:]
    private var latest: (name: String, number: Int)?
    private(set) var names: [String] = []
    private(set) var placements: [[Placement]] = []
    /// The rows of each collection, in ascending order of their keys.
    private(set) var places: [[PlaceRow]]

    init(collections: Int) { places = Array(repeating: [], count: collections) }

    /// Adds a row; rows of a collection come in ascending order of their keys.
    func add(_ placement: Placement) {
        addToGroup(placement)
        places[placement.collection].append(placement)
    }

    /// Says where a row is that is, or will be, in its groups.
    func addPlaces(_ several: some Collection<Placement>) {
        guard let first = several.first else { return }
        places[first.collection].append(several.count == 1 ? first : SeveralPlaces(first, Array(several.dropFirst())))
    }

    /// Adds a group that is not there yet.
    func addGroup(_ name: String, _ placements: [Placement]) {
        numbers[name] = names.count
        names.append(name)
        self.placements.append(placements)
    }

    /// Adds a placement to its group, behind all that are there.
    func addToGroup(_ placement: Placement) {
        if let latest, latest.name == placement.group {
            placements[latest.number].append(placement)
            return
        }
        let number: Int
        if let known = numbers[placement.group] {
            number = known
        } else {
            number = names.count
            names.append(placement.group)
            placements.append([])
            numbers[placement.group] = number
        }
        latest = (placement.group, number)
        placements[number].append(placement)
    }
}

extension ViewRoot {
    /// A root of what was gathered; in a writer's turn. Closures are called only to compare.
    ///
    /// - Parameter isSorted: the rows of each group stand in the right sequence already.
    init(_ seed: ViewSeed, _ configuration: ViewConfiguration, draft: TreeDraft, isSorted: Bool = false) {
        self.init(configuration: configuration)
        let order = configuration.order
        let ascending = seed.names.indices
            .sorted { seed.names[$0].utf8.lexicographicallyPrecedes(seed.names[$1].utf8) }
            .map { number in
                let placements = isSorted ? seed.placements[number] : order.sorted(seed.placements[number])
                return GroupRow(name: seed.names[number], rows: draft.tree(of: placements, order: order))
            }
        groups = draft.tree(ofKeyed: ascending)
        // After the groups, so that a placement that stands in both has been born.
        for (collection, rows) in seed.places.enumerated() { places[collection] = draft.tree(ofKeyed: rows) }
        count = seed.placements.reduce(0) { $0 + $1.count }
    }
}

extension TreeDraft {
    /// A tree of rows that should stand in the order of their keys; one by one if they don't.
    func tree(ofKeyed rows: [KeyedRow]) -> TreeRoot {
        if let root = try? build(fromKeyed: rows) { return root }
        var root = TreeRoot()
        for row in rows { insert(row, into: &root) }
        return root
    }
}

extension PlacementOrder {
    /// Placements in order. Compares words as long as they differ.
    func sorted(_ placements: [Placement]) -> [Placement] {
        struct Item {
            let word: UInt64
            let index: Int
        }
        var items = placements.indices.map { Item(word: prefix(of: placements[$0]), index: $0) }
        items.sort { a, b in
            a.word != b.word ? a.word < b.word : compare(placements[a.index], placements[b.index]) < 0
        }
        return items.map { placements[$0.index] }
    }
}
