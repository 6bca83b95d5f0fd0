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

    /// Changes a frame of a file, the first if no other is named, and makes its checksum right.
    private func change(
        _ change: Change, in file: FilePath, of disk: MemoryFileSystem, at start: Int = Layout.fileHeaderBytes
    ) throws {
        var bytes = try #require(disk.contents(file))
        let kind = file.removingLastComponent().lastComponent == "ckpt" ? FileKind.checkpoint : .segment
        let header = try UnprovenFileHeader(bytes: bytes).prove(as: kind)
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

    /// Whether the error says what helps, and names the file.
    private func isNewer(_ error: any Error, in file: FilePath) -> Bool {
        guard let error = error as? DatabaseError, isNewer(error) else { return false }
        let place = error.place.file ?? "none"
        return error.message.hasSuffix("Open it with that version.") && file.string.hasSuffix(place)
    }

    @Test(arguments: Change.allCases)
    func `A checkpoint with a frame of a newer version is refused as newer, and its error says what helps`(
        what: Change
    ) throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...20 { try opened.append(Harness.item(number)) }
        try opened.checkpoint()
        try opened.store.close()
        let file = FilePath("/db/ckpt").appending(try #require(disk.names("/db/ckpt").first))
        try change(what, in: file, of: disk)
        #expect { try reopened(disk).get() } throws: { isNewer($0, in: file) }
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect { try reader.openCheckpoint(20) } throws: { isNewer($0, in: file) }
        #expect { try reader.checkpoint(atOrBefore: 20) } throws: { isNewer($0, in: file) }
        #expect(try reader.verify(level: 1).severity == .newer)
    }

    // What was found first, the damage, was all that was said, and it was taken for a damaged checkpoint.
    @Test(arguments: Change.allCases)
    func `Damage that can be derived does not hide a frame of a newer version behind it`(what: Change) throws {
        let disk = MemoryFileSystem()
        var opened = try Opened(disk)
        for number in 1...20 { try opened.append(Harness.item(number)) }
        let writer = try opened.store.beginCheckpoint(at: 20)
        for (kind, name) in [(Layout.derivedSectionKind, "view"), (1, "items")] {
            try writer.beginSection(kind: kind, name: name, asOf: writer.number)
            try writer.append(opened.items.flatMap(\.self))
            try writer.endSection(count: 20, digest: 7)
        }
        try writer.finish()
        try opened.store.close()
        let file = FilePath("/db/ckpt").appending(try #require(disk.names("/db/ckpt").first))
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let chunks = try reader.openCheckpoint(20).sections.map { try #require($0.chunks.first) }
        var bytes = try #require(disk.contents(file))
        bytes[Int(chunks[0].offset) + Layout.frameHeaderBytes + 3] ^= 1
        disk.setContents(file, bytes)
        #expect(try reader.openCheckpoint(20).damagedSections.map(\.name) == ["view"])
        try change(what, in: file, of: disk, at: Int(chunks[1].offset))
        #expect { try reader.openCheckpoint(20) } throws: { isNewer($0, in: file) }
        #expect { try reopened(disk).get() } throws: { isNewer($0, in: file) }
    }

    @Test func `Of two checkpoints of a commit the newer decides, also if only the older is of this version`() throws {
        let disk = MemoryFileSystem()
        for _ in 1...2 {
            var opened = try Opened(disk)
            if opened.items.isEmpty { try opened.append(Harness.item(1)) }
            try opened.checkpoint()
            try opened.store.close()
        }
        let names = disk.names("/db/ckpt").sorted()
        try #require(names.count == 2)
        let file = FilePath("/db/ckpt").appending(names[1])
        try change(.type, in: file, of: disk)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        #expect { try reader.openCheckpoint(1) } throws: { isNewer($0, in: file) }
        #expect { try reader.checkpoint(atOrBefore: 1) } throws: { isNewer($0, in: file) }
    }

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
