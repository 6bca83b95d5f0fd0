import YaprakModel
package import YaprakStorage
import YaprakTrees

extension HistoryLine {
    /// Applies the next commit. The state before stays what it was.
    ///
    /// - Parameter checkpoint: the checkpoint of the commit the line is at, if what it has of extensions is to be adopted.
    /// - Throws: `corruptLog` if it is not the next; `undecodableRecord`, `migrationFailed`, `extensionFailed`. The line
    ///   then stays where it was.
    /// - Complexity: O(log *n*) for each change, and what extensions take to follow.
    package func apply(_ commit: LoggedCommit, adopting checkpoint: CheckpointReader? = nil) throws {
        guard commit.number == state.number.next() else {
            throw DatabaseError(
                .corruptLog, "commit \(commit.number) follows commit \(state.number). Run `yaprak verify`.",
                place: .init(commits: min(state.number, commit.number)...max(state.number, commit.number)))
        }
        let draft = beginDraft()
        do {
            let observer = makeObserver?(state.extensions)
            if let observer, let checkpoint { draft.adoptExtensions(of: checkpoint, observer) }
            var entries: [String: [ChangeEntry]] = [:]
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
                    let entry = try apply(operation, collection.version, slot, commit.number, draft)
                    if observer != nil, let entry { entries[collection.name, default: []].append(entry) }
                }
            }
            if let observer {
                try draft.observe { observer.follow(commit, entries, in: &$0) }
            } else {
                try draft.follow(commit.steps)
            }
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
    ) throws -> ChangeEntry? {
        let key = RecordKey.normalized(operation.key)
        let binding = draft.directory.bindings[slot]
        let stored = draft.storedForm(of: slot, key)
        var written: RawRecord?
        var undecodable: RawRecord?
        var after: RecordBox?
        let before = try draft.edit(slot, key) { old in
            if operation.kinds.contains(.removed) { return .remove }
            let pending = PendingRecord(operation, version)
            let raw = try pending.record(key, over: stored ?? old, stamp: draft.stamp) { box in
                try box as? RawRecord ?? RawRecord(encoding: box, of: binding)
            }
            guard let raw else { return .keep }
            if binding is RawBinding {
                after = raw
                return .put(raw, operation.kinds)
            }
            do {
                let box = try binding.decode(raw, into: decoder)
                after = box
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
        // What was not there and was removed is no change.
        return before == nil && after == nil ? nil : ChangeEntry(before: before, after: after, kinds: operation.kinds)
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
            place: .init(commits: number...number, collectionName: binding.name, key: raw.key), cause: cause)
    }
}
