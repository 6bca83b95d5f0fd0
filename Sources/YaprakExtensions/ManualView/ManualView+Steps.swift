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
        try replay(bytes, [], in: context).root
    }

    /// Rows whose record is not there any more are left out, by a step that says so: they don't come back with a record of
    /// their key.
    /// - Throws: `extensionFailed` if a collection has records without a type, which are no rows yet.
    package func replay(
        _ bytes: [UInt8]?, _ steps: [ManualStep], in context: ExtensionContext
    ) throws -> (root: ViewRoot, operations: [ManualStep]) {
        var arrangement = ManualArrangement(try bytes.map { try StoredGroups(decoding: $0) })
        for step in steps { arrangement.apply(step) }
        let seed = ViewSeed(collections: configuration.collectionNames.count)
        var placements: [RowID: Placement] = [:]
        var gone: [ManualStep.Member] = []
        for (name, members) in arrangement.groups {
            for (index, member) in members.enumerated() {
                guard let row = row(member) else { throw InvalidOperation(reason: .noSuchCollection) }
                let types = configuration.collections[row.collection]
                guard let record = context.before.box(forKey: row.key, in: types) else {
                    if context.before.isUntyped(types) { throw untyped(types) }
                    gone.append(member)
                    continue
                }
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
        let root = ViewRoot(seed, configuration, draft: context.draft, isSorted: true)
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
        switch operation.action {
        case .insert(let member, let group, let index):
            guard let row = row(member) else { throw InvalidOperation(reason: .noSuchCollection) }
            if editor.place(of: row) != nil { throw InvalidOperation(reason: .isThereAlready) }
            guard let record = context.before.box(forKey: row.key, in: configuration.collections[row.collection])
            else {
                throw InvalidOperation(reason: .noSuchRecord)
            }
            let group = group.normalizedKey
            let label = makeRoom(at: index, ofGroup: group, in: editor)
            let placement = LabelledPlacement(
                record, collection: row.collection, group: group, touches: departed.take(row), label: label)
            editor.put(row, from: nil, to: placement, kinds: [])
        case .remove(let members):
            for row in members.compactMap(row) {
                guard let before = editor.place(of: row) else { continue }
                departed.note(before)
                editor.takeOut(row, before, kinds: [])
            }
        case .removeGroup(let name):
            var rows: [RowID] = []
            editor.rows(ofGroup: name.normalizedKey).forEach { rows.append(unsafeDowncast($0, to: Placement.self).row) }
            for row in rows {
                guard let before = editor.place(of: row) else { continue }
                departed.note(before)
                editor.takeOut(row, before, kinds: [])
            }
        }
        let changes = editor.finish(&root)
        root.departed = departed
        return changes
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
