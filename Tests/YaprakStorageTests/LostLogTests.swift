import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A directory that has lost its log: a damaged checkpoint still says which commits there were.
@Suite(.bounded) struct LostLogTests {
    /// A backup of commit 10 that was opened and written to up to a checkpoint of commit 20. The log is gone.
    private func withoutLog(seed: UInt64 = 1) throws -> (disk: MemoryFileSystem, newest: FilePath, items: [[UInt8]]) {
        let disk = MemoryFileSystem()
        let options = Harness.options(seed: seed)
        let writer = try Store.createStandalone(Harness.path, at: 10, options: options, fileSystem: disk)
        try writer.beginSection(kind: 1, name: "items", info: [0xA0], asOf: 10)
        for number in 1...10 { try writer.append(Harness.item(number)) }
        try writer.endSection(count: 10, digest: 7)
        try writer.finish()
        var opened = try Opened(disk, Harness.path, options)
        try opened.append((11...20).map { Harness.item($0) })
        try opened.checkpoint()
        try opened.store.close()
        // As after a copy that left the log out.
        for name in disk.names("/db/wal") { disk.remove(FilePath("/db/wal").appending(name)) }
        disk.remove("/db/LOCK")
        #expect(disk.names("/db/ckpt").count == 2)
        return (disk, FilePath("/db/ckpt").appending(try #require(disk.names("/db/ckpt").last)), opened.items)
    }

    private func flip(_ byte: Int, of file: FilePath, on disk: MemoryFileSystem) throws {
        var bytes = try #require(disk.contents(file))
        bytes[byte] ^= 1
        disk.setContents(file, bytes)
    }

    // The header was judged by the database's identity, which nothing had said yet: the checkpoint before it was opened, with a
    // note, and ten commits were gone.
    @Test func `Commits that only a damaged checkpoint had are an error where there is no log`() throws {
        let (disk, newest, _) = try withoutLog()
        try flip(Layout.fileHeaderBytes + 70, of: newest, on: disk)
        let error = #expect(throws: DatabaseError.self) { try reopened(disk).get() }
        #expect(error?.code == .corruptCheckpoint && error?.place.commits == 11...20)
        #expect(error?.place.file.map { newest.string.hasSuffix($0) } == true)
        #expect(try StoreReader.open(Harness.path, fileSystem: disk).newest() == 20)
    }

    // The repair reported no loss, the check that opening would take the checkpoint before, the fork that the log began later.
    @Test(arguments: [false, true])
    func `A repair, a check and a fork say which commits only a damaged checkpoint had`(salvages: Bool) throws {
        let (disk, newest, items) = try withoutLog()
        try flip(Layout.fileHeaderBytes + 70, of: newest, on: disk)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        var options = RepairOptions()
        options.salvages = salvages
        let repair = try Repair(reader, options, fileSystem: disk)
        #expect(repair.plan.last == 10 && repair.plan.losses.map(\.commits) == [11...20])
        try repair.perform(to: "/repaired", storeOptions: Harness.options(seed: 8), fileSystem: disk) { _, _ in [0xA0] }
        #expect(try reopened(disk, "/repaired", Harness.options(seed: 9)).get() == Array(items[..<10]))
        let findings = try reader.verify(level: 1).findings
        #expect(
            findings.contains {
                $0.severity == .corrupt && $0.commits == 11...20 && $0.message.contains("opening fails")
            }, "\(findings)")
        let error = #expect(throws: DatabaseError.self) {
            try reader.fork(at: nil, to: "/fork", options: Harness.options(seed: 10), fileSystem: disk)
        }
        #expect(error?.code == .corruptCheckpoint)
        #expect(error?.place.file.map { newest.string.hasSuffix($0) } == true)
    }

    @Test func `Commits of a checkpoint that the device can't read are an error where there is no log`() throws {
        let (disk, _, _) = try withoutLog()
        // Behind the header.
        disk.fail(.read, nth: 2, errno: .ioError)
        let error = #expect(throws: DatabaseError.self) { try reopened(disk).get() }
        #expect(disk.faultsAreSpent && error?.code == .corruptCheckpoint && error?.place.commits == 11...20)
    }

    @Test func `A checkpoint whose header is damaged, or that is another database's, proves nothing`() throws {
        let (disk, newest, items) = try withoutLog()
        let other = disk.copy()
        try flip(100, of: newest, on: disk)
        #expect(try reopened(disk).get() == Array(items[..<10]))
        let foreign = try withoutLog(seed: 2)
        other.remove(newest)
        other.setContents(newest, try #require(foreign.disk.contents(foreign.newest)))
        try flip(Layout.fileHeaderBytes + 70, of: newest, on: other)
        #expect(try reopened(other).get() == Array(items[..<10]))
    }

    @Test func `One of two checkpoints of a commit may be damaged where there is no log`() throws {
        let (disk, newest, items) = try withoutLog()
        // Both of commit 10, as after a purge of the history.
        let old = try #require(disk.names("/db/ckpt").first)
        var bytes = try #require(disk.contents(FilePath("/db/ckpt").appending(old)))
        var header = try UnprovenFileHeader(bytes: bytes).prove(as: .checkpoint)
        header.epoch = 3
        bytes.replaceSubrange(0..<Layout.fileHeaderBytes, with: header.encoded())
        let twin = FilePath("/db/ckpt").appending(FileName(first: 10, epoch: 3).string(.checkpoint))
        disk.remove(newest)
        disk.setContents(twin, bytes)
        try flip(Layout.fileHeaderBytes + 70, of: twin, on: disk)
        #expect(try reopened(disk).get() == Array(items[..<10]))
    }
}
