import YaprakCBOR
package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// Plays the log from each checkpoint to the next and compares the two: what only a replay can find.
///
/// Sums prove that the bytes are those that were written. This proves that what was written belongs together: a commit that
/// says something else than it did, a checkpoint of another state. One state is in memory at a time, and the keys of a
/// collection that differs.
///
///     var check = ReplayCheck(store)
///     try check.run { done, total in … }
///     for finding in check.findings { … }
package struct ReplayCheck {
    /// What was found.
    package struct Finding: Sendable {
        package let severity: VerifyReport.Severity
        package let file: String?
        package var commits: ClosedRange<CommitNumber>?
        package var collection: String?
        package var key: String?
        package let message: String
    }

    private let store: StoreReader
    /// Everything found, in the order of the commits.
    package private(set) var findings: [Finding] = []
    /// Checkpoints that were compared with a replay, or that one started from.
    package private(set) var compared = 0
    /// Records of the newest checkpoint that were set aside, by collection and key; the first thousand.
    package private(set) var setAside: [(collection: String, key: String)] = []
    /// How many there are of those.
    package private(set) var setAsideCount = 0
    /// The newest commit that was replayed.
    package private(set) var newest = CommitNumber.zero

    package init(_ store: StoreReader) { self.store = store }

    /// Runs to the commit that is the newest when it begins.
    ///
    /// Stretches that can't be read are skipped: that they can't is a finding of the lower levels.
    /// - Throws: `ioFailed` and the like if the directory can't be read.
    package mutating func run(progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }) throws(DatabaseError) {
        do {
            try check(progress)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.ioFailed, "An unexpected error came up.", cause: error)
        }
    }

    private mutating func check(_ progress: (UInt64, UInt64) -> Void) throws {
        let checkpoints = try store.checkpoints()
        let end = (try? store.newest()) ?? checkpoints.last?.number ?? .zero
        var replay: RawReplay?
        defer { replay?.discard() }
        var start: UInt64?
        if try store.logReachesBackToFirst() {
            replay = Self.empty()
            start = 0
        }
        for checkpoint in checkpoints where checkpoint.number <= end {
            let reader: CheckpointReader
            do {
                guard let opened = try store.open(checkpoint) else { continue }
                reader = opened
            } catch {
                continue  // Damaged, which level 1 has said.
            }
            start = start ?? checkpoint.number.rawValue
            let total = end.rawValue - (start ?? 0)
            var epochStart: UInt64?
            if replay != nil {
                epochStart = try advance(&replay, to: checkpoint.number, epoch: checkpoint.epoch) {
                    progress($0 - min($0, start ?? 0), total)
                }
            }
            look(at: reader, checkpoint)
            let agrees = try replay.map { try compare($0, reader, checkpoint, epochStart) } ?? false
            compared += 1
            newest = checkpoint.number
            guard !agrees else { continue }
            replay?.discard()
            replay = nil
            replay = try load(reader, checkpoint)
        }
        let total = end.rawValue - min(end.rawValue, start ?? 0)
        _ = try advance(&replay, to: end, epoch: 0) { progress($0 - min($0, start ?? 0), total) }
        if let replay { newest = max(newest, replay.number) }
    }

    // MARK: Replaying

    private static func empty() -> RawReplay {
        RawReplay(timeline: Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) })
    }

    private mutating func load(_ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint) throws -> RawReplay? {
        var replay = Self.empty()
        do {
            try replay.load(reader)
            return replay
        } catch {
            replay.discard()
            add(.corrupt, checkpoint.file, "It verifies and does not load: \(Self.sentence(error))")
            return nil
        }
    }

    /// Replays up to a commit; without a way there, the replay is given up.
    ///
    /// - Returns: the stamp from which on records were written by the opening `epoch`; nil if none were.
    private mutating func advance(
        _ replay: inout RawReplay?, to number: CommitNumber, epoch: UInt64, _ progress: (UInt64) -> Void
    ) throws -> UInt64? {
        guard var current = replay, current.number < number else { return nil }
        replay = nil
        var epochStart: UInt64?
        do {
            var commits = try store.commits(from: current.number.next(), through: number)
            while let stored = try commits.next() {
                if stored.epoch == epoch, epochStart == nil {
                    // Stamps move on with a freeze: this distinguishes rows written from here on from those before.
                    _ = current.freeze()
                    epochStart = current.stamp
                }
                guard apply(stored, to: &current) else {
                    current.discard()
                    return nil
                }
                if stored.number.rawValue % 512 == 0 { progress(stored.number.rawValue) }
            }
        } catch {
            // Pruned meanwhile, or damaged: the lower levels know.
            current.discard()
            return nil
        }
        guard current.number == number else {
            current.discard()
            return nil
        }
        progress(number.rawValue)
        replay = current
        return epochStart
    }

    private mutating func apply(_ stored: StoreReader.Commit, to replay: inout RawReplay) -> Bool {
        do {
            try replay.apply(LoggedCommit(stored.item[...]))
            return true
        } catch {
            findings.append(
                Finding(
                    severity: .corrupt, file: stored.file, commits: stored.number...stored.number,
                    message: "The commit can't be replayed: \(Self.sentence(error))"))
            return false
        }
    }

    // MARK: Comparing

    /// Whether the checkpoint holds the state that the replay has come to.
    private mutating func compare(
        _ replay: RawReplay, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint, _ epochStart: UInt64?
    ) throws -> Bool {
        var agrees = true
        var sections: [String: [CheckpointSection]] = [:]
        for section in reader.sections where section.isOfRecords { sections[section.name, default: []].append(section) }
        for name in sections.keys.sorted() {
            guard let parts = sections[name] else { continue }
            let root = replay.root(of: name)
            var difference = CollectionDifference(root: root, epochStart: epochStart)
            do {
                if parts.count == 1, try replay.meets(parts[0], root) { continue }
                for part in parts { try difference.add(part, of: reader) }
            } catch {
                add(.corrupt, checkpoint.file, "The records can't be read: \(Self.sentence(error))", collection: name)
                return false
            }
            agrees = note(difference, name, checkpoint) && agrees
        }
        for name in replay.collectionNames where sections[name] == nil && !replay.root(of: name).isEmpty {
            agrees = false
            add(
                .corrupt, checkpoint.file,
                "The log leads to \(replay.root(of: name).count) records that the checkpoint does not have. Restore a backup.",
                collection: name)
        }
        return agrees
    }

    private mutating func note(
        _ difference: CollectionDifference, _ name: String, _ checkpoint: StoreReader.Checkpoint
    ) -> Bool {
        for (keys, count, what) in difference.faults() where count > 0 {
            let shown = keys.map(\.debugDescription).joined(separator: ", ") + (count > keys.count ? ", …" : "")
            findings.append(
                Finding(
                    severity: .corrupt, file: checkpoint.file, commits: checkpoint.number...checkpoint.number,
                    collection: name, key: keys.first,
                    message:
                        "\(count) records of \(name.debugDescription) \(what) (\(shown)). Keep the files, and restore a backup."
                ))
        }
        if difference.rewritten > 0 {
            add(
                .clean, checkpoint.file,
                "\(difference.rewritten) records of \(name.debugDescription) stand here in another form than in the log: a "
                    + "program with other types, or a migration, has rewritten them. Their keys agree.",
                collection: name)
        }
        return difference.isEmpty
    }

    // MARK: One checkpoint by itself

    /// What needs no replay: digests of the sections against what is in them, what is kept of extensions.
    private mutating func look(at reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint) {
        setAside = []
        setAsideCount = 0
        for section in reader.sections {
            do {
                switch SectionKind(rawValue: section.kind) {
                case .records, .setAside: try lookAtRecords(section, reader, checkpoint)
                case .derivedRoot, .primaryRoot: try lookAtRoot(section, reader, checkpoint)
                case .primarySteps, nil: break
                }
            } catch {
                add(
                    section.kind == SectionKind.derivedRoot.rawValue ? .derived : .corrupt, checkpoint.file,
                    "The section \(section.name.debugDescription) can't be read: \(Self.sentence(error))")
            }
        }
    }

    private mutating func lookAtRecords(
        _ section: CheckpointSection, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint
    ) throws {
        let isAside = section.kind == SectionKind.setAside.rawValue
        let version = try SectionInfo(section.info).version
        var digest = StateDigest()
        var count = 0
        var keys = AscendingKeys()
        for chunk in section.chunks {
            let bytes = try reader.bytes(of: chunk)[...]
            try bytes.withUnsafeBytes { raw in
                var items = CBORReader(raw)
                while !items.isAtEnd {
                    let start = items.position
                    let record = try RecordItem.read(&items, in: bytes, sectionVersion: version, after: &keys)
                    digest.add(UnsafeRawBufferPointer(rebasing: raw[start..<items.position]))
                    count += 1
                    if isAside, setAside.count < 1000 { setAside.append((section.name, record.key)) }
                }
            }
        }
        if isAside { setAsideCount += count }
        guard count == section.count, digest.value == section.digest else {
            add(
                .corrupt, checkpoint.file,
                "The digest of \(section.name.debugDescription) is not that of its records. Restore a backup.",
                collection: section.name)
            return
        }
    }

    private mutating func lookAtRoot(
        _ section: CheckpointSection, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint
    ) throws {
        let isDerived = section.kind == SectionKind.derivedRoot.rawValue
        if section.asOf != checkpoint.number {
            add(
                isDerived ? .derived : .corrupt, checkpoint.file,
                """
                What is kept of the extension \(section.name.debugDescription) is as of commit \(section.asOf), not of \
                this one. \(isDerived ? "`yaprak repair --rebuild-derived` drops it." : "Restore a backup.")
                """)
        }
        _ = try SectionInfo(section.info)
        var pieces = 0
        try reader.forEachChunk(of: section) { chunk in
            var items = CBORReader(chunk)
            while !items.isAtEnd {
                _ = try items.readBytesInPlace()
                pieces += 1
            }
        }
        guard pieces == section.count else { throw malformedSection("what is kept of an extension") }
    }

    // MARK: Words

    private mutating func add(
        _ severity: VerifyReport.Severity, _ file: String, _ message: String, collection: String? = nil
    ) {
        findings.append(Finding(severity: severity, file: file, collection: collection, message: message))
    }

    private static func sentence(_ error: any Error) -> String {
        (error as? DatabaseError)?.message ?? ErrorText.of(error)
    }
}

extension CheckpointSection {
    /// Whether it holds records, set aside or not.
    fileprivate var isOfRecords: Bool {
        kind == SectionKind.records.rawValue || kind == SectionKind.setAside.rawValue
    }
}

/// How the records of a checkpoint differ from those a replay has come to.
private struct CollectionDifference {
    let root: TreeRoot
    /// Records with this stamp or a later one were written by the opening that wrote the checkpoint, in its own form.
    let epochStart: UInt64?
    private var seen: Set<String> = []
    private(set) var rewritten = 0
    private var wrong: (keys: [String], count: Int) = ([], 0)
    private var unknown: (keys: [String], count: Int) = ([], 0)

    init(root: TreeRoot, epochStart: UInt64?) {
        self.root = root
        self.epochStart = epochStart
    }

    /// Compares the records of a section.
    mutating func add(_ section: CheckpointSection, of reader: CheckpointReader) throws {
        let version = try SectionInfo(section.info).version
        var keys = AscendingKeys()
        for chunk in section.chunks {
            let bytes = try reader.bytes(of: chunk)[...]
            let records = try bytes.withUnsafeBytes { raw in
                var items = CBORReader(raw)
                var records: [RawRecord] = []
                while !items.isAtEnd {
                    records.append(
                        try RecordItem.read(&items, in: bytes, sectionVersion: version, after: &keys))
                }
                return records
            }
            for record in records { compare(record) }
        }
    }

    private mutating func compare(_ record: RawRecord) {
        guard let row = root.lookup(recordKey: record.key)?.takeUnretainedValue() as? RawRecord else {
            Self.note(record.key, &unknown)
            return
        }
        seen.insert(record.key)
        if row.version == record.version, row.object == record.object, row.metadata == record.metadata { return }
        // An earlier opening may have had other types. What this one wrote, it wrote in the same form into both.
        if let epochStart, max(row.objectStamp, row.metadataStamp) >= epochStart {
            Self.note(record.key, &wrong)
        } else {
            rewritten += 1
        }
    }

    private static func note(_ key: String, _ keys: inout (keys: [String], count: Int)) {
        keys.count += 1
        if keys.keys.count < 3 { keys.keys.append(key) }
    }

    private func missing() -> (keys: [String], count: Int) {
        var missing: (keys: [String], count: Int) = ([], 0)
        root.forEach { row in
            if !seen.contains(row.key) { Self.note(row.key, &missing) }
        }
        return missing
    }

    /// Nothing differs, not even the form.
    var isEmpty: Bool { rewritten == 0 && wrong.count == 0 && unknown.count == 0 && missing().count == 0 }

    /// What differs that should not.
    func faults() -> [(keys: [String], count: Int, what: String)] {
        let missing = missing()
        return [
            (wrong.keys, wrong.count, "are not what the log leads to"),
            (unknown.keys, unknown.count, "are in the checkpoint and not where the log leads"),
            (missing.keys, missing.count, "are where the log leads and not in the checkpoint"),
        ]
    }
}

extension RawReplay {
    /// The records of a collection.
    fileprivate func root(of name: String) -> TreeRoot { directory.slot(of: name).map { roots[$0] } ?? TreeRoot() }
    /// The names of all collections, those without records included.
    fileprivate var collectionNames: [String] { directory.bindings.map(\.name) }
}
