import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

@Suite(.bounded) struct CheckpointTests {
    @Test func `A checkpoint makes old segments and checkpoints unneeded, and two always stay`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for round in 0..<5 {
            for n in 1...12 { try opened.append(Harness.item(round * 12 + n, bytes: 300, compressible: false)) }
            try opened.checkpoint()
            #expect(disk.names("/db/ckpt").count == min(2, round + 1))
        }
        let names = disk.names("/db/wal").compactMap { FileName($0, .segment) }
        #expect((names.first?.first ?? 0) <= 49 && (names.first?.first ?? 0) > 36)
        try opened.append(Harness.item(61))
        try opened.store.close()
        let second = try Opened(disk)
        #expect(
            second.items == opened.items && second.report.checkpointCommitNumber == 60
                && second.report.replayedCommitCount == 1)
        try second.store.close()
    }

    @Test func `When the newest checkpoint is rotten an older one and more of the log do`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for round in 0..<3 {
            for n in 1...5 { try opened.append(Harness.item(round * 5 + n, bytes: 200)) }
            try opened.checkpoint()
        }
        try opened.append(Harness.item(16))
        try opened.store.close()
        try rot(try #require(disk.names("/db/ckpt").last), on: disk)
        let second = try Opened(disk)
        #expect(second.items == opened.items)
        #expect(second.report.checkpointCommitNumber == 10 && second.report.notes.count == 1)
        // The rotten one is not counted when the next is made: the good older one stays.
        try second.checkpoint()
        #expect(disk.names("/db/ckpt").count == 3)
        try second.store.close()
        let report = try StoreReader.open(Harness.path, fileSystem: disk).verify(level: 1)
        #expect(report.exitCode == 4)
    }

    private func rot(_ name: String, on disk: MemoryFileSystem) throws {
        let path = FilePath("/db/ckpt").appending(name)
        var bytes = try #require(disk.contents(path))
        bytes[5000] ^= 1
        disk.setContents(path, bytes)
    }

    // The checkpoint where retention ended was kept unseen. Where it was damaged, the good one before it went, and with it
    // the only way to the commits between it and the next.
    @Test(arguments: [Retention.commits(10), .checkpoints(3)])
    func `A rotten checkpoint is not the oldest that retention keeps`(retention: Retention) throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = retention
        var opened = try Opened(disk, Harness.path, options)
        func numbers() -> [UInt64] { disk.names("/db/ckpt").compactMap { FileName($0, .checkpoint)?.first } }
        func write() throws {
            for _ in 1...5 {
                try opened.append(Harness.item(opened.items.count + 1, bytes: 600, compressible: false))
            }
            try opened.checkpoint()
        }
        try write()
        try write()
        try rot(try #require(disk.names("/db/ckpt").last), on: disk)
        try write()
        try write()
        #expect(numbers() == [5, 10, 15, 20])
        // All commits since the good one can be reached.
        let copy = disk.afterKill()
        for name in disk.names("/db/ckpt").suffix(2) { try rot(name, on: copy) }
        let second = try Opened(copy, Harness.path, options)
        #expect(second.items == opened.items && second.report.checkpointCommitNumber == 5)
        try second.store.close()
        // Once retention ends at a good one, both go.
        try write()
        #expect(numbers() == [15, 20, 25])
        try opened.store.close()
        #expect(try reopened(disk, Harness.path, options).get() == opened.items)
    }

    @Test func `A checkpoint that is given up leaves nothing`() throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        do {
            let writer = try opened.store.beginCheckpoint(at: 1)
            try writer.beginSection(kind: 1, name: "x", asOf: 1)
        }
        #expect(disk.names("/db/ckpt").isEmpty)
        try opened.checkpoint()
        #expect(throws: DatabaseError.self) { try opened.checkpoint() }
        try opened.append(Harness.item(2))
        try opened.store.close()
        #expect(try reopened(disk).get() == opened.items)
    }

    /// A checkpoint of empty sections, and its reader.
    private static func checkpoint(sections: Int, on disk: MemoryFileSystem) throws -> CheckpointReader {
        var opened = try Opened(disk)
        try opened.append(Harness.item(1))
        let writer = try opened.store.beginCheckpoint(at: 1)
        for number in 0..<sections {
            try writer.beginSection(kind: 1, name: "\(number)", asOf: 1)
            try writer.endSection(count: 0, digest: 0)
        }
        try writer.finish()
        try opened.store.close()
        return try StoreReader.open(Harness.path, fileSystem: disk).openCheckpoint(1)
    }

    @Test func `More than 65,536 sections are a feature of the file, fewer are not`() throws {
        let disk = MemoryFileSystem()
        let small = try Self.checkpoint(sections: 20, on: disk)
        #expect(small.sections.count == 20 && small.header.incompatible == 0)
        let large = MemoryFileSystem()
        let reader = try Self.checkpoint(sections: FormatLimits.sectionsMaxPlain + 1, on: large)
        #expect(reader.sections.count == 65_537 && reader.sections.last?.name == "65536")
        #expect(reader.header.incompatible == Features.manySections)
        // Without the feature the same sections are too many: that is what a reader from before it says.
        let name = try #require(large.names("/db/ckpt").first)
        let path = FilePath("/db/ckpt").appending(name)
        var header = reader.header
        header.incompatible = 0
        let bytes = try #require(large.contents(path))
        large.setContents(path, header.encoded() + bytes[Layout.fileHeaderBytes...])
        let error = #expect(throws: DatabaseError.self) {
            try StoreReader.open(Harness.path, fileSystem: large).openCheckpoint(1)
        }
        #expect(error?.code == .corruptCheckpoint)
    }

    @Test func `A table claims no more sections than its file has room for`() {
        let entries = (0..<4).map { SectionEntry(kind: 1, name: "\($0)", info: [], asOf: 1, offset: 4096) }
        SectionEntry.encoded(entries).withUnsafeBytes { bytes in
            #expect(SectionEntry.table(bytes, countMax: 4) == entries)
            #expect(SectionEntry.table(bytes, countMax: 3) == nil)
        }
        #expect(entries[0].encodedBegin().count + SectionEntry.endBytes + 2 * 64 == FormatLimits.sectionBytesMin + 1)
    }

    @Test func `Retention keeps what it says`() throws {
        for (retention, kept) in [
            (Retention.all, 6), (.checkpoints(4), 4), (.commits(9), 3), (.commits(1), 2), (.age(.seconds(100)), 6),
        ] {
            let disk = MemoryFileSystem()
            var options = Harness.options()
            options.retention = retention
            var opened = try Opened(disk, Harness.path, options)
            for round in 0..<6 {
                for n in 1...5 { try opened.append(Harness.item(round * 5 + n)) }
                try opened.checkpoint()
            }
            #expect(disk.names("/db/ckpt").count == kept, "\(retention)")
            try opened.store.close()
            #expect(try reopened(disk).get() == opened.items)
        }
    }

    @Test func `A standalone directory is a database of its own`() throws {
        let disk = MemoryFileSystem()
        let items = (1...10).map { Harness.item($0) }
        func make() throws -> CheckpointWriter {
            let writer = try Store.createStandalone("/copy", at: 10, options: Harness.options(), fileSystem: disk)
            try writer.beginSection(kind: 1, name: "items", asOf: 10)
            for item in items { try writer.append(item) }
            try writer.endSection(count: 10, digest: 0)
            return writer
        }
        try make().cancel()
        #expect(disk.names("/").isEmpty)
        try make().finish()
        #expect(disk.names("/") == ["copy"])
        #expect { try make() } throws: { ($0 as? DatabaseError)?.code == .alreadyExists }
        var opened = try Opened(disk.crashed(keeping: .none, names: .none), "/copy")
        #expect(opened.items == items)
        try opened.append(Harness.item(11))
        try opened.store.close()
    }
}
