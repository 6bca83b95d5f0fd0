import YaprakTrees

// What a draft does differently when its changes come from a log.

extension Draft {
    /// Lets the extensions follow what was applied; those with state of their own take the steps that were logged.
    /// - Throws: the failure that was put aside, `extensionFailed`.
    func follow(_ steps: [LoggedCommit.LoggedStep]) throws {
        if let failure { throw failure }
        if extensions.isEmpty { return }
        loggedSteps = Dictionary(grouping: steps, by: \.name).mapValues { $0.map(\.step) }
        // Also an empty segment: there may be nothing but steps.
        segments.append(DraftSegment(batch: takeBatch()))
        try catchUp()
    }
}

// MARK: - Records in an older form

// A record of an older version is migrated when it is given its type, and what it was is not to be had back. But the log
// may go on to change a part of it, in the older form. So the bytes of such records are kept beside the values.

extension CollectionDirectory {
    /// Rows of `name` that are of an older version are kept, as bytes, in a collection of this name.
    fileprivate static func olderName(of name: String) -> String { "\u{0}older/\(name)" }
}

extension Draft {
    /// Keeps the bytes of all records that a binding is going to migrate.
    func keepOlderForms(of binding: CollectionBinding) {
        guard binding.version > 1, let raw = directory.slot(of: binding.name) else { return }
        var kept: [RawRecord] = []
        roots[raw].forEach { row in
            let row = unsafeDowncast(row, to: RawRecord.self)
            if row.version < binding.version { kept.append(row.copy()) }
        }
        if kept.isEmpty { return }
        let slot = olderSlot(of: binding.name)
        for row in kept { tree.insert(row, into: &roots[slot]) }
        forgetFrozen()
    }

    /// The bytes from which a record was migrated, or which did not decode; `nil` for one in its present form.
    func storedForm(of slot: Int, _ key: String) -> RawRecord? {
        guard directory.hasAsides else { return nil }
        let name = directory.bindings[slot].name
        for hidden in [CollectionDirectory.olderName(of: name), CollectionDirectory.asideName(of: name)] {
            if let slot = directory.slot(of: hidden), let row = roots[slot].lookup(key) {
                return unsafeDowncast(row, to: RawRecord.self)
            }
        }
        return nil
    }

    /// Keeps the bytes of a record if they are of an older version, and forgets those there were.
    func keepOlderForm(_ raw: RawRecord?, of slot: Int, _ key: String) {
        let binding = directory.bindings[slot]
        if let raw, raw.version < binding.version {
            let older = olderSlot(of: binding.name)
            tree.insert(raw.copy(), into: &roots[older])
        } else if let older = directory.slot(of: CollectionDirectory.olderName(of: binding.name)) {
            tree.remove(key, from: &roots[older])
        }
        forgetFrozen()
    }

    /// Forgets the older forms of one collection, or of all.
    func clearOlderForms(of slot: Int? = nil) {
        guard directory.hasAsides else { return }
        let names = slot.map { [directory.bindings[$0].name] } ?? directory.bindings.map(\.name)
        for name in names {
            guard let older = directory.slot(of: CollectionDirectory.olderName(of: name)) else { continue }
            tree.clear(&roots[older])
        }
        forgetFrozen()
    }

    /// Keeps a record that does not decode out of sight.
    func setAside(_ raw: RawRecord, of slot: Int) {
        let name = CollectionDirectory.asideName(of: directory.bindings[slot].name)
        let aside = directory.slot(of: name) ?? addCollection(RawBinding(name: name))
        tree.insert(raw.setAside(), into: &roots[aside])
        forgetFrozen()
    }

    private func olderSlot(of name: String) -> Int {
        let name = CollectionDirectory.olderName(of: name)
        return directory.slot(of: name) ?? addCollection(RawBinding(name: name))
    }
}

extension RawRecord {
    /// The same record for another tree.
    fileprivate func copy() -> RawRecord {
        RawRecord(
            key: key, object: object, metadata: metadata, version: version, objectStamp: objectStamp,
            metadataStamp: metadataStamp)
    }
}
