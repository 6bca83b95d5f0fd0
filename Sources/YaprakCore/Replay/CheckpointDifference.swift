import YaprakCBOR
package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// Where a checkpoint differs from the state that the log before it leads to.
///
/// A checkpoint has a digest of each collection (``StateDigest``). Where that is not the digest of the replayed records,
/// the records are compared one by one, so that the difference can be named. Two things look like differences and are
/// none: a record that was set aside lies in a section of its own, and one that was migrated has a newer version in the
/// checkpoint than in the log.
package struct CheckpointDifference: Sendable {
    /// The checkpoint, relative to the directory.
    package let file: String
    /// The commits that were replayed: those after the state that was known to be good, up to the checkpoint's.
    package let commits: ClosedRange<CommitNumber>
    /// The first collection that differs.
    package let collection: String
    /// The first record that does.
    package let key: String
    /// Records of that collection that only the log leads to.
    package fileprivate(set) var missing = 0
    /// Records of that collection that only the checkpoint has.
    package fileprivate(set) var surplus = 0
    /// Records of that collection with other contents.
    package fileprivate(set) var changed = 0

    /// The difference as an error.
    package var error: DatabaseError {
        let counts = [(missing, "missing"), (surplus, "too many"), (changed, "other than in the log")]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return DatabaseError(
            .stateDiffers,
            """
            \(file) is not what commits \(commits.lowerBound) to \(commits.upperBound) lead to: of the records of \
            \(collection.debugDescription) \(parts), the first is \(key.debugDescription). Unless a program with other \
            Codable types wrote the checkpoint, the file or the log was changed: restore a backup.
            """,
            place: .init(file: file, commits: commits, collection: collection, key: key))
    }
}

extension RawReplay {
    /// Whether the replayed state is the one a checkpoint of the same commit holds; `nil` if it is.
    ///
    /// - Parameter first: the first of the commits that were replayed to come here.
    /// - Throws: `corruptCheckpoint`, `ioFailed`.
    /// - Complexity: O(number of records); a checkpoint whose digests differ is read whole.
    package func difference(
        to checkpoint: CheckpointReader, replayedFrom first: CommitNumber
    ) throws -> CheckpointDifference? {
        precondition(checkpoint.number == number, "a checkpoint is compared with the state of its commit")
        let kinds = [SectionKind.records.rawValue, SectionKind.setAside.rawValue]
        let sections = Dictionary(grouping: checkpoint.sections.filter { kinds.contains($0.kind) }, by: \.name)
        for name in Set(sections.keys).union(directory.bindings.map(\.name)).sorted() {
            let root = directory.slot(of: name).map { roots[$0] } ?? TreeRoot()
            let stored = sections[name] ?? []
            if stored.isEmpty && root.isEmpty { continue }
            if stored.count == 1, try meets(stored[0], root) { continue }
            var held = CheckpointRows(
                try stored.flatMap { try rows(of: $0, SectionInfo($0.info), checkpoint).flatMap { $0 } })
            let commits = min(first, number)...number
            if let difference = held.difference(from: root, name, checkpoint.fileName, commits) { return difference }
        }
        return nil
    }

    /// Whether the records have the digest of a section.
    func meets(_ section: CheckpointSection, _ root: TreeRoot) throws -> Bool {
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

/// The records of one collection of a checkpoint, by their keys.
private struct CheckpointRows {
    private var rows: [String: RawRecord] = [:]

    init(_ records: [RawRecord]) {
        rows.reserveCapacity(records.count)
        for record in records { rows[record.key] = record }
    }

    /// Where they differ from a replayed tree.
    mutating func difference(
        from root: TreeRoot, _ name: String, _ file: String, _ commits: ClosedRange<CommitNumber>
    ) -> CheckpointDifference? {
        var missing: [String] = []
        var changed: [String] = []
        root.forEach { row in
            let replayed = unsafeDowncast(row, to: RawRecord.self)
            guard let held = rows.removeValue(forKey: replayed.key) else { return missing.append(replayed.key) }
            if held.version > replayed.version { return }
            let isSame = held.version == replayed.version && held.object == replayed.object
            if !isSame || held.metadata != replayed.metadata { changed.append(replayed.key) }
        }
        guard let key = (missing.prefix(1) + changed.prefix(1) + rows.keys).min() else { return nil }
        var difference = CheckpointDifference(file: file, commits: commits, collection: name, key: key)
        difference.missing = missing.count
        difference.surplus = rows.count
        difference.changed = changed.count
        return difference
    }
}
