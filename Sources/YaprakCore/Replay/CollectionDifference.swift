import YaprakCBOR
import YaprakStorage
import YaprakTrees

/// How the records of one collection in a checkpoint differ from those that a replay leads to.
///
/// Some things look like differences and may be none. A record that was migrated has a newer version in the checkpoint than in
/// the log. One that a prototype completed has the prototype's keys in addition. And an opening of a program with other
/// types may have rewritten what an earlier one wrote.
struct CollectionDifference {
    /// Some keys, and how many there are.
    struct Keys {
        /// The first three that were met.
        private(set) var first: [String] = []
        private(set) var least: String?
        private(set) var count = 0

        fileprivate mutating func add(_ key: String) {
            count += 1
            if first.count < 3 { first.append(key) }
            least = least.map { min($0, key) } ?? key
        }
    }

    let name: String
    /// Records that only the log leads to.
    private(set) var missing = Keys()
    /// Records that only the checkpoint has.
    private(set) var surplus = Keys()
    /// Records with other contents that the opening wrote which wrote the checkpoint, in the same form into both.
    private(set) var changed = Keys()
    /// Records with other contents that an earlier opening wrote, perhaps with other types.
    private(set) var rewritten = Keys()
    /// Records with other contents, those left out whose version is newer in the checkpoint.
    private(set) var unmigrated = Keys()

    private let root: TreeRoot
    /// Records with this stamp or a later one were written by the opening that wrote the checkpoint.
    private let epochStart: UInt64?
    private var seen: Set<String> = []

    /// - Throws: errors of reading the checkpoint.
    /// - Complexity: O(records); the keys of the collection are in memory.
    init(
        _ name: String, _ root: TreeRoot, from sections: [CheckpointSection], of checkpoint: CheckpointReader,
        epochStart: UInt64?
    ) throws {
        self.name = name
        self.root = root
        self.epochStart = epochStart
        for section in sections { try add(section, of: checkpoint) }
        root.forEach { if !seen.contains($0.keyString) { missing.add($0.keyString) } }
        seen = []
    }

    var isEmpty: Bool { [missing, surplus, changed, rewritten].allSatisfy { $0.count == 0 } }

    private mutating func add(_ section: CheckpointSection, of checkpoint: CheckpointReader) throws {
        let info = try SectionInfo(section.info)
        var keys = AscendingKeys(), prototypes = PrototypeComparison(info.prototypes)
        for chunk in section.chunks {
            let bytes = try checkpoint.bytes(of: chunk)[...]
            try bytes.withUnsafeBytes { raw in
                var items = CBORReader(raw)
                while !items.isAtEnd {
                    let record = try RecordItem.read(&items, in: bytes, sectionVersion: info.version, after: &keys)
                    compare(record, &prototypes)
                }
            }
        }
    }

    private mutating func compare(_ record: RawRecord, _ prototypes: inout PrototypeComparison) {
        guard let row = root.lookup(recordKey: record.key)?.takeUnretainedValue() as? RawRecord else {
            return surplus.add(record.key)
        }
        seen.insert(record.key)
        if row.version == record.version, row.object == record.object, row.metadata == record.metadata { return }
        if row.version == record.version, prototypes.isCompletion(record, of: row) { return }
        if record.version <= row.version { unmigrated.add(record.key) }
        // A write of one part logs that part. The other one is what an earlier program wrote, and the checkpoint has it as the
        // program with its own types writes it.
        let differs = (
            object: row.version != record.version || row.object != record.object,
            metadata: row.metadata != record.metadata
        )
        if let epochStart,
            differs.object && row.objectStamp >= epochStart || differs.metadata && row.metadataStamp >= epochStart
        {
            changed.add(record.key)
        } else {
            rewritten.add(record.key)
        }
    }
}

extension RawReplay {
    /// The records of a collection.
    private func root(of name: String) -> TreeRoot { directory.slot(of: name).map { roots[$0] } ?? TreeRoot() }

    /// The collections of the replay and of a checkpoint, ascending, with the sections that have their records.
    func collections(comparedWith checkpoint: CheckpointReader) -> [(name: String, sections: [CheckpointSection])] {
        let kinds = [SectionKind.records.rawValue, SectionKind.setAside.rawValue]
        let sections = Dictionary(grouping: checkpoint.sections.filter { kinds.contains($0.kind) }, by: \.name)
        return Set(sections.keys).union(directory.bindings.map(\.name)).sorted().map { ($0, sections[$0] ?? []) }
    }

    /// How a collection differs from a checkpoint of the same commit; `nil` if it does not.
    ///
    /// - Parameter epochStart: the stamp from which on records were written by the opening that wrote the checkpoint.
    /// - Throws: errors of reading the checkpoint.
    /// - Complexity: O(records) in memory; the sections are read only if their digests differ.
    func difference(
        of name: String, to sections: [CheckpointSection], of checkpoint: CheckpointReader, epochStart: UInt64?
    ) throws -> CollectionDifference? {
        let root = root(of: name)
        if sections.isEmpty, root.isEmpty { return nil }
        // Records that were set aside are in a section of their own: then no digest is that of the whole.
        if sections.count == 1, try hasDigest(of: sections[0], root) { return nil }
        let difference = try CollectionDifference(name, root, from: sections, of: checkpoint, epochStart: epochStart)
        return difference.isEmpty ? nil : difference
    }

    private func hasDigest(of section: CheckpointSection, _ root: TreeRoot) throws -> Bool {
        guard root.count == section.count else { return false }
        let version = try SectionInfo(section.info).version
        let binding = RawBinding(name: section.name)
        let buffer = CBORWriter(capacity: 4 << 10)
        var digest = StateDigest()
        try root.forEach { row in
            buffer.removeAll()
            try RecordItem.write(
                unsafeDowncast(row, to: RecordBox.self), of: binding, sectionVersion: version, to: buffer)
            buffer.withBytes { digest.add($0) }
        }
        return digest.value == section.digest
    }
}
