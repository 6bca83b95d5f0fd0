import Dispatch
import YaprakLocks
import YaprakModel
import YaprakTrees

// Giving a collection its types: rows that are bytes become rows that are values.
extension Draft {
    /// Binds one collection: decodes its rows if it has any that are raw.
    ///
    /// The base of the shelf is the state that shelved extensions are good for. It gets the same types, and shares with the
    /// present state what the two have in common, so that their difference can be computed.
    /// - Throws: `undecodableRecord`, `migrationFailed`, `extensionFailed`.
    func bind(_ binding: CollectionBinding, _ shelf: inout ExtensionShelf) throws {
        guard let slot = directory.slot(of: binding.name) else {
            _ = addCollection(binding)
            if let failure { throw failure }
            return
        }
        let bound = directory.bindings[slot]
        guard bound is RawBinding else {
            precondition(
                bound.objectType == binding.objectType && bound.metadataType == binding.metadataType,
                """
                collection "\(binding.name)" is bound to \(bound.objectType) with metadata \(bound.metadataType), and was \
                bound again to \(binding.objectType) and \(binding.metadataType): one name, one pair of types
                """)
            directory = directory.replacing(slot, with: binding.following(bound))
            return
        }
        var raw = roots[slot]
        var decoded: DecodedRows
        if let old = shelf.base, let oldSlot = old.directory.slot(of: binding.name) {
            decoded = decodeInParallel(old.roots[oldSlot], with: binding)
            var typed = tree.buildTree(of: decoded.rows)
            shelf.base = old.rebinding(oldSlot, to: binding, typed, tree.freeze())
            if decoded.hasOlder || !decoded.failures.isEmpty { shelf.remadeCollections.insert(binding.name) }
            decoded.failures.removeAll { raw.lookup($0.raw.key) !== $0.raw }
            follow(from: old.roots[oldSlot], to: raw, with: binding, &typed, &decoded.failures)
            roots[slot] = typed
        } else {
            decoded = decodeInParallel(raw, with: binding)
            roots[slot] = tree.buildTree(of: decoded.rows)
        }
        tree.clear(&raw)
        directory = directory.replacing(slot, with: binding)
        try setAside(decoded.failures, of: binding)
        forgetFrozen()
        try announce(slot)
    }

    /// Applies to a typed tree what leads from one raw tree to another.
    private func follow(
        from old: TreeRoot, to new: TreeRoot, with binding: CollectionBinding, _ typed: inout TreeRoot,
        _ failures: inout [DecodedRows.Failure]
    ) {
        let decoder = RecordDecoder()
        var changed: [(key: String, raw: RawRecord?)] = []
        _ = TreeRoot.difference(from: old, to: new) { step in
            switch step {
            case .removed(let row): changed.append((row.keyString, nil))
            case .inserted(let row), .replaced(_, let row):
                changed.append((row.keyString, unsafeDowncast(row, to: RawRecord.self)))
            }
        }
        for (key, raw) in changed {
            do {
                if let box = try raw.map({ try binding.decode($0, into: decoder) }) {
                    tree.insert(box, into: &typed)
                    continue
                }
            } catch {
                failures.append(.init(raw: raw!, error: error))
            }
            tree.remove(key, from: &typed)
        }
    }

    /// Deals with rows that don't decode, as the binding says.
    private func setAside(_ failures: [DecodedRows.Failure], of binding: CollectionBinding) throws {
        guard let first = failures.first else { return }
        guard case .setAside = binding.undecodable else {
            if let error = first.error as? DatabaseError, error.code == .migrationFailed { throw error }
            let keys = failures.prefix(5).map(\.raw.key.debugDescription).joined(separator: ", ")
            throw DatabaseError(
                .undecodableRecord,
                """
                \(failures.count) records of "\(binding.name)" do not decode, among them \(keys). Nothing was lost. Bind the \
                type they were written with, name the coder they were written with (earlierCoders), add a migration, or set \
                them aside (undecodable, all of CollectionConfiguration).
                """,
                place: .init(collectionName: binding.name, key: first.raw.key), cause: first.error)
        }
        let rows = failures.map { $0.raw.setAside() }.sorted { $0.key < $1.key }
        let aside = addCollection(RawBinding(name: CollectionDirectory.asideName(of: binding.name)))
        roots[aside] = tree.buildTree(of: rows)
    }

    /// Gives the extensions the records that were there, but out of their sight until now.
    private func announce(_ slot: Int) throws {
        let binding = directory.bindings[slot]
        guard !roots[slot].isEmpty, !extensions.isEmpty else { return }
        var entries: ContiguousArray<ChangeEntry> = []
        roots[slot].forEach { row in
            entries.append(ChangeEntry(before: nil, after: unsafeDowncast(row, to: RecordBox.self), kinds: .inserted))
        }
        // Before, the collection had its types already, and none of its records: with others it can't be read.
        var rootsBefore = roots
        rootsBefore[slot] = TreeRoot()
        lastCaughtUp = SnapshotState(
            number: base.number, directory: directory, roots: rootsBefore, extensions: extensions,
            reactions: reactions, version: tree.freeze())
        var batch = ChangeBatch()
        batch.collections = [CollectionChanges(binding: binding, clearedCount: nil, entries: OneOrMany(entries))]
        segments.append(DraftSegment(batch: batch))
        try catchUp()
        // As when they are registered over records that are there.
        for index in extensions.indices {
            let registration = extensions.registration(at: index)
            guard registration.judges, isConcerned(registration, by: batch) else { continue }
            try registration.judge(extensions.root(at: index))
        }
        // These records were there: if primary extensions took steps, a commit logs those and nothing else.
        segments = []
        caughtUpSegments = 0
        // No commit logs the roots of others; the next one does, as a whole.
        for index in extensions.indices { extensions[index].isInLog = false }
    }
}

extension SnapshotState {
    /// The same moment with one collection's rows in another shape, which belong to a later version.
    fileprivate func rebinding(
        _ slot: Int, to binding: CollectionBinding, _ root: TreeRoot, _ version: TreeVersion
    ) -> SnapshotState {
        var roots = roots
        roots[slot] = root
        return SnapshotState(
            number: number, directory: directory.replacing(slot, with: binding), roots: roots, extensions: extensions,
            reactions: reactions, version: version, otherVersions: versions)
    }
}

/// What came of decoding rows.
private struct DecodedRows: Sendable {
    struct Failure: Sendable {
        var raw: RawRecord
        var error: any Error
    }

    var rows: [RecordBox] = []
    var failures: [Failure] = []
    /// Whether any row had an older form.
    var hasOlder = false
}

/// Decodes the rows of a raw tree on all cores, in order.
private func decodeInParallel(_ root: TreeRoot, with binding: CollectionBinding) -> DecodedRows {
    let size = 2048
    let chunks = (root.count + size - 1) / size
    let results = Mutex([DecodedRows](repeating: DecodedRows(), count: chunks))
    DispatchQueue.concurrentPerform(iterations: chunks) { chunk in
        var decoded = DecodedRows()
        let range = chunk * size..<min(root.count, (chunk + 1) * size)
        decoded.rows.reserveCapacity(range.count)
        let decoder = RecordDecoder()
        root.forEach(in: range) { row in
            let raw = unsafeDowncast(row, to: RawRecord.self)
            if raw.version != binding.version { decoded.hasOlder = true }
            do {
                decoded.rows.append(try binding.decode(raw, into: decoder))
            } catch {
                decoded.failures.append(.init(raw: raw, error: error))
            }
        }
        results.withLock { [decoded] in $0[chunk] = decoded }
    }
    var all = DecodedRows()
    all.rows.reserveCapacity(root.count)
    results.withLock { chunks in
        for chunk in chunks {
            all.rows += chunk.rows
            all.failures += chunk.failures
            if chunk.hasOlder { all.hasOlder = true }
        }
    }
    return all
}

extension TreeDraft {
    /// A tree of rows that should be in ascending order, and are put in order if they are not: a table of Unicode newer
    /// than the one they were written with may order keys differently.
    func buildTree(of rows: [TreeRow]) -> TreeRoot {
        if let root = try? build(from: rows) { return root }
        var root = TreeRoot()
        for row in rows { insert(row, into: &root) }
        return root
    }
}
