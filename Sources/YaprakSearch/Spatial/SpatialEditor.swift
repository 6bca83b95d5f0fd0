package import YaprakTrees

/// The state of a spatial index in one snapshot. Opaque; read it through ``SpatialReader``.
///
///     pages      along the curve ─▶ some neighbours each
///     keys       key ─▶ place
public struct SpatialRoot: Sendable {
    package var pages = TreeRoot()
    package var keys = TreeRoot()

    package var trees: [TreeRoot] { [pages, keys] }
}

/// Brings a spatial index up to date in a writer's turn.
struct SpatialEditor {
    private(set) var root: SpatialRoot
    let draft: TreeDraft

    init(_ root: SpatialRoot, draft: TreeDraft) {
        self.root = root
        self.draft = draft
    }

    /// A record has a place from now on, or none. O(log *n*).
    mutating func follow(_ key: String, to place: GeoCoordinate?) {
        let old = root.keys.lookup(key).map { unsafeDowncast($0, to: SpatialRow.self) }
        let new = place.map { SpatialRow(key: key, place: $0) }
        if let old, let new, old.place == new.place { return }
        if let old { remove(old) }
        if let new {
            draft.insert(new, into: &root.keys)
            insert(new)
        } else if old != nil {
            draft.remove(key, from: &root.keys)
        }
    }

    /// The page in which a place is, or would be.
    private func position(of row: SpatialRow) -> Int {
        let rank = root.pages.rank(of: ZOrder.key(row.code, row.key))
        return rank.isFound ? rank.position : rank.position - 1
    }

    private func page(_ position: Int) -> SpatialPage {
        unsafeDowncast(root.pages.row(at: position), to: SpatialPage.self)
    }

    private mutating func insert(_ row: SpatialRow) {
        guard !root.pages.isEmpty else {
            draft.insert(SpatialPage(key: "", CollectionOfOne(row)), into: &root.pages)
            return
        }
        let old = page(position(of: row))
        var rows = old.rows
        rows.insert(row, at: rows.firstIndex { row.comesBefore($0) } ?? rows.count)
        put(rows, key: old.key)
    }

    private mutating func remove(_ row: SpatialRow) {
        let position = position(of: row)
        let old = page(position)
        var rows = old.rows
        rows.removeAll { $0 === row }
        if rows.count < SpatialPage.countMin, position + 1 < root.pages.count {
            let next = page(position + 1)
            if rows.count + next.count <= SpatialPage.countTarget {
                rows += next.rows
                draft.remove(next.key, from: &root.pages)
            }
        }
        if rows.isEmpty, !old.key.isEmpty {
            draft.remove(old.key, from: &root.pages)
        } else {
            put(rows, key: old.key)
        }
    }

    private mutating func put(_ rows: ContiguousArray<SpatialRow>, key: String) {
        guard rows.count > SpatialPage.countMax else {
            draft.insert(SpatialPage(key: key, rows), into: &root.pages)
            return
        }
        let middle = rows.count / 2
        draft.insert(SpatialPage(key: key, rows[..<middle]), into: &root.pages)
        let right = rows[middle...]
        draft.insert(SpatialPage(key: ZOrder.key(right[middle].code, right[middle].key), right), into: &root.pages)
    }
}

extension SpatialRoot {
    /// An index of many records at once.
    ///
    /// Rows are allocated in the order of the curve, so that those of a box lie side by side in memory.
    ///
    /// - Parameter places: in ascending order of their keys.
    init(_ places: [(key: String, place: GeoCoordinate)], draft: TreeDraft) {
        var curve: [(code: UInt64, index: Int)] = []
        curve.reserveCapacity(places.count)
        for (index, entry) in places.enumerated() {
            curve.append((ZOrder.code(entry.place.latitude, entry.place.longitude), index))
        }
        // Of one code, an index is in the order of its key.
        curve.sort { $0.code != $1.code ? $0.code < $1.code : $0.index < $1.index }
        var ascending = [SpatialRow?](repeating: nil, count: places.count)
        let rows = curve.map { entry in
            let row = SpatialRow(key: places[entry.index].key, place: places[entry.index].place)
            ascending[entry.index] = row
            return row
        }
        keys = draft.tree(ofAscending: ascending.compactMap { $0 })
        let pages = stride(from: 0, to: rows.count, by: SpatialPage.countTarget).map { start in
            let part = rows[start..<min(start + SpatialPage.countTarget, rows.count)]
            return SpatialPage(key: start == 0 ? "" : ZOrder.key(rows[start].code, rows[start].key), part)
        }
        self.pages = draft.tree(ofAscending: pages)
    }
}
