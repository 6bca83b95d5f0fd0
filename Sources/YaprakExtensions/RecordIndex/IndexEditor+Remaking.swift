import YaprakCore
import YaprakTrees

// An index that has an entry too many. Which one it is its columns don't say, so all are looked at; and as they are, all are
// made again: what a column says of these records now is true of each of them, until it changes its mind again.
extension IndexEditor {
    /// Makes one entry for each record that the index has after some changes.
    ///
    /// The records are those that entries had before, and the changed ones: not all that the transaction has by now, because
    /// changes that come later are followed later.
    /// - Complexity: O(*n* log *n*) for *n* entries, each record's columns written once.
    func remake(_ root: inout IndexRoot, _ entries: ChangeEntries, in context: ExtensionContext) {
        // What is still to be added of each record: nothing, where it is gone or was added.
        var waiting: [String: RecordBox?] = [:]
        entries.forEach { waiting.updateValue($0.after is RawRecord ? nil : $0.after, forKey: $0.key) }
        let seed = IndexSeed()
        let known = configuration.holdsRecords ? nil : context.after
        let records = known?.tree(of: configuration.collection) ?? TreeRoot()
        withExtendedLifetime(known) {
            root.tree.forEach { entry in
                let key = configuration.recordKey(entry)
                if waiting[key] != nil { return }
                waiting.updateValue(nil, forKey: key)
                if configuration.holdsRecords {
                    return seed.add(unsafeDowncast(entry, to: RecordEntry.self).record, configuration)
                }
                // One that is not there any more goes with a change that is still to be followed.
                guard let row = records.lookup(key), !(row is RawRecord) else { return }
                seed.add(unsafeDowncast(row, to: RecordBox.self), configuration)
            }
        }
        entries.forEach { entry in
            guard let record = waiting[entry.key] ?? nil, record === entry.after else { return }
            waiting.updateValue(nil, forKey: entry.key)
            seed.add(record, configuration)
        }
        draft.clear(&root.tree)
        let made = seed.root(configuration, draft)
        root.tree = made.tree
        root.duplicates = made.duplicates
        root.edits += made.tree.count
        root.writings += made.tree.count
        root.remakes += 1
    }
}
