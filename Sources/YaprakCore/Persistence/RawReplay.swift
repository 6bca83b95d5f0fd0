import Dispatch
import YaprakCBOR
import YaprakLocks
package import YaprakStorage
package import YaprakTrees

/// A database without its types: a checkpoint, and commits applied to it one after the other.
///
/// Recovery is this, folded over the log to its end. So is every journey through history.
///
///     var replay = RawReplay()
///     try replay.load(checkpoint)
///     try recovery.replay { number, item in try replay.apply(LoggedCommit(item)) }
///     let state = replay.seal()
package struct RawReplay {
    package let timeline: Timeline
    private var draft: TreeDraft
    private(set) var directory = CollectionDirectory()
    private(set) var roots: ContiguousArray<TreeRoot> = []
    private(set) var shelf = ExtensionShelf()
    package private(set) var number = CommitNumber.zero

    init(timeline: Timeline) {
        self.timeline = timeline
        draft = timeline.beginDraft()
    }

    // MARK: Checkpoints

    /// Loads a proven checkpoint into an empty database, on all cores.
    /// - Throws: `corruptCheckpoint`.
    package mutating func load(_ checkpoint: CheckpointReader) throws {
        precondition(roots.isEmpty, "a checkpoint is loaded first")
        number = checkpoint.number
        for section in checkpoint.sections {
            let info = try SectionInfo(section.info)
            switch SectionKind(rawValue: section.kind) {
            case .records: try loadRecords(section, info, checkpoint)
            case .setAside:
                let slot = slot(of: section.name)
                for row in try rows(of: section, info, checkpoint) { draft.insert(row, into: &roots[slot]) }
            case .derivedRoot, .primaryRoot:
                shelf.items[section.name] = ExtensionShelf.Item(
                    versionTag: info.tag, isPrimary: section.kind == SectionKind.primaryRoot.rawValue,
                    bytes: try bytes(of: section, checkpoint))
            case .primarySteps:
                try checkpoint.forEachChunk(of: section) { chunk in
                    var reader = CBORReader(chunk)
                    while !reader.isAtEnd {
                        let start = reader.position
                        try reader.skip()
                        shelf.add(step: [UInt8](chunk[start..<reader.position]), of: section.name)
                    }
                }
            case nil: break  // Of a later minor version; nothing that records depend on.
            }
        }
        if shelf.items.values.contains(where: { !$0.isPrimary }) { shelf.base = freeze() }
    }

    private mutating func loadRecords(
        _ section: CheckpointSection, _ info: SectionInfo, _ checkpoint: CheckpointReader
    ) throws {
        let slot = slot(of: section.name)
        roots[slot] = draft.buildTree(of: try rows(of: section, info, checkpoint))
        guard roots[slot].count == section.count else {
            throw DatabaseError(
                .corruptCheckpoint,
                "checkpoint \(number) names \(section.count) records of \"\(section.name)\" and holds \(roots[slot].count)",
                place: .init(collection: section.name))
        }
    }

    func rows(
        of section: CheckpointSection, _ info: SectionInfo, _ checkpoint: CheckpointReader
    ) throws -> [RawRecord] {
        let chunks = section.chunks
        let results = Mutex([Result<[RawRecord], any Error>](repeating: .success([]), count: chunks.count))
        DispatchQueue.concurrentPerform(iterations: chunks.count) { index in
            let result = Result { () throws -> [RawRecord] in
                let chunk = try checkpoint.bytes(of: chunks[index])[...]
                return try chunk.withUnsafeBytes { bytes in
                    var reader = CBORReader(bytes)
                    var rows: [RawRecord] = []
                    while !reader.isAtEnd {
                        rows.append(try RecordItem.read(&reader, in: chunk, sectionVersion: info.version))
                    }
                    return rows
                }
            }
            results.withLock { $0[index] = result }
        }
        var all: [RawRecord] = []
        all.reserveCapacity(min(section.count, 1 << 24))
        for result in results.withLock({ $0 }) { all += try result.get() }
        return all
    }

    private func bytes(of section: CheckpointSection, _ checkpoint: CheckpointReader) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try checkpoint.forEachChunk(of: section) { chunk in
            var reader = CBORReader(chunk)
            while !reader.isAtEnd { bytes += try reader.readBytesInPlace() }
        }
        return bytes
    }

    // MARK: Commits

    /// Applies one commit and, where somebody listens, tells each record's change: the raw box before and after.
    ///
    /// - Throws: `corruptLog` if the commit is not the one after the last.
    mutating func apply(_ commit: LoggedCommit, _ note: ((String, ChangeEntry) -> Void)? = nil) throws {
        guard commit.number == number.next() else {
            throw DatabaseError(
                .corruptLog, "commit \(commit.number) follows commit \(number). Run `yaprak verify`.",
                place: .init(commits: min(number, commit.number)...max(number, commit.number)))
        }
        number = commit.number
        if commit.clearedAll { for slot in roots.indices { draft.clear(&roots[slot]) } }
        for collection in commit.collections {
            let slot = slot(of: collection.name)
            if collection.isCleared { draft.clear(&roots[slot]) }
            for operation in collection.operations { apply(operation, collection.version, slot, note) }
        }
        for step in commit.steps { shelf.add(step: step.step, of: step.name) }
    }

    private mutating func apply(
        _ operation: LoggedCommit.LoggedOperation, _ version: Int, _ slot: Int,
        _ note: ((String, ChangeEntry) -> Void)?
    ) {
        let key = RecordKey.normalized(operation.key)
        let kinds = operation.kinds
        var after: RawRecord?
        let before = key.withKeyBytes { bytes in
            draft.edit(&roots[slot], key: bytes) { row in
                let old = row.map { unsafeDowncast($0, to: RawRecord.self) }
                if kinds.contains(.removed) { return old == nil ? .keep : .remove }
                guard let object = operation.object ?? old?.object else { return .keep }
                // Rows of the checkpoint have the stamp 0: who compares with it has to see what was written since.
                let isNew = old == nil || kinds.contains(.inserted)
                let box = RawRecord(
                    key: old?.key ?? key, object: object,
                    metadata: operation.setsMetadata ? operation.metadata : old?.metadata,
                    version: operation.object == nil ? old?.version ?? version : version,
                    objectStamp: isNew || kinds.contains(.objectChanged) ? draft.stamp : old!.objectStamp,
                    metadataStamp: isNew || kinds.contains(.metadataChanged) ? draft.stamp : old!.metadataStamp)
                after = box
                return .put(box)
            }
        }
        // What was not there and was removed is no change.
        if before == nil, after == nil { return }
        note?(
            directory.bindings[slot].name,
            ChangeEntry(
                before: before.map { unsafeDowncast($0, to: RecordBox.self) }, after: after, kinds: kinds))
    }

    private mutating func slot(of name: String) -> Int {
        if let slot = directory.slot(of: name) { return slot }
        directory = directory.appending(RawBinding(name: name))
        roots.append(TreeRoot())
        return roots.count - 1
    }

    /// The stamp of rows that are written now; moves on with each freeze.
    var stamp: UInt64 { draft.stamp }

    // MARK: States

    /// The state as it is, while the replay goes on. O(number of collections).
    package mutating func freeze() -> SnapshotState {
        SnapshotState(number: number, directory: directory, roots: roots, extensions: [], version: draft.freeze())
    }

    /// The state as it is; the replay is over.
    package mutating func seal() -> SnapshotState {
        SnapshotState(number: number, directory: directory, roots: roots, extensions: [], version: draft.seal())
    }

    /// Gives up; the timeline can be drafted on from where it was.
    package mutating func cancel() { draft.abort(roots: Array(roots)) }

    /// Gives up, and the timeline with it.
    package mutating func discard() {
        cancel()
        timeline.close(roots: [])
    }
}
