package import SystemPackage
package import YaprakModel

/// What a fork on disk has made of which files.
package struct ForkReport: Sendable {
    /// The commit the new directory ends with.
    package let number: CommitNumber
    /// Its identity.
    package let databaseID: DatabaseID
    /// Files that have a second name now, and their bytes.
    package fileprivate(set) var linkedFiles = 0
    package fileprivate(set) var linkedBytes: UInt64 = 0
    /// Files that were written, and their bytes.
    package fileprivate(set) var copiedFiles = 0
    package fileprivate(set) var copiedBytes: UInt64 = 0
    /// Why files were copied that could have been shared; nil if none were.
    package fileprivate(set) var reasonForCopies: Errno?
}

extension StoreReader {
    /// Makes a directory with the history up to a commit, sharing by hard link every file that nobody will write to again.
    ///
    /// Also while a writer is at work. The directory has an identity of its own and appears under its name when it is whole and
    /// durable.
    /// - Parameters:
    ///   - tags: what the file of tags is to hold; none is made if it is empty.
    ///   - sharing: whether files are shared where that is possible.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `commitOutOfReach`, `overLimit` (too many ancestors), `corruptLog`,
    ///   `corruptCheckpoint`, `diskFull`, `writeFailed`, `syncFailed`.
    /// - Complexity: O(number of files; bytes of the nearest checkpoint, of the log since then, and of one segment).
    package func fork(
        at number: CommitNumber, to path: FilePath, tags: [UInt8] = [], sharing: Bool = true,
        options: StoreOptions = StoreOptions(), fileSystem: any FileSystem = PosixFileSystem()
    ) throws(DatabaseError) -> ForkReport {
        try translatingDiskErrors(writing: true) {
            // A writer may prune what was planned for; then the plan is made anew from what is there.
            var attempts = 0
            while true {
                attempts += 1
                do {
                    let plan = try HistoryPlan.make(upTo: number.rawValue, in: directory, self)
                    return try fork(plan, to: path, tags, sharing, options, fileSystem)
                } catch let error as DiskError where error.errno == .noSuchFileOrDirectory && attempts < 8 {
                    continue
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
                directory: new.segments, options: options, lineage: lineage, epoch: plan.epoch + 1, tail: plan.tail)
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
    /// That of a directory without any file.
    fileprivate var isUnused: Bool { id == DatabaseID(high: 0, low: 0) }
}

/// Gives files a second name, or copies them where that can't be.
struct FileCopy {
    var report: ForkReport
    var sharing: Bool

    private static let stepBytes = 1 << 20

    /// Takes a file as a whole, or its beginning.
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

    /// Gives the file a second name; false where the file system does not do that.
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
        // It was durable when it got its first name; asking again costs nothing and trusts nobody.
        try file.sync()
        report.linkedFiles += 1
        report.linkedBytes += try file.size()
        return true
    }

    mutating func noteOwn(_ bytes: UInt64) {
        report.copiedFiles += 1
        report.copiedBytes += bytes
    }

    /// Another file system, one without hard links, a file with too many names, a link that the system does not allow.
    private static func meansCopy(_ errno: Errno) -> Bool {
        [.improperLink, .notPermitted, .notSupported, .tooManyLinks, .noFunction, .permissionDenied].contains(errno)
    }
}
