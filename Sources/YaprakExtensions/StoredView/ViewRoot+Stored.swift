import YaprakCore
import YaprakTrees

extension ViewRoot {
    /// The parts of what the files have of a view don't fit together.
    struct InconsistentHistory: Error {
        let what: String
    }

    /// The root of a view that a file has as a whole.
    ///
    /// - Parameters:
    ///   - skipsMissing: leave out rows whose record is not there, as a manual view does.
    ///   - touches: when a row was touched.
    /// - Throws: ``InconsistentHistory`` if a record is not there, or a row twice in a group; nothing was built then.
    init(
        _ stored: StoredGroups, versionTag: String, skipsMissing: Bool, in state: ReplayObserverState,
        touches: (RowID, _ group: String) -> Touches = { _, _ in Touches() }
    ) throws {
        let seed = ViewSeed(collections: stored.collections.count)
        var places: [[String: [Placement]]] = Array(repeating: [:], count: stored.collections.count)
        var hasSeveral = stored.several ?? false
        for group in stored.groups {
            let name = group.name.normalizedKey
            for (index, key) in group.keys.enumerated() {
                let collection = Int(group.of?[index] ?? 0)
                guard let record = state.record(key.normalizedKey, in: stored.collections[collection]) else {
                    if skipsMissing { continue }
                    throw InconsistentHistory(
                        what: "it has a row for the key \(key.debugDescription), and there is no such record")
                }
                let others = places[collection][record.key] ?? []
                if others.contains(where: { $0.group == name }) {
                    throw InconsistentHistory(
                        what: "the key \(key.debugDescription) is twice in the group \(name.debugDescription)")
                }
                if !others.isEmpty { hasSeveral = true }
                let placement = PositionedPlacement(
                    record, collection: collection, group: name,
                    touches: touches(RowID(collection: collection, key: record.key), name),
                    label: .spread(index, of: group.keys.count))
                places[collection][record.key] = others + [placement]
                seed.addToGroup(placement)
            }
        }
        for places in places {
            for key in places.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                seed.addPlaces(places[key] ?? [])
            }
        }
        self.init(
            seed,
            StoredConfiguration(
                versionTag: versionTag, of: stored.collections, order: PositionOrder(), hasSeveral: hasSeveral),
            draft: state.draft, isSorted: true)
    }

    /// The root that replaces this one, where a commit has the whole view.
    /// - Throws: ``InconsistentHistory``; nothing was built then.
    func replaced(
        by stored: StoredGroups, _ history: ViewHistory, versionTag: String, _ changes: [String: [ChangeEntry]],
        in state: ReplayObserverState
    ) throws -> ViewRoot {
        guard stored.collections == configuration.collectionNames else {
            return try ViewRoot(stored, versionTag: versionTag, skipsMissing: false, in: state)
        }
        var kinds: [RowID: ChangeKinds] = [:]
        for (collection, name) in stored.collections.enumerated() {
            for entry in changes[name] ?? [] { kinds[RowID(collection: collection, key: entry.key)] = entry.kinds }
        }
        for touch in history.touched ?? [] {
            kinds[RowID(collection: Int(touch.collection), key: touch.key.normalizedKey), default: []]
                .formUnion(ChangeKinds(rawValue: touch.kinds))
        }
        return try ViewRoot(stored, versionTag: versionTag, skipsMissing: false, in: state) { row, group in
            (place(of: row)?.touches(inGroup: group) ?? Touches()).after(kinds[row] ?? [], in: state.draft)
        }
    }

    /// Applies what a commit logged for the view.
    ///
    /// - Parameters:
    ///   - history: what the commit says; `nil` if positions are the same.
    ///   - changes: what the commit did to records, by collection.
    ///   - isCleared: whether everything in a collection was removed first.
    /// - Throws: ``InconsistentHistory``; nothing was changed then.
    mutating func follow(
        _ history: ViewHistory?, versionTag: String, _ changes: [String: [ChangeEntry]], isCleared: (String) -> Bool,
        in state: ReplayObserverState
    ) throws {
        let plan = try PositionPlan(history ?? ViewHistory(), changes, isCleared: isCleared, root: self, state)
        let hasSeveral = history.map { $0.several ?? false } ?? !configuration.rowsHaveOnePlace
        let isConfigured =
            versionTag == configuration.versionTag && hasSeveral == !configuration.rowsHaveOnePlace
        if plan.isEmpty && isConfigured { return }
        let editor = ViewEditor(self, draft: state.draft)
        if !isConfigured {
            editor.configure(
                StoredConfiguration(
                    versionTag: versionTag, of: configuration.collectionNames, order: configuration.order,
                    hasSeveral: hasSeveral))
        }
        plan.perform(in: editor)
        _ = editor.finish(&self)
    }
}
