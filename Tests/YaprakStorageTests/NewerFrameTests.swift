import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Frames of a version to come: their checksums are right, and nobody here may guess what they mean.
@Suite(.bounded) struct NewerFrameTests {
    /// What of a frame's header an older version does not know.
    enum Change: CaseIterable {
        case type, codec, flags

        func apply(to frame: inout [UInt8]) {
            switch self {
            case .type: frame[Layout.FrameField.type] = 0x7F
            case .codec: frame[Layout.FrameField.codec] = 0x7E
            case .flags: frame[Layout.FrameField.flags + 1] |= 0x80
            }
        }
    }

    /// A database of several segments, as a killed process leaves it, and its first or its newest segment.
    private func segment(isNewest: Bool) throws -> (disk: MemoryFileSystem, file: FilePath, commits: Int) {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = .all
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...40 { try opened.append(Harness.item(number, bytes: 400, compressible: false)) }
        let killed = disk.afterKill()
        let names = killed.names("/db/wal").sorted()
        try #require(names.count > 2)
        let name = try #require(isNewest ? names.last : names.first)
        return (killed, FilePath("/db/wal").appending(name), opened.items.count)
    }

    /// Changes the first frame of a segment, and makes its checksum right.
    private func change(_ change: Change, in file: FilePath, of disk: MemoryFileSystem) throws {
        var bytes = try #require(disk.contents(file))
        let header = try UnprovenFileHeader(bytes: bytes).prove(as: .segment)
        let start = Layout.fileHeaderBytes
        var frame = Array(bytes[start..<start + Layout.frameHeaderBytes])
        change.apply(to: &frame)
        let sum = frame[..<Layout.FrameField.headerSum].withUnsafeBytes {
            XXH64.hash($0, seed: Sums.headerSeed(salt: header.salt, offset: UInt64(start)))
        }
        for byte in 0..<8 { frame[Layout.FrameField.headerSum + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        bytes.replaceSubrange(start..<start + Layout.frameHeaderBytes, with: frame)
        disk.setContents(file, bytes)
    }

    private func isNewer(_ error: any Error) -> Bool { (error as? DatabaseError)?.code == .newerFormat }

    @Test(arguments: Change.allCases, [true, false])
    func `A frame of a newer version is refused by all that reads, and nothing is written`(
        what: Change, isNewest: Bool
    ) throws {
        let (disk, file, commits) = try segment(isNewest: isNewest)
        try change(what, in: file, of: disk)
        let before = disk.names("/db/wal").map { disk.contents(FilePath("/db/wal").appending($0)) }

        #expect { try reopened(disk).get() } throws: { isNewer($0) }
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let report = try reader.verify(level: 1)
        #expect(report.severity == .newer || report.severity == .corrupt)
        #expect(report.findings.contains { $0.severity == .newer && file.string.hasSuffix($0.file) })
        #expect {
            var found = try reader.commits(from: 1)
            while try found.next() != nil {}
        } throws: {
            isNewer($0)
        }
        #expect {
            try reader.fork(
                at: CommitNumber(UInt64(commits)), to: "/fork", options: Harness.options(), fileSystem: disk)
        } throws: {
            isNewer($0)
        }
        #expect {
            _ = try Repair(reader, RepairOptions(), fileSystem: disk)
        } throws: {
            isNewer($0)
        }
        #expect(disk.names("/") == ["db"])
        #expect(disk.names("/db/wal").map { disk.contents(FilePath("/db/wal").appending($0)) } == before)
    }

    @Test func `A checkpoint of a newer version is refused by all that would use it`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options()
        options.retention = .all
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...20 {
            try opened.append(Harness.item(number))
            if number % 10 == 0 { try opened.checkpoint() }
        }
        try opened.store.close()
        let name = try #require(disk.names("/db/ckpt").max())
        let file = FilePath("/db/ckpt").appending(name)
        var bytes = try #require(disk.contents(file))
        bytes[Layout.FileField.major] += 1
        let sum = bytes[..<Layout.FileField.sum].withUnsafeBytes { XXH64.hash($0, seed: 0) }
        for byte in 0..<8 { bytes[Layout.FileField.sum + byte] = UInt8(truncatingIfNeeded: sum >> (8 * byte)) }
        disk.setContents(file, bytes)

        #expect { try reopened(disk).get() } throws: { isNewer($0) }
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect(try reader.verify(level: 1).severity == .newer)
        // The one before it would do, and the newer program may have had a reason.
        #expect {
            try reader.fork(at: 20, to: "/fork", options: Harness.options(), fileSystem: disk)
        } throws: {
            isNewer($0)
        }
        #expect {
            _ = try Repair(reader, RepairOptions(), fileSystem: disk)
        } throws: {
            isNewer($0)
        }
        #expect(try reader.fork(at: 15, to: "/earlier", options: Harness.options(), fileSystem: disk).number == 15)
        #expect(disk.names("/").sorted() == ["db", "earlier"])
    }
}
