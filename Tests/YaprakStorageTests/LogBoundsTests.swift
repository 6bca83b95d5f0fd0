import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// The bounds of names, numbers and sizes: what a writer refuses before nothing could open its files, and what readers take.
@Suite(.bounded) struct LogBoundsTests {
    @Test func `Many short openings make a checkpoint due, as what they would have to replay says`() throws {
        let disk = MemoryFileSystem()
        var bytes: UInt64 = 0
        for number in 1...20 {
            var opened = try Opened(disk)
            #expect(opened.store.statistics.bytesSinceCheckpoint == bytes, "opening \(number)")
            try opened.append(Harness.item(number))
            bytes = opened.store.statistics.bytesSinceCheckpoint
            try opened.store.close()
        }
        #expect(bytes >= 20 * 4096)
    }

    @Test func `A log whose folder is full refuses commits while everything can still be opened`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        try opened.store.close()
        // With the segment, one name less than there may be.
        var options = Harness.options()
        #expect(options.logFilesMax == FormatLimits.directoryEntriesMax)
        options.logFilesMax = 300
        for number in 2..<300 { disk.setContents(FilePath("/db/wal").appending("other-\(number)"), []) }
        var full = try Opened(disk, Harness.path, options)
        let error = #expect(throws: DatabaseError.self) { try full.append(Harness.item(2)) }
        #expect(error?.code == .overLimit)
        // There is room for a checkpoint.
        try full.store.resume(after: full.store.acknowledgedNumber)
        try full.checkpoint()
        try full.store.close()
        #expect(disk.names("/db/wal").count <= 300)
        #expect(try reopened(disk).get() == full.items && full.items.count == 1)
        // Once there is room, commits are taken again.
        for number in 2..<200 { disk.remove(FilePath("/db/wal").appending("other-\(number)")) }
        var roomy = try Opened(disk, Harness.path, options)
        try roomy.append(Harness.item(2))
        try roomy.store.close()
        #expect(try reopened(disk).get().count == 2)
    }

    /// Fills a folder of at most 80 names by short openings, and leaves the last one open.
    private func full(
        _ disk: MemoryFileSystem, _ options: inout StoreOptions, checkpoints: Int = 0
    ) throws -> Opened {
        options.logFilesMax = 80
        for number in 1..<40 {
            var opened = try Opened(disk, Harness.path, options)
            do {
                try opened.append(Harness.item(number))
            } catch let error as DatabaseError where error.code == .overLimit {
                #expect(error.message.contains("Make a checkpoint and go on."))
                try opened.store.resume(after: opened.store.acknowledgedNumber)
                return opened
            }
            if number <= checkpoints { try opened.checkpoint() }
            try opened.store.close()
        }
        throw TestFailure("the log is never full")
    }

    // A checkpoint removed nothing, as long as there was none before it or one; there was no second of the same commit in an
    // opening. The next write failed as the one before.
    @Test(arguments: 0...2)
    func `A full log goes on behind a checkpoint, as its error says, and the next one makes room`(before: Int) throws {
        let disk = MemoryFileSystem()
        var options = Harness.options(segmentBytes: 64 << 10)
        var opened = try full(disk, &options, checkpoints: before)
        #expect(disk.names("/db/wal").count == 80 - FormatLimits.directoryEntriesKept)
        try opened.checkpoint()
        for number in 1...3 { try opened.append(Harness.item(number)) }
        #expect(try reopened(disk.afterKill(), Harness.path, options).get() == opened.items)
        try opened.checkpoint()
        #expect(disk.names("/db/wal").count <= 3)
        try opened.append(Harness.item(4))
        try opened.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
        let report = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
        #expect(report.severity == .clean, "\(report.findings)")
    }

    @Test func `A full log that nothing is removed from leaves room for openings, whatever is written`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options(segmentBytes: 1 << 20)
        options.retention = .all
        var opened = try full(disk, &options)
        for number in 1...60 {
            try opened.checkpoint()
            try opened.append(Harness.item(number))
        }
        #expect(disk.names("/db/wal").count <= 80 - FormatLimits.directoryEntriesKept / 2)
        #expect(try reopened(disk.afterKill(), Harness.path, options).get() == opened.items)
        try opened.store.close()
        // Once less is retained, a checkpoint makes room.
        options.retention = .checkpoints(2)
        var roomy = try Opened(disk, Harness.path, options)
        #expect(roomy.items == opened.items)
        try roomy.checkpoint()
        try roomy.append(Harness.item(1))
        try roomy.checkpoint()
        #expect(disk.names("/db/wal").count <= 3)
        try roomy.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == roomy.items)
    }

    @Test func `A folder full of checkpoints gets no other, and everything can still be opened`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = .all
        #expect(options.checkpointFilesMax == FormatLimits.directoryEntriesMax)
        options.checkpointFilesMax = 5
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...5 {
            try opened.append(Harness.item(number))
            try opened.checkpoint()
        }
        for number in 6...7 {
            try opened.append(Harness.item(number))
            let error = #expect(throws: DatabaseError.self) { try opened.checkpoint() }
            #expect(error?.code == .overLimit && error?.place.file == "ckpt")
        }
        try opened.store.close()
        #expect(disk.names("/db/ckpt").count == 5)
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
        // A store that is closed has no lock, and removes nothing.
        options.retention = .checkpoints(3)
        let closed = try Opened(disk, Harness.path, options)
        try closed.store.close()
        let refused = #expect(throws: DatabaseError.self) { try closed.checkpoint() }
        #expect(refused?.code == .closed && disk.names("/db/ckpt").count == 5)
        // Once less is retained there is room: what is given up goes first.
        options.retention = .checkpoints(2)
        let roomy = try Opened(disk, Harness.path, options)
        try roomy.checkpoint()
        try roomy.store.close()
        #expect(disk.names("/db/ckpt").count == 2)
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
    }

    // The sync that has to come before a removal had failed, and nobody said so.
    @Test func `A folder that is full because nothing could be removed says why`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = .all
        options.checkpointFilesMax = 5
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...5 {
            try opened.append(Harness.item(number))
            try opened.checkpoint()
        }
        let full = #expect(throws: DatabaseError.self) { try opened.checkpoint() }
        #expect(full?.code == .overLimit && full?.cause == nil)
        try opened.store.close()
        options.retention = .checkpoints(2)
        let refused = try Opened(disk, Harness.path, options)
        disk.fail(.syncDirectory, nth: 1, errno: .ioError)
        for _ in 1...2 {
            let error = #expect(throws: DatabaseError.self) { try refused.checkpoint() }
            #expect(error?.code == .overLimit && error?.place.file == "ckpt")
            #expect((error?.cause as? DatabaseError)?.code == .syncFailed, "\(String(describing: error))")
        }
        #expect(disk.faultsAreSpent && disk.names("/db/ckpt").count == 5)
        try refused.store.close()
        let roomy = try Opened(disk, Harness.path, options)
        try roomy.checkpoint()
        #expect(disk.names("/db/ckpt").count == 2 && roomy.store.pruningError == nil)
        try roomy.store.close()
    }

    @Test func `A log that is full because nothing could be removed says why`() throws {
        var options = Harness.options(segmentBytes: 4096)
        // The last three syncs of directories are those before and after checkpoints are removed, and after segments are.
        let dry = MemoryFileSystem()
        let other = try full(dry, &options, checkpoints: 2)
        let before = dry.calls(.syncDirectory)
        try other.checkpoint()
        let syncs = dry.calls(.syncDirectory) - before
        #expect(dry.names("/db/wal").count < 80 - FormatLimits.directoryEntriesKept)
        try other.store.close()
        for (nth, errno, code) in [
            (syncs - 2, Errno.ioError, DatabaseError.Code.syncFailed), (1, .permissionDenied, .permissionDenied),
        ] {
            let disk = MemoryFileSystem()
            options = Harness.options(segmentBytes: 4096)
            var opened = try full(disk, &options, checkpoints: 2)
            disk.fail(code == .syncFailed ? .syncDirectory : .unlink, nth: nth, errno: errno, forever: nth == 1)
            try opened.checkpoint()
            try opened.append(Harness.item(1))
            let error = #expect(throws: DatabaseError.self) { try opened.append(Harness.item(2)) }
            #expect(error?.code == .overLimit && error?.place.file == "wal")
            #expect((error?.cause as? DatabaseError)?.code == code, "\(String(describing: error))")
            disk.healFaults()
            try opened.store.close()
            #expect(try reopened(disk, Harness.path, options).get() == opened.items)
        }
    }

    @Test func `A full log is known to need a checkpoint only as long as one leads to room`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        var opened = try full(disk, &options)
        func needs() throws -> Bool {
            try opened.store.needsCheckpointForRoom(at: CommitNumber(UInt64(opened.items.count)))
        }
        #expect(try needs())
        try opened.checkpoint()
        // There is no second one of the same commit in this opening.
        #expect(try !needs())
        try opened.append(Harness.item(1))
        #expect(try needs())
        try opened.checkpoint()
        #expect(try !needs())
        try opened.store.close()
    }

    @Test func `A fork whose folder would have too many files is refused before it has its name`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options(segmentBytes: 4096)
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...6 { try opened.append(Harness.item(number, bytes: 600, compressible: false)) }
        try opened.store.close()
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let shared = disk.names("/db/wal").count
        #expect(shared > 2)
        options.logFilesMax = shared
        let error = #expect(throws: DatabaseError.self) {
            try reader.fork(at: 6, to: "/fork", options: options, fileSystem: disk)
        }
        #expect(error?.code == .overLimit)
        #expect(disk.names("/") == ["db"])
        options.logFilesMax = shared + 1
        _ = try reader.fork(at: 6, to: "/fork", options: options, fileSystem: disk)
        #expect(try reopened(disk, "/fork").get() == opened.items)
    }

    @Test(arguments: [false, true])
    func `A directory with too many names is over a limit, and no full disk`(writing: Bool) {
        let error = DiskError(.list, ".", .fileTooLarge).asDatabaseError(writing: writing)
        #expect(error.code == .overLimit)
        #expect(DiskError(.write, "a", .fileTooLarge).asDatabaseError(writing: true).code == .diskFull)
    }

    @Test func `No commit is acknowledged that has a greater number than a log can have`() throws {
        let opened = try Opened(MemoryFileSystem())
        let error = #expect(throws: DatabaseError.self) {
            try opened.store.append(number: CommitNumber(FormatLimits.commitNumberMax + 1), item: Harness.item(1)) {
                _ in
            }
        }
        #expect(error?.code == .overLimit)
        try opened.store.close()
    }

    @Test func `A segment of commit 0 is somebody else's file`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...3 { try opened.append(Harness.item(number)) }
        try opened.store.close()
        let zero = "00000000000000000000-0000000000"
        disk.setContents(FilePath("/db/wal").appending("\(zero).wal"), [])
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect(try reader.oldest() == 1)
        #expect(try reader.directory.list().foreign == ["wal/\(zero).wal"])
        #expect(FileName("\(zero).ckpt", .checkpoint) != nil)
        #expect(try reopened(disk).get() == opened.items)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func `Files that are longer together than a number can say are damage, and no trap`() throws {
        let path = FilePath("/dev/shm/yaprak-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(atPath: path.string) }
        for folder in ["wal", "ckpt"] {
            try FileManager.default.createDirectory(
                atPath: path.appending(folder).string, withIntermediateDirectories: true)
        }
        for first in 1...3 as ClosedRange<UInt64> {
            let file = path.appending("wal").appending(FileName(first: first, epoch: 1).string(.segment))
            try Data().write(to: URL(fileURLWithPath: file.string))
            try #require(truncate(file.string, .max) == 0)
        }
        #expect(try StoreReader.open(path).verify(level: 0).severity >= .unreadable)
    }

    @Test(arguments: [[0, 1, 2], [0, 0, 2], [0, 2, 1], [1, 0, 2]])
    func `A table whose sections do not ascend is damage, of derived sections, too`(order: [Int]) throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        try opened.checkpoint()
        try opened.store.close()
        let path = FilePath("/db/ckpt").appending(try #require(disk.names("/db/ckpt").first))
        let bytes = try #require(disk.contents(path))
        let header = try UnprovenFileHeader(bytes: Array(bytes.prefix(Layout.fileHeaderBytes))).prove(as: .checkpoint)
        var builder = FrameBuilder(salt: header.salt, base: UInt64(Layout.fileHeaderBytes), chain: 0)
        var entries: [SectionEntry] = []
        for name in ["a", "b", "c"] {
            let entry = SectionEntry(
                kind: Layout.derivedSectionKind, name: name, info: [], asOf: 1, offset: builder.end)
            builder.addRaw(.sectionBegin, entry.encodedBegin(), first: 1, durable: 1)
            builder.addRaw(.sectionEnd, entry.encodedEnd(), first: 1, durable: 1)
            entries.append(entry)
        }
        let offsets = entries.map(\.offset)
        for (index, other) in order.enumerated() { entries[index].offset = offsets[other] }
        let footer = builder.end
        builder.addRaw(.footer, SectionEntry.encoded(entries), first: 1, durable: 1)
        let trailer = CheckpointTrailer(number: 1, footerOffset: footer, footerSum: builder.chain)
        disk.setContents(
            path, header.encoded() + builder.bytes + trailer.encoded(salt: builder.salt, offset: builder.end))
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        if order == [0, 1, 2] {
            #expect(try reader.openCheckpoint(1).sections.count == 3)
        } else {
            let error = #expect(throws: DatabaseError.self) { try reader.openCheckpoint(1) }
            #expect(error?.code == .corruptCheckpoint)
        }
    }
}
