import YaprakCore
import YaprakTrees

// A manual view without its types: its state follows from its steps.
extension ViewRoot {
    /// Applies a commit to a manual view: exchanges changed records, applies the steps, and removes rows whose records are
    /// gone.
    mutating func follow(
        _ steps: [ManualStep], _ changes: [String: [ChangeEntry]], isCleared: (String) -> Bool,
        in state: ReplayObserverState
    ) {
        admitCollections(of: steps)
        let names = configuration.collectionNames
        let editor = ViewEditor(self, draft: state.draft)
        var doubtful: Set<RowID> = []
        for (collection, name) in names.enumerated() {
            if isCleared(name) {
                places[collection].forEach { doubtful.insert(RowID(collection: collection, key: $0.keyString)) }
            }
            for entry in changes[name] ?? [] {
                let row = RowID(collection: collection, key: entry.key)
                guard let record = entry.after, let before = editor.place(of: row) else {
                    doubtful.insert(row)
                    continue
                }
                let old = before.placement
                let new = old.copy(
                    record: record, group: old.group, touches: old.touches.after(entry.kinds, in: editor.draft))
                editor.put(row, from: before, to: new, kinds: entry.kinds)
            }
        }
        var departed = departed
        for step in steps { doubtful.formUnion(editor.take(step, names, state, &departed)) }
        for row in doubtful where state.record(row.key, in: names[row.collection]) == nil {
            if let before = editor.place(of: row) { editor.takeOut(row, before, kinds: []) }
        }
        _ = editor.finish(&self)
        self.departed = departed
    }

    /// Makes room for collections that no step has named before.
    private mutating func admitCollections(of steps: [ManualStep]) {
        var names = configuration.collectionNames
        for step in steps {
            if case .insert(let member, _, _) = step.action, !names.contains(member.collection) {
                names.append(member.collection)
            }
        }
        guard names.count > places.count else { return }
        configuration = StoredConfiguration(
            versionTag: configuration.versionTag, of: names, order: configuration.order, hasSeveral: false)
        while places.count < names.count { places.append(TreeRoot()) }
    }
}

extension ViewEditor {
    /// Applies one step.
    /// - Returns: rows that were put in without a record: it came and went within the commit.
    fileprivate func take(
        _ step: ManualStep, _ names: [String], _ state: ReplayObserverState, _ departed: inout DepartedTouches
    ) -> [RowID] {
        func row(_ member: ManualStep.Member) -> RowID? {
            names.firstIndex(of: member.collection).map { RowID(collection: $0, key: member.key.normalizedKey) }
        }
        switch step.action {
        case .insert(let member, let group, let index):
            guard let row = row(member), place(of: row) == nil else { return [] }
            let group = group.normalizedKey
            let record = state.record(row.key, in: member.collection)
            let placement = PositionedPlacement(
                record ?? RawRecord(key: row.key, object: [0xf7], metadata: nil, version: 1),
                collection: row.collection, group: group, touches: departed.take(row) ?? Touches(),
                label: label(at: index, ofGroup: group))
            put(row, from: nil, to: placement, kinds: [])
            return record == nil ? [row] : []
        case .remove(let members):
            for row in members.compactMap(row) {
                guard let before = place(of: row) else { continue }
                departed.note(before, in: draft)
                takeOut(row, before, kinds: [])
            }
        case .removeGroup(let name):
            var gone: [RowID] = []
            rows(ofGroup: name.normalizedKey).forEach { gone.append(unsafeDowncast($0, to: Placement.self).row) }
            for row in gone {
                guard let before = place(of: row) else { continue }
                departed.note(before, in: draft)
                takeOut(row, before, kinds: [])
            }
        }
        return []
    }
}
