import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

@Suite(.bounded) struct StoreTests {
    @Test func `A new database is empty, takes commits and gives them back`() throws {
        let disk = MemoryFileSystem()
        var first = try Opened(disk)
        #expect(first.items.isEmpty)
        for n in 1...20 { try first.append(Harness.item(n, bytes: n * 40)) }
        #expect(first.store.durableNumber == 20)
        try first.store.close()
        try first.store.close()
        let second = try Opened(disk)
        #expect(second.items == first.items)
        #expect(
            second.report.wasClosedCleanly && second.report.tornByteCount == 0
                && second.report.reloggedCommitCount == 0)
        try second.store.close()
    }

    @Test func `The operating system's files do what the simulated ones do`() throws {
        try Harness.withTemporaryDirectory { directory in
            let path = directory.appending("shop.yaprak")
            let files = PosixFileSystem()
            var first = try Opened(files, path)
            for n in 1...30 { try first.append(Harness.item(n, bytes: n * 40)) }
            try first.checkpoint()
            try first.append((31...60).map { Harness.item($0, bytes: 700, compressible: false) })
            #expect(throws: DatabaseError.self) { try Store.open(path, options: Harness.options()) }
            try first.store.close()
            let second = try Opened(files, path)
            #expect(second.items == first.items)
            #expect(second.report.checkpointCommitNumber == 30)
            #expect(second.store.durableNumber == 60 && second.store.acknowledgedNumber == 60)
            try second.store.close()
            let report = try StoreReader.open(path).verify(level: 1)
            #expect(report.severity == .clean && report.checkpoints == 1 && report.newest == 60)
        }
    }

    @Test func `Opening removes what was left half-written, by its exact name, and nothing else`() throws {
        try Harness.withTemporaryDirectory { directory in
            let path = directory.appending("shop.yaprak")
            var first = try Opened(PosixFileSystem(), path)
            for n in 1...3 { try first.append(Harness.item(n)) }
            try first.checkpoint()
            try first.store.close()
            var left: [String: [String]] = [:]
            for folder in ["wal", "ckpt"] {
                let names = try FileManager.default.contentsOfDirectory(atPath: path.appending(folder).string)
                let name = try #require(names.first)
                left[folder] = (names + ["x\(name).tmp", "\(name).tmp2"]).sorted()
                for other in ["\(name).tmp", "x\(name).tmp", "\(name).tmp2"] {
                    try Data("half".utf8).write(
                        to: URL(fileURLWithPath: path.appending(folder).appending(other).string))
                }
            }
            let second = try Opened(PosixFileSystem(), path)
            #expect(second.items == first.items)
            let notes = second.report.notes.filter { $0.contains("not a file of the database") }
            #expect(notes.count == 4, "\(second.report.notes)")
            try second.store.close()
            for (folder, names) in left {
                let found = try FileManager.default.contentsOfDirectory(atPath: path.appending(folder).string)
                #expect(
                    Set(names).isSubset(of: found) && !found.contains { $0.hasSuffix(".tmp") && !$0.hasPrefix("x") })
            }
        }
    }

    /// Whether the checkpoint that a purge writes lets retention remove the segments, or the purge itself does.
    @Test(arguments: [Retention.all, StoreOptions().retention])
    func `History that was removed does not come back with a power cut`(retention: Retention) throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = retention
        var first = try Opened(disk, Harness.path, options)
        try first.append((1...60).map { Harness.item($0, bytes: 700, compressible: false) })
        try first.checkpoint()
        try first.store.close()
        let second = try Opened(disk, Harness.path, options)
        let before = disk.names("/db/wal")
        let removed = try second.store.purgeHistory(at: 60)
        let after = disk.names("/db/wal")
        #expect(after.count < before.count && removed.oldestKept == 60)
        // Of names that were not synced nothing is kept: what was there before would be there again.
        let cut = disk.crashed(keeping: .none, names: .none)
        #expect(cut.names("/db/wal") == after && cut.names("/db/ckpt") == disk.names("/db/ckpt"))
        try second.store.close()
        #expect(try reopened(cut).get() == first.items)
    }

    /// An older one may have records under a key that was given up.
    @Test func `A purge leaves one checkpoint of an earlier opening, the newest that can be read`() throws {
        for damaged in [false, true] {
            let disk = MemoryFileSystem()
            var options = Harness.options()
            options.retention = .all
            let items = (1...9).map { Harness.item($0, bytes: 100, compressible: false) }
            for number in 1...3 {
                var opened = try Opened(disk, Harness.path, options)
                if number == 1 { try opened.append(items) }
                try opened.checkpoint()
                try opened.store.close()
            }
            let before = disk.names("/db/ckpt").sorted()
            try #require(before.count == 3)
            if damaged {
                let path = FilePath("/db/ckpt").appending(before[2])
                var bytes = try #require(disk.contents(path))
                bytes[bytes.count / 2] ^= 1
                disk.setContents(path, bytes)
            }
            let kept = before[damaged ? 1 : 2]
            let opened = try Opened(disk, Harness.path, options)
            let told = try opened.store.purgeable(at: 9)
            let removed = try opened.store.purgeHistory(at: 9)
            let after = disk.names("/db/ckpt").sorted()
            #expect(after.count == 2 && after[0] == kept && !before.contains(after[1]))
            #expect(removed.checkpoints.map(\.file) == before.filter { $0 != kept }.map { "ckpt/" + $0 })
            #expect(told.checkpoints.map(\.file) == removed.checkpoints.map(\.file))
            try opened.store.close()
            #expect(try reopened(disk).get() == items)
        }
    }

    @Test func `Opening and closing without a commit writes no segment`() throws {
        let disk = MemoryFileSystem()
        for _ in 1...3 { #expect(try reopened(disk).get().isEmpty) }
        #expect(disk.names("/db/wal").isEmpty)
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        try opened.store.close()
        let names = disk.names("/db/wal")
        for _ in 1...3 { #expect(try reopened(disk).get().count == 1) }
        #expect(disk.names("/db/wal") == names)
    }

    @Test func `A second opening is refused until the first is closed`() throws {
        let disk = MemoryFileSystem()
        let first = try Opened(disk)
        #expect { try Opened(disk) } throws: { ($0 as? DatabaseError)?.code == .alreadyOpen }
        try first.store.close()
        try Opened(disk).store.close()
    }

    @Test func `A store that nobody holds any more gives its lock back`() throws {
        try Harness.withTemporaryDirectory { path in
            do { _ = try Store.open(path) }
            try Opened(PosixFileSystem(), path).store.close()
        }
    }

    @Test func `A commit larger than a frame counts only as a whole`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options(segmentBytes: 1 << 20)
        options.frameBytesMax = 1000
        var first = try Opened(disk, Harness.path, options)
        for n in 1...6 { try first.append(Harness.item(n, bytes: n * 700, compressible: n % 2 == 0)) }
        try first.append((7...12).map { Harness.item($0, bytes: $0 % 3 == 0 ? 5000 : 100, compressible: false) })
        try first.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == first.items)
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1).severity == .clean)
    }

    @Test func `What is not a database is refused and left alone`() throws {
        try Harness.withTemporaryDirectory { directory in
            let files = PosixFileSystem()
            let file = directory.appending("file")
            let root = try files.openDirectory(directory)
            try root.open("file", .create).writeAll([1], at: 0)
            #expect { try Opened(files, file) } throws: { ($0 as? DatabaseError)?.code == .notADatabase }
            #expect { try Opened(files, directory) } throws: { ($0 as? DatabaseError)?.code == .notADatabase }
            #expect { try StoreReader.open(directory) } throws: { ($0 as? DatabaseError)?.code == .notADatabase }
            #expect(try root.list(limit: 10) == ["file"])
            var options = Harness.options()
            options.createsIfMissing = false
            try root.makeDirectory("empty")
            for name in ["none", "empty"] {
                #expect { try Opened(files, directory.appending(name), options) } throws: {
                    ($0 as? DatabaseError)?.code == .notFound
                }
            }
            #expect(try root.list(limit: 10).sorted() == ["empty", "file"])
            #expect(try root.openDirectory("empty").list(limit: 10).isEmpty)
        }
    }

    @Test func `A database whose names can count no further is refused and left alone`() throws {
        let disk = MemoryFileSystem()
        var first = try Opened(disk)
        try first.append(Harness.item(1))
        try first.store.close()
        // A damaged checkpoint of the last opening that there can be.
        let last = FilePath("/db/ckpt").appending(FileName(first: 1, epoch: FileName.epochMax).string(.checkpoint))
        disk.setContents(last, [UInt8](repeating: 0, count: 64))
        let names = disk.names("/db/wal") + disk.names("/db/ckpt")
        #expect { try Opened(disk) } throws: { ($0 as? DatabaseError)?.code == .overLimit }
        #expect(disk.names("/db/wal") + disk.names("/db/ckpt") == names)
        disk.remove(last)
        #expect(try reopened(disk).get() == first.items)
    }

    @Test func `Links and pipes in the place of our files are refused`() throws {
        try Harness.withTemporaryDirectory { directory in
            let files = PosixFileSystem()
            let path = directory.appending("db")
            var opened = try Opened(files, path)
            try opened.append(Harness.item(1))
            try opened.store.close()
            let link = directory.appending("link")
            try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: path.string)
            #expect { try Opened(files, link) } throws: { ($0 as? DatabaseError)?.code == .notADatabase }
            // A pipe would stop a reader forever.
            let pipe = path.appending("wal").appending(FileName(first: 2, epoch: 9).string(.segment))
            #expect(mkfifo(pipe.string, 0o600) == 0)
            #expect(throws: DatabaseError.self) { try Opened(files, path) }
            #expect(try StoreReader.open(path).verify(level: 1).exitCode == 6)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may do everything"))
    func `A directory we may not enter is named`() throws {
        try Harness.withTemporaryDirectory { directory in
            let path = directory.appending("db")
            try Opened(PosixFileSystem(), path).store.close()
            chmod(path.string, 0)
            defer { chmod(path.string, 0o700) }
            #expect { try Opened(PosixFileSystem(), path) } throws: {
                ($0 as? DatabaseError)?.code == .permissionDenied
            }
        }
    }

    @Test func `Files and directories are the owner's alone`() throws {
        try Harness.withTemporaryDirectory { directory in
            let path = directory.appending("db")
            var opened = try Opened(PosixFileSystem(), path)
            try opened.append(Harness.item(1))
            try opened.checkpoint()
            try opened.store.close()
            let names = try FileManager.default.subpathsOfDirectory(atPath: path.string)
            #expect(names.count == 6)
            for name in names + [""] {
                let mode = try FileManager.default.attributesOfItem(atPath: path.appending(name).string)[
                    .posixPermissions]
                #expect((mode as? Int).map { $0 & 0o077 } == 0, "\(name)")
            }
        }
    }

    @Test func `Only what is synced is padded to a sector, and it always is`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed, segmentBytes: 1 << 20))
        for n in 1...50 { try opened.append(Harness.item(n)) }
        // A header, an item and at most 7 bytes each, where a sector each would be 25,600.
        #expect(opened.store.statistics.storedBytes <= 4096 + 50 * (64 + 26 + 7))
        try opened.store.flush()
        #expect(opened.store.statistics.storedBytes % 512 == 0)
        let name = FilePath("/db/wal").appending(try #require(disk.names("/db/wal").first))
        let synced = try #require(disk.crashed(keeping: .none, names: .all).contents(name))
        for n in 51...60 { try opened.append(Harness.item(n)) }
        // Appends leave every byte alone that was durable.
        let after = try #require(disk.contents(name))
        let used = (synced.lastIndex { $0 != 0 } ?? 0) + 1
        #expect(Array(after[..<used]) == Array(synced[..<used]))
        let items = opened.items
        try opened.store.close()
        #expect(try reopened(disk).get() == items)
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1).findings.isEmpty)
    }

    @Test func `A newer format is refused before anything is touched`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        try opened.store.close()
        let path = FilePath("/db/wal").appending(try #require(disk.names("/db/wal").first))
        var bytes = try #require(disk.contents(path))
        var header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
        header.incompatible = 1 << 40
        bytes.replaceSubrange(0..<4096, with: header.encoded())
        disk.setContents(path, bytes)
        let changes = disk.changes
        #expect { try Opened(disk) } throws: { ($0 as? DatabaseError)?.code == .newerFormat }
        #expect(disk.changes == changes)
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 0).exitCode == 7)
    }

    @Test func `Many writers share few syncs, and answers come in commit order`() throws {
        try Harness.withTemporaryDirectory { directory in
            let options = StoreOptions()
            var opened = try Opened(PosixFileSystem(), directory, options)
            try opened.append(Harness.item(1))
            let order = Monitor<[UInt64]>([])
            let isQueued = Monitor<Bool?>(nil)
            let store = opened.store
            let total = 20_000
            let before = store.statistics
            do {
                // Also where an append throws: the log's thread goes on.
                defer {
                    isQueued.withLock { $0 = true }
                    isQueued.broadcast()
                }
                for n in 2...total + 1 {
                    try store.append(number: CommitNumber(UInt64(n)), item: Harness.item(n % 100)) { _ in
                        // The log's own thread waits here: however fast the disk is, the others are all in line then.
                        if n == 2 { _ = isQueued.waitFor { isQueued, _ in isQueued } }
                        order.withLock { $0.append(UInt64(n)) }
                        order.broadcast()
                    }
                }
            }
            let seen = order.waitFor { all, _ in all.count == total ? all : nil }
            #expect(seen == (2...UInt64(total + 1)).map { $0 })
            let after = store.statistics
            #expect(after.commits - before.commits == total)
            // The first group, and then as many as a group may have at most.
            let most = options.groupCommitsMax
            #expect(after.syncs - before.syncs <= 1 + (total + most - 1) / most)
            try store.close()
        }
    }

    // Each of them alone: after one that was synced the thread looks whether another comes at once, and then sleeps.
    @Test(arguments: [Durability.always, .relaxed])
    func `A commit that comes while the log's thread looks for one, or goes to sleep, is not left waiting`(
        durability: Durability
    ) throws {
        try Harness.withTemporaryDirectory { directory in
            let path = directory.appending("shop.yaprak")
            let options = Harness.options(durability, segmentBytes: 1 << 20)
            var random = SplitMix64(seed: 5)
            var opened = try Opened(PosixFileSystem(), path, options)
            for n in 1...Soak.volume(300, soak: 100_000) {
                let end = monotonicNanoseconds() + UInt64(random.below(90_000))
                while monotonicNanoseconds() < end {}
                try opened.append(Harness.item(n))
            }
            try opened.store.close()
            let second = try Opened(PosixFileSystem(), path)
            #expect(second.items == opened.items)
            try second.store.close()
        }
    }

    @Test func `Under an interval the log is synced without anyone asking`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.interval(.milliseconds(5))))
        try opened.append(Harness.item(1))
        let done = Monitor(0)
        let started = monotonicNanoseconds()
        while opened.store.durableNumber < 1, monotonicNanoseconds() - started < 5_000_000_000 {
            _ = done.waitFor { (count: inout Int, deadline: inout UInt64?) -> Bool? in
                count += 1
                deadline = monotonicNanoseconds() + 2_000_000
                return count % 2 == 0 ? true : nil
            }
        }
        #expect(opened.store.durableNumber == 1)
        try opened.store.close()
    }

    @Test func `Without syncs a flush is a barrier`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, Harness.options(.relaxed))
        try opened.append((1...5).map { Harness.item($0) })
        #expect(opened.store.durableNumber == 0 && opened.store.acknowledgedNumber == 5)
        try opened.store.flush()
        #expect(opened.store.durableNumber == 5)
        #expect(try reopened(disk.crashed(keeping: .none, names: .none)).get() == opened.items)
        try opened.store.close()
        #expect { try opened.store.append(number: 6, item: [0]) { _ in } } throws: {
            ($0 as? DatabaseError)?.code == .closed
        }
    }

    // The nanoseconds of the wall clock were multiplied out of their range from the year 2262 on, which traps.
    @Test func `A clock beyond the year 2262, or far before 1970, shows the last moment there is`() {
        #expect(nanoseconds(1_700_000_000, 5) == 1_700_000_000_000_000_005)
        #expect(nanoseconds(-1, 999_999_999) == -1)
        #expect(nanoseconds(9_223_372_036, 854_775_807) == .max)
        #expect(nanoseconds(9_223_372_036, 854_775_808) == .max)
        #expect(nanoseconds(.max, 999_999_999) == .max)
        #expect(nanoseconds(-9_223_372_037, 0) == .min && nanoseconds(.min, 0) == .min)
    }

    @Test(arguments: [Int64.min, -1, 0, .max])
    func `A log can be written and pruned by age at any time a clock shows`(time: Int64) throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.now = { time }
        options.retention = .age(.seconds(Int64.max))
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...6 {
            try opened.append(Harness.item(number, bytes: 4000))
            if number % 2 == 0 { try opened.checkpoint() }
        }
        try opened.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
    }
}
