import YaprakTrees

extension Draft {
    /// Notes a change where records may be set aside: a write to a key takes away what was set aside under it.
    func noteWithAsides(
        _ entry: consuming ChangeEntry, _ changed: Bool, _ isRemoval: Bool, _ slot: Int, _ key: String
    ) {
        guard changed || isRemoval else { return }
        let aside = takeAside(of: slot, key)
        if entry.after != nil {
            guard let aside else { return note(slot, entry) }
            replacedAsides[slot, default: [:]][key] = aside
            // With what it replaces: a sum with a later removal is a removal, and not nothing.
            return note(slot, entry, inPlaceOf: aside)
        }
        if changed { note(slot, entry) }
        // What only bytes are left of can be removed, too. If its place was taken in this transaction, and what took it went
        // again, then the bytes are in the log still, and have to go from there.
        guard let gone = aside ?? replacedAsides[slot]?.removeValue(forKey: key) else { return }
        noteRemoval(ofAside: gone, of: slot)
        noteGone(gone, of: slot)
    }

    /// Whether a record is set aside under a key. O(log *n*); O(1) where nothing is.
    func isAside(_ key: String, of slot: Int) -> Bool {
        guard let aside = directory.asideSlot(of: slot) else { return false }
        return roots[aside].lookup(key) != nil
    }

    /// Takes out what is set aside under a key.
    private func takeAside(of slot: Int, _ key: String) -> RecordBox? {
        guard let aside = directory.asideSlot(of: slot), !roots[aside].isEmpty,
            let row = tree.remove(key, from: &roots[aside])
        else { return nil }
        frozen = nil
        return unsafeDowncast(row, to: RecordBox.self)
    }

    /// Removes all that was set aside in a collection. Returns how much there was; `nil` if nothing ever was.
    func clearAsides(of slot: Int) -> Int? {
        guard let aside = directory.asideSlot(of: slot) else { return nil }
        let count = roots[aside].count
        if count > 0 {
            if !segments.isEmpty {
                roots[aside].forEach { noteGone(unsafeDowncast($0, to: RecordBox.self), of: slot) }
            }
            tree.clear(&roots[aside])
        }
        for gone in replacedAsides.removeValue(forKey: slot)?.values ?? [:].values {
            noteGone(gone, of: slot)
        }
        return count
    }

    /// Remembers a removal that the changes of the transaction may not tell of: a removal of everything that comes later forgets
    /// it, where no record was there, and all that other segments know of the key may be that a record came and went.
    private func noteGone(_ aside: RecordBox, of slot: Int) { goneAsides[slot, default: [:]][aside.key] = aside }

    /// Adds removals of what was set aside to all changes of the transaction, where they don't tell of them.
    func addGoneAsides(to sum: inout ChangeBatch) {
        if goneAsides.isEmpty || sum.clearedAll { return }
        for (slot, asides) in goneAsides.sorted(by: { $0.key < $1.key }) {
            let binding = directory.bindings[slot]
            let changes = sum.changes(inCollection: binding.name)
            if changes?.clearedCount != nil { continue }
            let untold = asides.filter { changes?.entry(forKey: $0.key) == nil && roots[slot].lookup($0.key) == nil }
            if untold.isEmpty { continue }
            var more = ChangeBatch()
            more.collections = [
                CollectionChanges(
                    binding: binding, clearedCount: nil,
                    entries: OneOrMany(
                        ContiguousArray(
                            untold.values.sorted { $0.key < $1.key }
                                .map { ChangeEntry(before: $0, after: nil, kinds: .removed) })))
            ]
            sum = sum.followed(by: more)
        }
    }
}
