import YaprakCBOR
public import YaprakCore
import YaprakModel
package import YaprakTrees

extension ManualView: TreeBackedPrimaryExtension {
    /// Nothing is gathered from records.
    package struct Seed: Sendable {}

    package func makeSeed() -> Seed { Seed() }
    package func gather(_ changes: NetChanges, into seed: inout Seed) {}
    package func build(_ seed: Seed, in context: ExtensionContext) -> ViewRoot { makeRoot() }
    package func trees(of root: ViewRoot) -> [TreeRoot] { root.trees }
    package func versionTag(of root: ViewRoot) -> String { versionTag }

    /// The bytes of the view for a checkpoint. O(number of rows).
    public func encode(_ root: ViewRoot) throws -> [UInt8]? { try CBOREncoder().encode(StoredGroups(root)) }

    package func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> ViewRoot {
        try replay(bytes, tagged: versionTag, [], in: context).root
    }

    /// Rows whose record is not there any more are left out, by a step that says so: they don't come back with a record of
    /// their key. Those whose record is set aside are hidden.
    /// - Throws: `extensionFailed` if a collection has records without a type, which are no rows yet.
    package func replay(
        _ bytes: [UInt8]?, tagged tag: String, _ steps: [ManualStep], in context: ExtensionContext
    ) throws -> (root: ViewRoot, operations: [ManualStep]) {
        var arrangement = ManualArrangement(try bytes.map { try StoredGroups(decoding: $0) })
        for step in steps { arrangement.apply(step) }
        let seed = ViewSeed(collections: configuration.collectionNames.count)
        var placements: [RowID: Placement] = [:]
        var gone: [ManualStep.Member] = []
        var hidden = HiddenRows()
        for (name, members) in arrangement.groups {
            // Among those that stay.
            var position = 0
            for (index, member) in members.enumerated() {
                guard let row = row(member) else { throw InvalidOperation(reason: .noSuchCollection) }
                let types = configuration.collections[row.collection]
                guard let record = context.before.box(forKey: row.key, in: types) else {
                    if context.before.isUntyped(types) { throw untyped(types) }
                    if context.before.isAside(row.key, in: types) {
                        hidden.insert(row, at: position, ofGroup: name)
                        position += 1
                    } else {
                        gone.append(member)
                    }
                    continue
                }
                position += 1
                let placement = LabelledPlacement(
                    record, collection: row.collection, group: name, touches: Touches(),
                    label: Labels.spread(index, of: members.count))
                seed.addToGroup(placement)
                placements[row] = placement
            }
        }
        for row in placements.keys.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            seed.addPlaces([placements[row]!])
        }
        gone.sort { ($0.collection, $0.key) < ($1.collection, $1.key) }
        var root = ViewRoot(seed, configuration, draft: context.draft, isSorted: true)
        root.hidden = hidden
        return (root, gone.isEmpty ? [] : [ManualStep(.remove(gone))])
    }

    package func unloggedSteps(
        following changes: NetChanges, root: ViewRoot, in context: ExtensionContext
    ) throws -> [ManualStep] { operations(following: changes, root: root, in: context) }

    package func replacementChanges(for root: ViewRoot) -> ViewChanges? {
        var changes = ViewChanges()
        for collection in configuration.collections.indices {
            changes.noteClear(of: collection)
            root.places[collection].forEach { row in
                let place = unsafeDowncast(row, to: PlaceRow.self)
                changes.note(.init(row: place.placement.row, before: nil, after: place, kinds: .inserted))
            }
        }
        return changes
    }

    private func untyped(_ types: CollectionTypes) -> DatabaseError {
        DatabaseError(
            .extensionFailed,
            """
            view "\(name)" has rows of "\(types.name)", whose records have no type yet. Name the collection when the database \
            is opened, or bind it, before the view is registered. Its rows stay in the files.
            """,
            place: .init(collectionName: types.name))
    }

    package func apply(
        _ operation: ManualStep, to root: inout ViewRoot, in context: ExtensionContext
    ) throws -> ViewChanges? {
        let editor = ViewEditor(root, draft: context.draft)
        var departed = root.departed
        var hidden = root.hidden
        switch operation.action {
        case .insert(let member, let group, let index):
            guard let row = row(member) else { throw InvalidOperation(reason: .noSuchCollection) }
            if editor.place(of: row) != nil || hidden.contains(row) { throw InvalidOperation(reason: .isThereAlready) }
            let types = configuration.collections[row.collection]
            let group = group.normalizedKey
            let count = editor.rows(ofGroup: group).count + hidden.rows(ofGroup: group).count
            let position = min(max(0, index), count)
            guard let record = context.before.box(forKey: row.key, in: types) else {
                // Of a commit that is read back: its writer could read the record.
                guard context.before.isAside(row.key, in: types) else { throw InvalidOperation(reason: .noSuchRecord) }
                hidden.insert(row, at: position, ofGroup: group)
                break
            }
            let shown = hidden.shownCount(before: position, inGroup: group)
            let label = makeRoom(at: shown, ofGroup: group, in: editor)
            let placement = LabelledPlacement(
                record, collection: row.collection, group: group, touches: departed.take(row) ?? Touches(),
                label: label)
            editor.put(row, from: nil, to: placement, kinds: [])
            hidden.noteShown(at: position, ofGroup: group)
        case .remove(let members):
            takeOut(members.compactMap(row), from: editor, &hidden, &departed)
        case .removeGroup(let name):
            let name = name.normalizedKey
            hidden.removeAll(ofGroup: name)
            var rows: [RowID] = []
            editor.rows(ofGroup: name).forEach { rows.append(unsafeDowncast($0, to: Placement.self).row) }
            takeOut(rows, from: editor, &hidden, &departed)
        }
        let changes = editor.finish(&root)
        root.absent = AbsentRows(departed, hidden)
        return changes
    }

    private func takeOut(
        _ rows: [RowID], from editor: ViewEditor, _ hidden: inout HiddenRows, _ departed: inout DepartedTouches
    ) {
        if !hidden.isEmpty {
            var shown: [String: [Int]] = [:]
            // A file may name a row twice.
            for row in Set(rows) {
                guard let placement = editor.place(of: row)?.placement, hidden.contains(group: placement.group),
                    let index = index(of: placement, in: editor)
                else { continue }
                shown[placement.group, default: []].append(index)
            }
            hidden.remove(rows, shown: shown)
        }
        for row in rows {
            guard let before = editor.place(of: row) else { continue }
            departed.note(before, in: editor.draft)
            editor.takeOut(row, before, kinds: [])
        }
    }

    private func index(of placement: Placement, in editor: ViewEditor) -> Int? {
        editor.rows(ofGroup: placement.group).position(of: placement, order: editor.root.configuration.order)
    }

    /// Hides rows whose records are set aside from now on, and shows those whose records are there again. All keep their
    /// places, so no step says so.
    ///
    /// A program writes records that are there again. Those that are set aside with a commit are in a history that is read back.
    func followAsides(
        _ changes: NetChanges, in after: @autoclosure () -> Snapshot, _ editor: ViewEditor, _ hidden: inout HiddenRows
    ) {
        for (collection, types) in configuration.collections.enumerated() {
            guard let boxes = changes.boxes(in: types) else { continue }
            var came: [RowID: ChangeEntry] = [:]
            var asides: [PlaceRow] = []
            for entry in boxes.entries {
                let row = RowID(collection: collection, key: entry.key)
                if entry.after != nil {
                    if hidden.contains(row) { came[row] = entry }
                } else if let place = editor.place(of: row), after().isAside(row.key, in: types) {
                    asides.append(place)
                }
            }
            if boxes.isCleared {
                let state = after()
                editor.root.places[collection].forEach { row in
                    if state.isAside(row.keyString, in: types) {
                        asides.append(unsafeDowncast(row, to: PlaceRow.self))
                    }
                }
            }
            for place in asides {
                let placement = place.placement
                guard let index = index(of: placement, in: editor) else { continue }
                hidden.hide(placement.row, atShown: index, ofGroup: placement.group)
                editor.takeOut(placement.row, place, kinds: [])
            }
            for (row, group, index) in hidden.show(came.keys) {
                guard let entry = came[row], let record = entry.after else { continue }
                let label = makeRoom(at: index, ofGroup: group, in: editor)
                let placement = LabelledPlacement(
                    record, collection: collection, group: group, touches: Touches(), label: label)
                editor.put(row, from: nil, to: placement, kinds: entry.kinds)
            }
        }
    }

    /// A label for a row at `index`, or at the end if that lies beyond. If there is no room left, spreads the labels of some
    /// rows around it again: O(log *n*) rows for each that comes, amortized.
    private func makeRoom(at index: Int, ofGroup name: String, in editor: ViewEditor) -> UInt64 {
        let rows = editor.rows(ofGroup: name)
        let index = min(max(0, index), rows.count)
        func label(_ position: Int) -> UInt64? {
            guard position >= 0 && position < rows.count else { return nil }
            return unsafeDowncast(rows.row(at: position), to: LabelledPlacement.self).label
        }
        if let label = Labels.between(label(index - 1), label(index)) { return label }
        var stretch = Labels.Stretch(around: label(index - 1) ?? label(index)!)
        var (first, end) = (index, index)
        while true {
            while let label = label(first - 1), label >= stretch.low { first -= 1 }
            while let label = label(end), label <= stretch.high { end += 1 }
            // The row that is to come counts.
            if stretch.hasRoom(for: end - first + 1) { break }
            stretch.widen()
        }
        let spread = (first..<end).map { position in
            unsafeDowncast(rows.row(at: position), to: LabelledPlacement.self)
                .relabelled(stretch.spread(position - first + (position < index ? 0 : 1), of: end - first + 1))
        }
        editor.replace(first..<end, ofGroup: name, with: spread)
        return stretch.spread(index - first, of: end - first + 1)
    }
}

/// A step that can't be applied, and why.
struct InvalidOperation: Error {
    enum Reason { case isThereAlready, noSuchRecord, noSuchCollection }
    let reason: Reason
}
