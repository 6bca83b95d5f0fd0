import SystemPackage
import TestSupport
import Testing
import YaprakLocks
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// What retention keeps where a clock is wrong, a file is another's, or a name can't be removed.
@Suite(.bounded) struct RetentionTests {
    /// A database with a checkpoint after each commit, and a clock that shows days.
    private struct Diary {
        let disk = MemoryFileSystem()
        let options: StoreOptions
        private let clock: Clock
        var opened: Opened

        private final class Clock: Sendable {
            let time = YaprakLocks.Mutex<Int64>(0)
        }

        init(_ retention: Retention) throws {
            let clock = Clock()
            var options = Harness.options()
            options.retention = retention
            options.now = { clock.time.withLock { $0 } }
            self.clock = clock
            self.options = options
            opened = try Opened(disk, Harness.path, options)
        }

        func show(_ day: Double) { clock.time.withLock { $0 = Int64(day * 86_400) * 1_000_000_000 } }

        /// Writes a commit and its checkpoint on a day.
        ///
        /// - Parameters:
        ///   - shown: what the clock shows when the checkpoint begins; the day if nil.
        ///   - fault: which removal of a file fails from the end of the checkpoint on.
        mutating func write(on day: Double, shown: Double? = nil, failingRemoval fault: Int? = nil) throws {
            show(day)
            try opened.append(Harness.item(opened.items.count + 1, bytes: 600, compressible: false))
            show(shown ?? day)
            let writer = try opened.store.beginCheckpoint(at: CommitNumber(UInt64(opened.items.count)))
            try writer.beginSection(kind: 1, name: "items", info: [0xA0], asOf: writer.number)
            for item in opened.items { try writer.append(item) }
            try writer.endSection(count: opened.items.count, digest: 7)
            show(day)
            if let fault { disk.fail(.unlink, nth: fault, errno: .ioError) }
            try writer.finish()
        }

        /// The commits that have a checkpoint.
        var numbers: [UInt64] { disk.names("/db/ckpt").compactMap { FileName($0, .checkpoint)?.first } }

        /// The first commit that the log has.
        var firstOfLog: UInt64? { disk.names("/db/wal").compactMap { FileName($0, .segment)?.first }.first }

        /// Closes, and looks whether all is there that was written, and whether all that is left fits together.
        func end() throws {
            try opened.store.close()
            #expect(try reopened(disk, Harness.path, options).get() == opened.items)
            let report = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
            #expect(report.severity == .clean, "\(report.findings)")
        }
    }

    private static func days(_ count: Int64) -> Retention { .age(.seconds(count * 86_400)) }

    @Test func `Retention by age keeps the commits of that time, and lets go of older ones`() throws {
        for (days, oldest) in [(0, 11), (3, 9), (7, 5), (100, 1)] as [(Int64, UInt64)] {
            var diary = try Diary(Self.days(days))
            for day in 1...12 { try diary.write(on: Double(day)) }
            #expect(diary.numbers == Array(oldest...12), "\(days)")
            // The log goes with them.
            let first = diary.firstOfLog
            #expect(oldest == 1 ? first == 1 : first == oldest + 1, "\(days)")
            try diary.end()
        }
    }

    // Of all files that were old by their own clock, the newest was where retention ended: that one took the history of a
    // week with it.
    @Test func `A checkpoint that was made while the clock was behind lets nothing go`() throws {
        var diary = try Diary(Self.days(7))
        for day in 1...10 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == Array(3...10))
        // A device without a clock of its own, before it has asked a server.
        try diary.write(on: 0)
        #expect(diary.numbers == Array(3...11))
        try diary.write(on: 10.5)
        #expect(diary.numbers == Array(3...12))
        // It is let go of in its turn.
        for day in 11...20 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == Array(15...22))
        try diary.end()
    }

    @Test func `A checkpoint whose clock was behind is not where retention ends, wherever it is`() throws {
        var diary = try Diary(Self.days(7))
        for day in 1...3 { try diary.write(on: Double(day)) }
        try diary.write(on: 3.5, shown: 0)
        for day in 4...10 { try diary.write(on: Double(day)) }
        // From day 3 on: its commits and those up to the next are of the last seven days.
        #expect(diary.numbers == Array(3...11))
        try diary.write(on: 11)
        #expect(diary.numbers == Array(5...12))
        try diary.end()
    }

    @Test(arguments: [3650, 11])
    func `A checkpoint whose clock was ahead keeps no history forever`(shown: Double) throws {
        var diary = try Diary(Self.days(7))
        for day in 1...4 { try diary.write(on: Double(day)) }
        try diary.write(on: 5, shown: shown)
        for day in 6...12 { try diary.write(on: Double(day)) }
        // At least what is promised, and at most until that time has come, too.
        #expect(diary.numbers.first.map { $0 <= 5 } == true && diary.numbers.last == 12)
        for day in 13...20 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == Array(13...20))
        try diary.end()
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `Where no time is so long ago as the age, nothing is let go of`(time: Int64) throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.now = { time }
        options.retention = .age(.seconds(Int64.max))
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...4 {
            try opened.append(Harness.item(number))
            try opened.checkpoint()
        }
        #expect(disk.names("/db/ckpt").count == 4)
        try opened.store.close()
    }

    // The commits were counted from the last name, whatever the file was.
    @Test(arguments: [true, false])
    func `A file that somebody has put among the checkpoints is not what commits are counted from`(
        isAnothers: Bool
    ) throws {
        let other = MemoryFileSystem()
        let name = FileName(first: 1 << 40, epoch: 1).string(.checkpoint)
        try Store.createStandalone(
            Harness.path, at: CommitNumber(1 << 40), options: Harness.options(seed: 9), fileSystem: other
        ).finish()
        let foreign = try #require(other.contents(FilePath("/db/ckpt").appending(name)))
        var diary = try Diary(.commits(4))
        for day in 1...6 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == [2, 3, 4, 5, 6])
        diary.disk.setContents(
            FilePath("/db/ckpt").appending(name), isAnothers ? foreign : [UInt8](repeating: 7, count: 5000))
        for day in 7...8 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == [4, 5, 6, 7, 8, 1 << 40])
        try diary.opened.store.close()
        #expect(try reopened(diary.disk, Harness.path, diary.options).get() == diary.opened.items)
    }

    // The first failure ended it, and the names are sorted: the next pruning met the same one first.
    @Test func `A checkpoint that can't be removed stays with its log, and the others go`() throws {
        var diary = try Diary(.commits(7))
        for day in 1...8 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == Array(1...8))
        var options = diary.options
        options.retention = .checkpoints(2)
        try diary.opened.store.close()
        diary.opened = try Opened(diary.disk, Harness.path, options)
        try diary.write(on: 9, failingRemoval: 2)
        #expect(diary.disk.faultsAreSpent && diary.numbers == [2, 8, 9])
        #expect(diary.opened.store.pruningError != nil)
        #expect(diary.firstOfLog == 3)
        let report = try StoreReader.open(Harness.path, fileSystem: diary.disk).verify(level: 1)
        #expect(report.severity < .unreadable, "\(report.findings)")
        // The next one tries again.
        try diary.write(on: 10)
        #expect(diary.numbers == [9, 10] && diary.opened.store.pruningError == nil)
        #expect(diary.firstOfLog == 10)
        try diary.end()
    }

    @Test func `A segment that can't be removed keeps those behind it, so that the log has no gap`() throws {
        var diary = try Diary(.commits(7))
        for day in 1...8 { try diary.write(on: Double(day)) }
        try diary.opened.store.close()
        var options = diary.options
        options.retention = .checkpoints(2)
        diary.opened = try Opened(diary.disk, Harness.path, options)
        // Seven checkpoints are removed before; the log begins with the second segment.
        try diary.write(on: 9, failingRemoval: 8)
        #expect(diary.disk.faultsAreSpent && diary.numbers == [8, 9] && diary.opened.store.pruningError != nil)
        let numbers = diary.disk.names("/db/wal").compactMap { FileName($0, .segment)?.first }
        #expect(numbers.first == 2 && numbers.contains(3), "\(numbers)")
        try diary.write(on: 10)
        #expect(diary.opened.store.pruningError == nil)
        try diary.end()
    }

    // The sync of a device that had refused to remove anything was asked for nothing, and its failure ended all writing.
    @Test func `A log of which no segment can be removed goes on`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = .all
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...4 {
            try opened.append(Harness.item(number))
            try opened.checkpoint()
        }
        try opened.store.close()
        options.retention = .checkpoints(2)
        opened = try Opened(disk, Harness.path, options)
        disk.fail(.unlink, nth: 1, errno: .ioError, forever: true)
        let before = disk.calls(.syncDirectory)
        opened.store.pruneNow()
        // That of the names of the folders.
        #expect(disk.calls(.syncDirectory) == before + 1 && opened.store.pruningError != nil)
        disk.healFaults()
        try opened.append(Harness.item(5))
        try opened.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
    }

    @Test func `A folder with the name of a checkpoint or a segment stays, and everything else goes`() throws {
        var diary = try Diary(.checkpoints(2))
        try diary.write(on: 1)
        let root = try diary.disk.openDirectory("/db")
        let odd = FileName(first: 1, epoch: 0)
        for kind in [FileKind.segment, .checkpoint] {
            try root.openDirectory(kind.folder).makeDirectory(odd.string(kind))
        }
        for day in 2...9 { try diary.write(on: Double(day)) }
        #expect(diary.numbers == [1, 8, 9] && diary.opened.store.pruningError != nil)
        #expect(diary.disk.names("/db/wal").count <= 4)
        #expect(diary.disk.names("/db/wal").contains(odd.string(.segment)))
        let left = try diary.opened.store.prunable(withCheckpointAt: nil)
        #expect(left.checkpoints.map(\.file) == [odd.path(.checkpoint)])
        #expect(left.segments.contains(odd.path(.segment)))
        try diary.opened.store.close()
        #expect(try reopened(diary.disk, Harness.path, diary.options).get() == diary.opened.items)
        // Otherwise the checkpoint that the purge writes lets the history go.
        var options = diary.options
        options.retention = .all
        let opened = try Opened(diary.disk, Harness.path, options)
        #expect(try opened.store.purgeable(at: 9).checkpoints.map(\.number) == [1, 8])
        let error = #expect(throws: DatabaseError.self) { try opened.store.purgeHistory(at: 9) }
        #expect(error?.code == .writeFailed && diary.numbers == [1, 9, 9])
        let segments = diary.disk.names("/db/wal")
        #expect(segments.count <= 2 && segments.contains(odd.string(.segment)))
        try opened.store.close()
        #expect(try reopened(diary.disk, Harness.path, options).get() == diary.opened.items)
    }
}
