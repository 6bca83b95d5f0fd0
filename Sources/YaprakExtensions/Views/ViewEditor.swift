import YaprakCore
import YaprakTrees

/// Edits a view's trees in a writer's turn, and records what it did.
///
///     let editor = ViewEditor(root, draft: context.draft)
///     editor.put(row, at: placements, kinds: kinds)
///     let changes = editor.finish(&root)
///
/// Groups that are edited are held open, their trees outside of the tree of groups, until ``finish(_:)``. Nothing that
/// can throw, and no closure but comparisons, runs between: a root is never left half edited.
///
/// Nobody but the extension that made it can reach it, so its fields go without the runtime's exclusivity checks.
final class ViewEditor {
    @exclusivity(unchecked)
    private(set) var root: ViewRoot
    let draft: TreeDraft
    @exclusivity(unchecked)
    private var changes = ViewChanges()
    @exclusivity(unchecked)
    private var order: PlacementOrder

    private struct OpenGroup {
        let name: String
        var rows: TreeRoot
        let existed: Bool
    }
    @exclusivity(unchecked)
    private var groups: OneOrMany<OpenGroup> = []
    /// Where a group is held, once there are too many to look through.
    @exclusivity(unchecked)
    private var numbers: [String: Int] = [:]
    private static let groupsSearchedMax = 8
    @exclusivity(unchecked)
    private var latest = -1

    init(_ root: ViewRoot, draft: TreeDraft) {
        self.root = root
        self.draft = draft
        order = root.configuration.order
    }

    /// Where a row is now.
    func place(of row: RowID) -> PlaceRow? { root.place(of: row) }

    /// The tree of a group as it is now.
    func rows(ofGroup name: String) -> TreeRoot { groups[open(name)].rows }

    /// Puts a row at `placements`, at most one in each group, and removes it from its other places.
    func put(_ row: RowID, from before: PlaceRow?, to placements: [Placement], kinds: ChangeKinds) {
        if let before {
            for old in before.all where !placements.contains(where: { $0.group == old.group }) { takeOut(old) }
        }
        for new in placements { put(new, replacing: before?.placement(inGroup: new.group)) }
        notePlace(row, from: before, to: placements, kinds: kinds)
    }

    /// As ``put(_:from:to:kinds:)``, for one place: the path of nearly all rows.
    func put(_ row: RowID, from before: PlaceRow?, to placement: Placement, kinds: ChangeKinds) {
        guard before?.others.isEmpty ?? true else { return put(row, from: before, to: [placement], kinds: kinds) }
        if let old = before?.placement {
            if old.group == placement.group {
                put(placement, replacing: old)
            } else {
                takeOut(old)
                put(placement, replacing: nil)
            }
        } else {
            put(placement, replacing: nil)
        }
        notePlace(row, from: before, to: placement, kinds: kinds)
    }

    /// Takes a row out of the view.
    func takeOut(_ row: RowID, _ before: PlaceRow, kinds: ChangeKinds) {
        for old in before.all { takeOut(old) }
        draft.remove(row.key, from: &root.places[row.collection])
        changes.note(.init(row: row, before: before, after: nil, kinds: kinds))
    }

    /// Takes out all rows of a collection. O(groups) if it is the only one.
    func clear(_ collection: Int) {
        guard !root.places[collection].isEmpty else { return }
        changes.noteClear(of: collection)
        if root.places.indices.allSatisfy({ $0 == collection || root.places[$0].isEmpty }) {
            root.rawOperations += root.count + root.groups.count
            root.count = 0
            closeGroups()
            draft.clear(&root.groups)
        } else {
            var places: [PlaceRow] = []
            root.places[collection].forEach { places.append(unsafeDowncast($0, to: PlaceRow.self)) }
            for place in places { for old in place.all { takeOut(old) } }
        }
        draft.clear(&root.places[collection])
    }

    /// Writes open groups back and returns what was done, `nil` if nothing. The editor is of no use afterwards.
    func finish(_ root: inout ViewRoot) -> ViewChanges? {
        closeGroups()
        if !changes.isEmpty { self.root.identity = .next() }
        root = self.root
        if changes.isEmpty { return nil }
        var done = ViewChanges()
        swap(&done, &changes)
        return done
    }

    // MARK: One placement

    func put(_ new: Placement, replacing old: Placement?) {
        if new === old { return }
        let group = open(new.group)
        root.rawOperations += 1
        if let old {
            if order.haveSameSortKey(old, new),
                let position = groups[group].rows.position(of: old, order: order)
            {
                draft.replace(at: position, with: new, in: &groups[group].rows)
                return
            }
            root.rawOperations += 1
            remove(old, from: group)
        }
        draft.insert(new, into: &groups[group].rows, order: order)
        root.count += 1
    }

    func takeOut(_ old: Placement) {
        root.rawOperations += 1
        remove(old, from: open(old.group))
    }

    private func remove(_ old: Placement, from group: Int) {
        guard let position = groups[group].rows.position(of: old, order: order) else {
            preconditionFailure("a view knows where it has put a row")
        }
        draft.remove(at: position, from: &groups[group].rows)
        root.count -= 1
    }

    /// Notes where a row is that has been put at `placements`, or that it is nowhere.
    func notePlace(_ row: RowID, from before: PlaceRow?, to placements: [Placement], kinds: ChangeKinds) {
        guard placements.count != 1 else { return notePlace(row, from: before, to: placements[0], kinds: kinds) }
        let after = PlaceRow.row(for: placements, bornIn: draft.stamp)
        if let after {
            draft.insert(after, into: &root.places[row.collection])
        } else if before != nil {
            draft.remove(row.key, from: &root.places[row.collection])
        }
        changes.note(.init(row: row, before: before, after: after, kinds: kinds))
    }

    /// As ``notePlace(_:from:to:kinds:)``, for one place.
    private func notePlace(_ row: RowID, from before: PlaceRow?, to placement: Placement, kinds: ChangeKinds) {
        // A placement that has stood in its group since an older draft stands in the tree of places, too, or in a list there.
        let after =
            if placement.birth == draft.stamp {
                placement
            } else if before?.others.isEmpty ?? false, before?.placement === placement { before! } else {
                SeveralPlaces(placement, [])
            }
        if after !== before { draft.insert(after, into: &root.places[row.collection]) }
        changes.note(.init(row: row, before: before, after: after, kinds: kinds))
    }

    // MARK: Groups

    private func open(_ name: String) -> Int {
        if latest >= 0, groups[latest].name == name { return latest }
        if let number = numbers.isEmpty ? groups.firstIndex(where: { $0.name == name }) : numbers[name] {
            latest = number
            return number
        }
        let row = root.group(name)
        groups.append(OpenGroup(name: name, rows: row?.rows ?? TreeRoot(), existed: row != nil))
        latest = groups.count - 1
        if groups.count == Self.groupsSearchedMax {
            for (number, group) in groups.enumerated() { numbers[group.name] = number }
        } else if groups.count > Self.groupsSearchedMax {
            numbers[name] = latest
        }
        return latest
    }

    private func closeGroups() {
        for group in groups {
            if !group.rows.isEmpty {
                if !group.existed { root.rawOperations += 1 }
                draft.insert(GroupRow(name: group.name, rows: group.rows), into: &root.groups)
            } else if group.existed {
                root.rawOperations += 1
                // First its successor without rows, so that what was edited away isn't given up twice.
                draft.insert(GroupRow(name: group.name, rows: TreeRoot()), into: &root.groups)
                draft.remove(group.name, from: &root.groups)
            }
        }
        groups = []
        numbers = [:]
        latest = -1
    }

    // MARK: Many rows, and another order

    /// Gives rows of a group other boxes in the same sequence: same records, other labels. O(log *n*) each.
    func replace(_ positions: Range<Int>, ofGroup name: String, with placements: [Placement]) {
        let group = open(name)
        // First all of them out: no row is compared with one that has its old label.
        for position in positions.reversed() { draft.remove(at: position, from: &groups[group].rows) }
        for placement in placements {
            draft.insert(placement, into: &groups[group].rows, order: order)
            notePlace(placement.row, from: root.place(of: placement.row), to: placement, kinds: [])
        }
    }

    /// Marks a row as changed without a write. Derived views don't follow.
    func touch(_ row: RowID, _ before: PlaceRow, kinds: ChangeKinds) {
        let touched = before.all.map { old in
            old.copy(record: old.record, group: old.group, touches: old.touches.after(kinds, in: draft))
        }
        for (old, new) in zip(before.all, touched) { put(new, replacing: old) }
        let after = PlaceRow.row(for: touched, bornIn: draft.stamp)
        if let after { draft.insert(after, into: &root.places[row.collection]) }
        changes.noteTouch(.init(row: row, before: before, after: after, kinds: kinds))
    }

    /// Exchanges the configuration, and with it all rows' boxes, for others in another order.
    ///
    /// - Parameter renewed: the new box of a placement.
    func reorder(_ configuration: ViewConfiguration, _ renewed: (Placement) -> Placement) {
        closeGroups()
        order = configuration.order
        root.configuration = configuration
        root.rawOperations += 2 * root.count
        var names: [String] = []
        root.groups.forEach { names.append($0.keyString) }
        var others: [RowID: [Placement]] = [:]
        for name in names {
            let group = open(name)
            var placements: [Placement] = []
            placements.reserveCapacity(groups[group].rows.count)
            groups[group].rows.forEach { placements.append(renewed(unsafeDowncast($0, to: Placement.self))) }
            draft.clear(&groups[group].rows)
            groups[group].rows = draft.tree(of: order.sorted(placements), order: order)
            for placement in placements {
                let row = placement.row
                let before = root.place(of: row)!
                if before.others.isEmpty {
                    notePlace(row, from: before, to: placement, kinds: [])
                } else {
                    others[row, default: []].append(placement)
                }
            }
        }
        for (row, placements) in others.sorted(by: { ($0.key.collection, $0.key.key) < ($1.key.collection, $1.key.key) }
        ) {
            let before = root.place(of: row)!
            // In the sequence in which they were: the first group of a row is the first that its grouping gave.
            let renewed = Dictionary(uniqueKeysWithValues: placements.map { ($0.group, $0) })
            notePlace(row, from: before, to: before.all.compactMap { renewed[$0.group] }, kinds: [])
        }
        changes.reordering = configuration
        closeGroups()
    }

    /// Exchanges the configuration for one with the same order. Derived views are notified whether rows may be in several
    /// groups, even if no row moves.
    func configure(_ configuration: ViewConfiguration) {
        assert(configuration.order === order, "rows are in the order of another configuration")
        if configuration.rowsHaveOnePlace != root.configuration.rowsHaveOnePlace { changes.regrouping = configuration }
        root.configuration = configuration
    }
}

extension TreeDraft {
    /// A tree of placements that are in the right sequence, as far as the comparisons say.
    func tree(of placements: [Placement], order: PlacementOrder) -> TreeRoot {
        do {
            return try build(from: placements, order: GivenOrder(order))
        } catch {
            preconditionFailure("an order in which nothing comes after anything else: \(error)")
        }
    }
}
