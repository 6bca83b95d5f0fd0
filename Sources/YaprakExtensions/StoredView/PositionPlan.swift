import YaprakCore
import YaprakTrees

/// The changes to make to a view whose code is not there, after all of them were checked.
struct PositionPlan {
    private struct Place: Hashable {
        let row: RowID
        let group: String
    }

    private struct Arrival {
        let row: RowID
        let group: String
        let position: Int
        let record: RawRecord
    }

    /// What a commit did to the record of a row.
    private struct Change {
        var record: RawRecord?
        var kinds: ChangeKinds
    }

    private var departures: [Placement] = []
    private var departed: Set<Place> = []
    private var arrivals: [Arrival] = []
    private var changes: [RowID: Change] = [:]
    private var groups: Set<String> = []

    var isEmpty: Bool { departures.isEmpty && arrivals.isEmpty && changes.isEmpty }

    /// - Throws: ``ViewRoot/InconsistentHistory``.
    init(
        _ history: ViewHistory, _ entries: [String: [ChangeEntry]], isCleared: (String) -> Bool, root: ViewRoot,
        _ state: ReplayObserverState
    ) throws {
        let names = root.configuration.collectionNames
        for (collection, name) in names.enumerated() {
            for entry in entries[name] ?? [] {
                changes[RowID(collection: collection, key: entry.key)] = Change(
                    record: entry.after as? RawRecord, kinds: entry.kinds)
            }
        }
        for touch in history.touched ?? [] {
            let row = RowID(collection: Int(touch.collection), key: touch.key.normalizedKey)
            guard names.indices.contains(row.collection), let record = state.record(row.key, in: names[row.collection])
            else { throw ViewRoot.InconsistentHistory(what: "it touches a row whose record is gone") }
            let kinds = (changes[row]?.kinds ?? []).union(ChangeKinds(rawValue: touch.kinds))
            changes[row] = Change(record: record, kinds: kinds)
        }
        for group in history.groups ?? [] { try add(group, root, state) }
        try checkRemovals(root, isCleared)
        // Records that the view does not have don't concern it.
        let arriving = Set(arrivals.map(\.row))
        changes = changes.filter { arriving.contains($0.key) || root.place(of: $0.key) != nil }
    }

    private static func rows(_ keys: [String]?, _ of: [UInt8]?, _ root: ViewRoot) throws -> [RowID] {
        guard let keys else { return [] }
        let count = root.configuration.collectionNames.count
        guard of.map({ $0.count == keys.count }) ?? (count == 1) else {
            throw ViewRoot.InconsistentHistory(what: "it does not say which collections its rows are of")
        }
        return try keys.enumerated().map { index, key in
            let collection = Int(of?[index] ?? 0)
            guard collection < count else {
                throw ViewRoot.InconsistentHistory(what: "it names a collection that it does not have")
            }
            return RowID(collection: collection, key: key.normalizedKey)
        }
    }

    private mutating func add(_ group: ViewHistory.Group, _ root: ViewRoot, _ state: ReplayObserverState) throws {
        let name = group.name.normalizedKey
        let rows = root.group(name)?.rows ?? TreeRoot()
        let before = departures.count
        if group.isEmptied ?? false {
            rows.forEach { row in
                let placement = unsafeDowncast(row, to: Placement.self)
                if departed.insert(Place(row: placement.row, group: name)).inserted { departures.append(placement) }
            }
        }
        for row in try Self.rows(group.removed, group.removedOf, root) {
            guard let placement = root.place(of: row)?.placement(inGroup: name),
                departed.insert(Place(row: row, group: name)).inserted
            else { throw ViewRoot.InconsistentHistory(what: "it takes out a row that is not there") }
            departures.append(placement)
        }
        let inserted = try Self.rows(group.inserted, group.insertedOf, root)
        let positions = group.positions ?? []
        guard inserted.count == positions.count, groups.insert(name).inserted else {
            throw ViewRoot.InconsistentHistory(what: "it does not say where its rows are put")
        }
        var count = rows.count - (departures.count - before)
        var last = -1
        for (row, position) in zip(inserted, positions) {
            guard position > last, position <= count,
                departed.contains(Place(row: row, group: name)) || root.place(of: row)?.placement(inGroup: name) == nil,
                let record = state.record(row.key, in: root.configuration.collectionNames[row.collection])
            else { throw ViewRoot.InconsistentHistory(what: "it puts a row where none can be") }
            arrivals.append(Arrival(row: row, group: name, position: position, record: record))
            last = position
            count += 1
        }
        guard Set(inserted).count == inserted.count else {
            throw ViewRoot.InconsistentHistory(what: "it puts a row twice")
        }
    }

    /// A row whose record is gone has to leave, too.
    private func checkRemovals(_ root: ViewRoot, _ isCleared: (String) -> Bool) throws {
        func isGone(_ row: RowID, _ place: PlaceRow) -> Bool {
            place.all.allSatisfy { departed.contains(Place(row: row, group: $0.group)) }
        }
        var isUnfit = false
        for (row, change) in changes where change.record == nil {
            if let place = root.place(of: row), !isGone(row, place) { isUnfit = true }
        }
        for (collection, name) in root.configuration.collectionNames.enumerated() where isCleared(name) {
            root.places[collection].forEach { row in
                let place = unsafeDowncast(row, to: PlaceRow.self)
                let row = RowID(collection: collection, key: place.key)
                if changes[row]?.record == nil, !isGone(row, place) { isUnfit = true }
            }
        }
        if isUnfit { throw ViewRoot.InconsistentHistory(what: "it keeps a row whose record is gone") }
    }

    /// Does it. Nothing here can fail.
    func perform(in editor: ViewEditor) {
        var placements: [RowID: [Placement]] = [:]
        var before: [RowID: PlaceRow] = [:]
        for row in Set(departures.map(\.row)).union(arrivals.map(\.row)).union(changes.keys) {
            placements[row] = []
            guard let place = editor.place(of: row) else { continue }
            before[row] = place
            placements[row] = place.all.filter { !departed.contains(Place(row: row, group: $0.group)) }
        }
        for placement in departures { editor.takeOut(placement) }
        for (row, change) in changes {
            guard let record = change.record, let kept = placements[row] else { continue }
            placements[row] = kept.map { old in
                let new = old.copy(
                    record: record, group: old.group, touches: old.touches.after(change.kinds, in: editor.draft))
                editor.put(new, replacing: old)
                return new
            }
        }
        for arrival in arrivals {
            let touches = before[arrival.row]?.touches(inGroup: arrival.group) ?? Touches()
            let placement = PositionedPlacement(
                arrival.record, collection: arrival.row.collection, group: arrival.group,
                touches: touches.after(changes[arrival.row]?.kinds ?? [], in: editor.draft),
                label: editor.label(at: arrival.position, ofGroup: arrival.group))
            editor.put(placement, replacing: nil)
            placements[arrival.row, default: []].append(placement)
        }
        for (row, placements) in placements {
            // By name, as where the whole view is read: the files don't say which group of a row its view has first.
            let placements =
                placements.count < 2
                ? placements : placements.sorted { $0.group.utf8.lexicographicallyPrecedes($1.group.utf8) }
            editor.notePlace(row, from: before[row], to: placements, kinds: changes[row]?.kinds ?? [])
        }
    }
}
