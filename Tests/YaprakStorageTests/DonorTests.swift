import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// What a repair takes from a copy of the directory: the same history, and nothing of what the copy became later.
@Suite(.bounded) struct DonorTests {
    /// Each opening has salts of its own.
    private func options(_ seed: UInt64, segmentBytes: Int = 1 << 20) -> StoreOptions {
        Harness.options(segmentBytes: segmentBytes, seed: seed)
    }

    /// Opens, appends, and closes.
    private func write(
        _ numbers: ClosedRange<Int>, on disk: MemoryFileSystem, seed: UInt64, checkpoints: Bool = false
    ) throws {
        var opened = try Opened(disk, Harness.path, options(seed))
        for number in numbers { try opened.append(Harness.item(number)) }
        if checkpoints { try opened.checkpoint() }
        try opened.store.close()
    }

    private func segments(_ disk: MemoryFileSystem) throws -> [FileName] {
        try StoreReader.open(Harness.path, fileSystem: disk).directory.list().segments
    }

    private func remove(_ name: FileName, from disk: MemoryFileSystem) throws {
        try disk.openDirectory("/db/wal").unlink(name.string(.segment))
    }

    /// Changes a bit of a commit.
    private func damage(_ number: UInt64, on disk: MemoryFileSystem) throws {
        var commits = try StoreReader.open(Harness.path, fileSystem: disk).commits(from: CommitNumber(number))
        let commit = try #require(try commits.next())
        let name = try #require(try segments(disk).last { $0.first <= number })
        let file: FilePath = FilePath("/db/wal").appending(name.string(.segment))
        var bytes = try #require(disk.contents(file))
        bytes[Int(commit.offset) + 70] ^= 1
        disk.setContents(file, bytes)
    }

    private func repair(_ own: any FileSystem, from donor: MemoryFileSystem) throws -> Repair {
        var options = RepairOptions()
        options.donor = Harness.path
        return try Repair(try StoreReader.open(Harness.path, fileSystem: own), options, fileSystem: donor)
    }

    private func items(of repair: Repair) throws -> [[UInt8]] {
        let disk = MemoryFileSystem()
        try repair.perform(to: "/repaired", storeOptions: options(90), fileSystem: disk) { _, _ in [0xA0] }
        return try reopened(disk, "/repaired", options(91)).get()
    }

    private func expected(_ numbers: ClosedRange<Int>) -> [[UInt8]] { numbers.map { Harness.item($0) } }

    /// A directory with 1…100, and a copy of its 1…50 that somebody opened and wrote to.
    private func diverged() throws -> (own: MemoryFileSystem, copy: MemoryFileSystem) {
        let own = MemoryFileSystem()
        var opened = try Opened(own, Harness.path, options(1))
        for number in 1...50 { try opened.append(Harness.item(number)) }
        let copy = own.copy()
        for number in 51...100 { try opened.append(Harness.item(number)) }
        try opened.store.close()
        try write(1051...1053, on: copy, seed: 2, checkpoints: true)
        return (own, copy)
    }

    // The copy's segment said that the log goes on with it behind commit 50: what the original had written since was cut off.
    @Test func `A copy that somebody opened and wrote to gives nothing of that, while the original goes on`() throws {
        let (own, copy) = try diverged()
        try #require(try segments(copy).count > 1 && copy.names("/db/ckpt").count == 1)
        try damage(30, on: own)
        let repair = try repair(own, from: copy)
        #expect(repair.plan.last == 100 && repair.plan.losses.isEmpty && repair.plan.holes.isEmpty)
        #expect(repair.plan.checkpoints.isEmpty)
        #expect(try items(of: repair) == expected(1...100))
    }

    // Nothing in the file says any more that there were later commits here. The mark of the close does.
    @Test func `A copy that went on by itself gives nothing of that where the original is cut off before it`() throws {
        let (own, copy) = try diverged()
        var commits = try StoreReader.open(Harness.path, fileSystem: own).commits(from: 51)
        let cut = Int(try #require(try commits.next()).offset)
        let file: FilePath = FilePath("/db/wal").appending(try segments(own)[0].string(.segment))
        own.setContents(file, Array(try #require(own.contents(file))[..<cut]))
        let repair = try repair(own, from: copy)
        #expect(repair.plan.last == 50 && repair.plan.losses.map(\.commits) == [51...100], "\(repair.plan)")
        #expect(repair.plan.checkpoints.isEmpty)
        #expect(try items(of: repair) == expected(1...50))
    }

    // Both have a segment 51-2, and they are different files.
    @Test func `Where both went on in openings of their own, the copy gives what is before that`() throws {
        let own = MemoryFileSystem()
        try write(1...50, on: own, seed: 1)
        let copy = own.copy()
        try write(51...55, on: own, seed: 2)
        try write(56...60, on: own, seed: 3)
        try write(1051...1052, on: copy, seed: 4)
        try write(1053...1060, on: copy, seed: 5, checkpoints: true)
        try damage(30, on: own)
        #expect(try items(of: try repair(own, from: copy)) == expected(1...60))
        // What only the original had is lost with it, whatever the copy has under these numbers.
        try damage(57, on: own)
        let cut = try repair(own, from: copy)
        #expect(cut.plan.last == 56 && cut.plan.losses.map(\.commits) == [57...60])
        #expect(try items(of: cut) == expected(1...56))
    }

    /// A hundred commits of one opening in small segments, and a copy from when there were sixty-three.
    private func inUse() throws -> (own: MemoryFileSystem, copy: MemoryFileSystem) {
        let own = MemoryFileSystem()
        var opened = try Opened(own, Harness.path, options(1, segmentBytes: 6 << 10))
        for number in 1...63 { try opened.append(Harness.item(number)) }
        let copy = own.copy()
        for number in 64...100 { try opened.append(Harness.item(number)) }
        try opened.store.close()
        try #require(try segments(copy).count > 2)
        return (own, copy)
    }

    @Test func `An older copy gives the segments and the beginnings of segments that are gone`() throws {
        let (own, copy) = try inUse()
        let names = try segments(copy)
        try remove(names[1], from: own)
        let whole = try repair(own, from: copy)
        #expect(whole.plan.last == 100 && whole.plan.losses.isEmpty)
        #expect(try items(of: whole) == expected(1...100))
        // The last one of the copy ends with commit 63.
        let last = names[names.count - 1]
        try #require(try segments(own).first { $0 > last }?.first ?? 0 > 64)
        try remove(last, from: own)
        let part = try repair(own, from: copy)
        #expect(part.plan.last == 63 && part.plan.losses.map(\.commits) == [64...100])
        #expect(try items(of: part) == expected(1...63))
    }

    @Test func `A newer copy gives what came later`() throws {
        let (newer, own) = try inUse()
        try damage(30, on: own)
        let repair = try repair(own, from: newer)
        #expect(repair.plan.last == 100 && repair.plan.losses.isEmpty)
        #expect(try items(of: repair) == expected(1...100))
    }

    @Test func `Commits that an opening wrote again after a crash are taken from the copy with the ones behind them`()
        throws
    {
        let source = MemoryFileSystem()
        let lazy = Harness.options(.interval(.seconds(3600)), segmentBytes: 1 << 20, seed: 1)
        var opened = try Opened(source, Harness.path, lazy)
        for number in 1...10 { try opened.append(Harness.item(number)) }
        let own = source.copy()
        try opened.store.close()
        try write(11...20, on: own, seed: 2)
        let names = try segments(own)
        try #require(names.count == 2 && names[1].first <= 10)
        let copy = own.copy()
        try remove(names[1], from: own)
        let repair = try repair(own, from: copy)
        #expect(repair.plan.last == 20 && repair.plan.losses.isEmpty)
        #expect(try items(of: repair) == expected(1...20))
    }

    // Behind the place that each of them names, that segment was read to its end.
    @Test func `A copy with many segments that claim to follow the same one costs a few readings of it`() throws {
        let (newer, own) = try inUse()
        let last = try #require(try segments(own).last)
        let wal = try newer.openDirectory("/db/wal")
        let header = try DatabaseDirectory.open(last, .segment, in: wal).header.get()
        for number in 0..<2000 as Range<UInt64> {
            var hostile = header
            hostile.first = 1000 + number
            (hostile.previousFirst, hostile.previousEpoch) = (last.first, last.epoch)
            hostile.previousEnd = UInt64(Layout.fileHeaderBytes) + number / 2
            (hostile.attested, hostile.salt) = (0, number)
            let name = FileName(first: hostile.first, epoch: hostile.epoch)
            newer.setContents(FilePath("/db/wal").appending(name.string(.segment)), hostile.encoded())
        }
        try damage(30, on: own)
        let watched = WatchedFileSystem(own)
        let repair = try repair(watched, from: newer)
        let bytes = own.names("/db/wal").compactMap { own.contents(FilePath("/db/wal").appending($0))?.count }
        #expect(watched.takeBytes() < 30 * bytes.reduce(0, +))
        #expect(repair.plan.last == 100 && repair.plan.losses.isEmpty, "\(repair.plan)")
        #expect(try items(of: repair) == expected(1...100))
    }

    /// A database that has gone on behind a fork, which ends at commit 49 or within the group of 50 to 52, and has gone on, too.
    private func forked(at number: Int) throws -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        try disk.openDirectory("/").makeDirectory("db")
        let root = try disk.openDirectory(Harness.path)
        try root.makeDirectory("wal")
        try root.makeDirectory("ckpt")
        let writer = LogWriter(
            directory: try root.openDirectory("wal"), options: options(1), lineage: Lineage(id: .init(high: 1, low: 1)),
            epoch: 1, tail: LogTail())
        try writer.startSegment()
        for group in (1...49).map({ $0...$0 }) + [50...52] { try writer.write(group.map { Harness.item($0) }) }
        try writer.sync()
        _ = try StoreReader.open(Harness.path, fileSystem: disk)
            .fork(at: CommitNumber(UInt64(number)), to: "/fork", options: options(2), fileSystem: disk)
        for number in 53...60 { try writer.write([Harness.item(number)]) }
        try writer.close()
        for seed in 3...4 as ClosedRange<UInt64> {
            var fork = try Opened(disk, "/fork", options(seed))
            for _ in 1...3 { try fork.append(Harness.item(1001 + fork.items.count)) }
            try fork.store.close()
        }
        return disk
    }

    // They were taken in place of the fork's own, up to the next segment of the fork that was left.
    @Test(arguments: [49, 51])
    func `A fork takes from the database it was made from what they share, and nothing of what came later`(
        number: Int
    ) throws {
        let disk = try forked(at: number)
        let wal = try disk.openDirectory("/fork/wal")
        let names = disk.names("/fork/wal").sorted()
        try #require(names.count == 4 && FileName(names[3], .segment)?.first == UInt64(number + 4))
        for name in names[1...2] { try wal.unlink(name) }
        var options = RepairOptions()
        options.donor = Harness.path
        let repair = try Repair(try StoreReader.open("/fork", fileSystem: disk), options, fileSystem: disk)
        let (kept, newest) = (CommitNumber(UInt64(number)), CommitNumber(UInt64(number + 6)))
        #expect(repair.plan.last == kept && repair.plan.losses.map(\.commits) == [kept.next()...newest])
        #expect(try items(of: repair) == expected(1...number))
    }

    // The state of the copy's checkpoint is that of other commits with the same numbers.
    @Test func `Where the log since the copying is gone, the copy's is not put before the own checkpoint`() throws {
        let own = MemoryFileSystem()
        try write(1...50, on: own, seed: 1)
        let copy = own.copy()
        try write(51...60, on: own, seed: 2, checkpoints: true)
        try write(1051...1070, on: copy, seed: 3, checkpoints: true)
        for name in try segments(own) where name.first > 50 { try remove(name, from: own) }
        let repair = try repair(own, from: copy)
        #expect(repair.plan.last == 60 && repair.plan.checkpoints == [60])
        #expect(repair.plan.holes.map(\.loss.commits) == [51...60])
        #expect(try items(of: repair) == expected(1...60))
    }
}
