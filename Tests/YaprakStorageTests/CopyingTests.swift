import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Forks on the simulated disk: the power goes at every call, links are refused.
@Suite(.bounded) struct CopyingTests {
    private var options: StoreOptions {
        var options = Workload.everything.options
        options.retention = .all
        return options
    }

    /// A directory with everything a fork meets: checkpoints, sealed segments, a group that a commit cuts, a tail in use.
    private func source(_ disk: MemoryFileSystem) throws -> (items: [[UInt8]], store: Store) {
        var opened = try Opened(disk, Harness.path, options)
        for n in 0..<6 {
            try opened.append((1...4).map { Harness.item(n * 10 + $0, bytes: 500 + n * 300) })
            if n % 3 == 1 { try opened.checkpoint() }
        }
        return (opened.items, opened.store)
    }

    /// 40 commits with a checkpoint after each ten, in many segments.
    private func history(_ disk: MemoryFileSystem, seed: UInt64 = 1) throws -> [[UInt8]] {
        var options = Harness.options(seed: seed)
        options.retention = .all
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...40 {
            try opened.append(Harness.item(number))
            if number % 10 == 0 { try opened.checkpoint() }
        }
        try opened.store.close()
        return opened.items
    }

    enum Gap: CaseIterable { case missing, damaged, foreign, folder }

    @Test(arguments: Gap.allCases)
    func `A gap in the log before the state that a fork starts from costs the history before it, no more`(
        gap: Gap
    ) throws {
        let disk = MemoryFileSystem()
        let items = try history(disk)
        let segments = disk.names("/db/wal").sorted()
        #expect(segments.count > 4)
        let file = FilePath("/db/wal").appending(segments[1])
        switch gap {
        case .missing: disk.remove(file)
        case .damaged:
            var bytes = try #require(disk.contents(file))
            bytes[Layout.FileField.salt] ^= 1
            disk.setContents(file, bytes)
        case .foreign:
            let other = MemoryFileSystem()
            _ = try history(other, seed: 2)
            disk.setContents(file, try #require(other.contents(file)))
        case .folder:
            disk.remove(file)
            try disk.openDirectory("/db/wal").makeDirectory(segments[1])
        }
        var options = Harness.options()
        options.retention = .all
        #expect(try reopened(disk, Harness.path, options).get() == items)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let report = try reader.fork(at: 40, to: "/fork", options: Harness.options(seed: 9), fileSystem: disk)
        #expect(report.number == 40)
        #expect(try reopened(disk, "/fork").get() == items)
        let fork = try StoreReader.open("/fork", fileSystem: disk).verify(level: 1)
        #expect(fork.severity == .clean, "\(fork.findings)")
        // What was damaged and is needed is still an error.
        let newest = FilePath("/db/wal").appending(try #require(segments.last))
        var bytes = try #require(disk.contents(newest))
        bytes[Layout.FileField.salt] ^= 1
        disk.setContents(newest, bytes)
        #expect(throws: DatabaseError.self) {
            try reader.fork(at: 40, to: "/other", options: Harness.options(seed: 10), fileSystem: disk)
        }
    }

    @Test func `A fork starts from an older checkpoint where the newest is no file`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...6 {
            try opened.append(Harness.item(number))
            if number % 2 == 0 { try opened.checkpoint() }
        }
        try opened.store.close()
        let newest = try #require(disk.names("/db/ckpt").max())
        disk.remove(FilePath("/db/ckpt").appending(newest))
        try disk.openDirectory("/db/ckpt").makeDirectory(newest)
        #expect(try reopened(disk).get() == opened.items)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect(
            try reader.fork(at: 6, to: "/fork", options: Harness.options(seed: 9), fileSystem: disk).number == 6)
        #expect(try reopened(disk, "/fork").get() == opened.items)
    }

    @Test func `A fork is there as a whole or not at all, wherever the power goes`() throws {
        let base = MemoryFileSystem()
        let (items, store) = try source(base)
        for number in [2, 7, 11, 18, 24] {
            func fork(_ disk: MemoryFileSystem) throws {
                let reader = try StoreReader.open(Harness.path, fileSystem: disk)
                _ = try reader.fork(
                    at: CommitNumber(UInt64(number)), to: "/fork", options: options, fileSystem: disk)
            }
            let whole = base.copy()
            let start = whole.changes
            try fork(whole)
            let cuts = whole.changes - start
            #expect(cuts > 10)
            for cut in 0...cuts {
                let disk = base.copy()
                disk.cut(afterChanges: disk.changes + cut)
                try? fork(disk)
                for remains in Remains.of(disk, seed: UInt64(cut)) {
                    let image = disk.crashed(keeping: remains.writes, names: remains.names)
                    if image.names("/").contains("fork") {
                        let found = reopened(image, "/fork", options)
                        #expect(
                            haveSameItems(try found.get(), items[..<number]), "commit \(number), cut \(cut), \(remains)"
                        )
                    } else {
                        #expect(cut < cuts)
                    }
                    #expect(haveSameItems(try reopened(image, Harness.path, options).get(), items))
                }
            }
        }
        try store.close()
    }

    // Killed forks, repairs and compactions left their temporary directories forever.
    @Test func `What a fork left that was cut is removed by the next one to the same place`() throws {
        let base = MemoryFileSystem()
        let (items, store) = try source(base)
        let whole = base.copy()
        let start = whole.changes
        try fork(whole)
        var leftovers = 0
        for cut in 0..<(whole.changes - start) {
            let disk = base.copy()
            disk.cut(afterChanges: disk.changes + cut)
            try? fork(disk)
            let image = disk.crashed(keeping: .all, names: .all)
            guard !image.names("/").contains("fork") else { continue }
            leftovers += image.names("/").count { $0.hasPrefix(".fork.tmp-") }
            try fork(image)
            #expect(image.names("/").sorted() == whole.names("/").sorted(), "cut \(cut)")
            #expect(try reopened(image, "/fork", options).get() == items, "cut \(cut)")
        }
        #expect(leftovers > 10)
        try store.close()
    }

    @Test func `Only what is exactly a database in the making, and nobody's, is removed`() throws {
        let disk = MemoryFileSystem()
        let (_, store) = try source(disk)
        let root = try disk.openDirectory("/")
        let names = [
            ".fork.tmp-0123456789abcde", ".fork.tmp-0123456789abcdef0", ".fork.tmp-0123456789ABCDEF", ".fork.tmp-",
            "fork.tmp-0123456789abcdef", ".other.tmp-0123456789abcdef", ".fork.tmp-000000000000000f",
        ]
        for name in names { try root.makeDirectory(name) }
        // Something that no database has.
        _ = try root.openDirectory(".fork.tmp-000000000000000f").open("notes.txt", .create)
        // Another fork on its way, and an empty one that was left.
        let living = try NewDirectory("/fork", random: 1, disk)
        try root.makeDirectory(".fork.tmp-00000000000000ff")
        try fork(disk)
        let left = Set(disk.names("/"))
        #expect(left.isSuperset(of: names) && left.contains("fork"))
        #expect(left.contains(".fork.tmp-0000000000000001") && !left.contains(".fork.tmp-00000000000000ff"))
        #expect(throws: DatabaseError.self) { try living.finish() }
        living.cancel()
        #expect(!disk.names("/").contains(".fork.tmp-0000000000000001"))
        try store.close()
    }

    private func fork(_ disk: MemoryFileSystem) throws {
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        _ = try reader.fork(at: reader.newest(), to: "/fork", options: options, fileSystem: disk)
    }

    @Test(arguments: [Errno.improperLink, .notPermitted, .tooManyLinks])
    func `Where files can't be shared they are copied, and the report says why`(errno: Errno) throws {
        let disk = MemoryFileSystem()
        let (items, store) = try source(disk)
        disk.fail(.link, nth: 2, errno: errno, forever: true)
        let report = try StoreReader.open(Harness.path, fileSystem: disk)
            .fork(at: 20, to: "/fork", options: options, fileSystem: disk)
        #expect(report.linkedFiles == 1 && report.copiedFiles > 1 && report.reasonForCopies == errno)
        disk.healFaults()
        #expect(try reopened(disk, "/fork", options).get() == Array(items[..<20]))
        try store.close()
    }

    @Test func `A checkpoint of a newer format is not replaced by the log before it in a fork`() throws {
        let disk = MemoryFileSystem()
        let (items, store) = try source(disk)
        try store.close()
        let folder: FilePath = "/db/ckpt"
        let name = try #require(disk.names(folder).max())
        var bytes = try #require(disk.contents(folder.appending(name)))
        var header = try UnprovenFileHeader(bytes: bytes).prove(as: .checkpoint)
        header.incompatible = 1 << 40
        bytes.replaceSubrange(0..<4096, with: header.encoded())
        disk.setContents(folder.appending(name), bytes)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect {
            try reader.fork(at: CommitNumber(UInt64(items.count)), to: "/fork", options: options, fileSystem: disk)
        } throws: {
            ($0 as? DatabaseError)?.code == .newerFormat
        }
        #expect(disk.names("/") == ["db"])
    }

    @Test func `A commit in a form that nobody knows ends a repair where it stands, and is reported as that`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...20 { try opened.append(Harness.item(number)) }
        try opened.store.close()
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let repair = try Repair(reader, RepairOptions(), fileSystem: disk, accepts: { number, _ in number != 12 })
        #expect(repair.plan.last == 11 && repair.plan.losses.map(\.commits) == [12...20])
        #expect(repair.plan.losses.first?.what.contains("not in the form of this version") == true)
    }

    @Test func `A fork whose name could not be synced stays, complete, and the error says so`() throws {
        let base = MemoryFileSystem()
        let (items, store) = try source(base)
        try store.close()
        let dry = base.copy()
        let before = dry.calls(.syncDirectory)
        try fork(dry)
        let syncs = dry.calls(.syncDirectory) - before
        let disk = base.copy()
        disk.fail(.syncDirectory, nth: syncs, errno: .ioError)
        let error = #expect(throws: DatabaseError.self) { try fork(disk) }
        #expect(error?.code == .syncFailed && error?.place.file == "/fork")
        #expect(error?.message.contains("is complete") == true)
        disk.healFaults()
        #expect(disk.names("/") == ["db", "fork"])
        #expect(try reopened(disk, "/fork", options).get() == items)
        // A power failure may take its name, and nothing of it.
        for names in [MemoryFileSystem.KeptNames.none, .all] {
            let image = disk.crashed(keeping: .none, names: names)
            guard image.names("/").contains("fork") else { continue }
            #expect(try reopened(image, "/fork", options).get() == items)
        }
    }

    @Test func `A fork that fails leaves nothing behind`() throws {
        for operation in [DiskError.Operation.write, .sync, .syncDirectory, .rename, .open, .makeDirectory] {
            for nth in 1...12 {
                let disk = MemoryFileSystem()
                let (items, store) = try source(disk)
                try store.close()
                disk.fail(operation, nth: nth, errno: .ioError)
                let reader = try? StoreReader.open(Harness.path, fileSystem: disk)
                let result = Result {
                    try reader?.fork(at: 20, to: "/fork", options: options, fileSystem: disk)
                }
                disk.healFaults()
                if case .failure(let error) = result {
                    #expect(error is DatabaseError)
                    let names = disk.names("/")
                    // The sync of the parent comes after the name: the fork is whole then, and may be kept.
                    #expect(names == ["db"] || names == ["db", "fork"], "\(operation) \(nth): \(names)")
                }
                if disk.names("/").contains("fork") {
                    #expect(try reopened(disk, "/fork", options).get() == Array(items[..<20]))
                }
            }
        }
    }
}
