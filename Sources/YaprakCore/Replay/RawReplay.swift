import Dispatch
import YaprakCBOR
import YaprakLocks
package import YaprakModel
package import YaprakStorage
package import YaprakTrees

/// A database without its types: a checkpoint, and commits applied to it one after the other.
///
/// Recovery is this, folded over the log to its end. So is every cursor through history.
///
///     var replay = RawReplay(timeline: timeline)
///     try replay.load(checkpoint)
///     try recovery.replay { number, item in try replay.apply(LoggedCommit(item)) }
///     try replay.settle()                 // if collections were to hold values (``PendingRecords``)
///     let state = replay.seal()
package struct RawReplay {
    package let timeline: Timeline
    private(set) var draft: TreeDraft
    private(set) var directory = CollectionDirectory.empty
    private(set) var roots = RootVector()
    /// The roots as of the last removal of everything.
    private var blank = RootVector()
    private(set) var shelf = ExtensionShelf()
    package private(set) var number = CommitNumber.zero
    /// The collections whose rows become values while they are loaded, as far as they can.
    private let bindings: [CollectionBinding]
    /// What the log says of collections that hold values already, by slot.
    private var late: [Int: PendingRecords] = [:]
    /// Keeps what the files hold of extensions up to date, in the replay's own trees.
    var observer: (any ReplayObserver)?
    private(set) var extensions: ExtensionTable = []
    /// What was strange about a checkpoint and cost nothing.
    private(set) var notes: [String] = []

    /// - Parameter bindings: collections that are to hold values. Those that can't, because rows have an older form or
    ///   don't decode, hold bytes; binding them deals with that.
    init(timeline: Timeline, valuesFor bindings: [CollectionBinding] = []) {
        self.timeline = timeline
        self.bindings = bindings
        draft = timeline.beginDraft()
    }

    // MARK: Checkpoints

    /// Loads a proven checkpoint into an empty database, on all cores.
    /// - Throws: `corruptCheckpoint` with the file, `ioFailed`.
    package mutating func load(
        _ checkpoint: CheckpointReader, checking check: @Sendable () throws -> Void = {}
    ) throws {
        precondition(roots.isEmpty, "a checkpoint is loaded first")
        number = checkpoint.number
        var collections: Set<String> = []
        for section in checkpoint.sections {
            try check()
            // The rows of a second one would take the place of the first, under a binding that these may have been decoded for.
            if SectionKind(rawValue: section.kind) == .records, !collections.insert(section.name).inserted {
                throw DatabaseError(
                    .corruptCheckpoint,
                    "\(checkpoint.fileName) has two sections of records of \(section.name.debugDescription). Restore a backup.",
                    place: .init(file: checkpoint.fileName, collectionName: section.name))
            }
            try checkpoint.namingItself(section) { try load(section, checkpoint) }
        }
        if directory.isBeyondFormat {
            throw DatabaseError(
                .corruptCheckpoint,
                """
                \(checkpoint.fileName) has more than \(DatabaseLimits.collectionsMax) collections, or their names are too \
                long. Restore a backup.
                """,
                place: .init(file: checkpoint.fileName))
        }
        let items = try checkpoint.extensionItems { section, error in
            notes.append(
                "\(checkpoint.fileName): what is kept of \(section.name.debugDescription) can't be read; it is recomputed: "
                    + ErrorText.of(error))
        }
        shelf.items = items
        // What was computed beside records that were set aside lacks them, and this launch may decode them.
        shelf.remadeCollections = Set(
            checkpoint.sections.lazy.filter { $0.kind == SectionKind.setAside.rawValue }.map(\.name))
        follow { $0.adopt(items, in: &$1) }
        if shelf.items.values.contains(where: { !$0.isPrimary }) { shelf.base = freeze() }
    }

    /// Reads what a checkpoint of the commit the replay stands at has of extensions.
    /// - Throws: `corruptCheckpoint`.
    mutating func adoptExtensions(of checkpoint: CheckpointReader) throws {
        let items = try checkpoint.extensionItems()
        follow { $0.adopt(items, in: &$1) }
    }

    /// Lets the observer do something.
    private mutating func follow(_ body: (any ReplayObserver, inout ReplayObserverState) -> Void) {
        guard let observer else { return }
        var state = ReplayObserverState(draft: draft, directory: directory, roots: roots, extensions: extensions)
        body(observer, &state)
        extensions = state.extensions
    }

    private mutating func load(_ section: CheckpointSection, _ checkpoint: CheckpointReader) throws {
        switch SectionKind(rawValue: section.kind) {
        case .records: try loadRecords(section, SectionInfo(section.info), checkpoint)
        case .setAside:
            let rows = try rows(of: section, SectionInfo(section.info), checkpoint)
            let slot = slot(of: section.name)
            for row in rows.joined() { draft.insert(row, into: &roots[slot]) }
        case .derivedRoot, .primaryRoot, .primarySteps: break
        case nil: break  // Of a later minor version; nothing that records depend on.
        }
    }

    private mutating func loadRecords(
        _ section: CheckpointSection, _ info: SectionInfo, _ checkpoint: CheckpointReader
    ) throws {
        let slot = slot(of: section.name)
        // Records that were set aside are of the same collection, and wait for another chance as bytes.
        let binding = bindings.isEmpty ? nil : binding(of: section.name, checkpoint)
        if let binding, let rows = try? values(of: section, info, checkpoint, binding) {
            roots[slot] = try draft.buildTree(of: rows)
            directory = directory.replacing(slot, with: binding)
            late[slot] = PendingRecords(section: section, info: info, checkpoint: checkpoint)
        } else {
            roots[slot] = try draft.buildTree(of: rows(of: section, info, checkpoint))
        }
        guard roots[slot].count == section.count else {
            throw DatabaseError(
                .corruptCheckpoint,
                "checkpoint \(number) names \(section.count.counted("record")) of \"\(section.name)\" and holds "
                    + roots[slot].count.grouped,
                place: .init(collectionName: section.name))
        }
    }

    private func binding(of name: String, _ checkpoint: CheckpointReader) -> CollectionBinding? {
        bindings.first { $0.name == name && !checkpoint.setsAside($0.name) }
    }

    /// The records of a section, in pieces.
    func rows(
        of section: CheckpointSection, _ info: SectionInfo, _ checkpoint: CheckpointReader
    ) throws -> [[RawRecord]] {
        try pieces(of: section, checkpoint) { chunk, bytes, keys in
            var reader = CBORReader(bytes)
            var rows: [RawRecord] = []
            while !reader.isAtEnd {
                rows.append(try RecordItem.read(&reader, in: chunk, sectionVersion: info.version, after: &keys))
            }
            return rows
        }
    }

    /// The records of a section as values, in pieces.
    /// - Throws: if any of them has another form or does not decode.
    private func values(
        of section: CheckpointSection, _ info: SectionInfo, _ checkpoint: CheckpointReader, _ binding: CollectionBinding
    ) throws -> [[RecordBox]] {
        try pieces(of: section, checkpoint) { chunk, bytes, keys in
            var reader = CBORReader(bytes)
            var rows: [RecordBox] = []
            let decoder = RecordDecoder()
            while !reader.isAtEnd {
                let raw = try RecordItem.read(&reader, in: chunk, sectionVersion: info.version, after: &keys)
                guard raw.version == binding.version else { throw malformedSection("a record") }
                rows.append(try binding.decode(raw, into: decoder))
            }
            return rows
        }
    }

    /// What `body` makes of the chunks of a section, on all cores, in order.
    private func pieces<Row: RecordBox>(
        of section: CheckpointSection, _ checkpoint: CheckpointReader,
        _ body:
            @Sendable (
                _ chunk: ArraySlice<UInt8>, _ bytes: UnsafeRawBufferPointer, _ keys: inout AscendingKeys
            ) throws -> [Row]
    ) throws -> [[Row]] {
        typealias Piece = (rows: [Row], keys: AscendingKeys)
        let chunks = section.chunks
        @Sendable func piece(_ index: Int) throws -> Piece {
            let chunk = try checkpoint.bytes(of: chunks[index])[...]
            var keys = AscendingKeys()
            return (try chunk.withUnsafeBytes { try body(chunk, $0, &keys) }, keys)
        }
        // Many a collection is small: nothing to share out.
        if chunks.count <= 1 { return try chunks.indices.map { try piece($0).rows } }
        let results = Mutex([Result<Piece, any Error>](repeating: .success(([], AscendingKeys())), count: chunks.count))
        DispatchQueue.concurrentPerform(iterations: chunks.count) { index in
            let result = Result { try piece(index) }
            results.withLock { $0[index] = result }
        }
        var keys = AscendingKeys()
        return try results.withLock { $0 }.map { result in
            let piece = try result.get()
            try keys.add(piece.keys)
            return piece.rows
        }
    }

    // MARK: Commits

    /// Applies one commit and, where there is an observer, reports each record's change: the raw box before and after.
    ///
    /// - Throws: `corruptLog` if the commit is not the one after the last.
    mutating func apply(_ commit: LoggedCommit, _ note: ((String, ChangeEntry) -> Void)? = nil) throws {
        guard commit.number == number.next() else {
            throw DatabaseError(
                .corruptLog, "commit \(commit.number) follows commit \(number). Run `yaprak verify`.",
                place: .init(commits: min(number, commit.number)...max(number, commit.number)))
        }
        number = commit.number
        guard observer != nil else { return try apply(recordsOf: commit, note) }
        var entries: [String: [ChangeEntry]] = [:]
        try apply(recordsOf: commit) { name, entry in
            entries[name, default: []].append(entry)
            note?(name, entry)
        }
        follow { $0.follow(commit, entries, in: &$1) }
    }

    private mutating func apply(
        recordsOf commit: LoggedCommit, _ note: ((String, ChangeEntry) -> Void)?
    ) throws {
        if commit.clearedAll { clearAll() }
        for collection in commit.collections {
            let slot = slot(of: collection.name)
            if collection.isCleared { clear(slot) }
            // Asked once: a look-up for each record cost as much as a tenth of the replay.
            if late[slot] != nil {
                for operation in collection.operations { late[slot]?.note(operation, collection.version) }
            } else {
                for operation in collection.operations { apply(operation, collection.version, slot, note) }
            }
        }
        for step in commit.steps { shelf.add(step: step.step, of: step.name) }
        if directory.isBeyondFormat {
            throw DatabaseError(
                .corruptLog,
                """
                commit \(number) makes more than \(DatabaseLimits.collectionsMax) collections, or their names too long. Run \
                `yaprak verify`.
                """,
                place: .init(commits: number...number))
        }
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
                // Rows of the checkpoint have the stamp 0: what is written here has another.
                let pending = PendingRecord(operation, version)
                guard let box = pending.record(key, over: old, stamp: draft.stamp) else { return .keep }
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

    private mutating func clear(_ slot: Int) {
        draft.clear(&roots[slot])
        late[slot]?.clear()
    }

    /// Removes everything in all collections. O(those that were written since the last time).
    private mutating func clearAll() {
        let written = roots.slots(notSharedWith: blank)
        for slot in written { draft.clear(&roots[slot]) }
        for slot in late.keys { late[slot]?.clear() }
        if written.isEmpty { return }
        blank = RootVector(emptyTrees: roots.count)
        roots = blank
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

    /// The state as it is, while the replay goes on. O(1).
    package mutating func freeze() -> SnapshotState {
        SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions, version: draft.freeze())
    }

    /// Brings what the log said of collections that hold values into their trees.
    ///
    /// Where it can't be done, a collection holds bytes again: binding it migrates them, sets them aside or refuses.
    /// - Throws: errors of reading the checkpoint.
    mutating func settle() throws {
        for (slot, rows) in late {
            if rows.settle(into: &roots[slot], draft, directory.bindings[slot]) { continue }
            let name = directory.bindings[slot].name
            draft.clear(&roots[slot])
            roots[slot] = try rows.bytes(draft) { try self.rows(of: $0, $1, $2) }
            directory = directory.replacing(slot, with: RawBinding(name: name))
            // Computed from values that are bytes again now.
            shelf.base = nil
            shelf.items = shelf.items.filter { $0.value.isPrimary }
        }
        late = [:]
    }

    /// The state as it is; the replay is over.
    package mutating func seal() -> SnapshotState {
        precondition(late.isEmpty, "what was noted has to be settled first")
        return SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions,
            version: draft.seal(label: VersionLabel(number: number.rawValue, nanoseconds: nil)))
    }

    /// Gives up; the timeline can be drafted on from where it was.
    package mutating func cancel() {
        draft.abort(roots: SnapshotState.trees(roots, notSharedWith: RootVector(), extensions))
    }

    /// Gives up, and the timeline with it: all memory is free when this returns, but for what snapshots hold.
    ///
    /// - Parameter inBackground: frees it in a task instead, for callers that must not wait.
    /// - Complexity: O(records).
    package mutating func discard(inBackground: Bool = false) {
        cancel()
        timeline.close(roots: [])
        if !inBackground { while timeline.reclaim(limit: .max) {} }
    }
}
