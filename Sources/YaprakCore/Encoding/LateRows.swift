import YaprakModel
import YaprakStorage
import YaprakTrees

/// What the log says of a collection whose rows are values already: the last word on each key, in bytes. However often a
/// record was written, it is decoded once.
struct LateRows {
    /// What is to become of one record.
    private enum Word {
        case removed
        case written(LateRow)
    }

    let section: CheckpointSection
    let info: SectionInfo
    let checkpoint: CheckpointReader
    private var words: [String: Word] = [:]
    /// Whether nothing of the checkpoint is left.
    private var isCleared = false

    init(section: CheckpointSection, info: SectionInfo, checkpoint: CheckpointReader) {
        self.section = section
        self.info = info
        self.checkpoint = checkpoint
    }

    /// Everything was removed.
    mutating func clear() {
        words = [:]
        isCleared = true
    }

    /// Notes what happened to a record.
    mutating func note(_ operation: LoggedCommit.LoggedOperation, _ version: Int) {
        let key = RecordKey.normalized(operation.key)
        if operation.kinds.contains(.removed) {
            words[key] = .removed
            return
        }
        var row: LateRow
        switch words[key] {
        case nil: row = LateRow()
        case .removed?: row = LateRow(isNew: true)
        case .written(let known)?: row = known
        }
        row.add(operation, version)
        // Part of a record that is not there is nothing.
        if row.isNew, row.object == nil { return }
        words[key] = .written(row)
    }

    /// Brings everything into a tree of values.
    /// - Returns: false if some row can't be a value as it is. The tree is then as good as lost.
    func settle(into root: inout TreeRoot, _ draft: TreeDraft, _ binding: CollectionBinding) -> Bool {
        let decoder = RecordDecoder()
        for (key, word) in words {
            guard case .written(let row) = word else {
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
        for (key, word) in words {
            guard case .written(let row) = word else {
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

extension LateRow {
    /// Adds what the log says next.
    mutating func add(_ operation: LoggedCommit.LoggedOperation, _ version: Int) {
        add(
            operation.kinds, object: operation.object,
            metadata: operation.setsMetadata ? .some(operation.metadata) : nil, version: version)
    }
}
