import YaprakModel
import YaprakTrees

extension HistoryLine {
    /// Applies the next commit. The state before stays what it was.
    ///
    /// - Throws: `corruptLog` if it is not the next; `undecodableRecord`, `migrationFailed`, `extensionFailed`. The line
    ///   then stays where it was.
    /// - Complexity: O(log *n*) for each change, and what extensions take to follow.
    package func apply(_ commit: LoggedCommit) throws {
        guard commit.number == state.number.next() else {
            throw DatabaseError(
                .corruptLog, "commit \(commit.number) follows commit \(state.number). Run `yaprak verify`.",
                place: .init(commits: min(state.number, commit.number)...max(state.number, commit.number)))
        }
        let draft = beginDraft()
        do {
            if commit.clearedAll {
                draft.clearAll()
                draft.clearOlderForms()
            }
            for collection in commit.collections {
                let slot =
                    draft.directory.slot(of: collection.name) ?? draft.addCollection(RawBinding(name: collection.name))
                if collection.isCleared {
                    draft.clear(slot)
                    draft.clearOlderForms(of: slot)
                }
                for operation in collection.operations {
                    try apply(operation, collection.version, slot, commit.number, draft)
                }
            }
            try draft.follow(commit.steps)
        } catch {
            draft.abort()
            reclaimer.reclaimSome(timeline)
            throw error
        }
        state = draft.sealTrees(number: commit.number)
        reclaimer.reclaimSome(timeline)
    }

    private func apply(
        _ operation: LoggedCommit.LoggedOperation, _ version: Int, _ slot: Int, _ number: CommitNumber, _ draft: Draft
    ) throws {
        let key = RecordKey.normalized(operation.key)
        let binding = draft.directory.bindings[slot]
        let stored = draft.storedForm(of: slot, key)
        var written: RawRecord?
        var undecodable: RawRecord?
        try draft.edit(slot, key) { old in
            if operation.kinds.contains(.removed) { return .remove }
            let pending = PendingRecord(operation, version)
            let raw = try pending.record(key, over: stored ?? old, stamp: draft.stamp) { box in
                try box as? RawRecord ?? RawRecord(encoding: box, of: binding)
            }
            guard let raw else { return .keep }
            if binding is RawBinding { return .put(raw, operation.kinds) }
            do {
                let box = try binding.decode(raw, into: decoder)
                written = raw
                return .put(box, operation.kinds)
            } catch {
                guard case .setAside = binding.undecodable else { throw refused(raw, binding, number, error) }
                undecodable = raw
                return .remove
            }
        }
        if binding.version > 1 { draft.keepOlderForm(written, of: slot, key) }
        if let undecodable { draft.setAside(undecodable, of: slot) }
    }

    private func refused(
        _ raw: RawRecord, _ binding: CollectionBinding, _ number: CommitNumber, _ cause: any Error
    ) -> DatabaseError {
        if let error = cause as? DatabaseError, error.code == .migrationFailed { return error }
        return DatabaseError(
            .undecodableRecord,
            """
            the record \(raw.key.debugDescription) of "\(binding.name)" does not decode as commit \(number) has it. Bind \
            the type it was written with, add a migration, or set such records aside.
            """,
            place: .init(commits: number...number, collection: binding.name, key: raw.key), cause: cause)
    }
}
