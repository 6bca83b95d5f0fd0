package import SystemPackage
package import YaprakModel

/// What a fork on disk did with the files.
package struct ForkReport: Sendable {
    /// The commit the new directory ends with.
    package let number: CommitNumber
    /// The identity of the new database.
    package let databaseID: DatabaseID
    /// Files that were hard-linked, and their bytes.
    package fileprivate(set) var linkedFiles = 0
    package fileprivate(set) var linkedBytes: UInt64 = 0
    /// Files that were copied or written, and their bytes.
    package fileprivate(set) var copiedFiles = 0
    package fileprivate(set) var copiedBytes: UInt64 = 0
    /// Why files were copied instead of linked; nil if none were.
    package fileprivate(set) var reasonForCopies: Errno?
}

extension StoreReader {
    /// Makes a directory with the history up to a commit. Files that will never be written again are shared by hard links.
    ///
    /// A writer may be active. The new directory has a new identity and gets its name when it is complete and durable.
    /// - Parameters:
    ///   - number: the commit; the newest there is if `nil`.
    ///   - tags: the content of the file of tags for a history up to a commit; no file is made if it is empty.
    ///   - sharing: whether files are shared where possible.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `commitOutOfReach`, `overLimit` (too many ancestors or files, or the
    ///   last commit that there can be), `corruptLog`, `corruptCheckpoint`, `diskFull`, `writeFailed`, `syncFailed`.
    /// - Complexity: O(number of files; bytes of the nearest checkpoint, of the log since then, and of one segment).
    package func fork(
        at number: CommitNumber?, to path: FilePath, sharing: Bool = true, options: StoreOptions = StoreOptions(),
        fileSystem: any FileSystem = PosixFileSystem(), tags: (CommitNumber) throws -> [UInt8] = { _ in [] }
    ) throws(DatabaseError) -> ForkReport {
        try translatingDiskErrors(writing: true) {
            try reading(asOf: number) { number in
                // A writer may prune files of the plan; then a new plan is made.
                var attempts = 0
                while true {
                    attempts += 1
                    do {
                        let plan = try HistoryPlan.make(upTo: number.rawValue, in: directory, self)
                        return try fork(plan, to: path, tags(number), sharing, options, fileSystem)
                    } catch let error as DiskError where error.errno == .noSuchFileOrDirectory && attempts < 8 {
                        continue
                    }
                }
            }
        }
    }

    private func fork(
        _ plan: HistoryPlan, to path: FilePath, _ tags: [UInt8], _ sharing: Bool, _ options: StoreOptions,
        _ fileSystem: any FileSystem
    ) throws -> ForkReport {
        guard plan.lineage.ancestors.count < FormatLimits.ancestorsMax, plan.epoch < FileName.epochMax else {
            throw DatabaseError(
                .overLimit,
                "The database is a fork of forks \(plan.lineage.ancestors.count) deep. Back it up, and fork that.")
        }
        let id = DatabaseID(high: options.random(), low: options.random())
        let new = try NewDirectory(path, random: options.random(), fileSystem)
        var copy = FileCopy(
            report: ForkReport(number: CommitNumber(plan.number), databaseID: id), sharing: sharing)
        do {
            for name in plan.checkpoints {
                try copy.take(name.string(.checkpoint), from: directory.checkpoints, to: new.checkpoints)
            }
            for piece in plan.segments {
                try copy.take(piece.name.string(.segment), upTo: piece.end, from: directory.segments, to: new.segments)
            }
            let lineage =
                plan.lineage.isUnused ? Lineage(id: id) : plan.lineage.fork(at: plan.number, id: id)
            let writer = LogWriter(
                directory: new.segments, options: options, lineage: lineage, epoch: plan.epoch + 1, tail: plan.tail,
                entries: plan.segments.count)
            try writer.startSegment()
            if !plan.rest.isEmpty { try writer.write(plan.rest) }
            try writer.close()
            copy.noteOwn(writer.statistics.storedBytes)
            try new.write(tags: tags)
            try new.finish()
        } catch {
            new.cancel()
            throw error
        }
        return copy.report
    }
}

extension Lineage {
    /// Whether it is the lineage of a directory without files.
    fileprivate var isUnused: Bool { id == DatabaseID(high: 0, low: 0) }
}

/// Hard-links files, or copies them where that is impossible.
struct FileCopy {
    var report: ForkReport
    var sharing: Bool

    private static let stepBytes = 1 << 20

    /// Links or copies a file, or copies its beginning.
    mutating func take(
        _ name: String, upTo end: UInt64? = nil, from source: any Directory, to target: any Directory
    ) throws(DiskError) {
        if end == nil, sharing, try link(name, from: source, to: target) { return }
        let file = try source.open(name, .read)
        defer { try? file.close() }
        let copy = try target.open(name, .create)
        defer { try? copy.close() }
        let whole = try file.size()
        let size = min(end ?? whole, whole)
        var done: UInt64 = 0
        while done < size {
            let bytes = try file.readAll(Int(min(UInt64(Self.stepBytes), size - done)), at: done)
            guard !bytes.isEmpty else { break }
            try copy.writeAll(bytes, at: done)
            done += UInt64(bytes.count)
        }
        try copy.sync()
        report.copiedFiles += 1
        report.copiedBytes += done
    }

    /// Hard-links the file; false if the file system can't.
    private mutating func link(
        _ name: String, from source: any Directory, to target: any Directory
    ) throws(DiskError) -> Bool {
        do throws(DiskError) {
            try source.link(name, to: name, in: target)
        } catch {
            guard Self.meansCopy(error.errno) else { throw error }
            report.reasonForCopies = error.errno
            sharing = false
            return false
        }
        let file = try target.open(name, .read)
        defer { try? file.close() }
        // It should be durable already; another sync costs nothing and makes sure.
        try file.sync()
        report.linkedFiles += 1
        report.linkedBytes += try file.size()
        return true
    }

    mutating func noteOwn(_ bytes: UInt64) {
        report.copiedFiles += 1
        report.copiedBytes += bytes
    }

    /// A different file system, no hard links, too many links to a file, a link that the system does not allow.
    private static func meansCopy(_ errno: Errno) -> Bool {
        [.improperLink, .notPermitted, .notSupported, .tooManyLinks, .noFunction, .permissionDenied].contains(errno)
    }
}
