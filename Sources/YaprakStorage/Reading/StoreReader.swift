package import SystemPackage
internal import YaprakLocks
package import YaprakModel

/// Reads a database directory without a lock and without writing, also while a writer has it open.
///
///     let reader = try StoreReader.open("shop.yaprak")
///     var commits = try reader.commits(from: 100)
///     while let commit = try commits.next() { print(commit.number, commit.item.count) }
package final class StoreReader: Sendable {
    let directory: DatabaseDirectory
    /// The places of frames, as far as segments were read.
    let indexes = SegmentIndexes()
    /// The end of the log when the newest commit was looked for last.
    let lastEnd = LastEnd()
    /// The identity of the database, once it is known.
    private let knownID = Mutex<DatabaseID?>(nil)

    init(directory: DatabaseDirectory) { self.directory = directory }

    /// Opens a directory for reading.
    ///
    /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
    package static func open(
        _ path: FilePath, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> StoreReader {
        try translatingDiskErrors(writing: false, file: path.string) {
            var isThere = false
            do throws(DiskError) {
                let root = try fileSystem.openDirectory(path)
                isThere = true
                return StoreReader(
                    directory: DatabaseDirectory(
                        root: root, segments: try root.openDirectory(Layout.segmentsName),
                        checkpoints: try root.openDirectory(Layout.checkpointsName)))
            } catch {
                switch error.errno {
                case .noSuchFileOrDirectory where !isThere:
                    throw DatabaseError(
                        .notFound, "There is nothing at \(path). Check the path.", place: .init(file: path.string),
                        cause: error)
                case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
                    throw DatabaseError(
                        .notADatabase, "\(path) is not the directory of a database. Check the path.",
                        place: .init(file: path.string), cause: error)
                default:
                    throw error
                }
            }
        }
    }

    /// A segment of the log.
    package struct Segment: Sendable {
        package let file: String
        package let bytes: UInt64
        package let first: CommitNumber
        package let epoch: UInt64
        /// The newest commit in it; nil for one without commits, or without a header that verifies.
        package let last: CommitNumber?
        package let createdNs: Int64
        /// When the last group was written, from the seal.
        package let lastWrittenNs: Int64?
        package let isSealed: Bool
    }

    /// A checkpoint file.
    package struct Checkpoint: Sendable {
        package let file: String
        package let bytes: UInt64
        package let number: CommitNumber
        package let createdNs: Int64
        /// The epoch that wrote it.
        package let epoch: UInt64
    }

    /// The identity of the database: that of its newest segment, or else checkpoint, whose header verifies.
    ///
    /// Read once for each reader: a directory never changes its identity, and a reader keeps its directory open.
    ///
    /// - Throws: `notADatabase` if there is no such file, `ioFailed`.
    /// - Complexity: O(number of files) the first time, then O(1).
    package func databaseID() throws(DatabaseError) -> DatabaseID {
        if let known = knownID.withLock({ $0 }) { return known }
        let id = try lineage().id
        knownID.withLock { $0 = id }
        return id
    }

    /// The identity, and the other databases whose files may be here.
    ///
    /// - Throws: as `databaseID()`.
    package func lineage() throws(DatabaseError) -> Lineage {
        try translatingDiskErrors(writing: false) {
            if let lineage = try lineage(of: try directory.list()) { return lineage }
            throw DatabaseError(.notADatabase, "No file here has a header that verifies. Run `yaprak verify`.")
        }
    }

    /// Whether there is no file of a log, no checkpoint, and no mark of a close: nothing was ever committed here.
    ///
    /// - Throws: `ioFailed`.
    package func isBlank() throws(DatabaseError) -> Bool {
        try translatingDiskErrors(writing: false) {
            let listing = try directory.list()
            return listing.segments.isEmpty && listing.checkpoints.isEmpty
                && ClosingMark.read(in: directory.root) == nil
        }
    }

    /// - Parameter skips: which segments that can't be opened say nothing here.
    func lineage(
        of listing: DatabaseDirectory.Listing, skipping skips: (DiskError) -> Bool = \.saysNothing
    ) throws -> Lineage? {
        if let lineage = try directory.lineage(of: listing.segments, skipping: skips) { return lineage }
        for name in listing.checkpoints.reversed() {
            if let header = try header(name, .checkpoint).header { return header.lineage }
        }
        return nil
    }

    /// The segments, oldest first, as the directory lists them now.
    ///
    /// - Complexity: O(bytes of the log): the headers of all frames are read.
    package func segments() throws(DatabaseError) -> [Segment] {
        try translatingDiskErrors(writing: false) {
            let names = try directory.list().segments
            var segments: [Segment] = []
            for (index, name) in names.enumerated() {
                guard let (file, header) = try openIfThere(name, .segment) else { continue }
                defer { try? file.close() }
                var last: UInt64?
                var seal: Seal?
                if let header {
                    let next = index + 1 < names.count ? try self.header(names[index + 1], .segment).header : nil
                    (last, seal) = try lastCommit(file, header, name, next?.previousEnd)
                }
                segments.append(
                    Segment(
                        file: name.path(.segment), bytes: try file.size(), first: CommitNumber(name.first),
                        epoch: name.epoch, last: last.map { CommitNumber($0) }, createdNs: header?.createdNs ?? 0,
                        lastWrittenNs: seal?.lastNs, isSealed: seal != nil))
            }
            return segments
        }
    }

    private func lastCommit(
        _ file: any File, _ header: FileHeader, _ name: FileName, _ limit: UInt64?
    ) throws -> (UInt64?, Seal?) {
        var reader = SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
        reader.provesPayloads = false
        var index = indexes[name] ?? SegmentIndex()
        try reader.seek(.max, limit: limit ?? .max, &index)
        indexes.keep(index, of: name)
        while case .frame = try reader.step(limit: limit ?? .max, { _, _, _, _ in }) {}
        let last = reader.next > header.first ? reader.next - 1 : nil
        // The seal is at the logical end, after the frame that the next segment links to.
        if case .end(.seal(let seal)) = try reader.step(limit: .max, { _, _, _, _ in }) { return (last, seal) }
        return (last, nil)
    }

    /// Whether there is a log: a new database and a backup have none.
    package func hasLog() throws(DatabaseError) -> Bool {
        try translatingDiskErrors(writing: false) { try !directory.list().segments.isEmpty }
    }

    /// Whether the log starts with commit 1. O(number of files).
    package func logReachesBackToFirst() throws(DatabaseError) -> Bool {
        try translatingDiskErrors(writing: false) { try directory.list().segments.first.map { $0.first <= 1 } ?? false }
    }

    /// The checkpoints, oldest first, as the directory lists them now. They are not verified.
    package func checkpoints() throws(DatabaseError) -> [Checkpoint] {
        try translatingDiskErrors(writing: false) {
            try directory.list().checkpoints.compactMap { name in
                guard let (file, header) = try openIfThere(name, .checkpoint) else { return nil }
                defer { try? file.close() }
                return Checkpoint(
                    file: name.path(.checkpoint), bytes: try file.size(),
                    number: CommitNumber(name.first), createdNs: header?.createdNs ?? 0, epoch: name.epoch)
            }
        }
    }

    /// The commits that have a checkpoint, as the directory lists them now. No file is read.
    package func checkpointNumbers() throws(DatabaseError) -> Set<CommitNumber> {
        try translatingDiskErrors(writing: false) {
            Set(try directory.list().checkpoints.map { CommitNumber($0.first) })
        }
    }

    /// Verifies and opens the checkpoint of a commit.
    ///
    /// - Throws: `notFound`, `corruptCheckpoint`, `newerFormat`, `ioFailed`.
    package func openCheckpoint(_ number: CommitNumber) throws(DatabaseError) -> CheckpointReader {
        try translatingDiskErrors(writing: false) {
            let listing = try directory.list()
            let lineage = try lineage(of: listing)
            let names = listing.checkpoints.filter { $0.first == number.rawValue }
            var failure = DatabaseError(.notFound, "There is no checkpoint of commit \(number).")
            for name in names.reversed() {
                do {
                    return try CheckpointProof.prove(
                        name, in: directory.checkpoints, of: lineage, allowing: .derived)
                } catch let error as CheckpointProof.Failure {
                    failure = LogError.checkpoint(name, error)
                    // An older one would do, and the newer program may have had a reason.
                    if error.isNewer { throw failure }
                } catch let error as DiskError where error.errno == .noSuchFileOrDirectory || error.isAboutNoFile {
                    continue
                }
            }
            throw failure
        }
    }

    /// Verifies and opens one checkpoint of `checkpoints()`; nil if a writer has pruned it since.
    ///
    /// - Throws: `corruptCheckpoint`, `newerFormat`, `ioFailed`.
    package func open(_ checkpoint: Checkpoint) throws(DatabaseError) -> CheckpointReader? {
        try translatingDiskErrors(writing: false, file: checkpoint.file) {
            let name = FileName(first: checkpoint.number.rawValue, epoch: checkpoint.epoch)
            do {
                return try CheckpointProof.prove(
                    name, in: directory.checkpoints, of: try lineage(of: try directory.list()), allowing: .derived)
            } catch let error as CheckpointProof.Failure {
                throw LogError.checkpoint(name, error)
            } catch let error as DiskError where error.errno == .noSuchFileOrDirectory || error.isAboutNoFile {
                return nil
            }
        }
    }

    /// The newest checkpoint at or before `number` that verifies; nil if there is none.
    ///
    /// One that does not verify is skipped: an older one, or the log, may lead there. Where nothing does, `reason` names it.
    /// - Throws: `newerFormat`, `ioFailed`.
    package func checkpoint(atOrBefore number: CommitNumber) throws(DatabaseError) -> CheckpointReader? {
        try translatingDiskErrors(writing: false) {
            let listing = try directory.list()
            let lineage = try lineage(of: listing)
            for name in listing.checkpoints.reversed() where name.first <= number.rawValue {
                do {
                    return try CheckpointProof.prove(
                        name, in: directory.checkpoints, of: lineage, allowing: .derived)
                } catch let error as CheckpointProof.Failure {
                    if error.isNewer { throw LogError.checkpoint(name, error) }
                } catch let error as DiskError where error.errno == .noSuchFileOrDirectory || error.isAboutNoFile {
                    continue
                }
            }
            return nil
        }
    }

    /// The commits from `first` on, to `last` or the newest there is.
    ///
    /// - Parameter skippingHoles: whether commits that a repair has marked as missing are left out. If not, they are
    ///   `corruptLog`, as any commit that can't be read.
    /// - Throws: `commitOutOfReach` if `first` is older than the log; `corruptLog`, `newerFormat`, `ioFailed`.
    /// - Complexity: O(number of earlier frames in the segment) the first time, without their payloads. O(log *n*) if the
    ///   segment is sealed or was read before.
    package func commits(
        from first: CommitNumber, through last: CommitNumber? = nil, skippingHoles: Bool = false
    ) throws(DatabaseError) -> Commits {
        try translatingDiskErrors(writing: false) {
            try Commits(self, first: max(1, first.rawValue), last: last?.rawValue, skippingHoles: skippingHoles)
        }
    }

    /// The oldest commit in the log; nil if the log is empty.
    ///
    /// - Throws: `ioFailed`. - Complexity: O(1) files, as a rule.
    package func oldest() throws(DatabaseError) -> CommitNumber? {
        try translatingDiskErrors(writing: false) {
            let names = try directory.list().segments
            for (index, name) in names.enumerated() {
                if index + 1 < names.count, names[index + 1].first > name.first { return CommitNumber(name.first) }
                guard let (file, header) = try openIfThere(name, .segment), let header else { continue }
                defer { try? file.close() }
                let link = index + 1 < names.count ? try self.header(names[index + 1], .segment).header : nil
                let (last, _) = try lastCommit(file, header, name, link?.previousEnd)
                if last != nil { return CommitNumber(name.first) }
            }
            return nil
        }
    }

    // MARK: Files that may be gone

    func header(_ name: FileName, _ kind: FileKind) throws -> (header: FileHeader?, bytes: UInt64) {
        guard let (file, header) = try openIfThere(name, kind) else { return (nil, 0) }
        defer { try? file.close() }
        return (header, try file.size())
    }

    /// nil for a file that a writer has pruned since it was listed.
    func openIfThere(_ name: FileName, _ kind: FileKind) throws -> (any File, FileHeader?)? {
        do {
            let (file, header) = try DatabaseDirectory.open(
                name, kind, in: kind == .segment ? directory.segments : directory.checkpoints)
            return (file, try? header.get())
        } catch {
            // Something else in place of a file counts as no file. Only verification reports it.
            guard error.errno == .noSuchFileOrDirectory || error.isAboutNoFile else { throw error }
            return nil
        }
    }
}
