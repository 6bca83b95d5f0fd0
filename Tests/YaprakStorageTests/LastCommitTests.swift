import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// The last commit that there can be: everything that needs a later one is refused, and the database stays what it is.
@Suite(.bounded) struct LastCommitTests {
    private static let last = CommitNumber(FormatLimits.commitNumberMax)

    /// A database whose newest commit is the last one.
    private func full(_ disk: MemoryFileSystem) throws {
        try Store.createStandalone(
            Harness.path, at: CommitNumber(FormatLimits.commitNumberMax - 1), options: Harness.options(),
            fileSystem: disk
        ).finish()
        let store = try opened(disk)
        try store.append(number: Self.last, item: Harness.item(1)) { _ in }
        try store.flush()
        try store.close()
    }

    private func opened(_ disk: MemoryFileSystem) throws -> Store {
        let (store, recovery) = try Store.open(Harness.path, options: Harness.options(seed: 3), fileSystem: disk)
        do {
            try recovery.replay { _, _ in }
        } catch {
            try? store.close()
            throw error
        }
        let newest = recovery.report.newestCommitNumber
        #expect(newest == Self.last || newest.rawValue == Self.last.rawValue - 1)
        return store
    }

    // The checkpoint began a segment with a number that no reader takes, and sealed the one before it.
    @Test func `A checkpoint of the last commit leaves a database that opens`() throws {
        let disk = MemoryFileSystem()
        try Store.createStandalone(
            Harness.path, at: CommitNumber(FormatLimits.commitNumberMax - 1), options: Harness.options(),
            fileSystem: disk
        ).finish()
        var store = try opened(disk)
        try store.append(number: Self.last, item: Harness.item(1)) { _ in }
        try store.flush()
        try store.beginCheckpoint(at: Self.last).finish()
        try store.close()
        for _ in 0..<3 {
            store = try opened(disk)
            #expect(store.durableNumber == Self.last)
            let error = #expect(throws: DatabaseError.self) {
                try store.append(number: CommitNumber(Self.last.rawValue + 1), item: Harness.item(2)) { _ in }
            }
            #expect(error?.code == .overLimit)
            try store.beginCheckpoint(at: Self.last).finish()
            try store.close()
        }
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect(try reader.newest() == Self.last)
        #expect(try reader.directory.list().foreign.isEmpty)
        let report = try reader.verify(level: 1)
        #expect(report.severity == .clean, "\(report.findings)")
    }

    @Test func `Purging, forking and repairing at the last commit are refused, and change nothing`() throws {
        let disk = MemoryFileSystem()
        try full(disk)
        var store = try opened(disk)
        try store.beginCheckpoint(at: Self.last).finish()
        try store.close()
        let before = try StoreReader.open(Harness.path, fileSystem: disk).directory.list()
        store = try opened(disk)
        var error = #expect(throws: DatabaseError.self) { try store.purgeHistory(at: Self.last) }
        #expect(error?.code == .overLimit)
        try store.close()
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let after = try reader.directory.list()
        #expect(after.segments == before.segments && after.checkpoints == before.checkpoints)
        error = #expect(throws: DatabaseError.self) { try reader.fork(at: Self.last, to: "/fork", fileSystem: disk) }
        #expect(error?.code == .overLimit)
        #expect(disk.names("/") == ["db"])
        try opened(disk).close()
    }

    @Test func `A frame with commits behind the last one is damage`() throws {
        for (first, count) in [(Self.last.rawValue, 2), (Self.last.rawValue, 1)] as [(UInt64, UInt32)] {
            let disk = MemoryFileSystem()
            try full(disk)
            let name = try #require(disk.names("/db/wal").last)
            let file = FilePath("/db/wal").appending(name)
            let header = try UnprovenFileHeader(bytes: Array(try #require(disk.contents(file)).prefix(4096)))
                .prove(as: .segment)
            var builder = FrameBuilder(salt: header.salt, base: 4096, chain: header.previousChain)
            var gate = CompressionGate(isEnabled: false)
            [UInt8](repeating: 0xA0, count: Int(count)).withUnsafeBytes {
                builder.add(.commitGroup, $0, first: first, count: count, durable: 0, gate: &gate)
            }
            disk.setContents(file, header.encoded() + builder.bytes)
            let reader = try StoreReader.open(Harness.path, fileSystem: disk)
            if count == 1 {
                #expect(try reader.newest() == Self.last)
            } else {
                let error = #expect(throws: DatabaseError.self) { try reader.newest() }
                #expect(error?.code == .corruptLog)
            }
        }
    }
}
