public import SystemPackage
public import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// Makes the records what they were in a snapshot, as one commit.
    ///
    ///     let before = database.snapshot
    ///     …
    ///     try await database.restore(before)              // undone; what happened in between stays in the history
    ///
    /// The commit changes what differs and nothing else: extensions follow, changesets report it, the log has it. Its
    /// ``Changeset/origin`` is `"restore"` unless another is given.
    ///
    /// A record that is set aside here and not in the snapshot is removed. Only records are restored: the state of a
    /// primary extension stays, except for what follows from records. Collections without a type are restored like others,
    /// and so are those that got one since. ``DatabaseLimits/operationsMax`` does not bound a restore.
    ///
    /// - Parameter snapshot: a snapshot of this database in this opening, or of one of its forks.
    /// - Returns: the number of the commit; the present one if nothing differed.
    /// - Throws: `typeMismatch` if it is of another database, or of an earlier opening of this one: back it up, and use
    ///   ``restore(from:origin:)-(FilePath,_)``. `undecodableRecord` if a record of a collection that got its type since does
    ///   not decode, or if a record that is set aside in the snapshot is not set aside here: its bytes can't be written again;
    ///   as ``write(origin:_:)``. Nothing is changed then.
    /// - Precondition: collections with a type in both have the same one.
    /// - Complexity: O(*d* · log *n*) with *d* the nodes that the two don't share; of a collection that got its type since,
    ///   all records count.
    @discardableResult
    public nonisolated(nonsending) func restore(
        _ snapshot: Snapshot, origin: String = "restore"
    ) async throws -> CommitNumber {
        try await write(origin: origin) { transaction in
            try transaction.draft.restore(snapshot.state)
            return transaction.draft.numberIfSealedNow
        }
    }

    /// Makes the records what they are in another database directory, such as a backup, as one commit.
    ///
    /// The directory is read, not changed, and may be in use. Collections that are bound here are decoded; a record that
    /// does not decode makes the restore throw.
    ///
    /// - Returns: the number of the commit; the present one if nothing differed.
    /// - Throws: `notFound`, `notADatabase`, `corruptLog`, `corruptCheckpoint`, `newerFormat`, `permissionDenied`, `ioFailed`,
    ///   `undecodableRecord`, and as ``write(origin:_:)``; `CancellationError` if the task is cancelled before the write begins.
    ///   Nothing is changed then.
    /// - Complexity: O(records of both).
    @discardableResult
    public nonisolated func restore(from path: FilePath, origin: String = "restore") async throws -> CommitNumber {
        let raw = try await DatabaseFiles.cancellable(on: options.store.scheduler) { cancellation in
            let reader = try StoreReader.open(path)
            return try HistoryReader.state(at: nil, of: reader, checking: cancellation.check)
        }
        try Task.checkCancellation()
        return try await write(origin: origin) { transaction in
            try transaction.draft.restore(raw: raw)
            return transaction.draft.numberIfSealedNow
        }
    }
}

extension Draft {
    /// The commit the database is at when this draft is sealed as it is.
    fileprivate var numberIfSealedNow: CommitNumber { recorders.isEmpty ? baseNumber : baseNumber.next() }

    /// Applies what leads from the present to `target`. A collection's typed rows are copied into boxes of their own.
    /// - Throws: `typeMismatch` if the two are of different databases or openings; `undecodableRecord`.
    func restore(_ target: SnapshotState) throws {
        guard target.version.timeline.arena === base.version.timeline.arena else {
            throw DatabaseError(
                .typeMismatch,
                """
                the snapshot, of commit \(target.number), is of another database, or of an earlier opening of this one. Write it \
                to a directory with backup(_:to:) or Snapshot.write(to:), and restore from that. Nothing was restored.
                """)
        }
        isUnlimited = true
        runsReactions = false
        try checkAsides(of: target)
        removeAsides(missingIn: target)
        let rebound = self.rebound(in: target), reboundSlots = Set(rebound.map(\.slot))
        let batch = ChangeBatch(from: base, to: target, includesRaw: true)
        for changes in batch.collections {
            let slot: Int
            if let known = directory.slot(of: changes.binding.name) {
                if reboundSlots.contains(known) { continue }
                slot = known
                let bound = directory.bindings[slot]
                precondition(
                    bound.objectType == changes.binding.objectType
                        && bound.metadataType == changes.binding.metadataType,
                    """
                    collection "\(bound.name)" holds records of type \(bound.objectType) with metadata \(bound.metadataType), \
                    and \(changes.binding.objectType) with \(changes.binding.metadataType) in the snapshot to restore: one name, \
                    one pair of types
                    """)
            } else {
                slot = addCollection(changes.binding)
            }
            for entry in changes.entries {
                edit(slot, entry.key) { old in
                    guard let box = entry.after else { return .remove }
                    // The stamps come along, so that a value that was brought back is known to be the one it was.
                    if let old, old.objectStamp == box.objectStamp, old.metadataStamp == box.metadataStamp {
                        return .keep
                    }
                    let copy = changes.binding.copy(
                        box, key: box.key, objectStamp: box.objectStamp, metadataStamp: box.metadataStamp)
                    return .put(copy, entry.kinds)
                }
            }
        }
        let decoder = RecordDecoder()
        for (slot, source, root) in rebound {
            try restore(slot, to: root, decoder) { row in
                let box = unsafeDowncast(row, to: RecordBox.self)
                return try box as? RawRecord ?? RawRecord(encoding: box, of: source)
            }
        }
    }

    /// Fails if a record that is set aside in another state is not here: it can't be brought back.
    private func checkAsides(of target: SnapshotState) throws {
        guard target.directory.hasAsides else { return }
        for (index, binding) in target.directory.bindings.enumerated() where !binding.isHidden {
            guard let aside = target.directory.asideSlot(of: index) else { continue }
            let own = directory.slot(of: binding.name).flatMap { directory.asideSlot(of: $0) }
            var lost: String?
            _ = TreeRoot.difference(from: own.map { roots[$0] } ?? TreeRoot(), to: target.roots[aside]) { step in
                if case .inserted(let row) = step, lost == nil { lost = row.keyString }
            }
            guard let lost else { continue }
            throw DatabaseError(
                .undecodableRecord,
                """
                the record \(lost.debugDescription) of "\(binding.name)" is set aside in the snapshot, because it does not \
                decode, and not here: it was removed or replaced since, or the collection has no type here. It can't be \
                written again. Nothing was restored.
                """,
                place: .init(collectionName: binding.name, key: lost))
        }
    }

    /// Removes the records that are set aside here and are not in another state.
    private func removeAsides(missingIn target: SnapshotState) {
        guard directory.hasAsides else { return }
        for (slot, binding) in directory.bindings.enumerated() where !binding.isHidden {
            guard let own = directory.asideSlot(of: slot) else { continue }
            let other = target.directory.slot(of: binding.name).flatMap { target.directory.asideSlot(of: $0) }
            var gone: [String] = []
            _ = TreeRoot.difference(from: roots[own], to: other.map { target.roots[$0] } ?? TreeRoot()) { step in
                if case .removed(let row) = step { gone.append(row.keyString) }
            }
            for key in gone { edit(slot, key) { _ in .remove } }
        }
    }

    /// Makes a collection what it is in a tree of another form.
    private func restore(
        _ slot: Int, to root: TreeRoot, _ decoder: RecordDecoder, _ raw: (TreeRow) throws -> RawRecord
    ) throws {
        let binding = directory.bindings[slot]
        var gone: Set<String> = []
        roots[slot].forEach { gone.insert($0.keyString) }
        if let aside = directory.asideSlot(of: slot) { roots[aside].forEach { gone.insert($0.keyString) } }
        try root.forEach { row in
            gone.remove(row.keyString)
            try restore(try raw(row), slot, binding, decoder)
        }
        for key in gone { edit(slot, key) { _ in .remove } }
    }

    /// The collections that have a type in only one of the present and another state.
    private func rebound(in target: SnapshotState) -> [(slot: Int, source: CollectionBinding, root: TreeRoot)] {
        if target.directory === directory { return [] }
        return target.directory.bindings.slots(notSharedWith: directory.bindings).compactMap { index in
            let source = target.directory.bindings[index]
            guard !source.isHidden, let slot = directory.slot(of: source.name),
                (source is RawBinding) != (directory.bindings[slot] is RawBinding)
            else { return nil }
            return (slot, source, target.roots[index])
        }
    }

    /// Applies what leads from the present to a state read from files.
    /// - Throws: `undecodableRecord`.
    func restore(raw target: SnapshotState) throws {
        isUnlimited = true
        runsReactions = false
        let decoder = RecordDecoder()
        for (slot, binding) in directory.bindings.enumerated() where !binding.isHidden {
            if target.root(ofCollection: binding.name)?.isEmpty ?? true { clear(slot) }
        }
        for (source, root) in zip(target.directory.bindings, target.roots) where !root.isEmpty {
            let slot = directory.slot(of: source.name) ?? addCollection(RawBinding(name: source.name))
            try restore(slot, to: root, decoder) { unsafeDowncast($0, to: RawRecord.self) }
        }
    }

    private func restore(
        _ raw: RawRecord, _ slot: Int, _ binding: CollectionBinding, _ decoder: RecordDecoder
    ) throws {
        let box: RecordBox
        do {
            box = try binding.decode(raw, into: decoder)
        } catch {
            throw DatabaseError(
                .undecodableRecord,
                "the record \(raw.key.debugDescription) of \"\(binding.name)\" does not decode. Nothing was restored.",
                place: .init(collectionName: binding.name, key: raw.key), cause: error)
        }
        try edit(slot, raw.key) { old in
            if let old, try isEqual(old, raw, box, binding) { return .keep }
            return .put(
                binding.copy(box, key: old?.key ?? raw.key, objectStamp: tree.stamp, metadataStamp: tree.stamp),
                [.objectChanged, .metadataChanged])
        }
    }

    /// Whether a record has on disk just the bytes of another, which would become `decoded`.
    private func isEqual(
        _ box: RecordBox, _ raw: RawRecord, _ decoded: RecordBox, _ binding: CollectionBinding
    ) throws -> Bool {
        guard let own = try? RawRecord(encoding: box, of: binding) else { return false }
        return own.version == raw.version && own.object == raw.object
            && own.metadata == (binding.hasMetadata(decoded) ? raw.metadata : nil)
    }
}
