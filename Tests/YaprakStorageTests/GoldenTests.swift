import Foundation
import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// Directories of every format version that was ever released, and the page that describes the format.
@Suite(.bounded) struct GoldenTests {
    static let top = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
    static let fixture = top.appending("Fixtures/format-1/shop.yaprak")
    /// The same without compression: compressed bytes differ from one version of the LZ4 library to the next.
    static let rawFixture = top.appending("Fixtures/format-1/raw.yaprak")

    /// What the fixture was made from. Never change it: make a new fixture for a new version.
    static func write(
        _ fileSystem: any FileSystem, _ path: FilePath, compresses: Bool = true
    ) throws -> [[UInt8]] {
        var options = Harness.options(seed: 20_26)
        options.compresses = compresses
        options.preallocationBytes = 0
        options.frameBytesMax = 2000
        var opened = try Opened(fileSystem, path, options)
        for n in 1...12 {
            try opened.append(Harness.item(n, bytes: n == 9 ? 5000 : n * 60, compressible: n % 2 == 0))
            if n % 4 == 0 { try opened.checkpoint() }
        }
        for n in 13...15 { try opened.append(Harness.item(n, bytes: 200)) }
        try opened.store.close()
        return opened.items
    }

    @Test func `A directory of format 1 opens`() throws {
        if let path = ProcessInfo.processInfo.environment["YAPRAK_WRITE_FIXTURE"] {
            _ = try Self.write(PosixFileSystem(), FilePath(path).appending("shop.yaprak"))
            _ = try Self.write(PosixFileSystem(), FilePath(path).appending("raw.yaprak"), compresses: false)
        }
        // On a copy: opening a database takes its lock and may write.
        try Harness.withTemporaryDirectory { directory in
            let copy = directory.appending("shop.yaprak")
            try FileManager.default.copyItem(atPath: Self.fixture.string, toPath: copy.string)
            let expected = try Self.write(MemoryFileSystem(), Harness.path)
            var opened = try Opened(PosixFileSystem(), copy)
            #expect(opened.items == expected && opened.report.wasClosedCleanly)
            #expect(opened.report.checkpointCommitNumber == 12 && opened.report.notes.isEmpty)
            try opened.append(Harness.item(16))
            try opened.store.close()
            #expect(try StoreReader.open(copy).verify(level: 1).findings.isEmpty)
        }
    }

    @Test func `What is written today is what was written then, byte for byte`() throws {
        let disk = MemoryFileSystem()
        _ = try Self.write(disk, "/shop.yaprak", compresses: false)
        for folder in ["wal", "ckpt"] {
            let names = disk.names(FilePath("/shop.yaprak").appending(folder))
            #expect(!names.isEmpty)
            for name in names {
                let old = FileManager.default.contents(atPath: Self.rawFixture.appending(folder).appending(name).string)
                let new = disk.contents(FilePath("/shop.yaprak").appending(folder).appending(name))
                #expect(old.map { [UInt8]($0) } == new, "\(name)")
            }
        }
    }

    /// The lines that are not all zeros, sixteen bytes each.
    static func dump(_ bytes: [UInt8]) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).compactMap { start in
            let line = bytes[start..<min(bytes.count, start + 16)]
            guard line.contains(where: { $0 != 0 }) else { return nil }
            let offset = String(start, radix: 16)
            let hex = line.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
            return String(repeating: "0", count: 4 - offset.count) + offset + "  " + hex
        }
    }

    @Test func `The example on the page of the format is a real one`() throws {
        let disk = MemoryFileSystem()
        var options = Harness.options(seed: 1)
        options.preallocationBytes = 0
        var opened = try Opened(disk, "/example", options)
        try opened.append([0x65] + Array("hello".utf8))
        try opened.store.close()
        let name = try #require(disk.names("/example/wal").first)
        let bytes = try #require(disk.contents(FilePath("/example/wal").appending(name)))
        let page = try String(
            contentsOfFile: Self.top.appending("Sources/Yaprak/Yaprak.docc/Format.md").string, encoding: .utf8)
        let lines = Self.dump(bytes)
        for line in lines where !page.contains(line) { Issue.record("not on the page: \(line)") }
    }
}
