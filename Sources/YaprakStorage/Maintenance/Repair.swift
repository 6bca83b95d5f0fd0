package import SystemPackage
package import YaprakModel

/// The options of a repair.
package struct RepairOptions: Sendable {
    /// Skip what can't be read instead of ending there.
    package var salvages = false
    /// Leave out every section of derived state, not only damaged ones.
    package var dropsDerived = false
    /// A copy of the directory that may have what is damaged here.
    package var donor: FilePath?

    package init() {}
}

/// The plan of a repair.
package struct RepairPlan: Sendable {
    /// Commits that will not be in the result.
    package struct Loss: Sendable, Hashable {
        package let commits: ClosedRange<CommitNumber>
        package let file: String
        package let offset: UInt64
        package let what: String
    }

    /// Commits within the history of the result that are missing.
    package struct Hole: Sendable, Hashable {
        package let loss: Loss
        /// The first commit after them whose state can be reached: that of a checkpoint.
        package let nextState: CommitNumber
    }

    /// The first state of the result: a checkpoint's commit, or 0.
    package fileprivate(set) var first = CommitNumber.zero
    /// The last commit of the result.
    package fileprivate(set) var last = CommitNumber.zero
    /// The lost commits.
    package fileprivate(set) var losses: [Loss] = []
    /// Commits that later states of the result include, and whose changes can't be read.
    package fileprivate(set) var holes: [Hole] = []
    /// Checkpoints that are kept, and those of them that lose their state of extensions.
    package fileprivate(set) var checkpoints: [CommitNumber] = []
    package fileprivate(set) var checkpointsWithoutDerived: [CommitNumber] = []
    /// Checkpoints that don't verify and are left out, by file name.
    package fileprivate(set) var damagedCheckpoints: [String] = []
    /// Whether commits are missing in the middle of the result.
    package var isSalvaged: Bool { losses.contains { $0.commits.upperBound < last } }
}

/// Saves the readable data of a damaged directory into a new one. The source is only read.
///
///     let repair = try Repair(reader, options)
///     print(repair.plan.losses)
///     try repair.perform(to: "repaired.yaprak", …)
package struct Repair {
    /// The plan.
    package private(set) var plan = RepairPlan()

    private let store: StoreReader
    private let options: RepairOptions
    private let lineage: Lineage
    private let epoch: UInt64
    private let survey: LogSurvey
    /// The runs that may be in the result. Others are lost: they may be the rest of failed writes.
    private let history: [LogSurvey.Run]
    private let damages: RunDamages
    private var names: [(name: FileName, isDerivedDamaged: Bool)] = []
    /// Whether the result begins with an empty state at its first commit, because no other state leads there.
    private var beginsEmpty = false

    /// The most empty commits that a repair puts in one place, and in all places together.
    private static let gapMax: UInt64 = 1 << 20
    private static let gapsMax: UInt64 = 1 << 24

    /// Reads everything and plans. Takes no lock.
    ///
    /// - Parameter accepts: whether an item is the commit of that number. If not, it counts as damaged.
    /// - Throws: `notADatabase` if nothing can be saved, `newerFormat`, `ioFailed`; what opening the donor throws.
    /// - Complexity: O(bytes of the directory).
    package init(
        _ reader: StoreReader, _ options: RepairOptions, fileSystem: any FileSystem = PosixFileSystem(),
        accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool = { _, _ in true }
    ) throws(DatabaseError) {
        self = try translatingDiskErrors(writing: false) {
            try Repair(planning: reader, options, fileSystem, accepts)
        }
    }

    private init(
        planning reader: StoreReader, _ options: RepairOptions, _ fileSystem: any FileSystem,
        _ accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool
    ) throws {
        var directory = reader.directory
        // The mark of the last close is about the segments here, whatever a copy has.
        let own = try directory.list().segments
        var borrowed: [FileName: UInt64] = [:]
        if let donor = options.donor {
            let other = try StoreReader.open(donor, fileSystem: fileSystem)
            let files = try DonorFiles(directory, other.directory)
            for name in files.borrowed { borrowed[name] = files.bound(of: name) }
            directory = DatabaseDirectory(
                root: directory.root,
                segments: SplicedDirectory(directory.segments, other.directory.segments, .segment, files),
                checkpoints: SplicedDirectory(directory.checkpoints, other.directory.checkpoints, .checkpoint, files))
        }
        store = StoreReader(directory: directory)
        self.options = options
        let closing = ClosingMark.read(in: directory.root)
        let listing = try directory.list()
        guard let lineage = try store.lineage(of: listing) else {
            throw DatabaseError(
                .notADatabase, "No file here has a header that verifies: nothing can be saved. Restore a backup.")
        }
        self.lineage = lineage
        if let last = listing.fileOfLastEpoch {
            throw DatabaseError(
                .overLimit,
                "The name of \(last) has the last epoch that names can count, and a repair needs another. Move that file away.",
                place: .init(file: last))
        }
        epoch = listing.epoch
        // Another database's segment is none of them.
        var newest: (name: FileName, header: FileHeader?)?
        for name in own.reversed() where newest == nil {
            let header = try store.header(name, .segment).header
            if header.map(lineage.accepts) ?? true { newest = (name, header) }
        }
        var evidence = LogSurvey.Evidence(listing.checkpoints, in: directory.checkpoints, lineage, closing)
        evidence.proven = max(evidence.proven, closing?.evidence(for: lineage, newest: newest) ?? 0)
        evidence.borrowed = borrowed
        survey = try LogSurvey(directory.segments, listing.segments, lineage, evidence, accepts: accepts)
        history = survey.runs.filter(\.isTrusted)
        damages = RunDamages(history)
        try chooseCheckpoints(listing, directory)
        if options.salvages { planSalvage() } else { planPrefix() }
    }

    private mutating func chooseCheckpoints(
        _ listing: DatabaseDirectory.Listing, _ directory: DatabaseDirectory
    ) throws {
        for name in listing.checkpoints {
            do {
                let reader = try CheckpointProof.prove(
                    name, in: directory.checkpoints, of: lineage, decompresses: true, allowing: .derived)
                names.append((name, !reader.damagedSections.isEmpty))
            } catch let failure as CheckpointProof.Failure {
                if failure.isNewer { throw LogError.checkpoint(name, failure) }
                plan.damagedCheckpoints.append(name.path(.checkpoint))
            } catch let error as DiskError where error.isAboutNoFile {
                plan.damagedCheckpoints.append(name.path(.checkpoint))
            }
        }
    }

    // MARK: Planning

    /// The states from which replaying can begin, oldest first.
    private var bases: [UInt64] {
        let isFromFirst = history.first.map { $0.first == 1 } ?? names.isEmpty
        return (isFromFirst ? [0] : []) + names.map(\.name.first)
    }

    /// Plans the state that leads furthest, with all history before it that can be read.
    private mutating func planPrefix() {
        let reaches = RunReaches(history)
        let furthest = bases.map(reaches.newestCommit).max() ?? 0
        settle(bases.first ?? 0, furthest, connected: furthest)
        let known = max(furthest, survey.proven, survey.runs.map(\.last).max() ?? 0, names.last?.name.first ?? 0)
        if known > furthest { note(furthest + 1...known) }
    }

    /// Plans the newest state: the newest checkpoint includes everything before it. After it, unreadable commits are skipped.
    private mutating func planSalvage() {
        let newest: UInt64
        if let base = bases.last {
            newest = base
        } else {
            newest = (history.first?.first ?? 1) - 1
            beginsEmpty = true
            if newest > 0 { note(1...newest) }
        }
        let connected = RunReaches(history).newestCommit(from: newest)
        var last = connected
        var missing: UInt64 = 0
        for run in history where run.last > last {
            let gap = run.first - min(run.first, last)
            missing += min(gap - min(gap, 1), Self.gapMax)
            guard gap <= Self.gapMax, missing <= Self.gapsMax else { break }
            if run.first > last + 1 { note(last + 1...run.first - 1) }
            last = run.last
        }
        settle(bases.first ?? newest, last, connected: connected)
        let doubtful = survey.runs.filter { !$0.isTrusted }.map(\.last).max() ?? 0
        let known = max(survey.proven, doubtful)
        if known > last { note(last + 1...known) }
    }

    /// - Parameter connected: up to here the last states are reached without a commit that is made up.
    private mutating func settle(_ first: UInt64, _ last: UInt64, connected: UInt64) {
        plan.first = CommitNumber(first)
        plan.last = CommitNumber(last)
        let gap = plan.losses.map(\.commits.lowerBound.rawValue).filter { $0 > first }.min() ?? .max
        names = names.filter { $0.name.first >= first && $0.name.first <= last && $0.name.first < gap }
        plan.checkpoints = names.map { CommitNumber($0.name.first) }
        plan.checkpointsWithoutDerived = names.filter { $0.isDerivedDamaged || options.dropsDerived }
            .map { CommitNumber($0.name.first) }
        findHoles(after: first, through: connected)
    }

    private mutating func findHoles(after first: UInt64, through connected: UInt64) {
        var next = first + 1
        var place = 0
        func note(_ commits: ClosedRange<UInt64>) {
            while place < names.count, names[place].name.first < commits.upperBound { place += 1 }
            guard place < names.count else { return }
            let state = names[place].name.first
            plan.holes.append(.init(loss: loss(of: commits, after: next - 1), nextState: CommitNumber(state)))
        }
        for run in history where run.last >= next && run.first <= connected {
            if run.first > next { note(next...run.first - 1) }
            next = run.last + 1
        }
        if next <= connected { note(next...connected) }
    }

    private mutating func note(_ commits: ClosedRange<UInt64>) {
        plan.losses.append(loss(of: commits, after: commits.lowerBound))
    }

    /// The loss of some commits to the damage that follows a commit.
    private func loss(of commits: ClosedRange<UInt64>, after commit: UInt64) -> RepairPlan.Loss {
        let damage = damages.last(before: commit)
        return RepairPlan.Loss(
            commits: CommitNumber(commits.lowerBound)...CommitNumber(commits.upperBound), file: damage?.file ?? "",
            offset: damage?.offset ?? 0, what: damage?.what ?? "they are not in these files")
    }

    /// Calls `body` with the commits that are readable and lost nevertheless.
    package func forEachLostCommit(_ body: (CommitNumber, [UInt8]) throws -> Void) throws {
        let lost = plan.losses.map(\.commits)
        guard !lost.isEmpty else { return }
        try survey.forEachCommit { number, item, _ in
            let number = CommitNumber(number)
            // They are in ascending order.
            let place = lost.partitioningIndex { $0.upperBound >= number }
            if place < lost.count, lost[place].contains(number) { try body(number, item) }
        }
    }

    // MARK: Performing

    /// Writes the new directory. When it returns, the directory is complete and durable; if it throws, there is none, unless
    /// the sync of its name alone failed: then it is complete, and the error says so.
    ///
    /// - Parameter placeholder: makes the commit that replaces a lost one; gets the last commit before it.
    /// - Throws: `alreadyOpen` (the source is in use), `alreadyExists`, `notFound`, `diskFull`, `writeFailed`, `syncFailed`.
    package func perform(
        to path: FilePath, tags: [UInt8] = [], storeOptions: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem(),
        placeholder: (CommitNumber, _ previous: [UInt8]?) -> [UInt8]
    ) throws(DatabaseError) {
        try translatingDiskErrors(writing: true) {
            let lock = try takeLock()
            defer { lock?.release() }
            let new = try NewDirectory(path, random: storeOptions.random(), fileSystem)
            do {
                let id = DatabaseID(high: storeOptions.random(), low: storeOptions.random())
                var own = lineage.fork(at: plan.last.rawValue, id: id)
                own.ancestors = Array(own.ancestors.prefix(FormatLimits.ancestorsMax))
                own.isSalvaged = own.isSalvaged || plan.isSalvaged || beginsEmpty
                for (name, isDamaged) in names {
                    try copy(name, isDamaged, into: new.checkpoints, own, storeOptions)
                }
                if beginsEmpty, plan.first > 0 { try writeEmptyState(new.checkpoints, own, storeOptions) }
                try writeLog(new.segments, own, storeOptions, placeholder)
                try new.write(tags: tags)
                try new.finish()
            } catch {
                new.cancel()
                throw error
            }
        }
    }

    /// Keeps programs from writing to the source meanwhile; nil on a read-only medium.
    private func takeLock() throws -> (any FileLock)? {
        do {
            if let lock = try store.directory.root.lock(Layout.lockName) { return lock }
        } catch {
            guard error.errno == .readOnlyFileSystem else { throw error }
            return nil
        }
        throw DatabaseError(.alreadyOpen, "The database is open elsewhere. Close it there first.")
    }

    private func copy(
        _ name: FileName, _ isDamaged: Bool, into target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions
    ) throws {
        guard isDamaged || options.dropsDerived else {
            var copy = FileCopy(
                report: ForkReport(number: plan.last, databaseID: own.id), sharing: false)
            try copy.take(name.string(.checkpoint), from: store.directory.checkpoints, to: target)
            return
        }
        let reader = try CheckpointProof.prove(
            name, in: store.directory.checkpoints, of: lineage, allowing: .derived)
        let writer = try checkpointWriter(name, target, own, storeOptions, createdNs: reader.createdNs)
        for section in reader.sections where section.kind != Layout.derivedSectionKind || !options.dropsDerived {
            try writer.beginSection(kind: section.kind, name: section.name, info: section.info, asOf: section.asOf)
            try reader.forEachChunk(of: section) { try writer.append($0) }
            try writer.endSection(count: section.count, digest: section.digest)
        }
        try writer.finish()
    }

    private func writeEmptyState(_ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions) throws {
        let name = FileName(first: plan.first.rawValue, epoch: epoch)
        try checkpointWriter(name, target, own, storeOptions, createdNs: storeOptions.now()).finish()
    }

    private func checkpointWriter(
        _ name: FileName, _ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions, createdNs: Int64
    ) throws -> CheckpointWriter {
        let header = FileHeader(
            kind: .checkpoint, lineage: own, epoch: name.epoch, first: name.first, attested: name.first,
            salt: storeOptions.random(), padShift: 3, maxStored: FormatLimits.frameStoredMax,
            maxRaw: FormatLimits.frameRawMax,
            createdNs: createdNs)
        return try CheckpointWriter(
            .init(
                directory: target, name: name, header: header, options: storeOptions, completed: { _ in },
                cancelled: {}))
    }

    /// Writes the commits after the first state again, in groups. Where commits are missing, a segment begins whose header
    /// says so; in a salvage empty commits replace those after the newest checkpoint.
    private func writeLog(
        _ target: any Directory, _ own: Lineage, _ storeOptions: StoreOptions,
        _ placeholder: (CommitNumber, [UInt8]?) -> [UInt8]
    ) throws {
        var tail = LogTail()
        tail.last = plan.first.rawValue
        let writer = LogWriter(
            directory: target, options: storeOptions, lineage: own, epoch: epoch + 1, tail: tail)
        try writer.startSegment()
        var group: [[UInt8]] = []
        var bytes = 0
        var next = plan.first.rawValue + 1
        var previous: [UInt8]?
        func flush() throws {
            if !group.isEmpty { try writer.write(group) }
            (group, bytes) = ([], 0)
        }
        func add(_ item: [UInt8]) throws {
            group.append(item)
            bytes += item.count
            previous = item
            next += 1
            if bytes >= 1 << 20 || group.count >= storeOptions.groupCommitsMax { try flush() }
        }
        var holes = plan.holes[...]
        func skipHole() throws {
            while let hole = holes.first, hole.loss.commits.lowerBound.rawValue < next { holes.removeFirst() }
            guard let hole = holes.first, hole.loss.commits.lowerBound.rawValue == next else { return }
            try flush()
            next = hole.loss.commits.upperBound.rawValue + 1
            try writer.startSegment(afterHoleBefore: next)
        }
        try survey.forEachCommit { number, item, isTrusted in
            guard isTrusted else { return }
            try skipHole()
            guard number >= next, number <= plan.last.rawValue else { return }
            while next < number { try add(placeholder(CommitNumber(next), previous)) }
            try add(item)
        }
        try skipHole()
        try flush()
        guard next == plan.last.rawValue + 1 else {
            throw DatabaseError(.ioFailed, "The source changed while it was read. Try again.")
        }
        try writer.close()
    }
}

extension DatabaseDirectory.Listing {
    /// A file whose name has an epoch that no other can come after.
    fileprivate var fileOfLastEpoch: String? {
        func path(_ names: [FileName], _ kind: FileKind) -> String? {
            names.first { $0.epoch >= FileName.epochMax }?.path(kind)
        }
        return path(segments, .segment) ?? path(checkpoints, .checkpoint)
    }
}
