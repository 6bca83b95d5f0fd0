import YaprakCore
import YaprakTrees

// An index that has an entry too many. Which one it is its columns don't say, so all are looked at; and as they are, all are
// made again: what a column says of these records now is true of each of them, until it changes its mind again.
extension IndexEditor {
    /// Makes one entry for each record that the index has after some changes.
    ///
    /// The records are those that entries had before, and the changed ones.
    /// - Complexity: O(*n* log *n*) for *n* entries, each record's columns written once.
    func remake(_ root: inout IndexRoot, _ entries: ChangeEntries, in context: ExtensionContext) {
        // What a change leaves of each record; nothing, where it is gone.
        var changed: Set<String> = []
        var left: [String: RecordBox] = [:]
        entries.forEach { entry in
            changed.insert(entry.key)
            left[entry.key] = entry.after is RawRecord ? nil : entry.after
        }
        let seed = IndexSeed()
        for record in records(of: root, except: changed, in: context) { seed.add(record, configuration) }
        entries.forEach { entry in
            if let record = left.removeValue(forKey: entry.key) { seed.add(record, configuration) }
        }
        draft.clear(&root.tree)
        let made = seed.root(configuration, draft)
        root.tree = made.tree
        root.duplicates = made.duplicates
        root.edits += made.tree.count
        root.writings += made.tree.count
        root.remakes += 1
    }

    /// The records that entries have, each once.
    private func records(
        of root: IndexRoot, except changed: Set<String>, in context: ExtensionContext
    ) -> [RecordBox] {
        var seen = changed
        var records: [RecordBox] = []
        if configuration.holdsRecords {
            root.tree.forEach { entry in
                let record = unsafeDowncast(entry, to: RecordEntry.self).record
                if seen.insert(record.key).inserted { records.append(record) }
            }
            return records
        }
        var keys: [String] = []
        root.tree.forEach { entry in
            let key = configuration.recordKey(entry)
            if seen.insert(key).inserted { keys.append(key) }
        }
        // The state behind these very changes: no two segments ever wait for extensions. So one that did not change is there.
        let after = context.after
        let tree = after.tree(of: configuration.collection)
        for key in keys {
            guard let record = tree.lookup(key).map({ unsafeDowncast($0, to: RecordBox.self) }) else {
                assertionFailure("an entry has a record that is gone and did not change")
                continue
            }
            if !(record is RawRecord) { records.append(record) }
        }
        return withExtendedLifetime(after) { records }
    }
}
