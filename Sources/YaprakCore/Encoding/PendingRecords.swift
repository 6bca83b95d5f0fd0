import YaprakModel
import YaprakStorage
import YaprakTrees

/// Pending log operations to merge into the decoded rows of a collection: merged by key, as bytes. However often a record was
/// written, it is decoded once.
struct PendingRecords {
    /// What the log leads to for one record.
    private enum Outcome {
        case removed
        case written(PendingRecord)
    }

    let section: CheckpointSection
    let info: SectionInfo
    let checkpoint: CheckpointReader
    private var outcomes: [String: Outcome] = [:]
    /// Whether nothing of the checkpoint is left.
    private var isCleared = false

    init(section: CheckpointSection, info: SectionInfo, checkpoint: CheckpointReader) {
        self.section = section
        self.info = info
        self.checkpoint = checkpoint
    }

    /// Everything was removed.
    mutating func clear() {
        outcomes = [:]
        isCleared = true
    }

    /// Notes what happened to a record.
    mutating func note(_ operation: LoggedCommit.LoggedOperation, _ version: Int) {
        let key = RecordKey.normalized(operation.key)
        if operation.kinds.contains(.removed) {
            outcomes[key] = .removed
            return
        }
        var row: PendingRecord
        switch outcomes[key] {
        case nil: row = PendingRecord()
        case .removed?: row = PendingRecord(isNew: true)
        case .written(let known)?: row = known
        }
        row.add(operation, version)
        // Part of a record that is not there is nothing.
        if row.isNew, row.object == nil { return }
        outcomes[key] = .written(row)
    }

    /// Merges everything into a tree of values.
    /// - Returns: false if some row can't be a value as it is. The tree must not be used then.
    func settle(into root: inout TreeRoot, _ draft: TreeDraft, _ binding: CollectionBinding) -> Bool {
        let decoder = RecordDecoder()
        for (key, outcome) in outcomes {
            guard case .written(let row) = outcome else {
                draft.remove(key, from: &root)
                continue
            }
            let old = root.lookup(recordKey: key)?.takeUnretainedValue() as? RecordBox
            if old == nil, row.object == nil { continue }
            guard row.object == nil || row.version == binding.version,
                let box = try? binding.decode(row, over: old, key: key, stamp: draft.stamp, into: decoder)
            else { return false }
            draft.insert(box, into: &root)
        }
        return true
    }

    /// The same as a tree of bytes, from the checkpoint on.
    func bytes(
        _ draft: TreeDraft, _ rows: (CheckpointSection, SectionInfo, CheckpointReader) throws -> [[RawRecord]]
    ) throws -> TreeRoot {
        var root = isCleared ? TreeRoot() : try draft.buildTree(of: rows(section, info, checkpoint))
        for (key, outcome) in outcomes {
            guard case .written(let row) = outcome else {
                draft.remove(key, from: &root)
                continue
            }
            let old = root.lookup(recordKey: key)?.takeUnretainedValue() as? RawRecord
            if let raw = row.record(key, over: old, stamp: draft.stamp) { draft.insert(raw, into: &root) }
        }
        return root
    }
}

extension CheckpointReader {
    /// Whether records of a collection were set aside.
    func setsAside(_ name: String) -> Bool {
        sections.contains { $0.kind == SectionKind.setAside.rawValue && $0.name == name }
    }
}

extension PendingRecord {
    /// One operation, in a commit whose collection has the form `version`.
    ///
    /// Inlined with ``record(_:over:stamp:)``, it is never made: a replay does both for each record.
    @inline(__always)
    package init(_ operation: LoggedCommit.LoggedOperation, _ version: Int) {
        self.init()
        add(operation, version)
    }

    /// Adds the next operation.
    @inline(__always)
    mutating func add(_ operation: LoggedCommit.LoggedOperation, _ version: Int) {
        add(
            operation.kinds, object: operation.object, setsMetadata: operation.setsMetadata,
            metadata: operation.metadata, version: version)
    }
}
