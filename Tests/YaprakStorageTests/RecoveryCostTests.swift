import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// What recovery costs, counted.
@Suite(.bounded) struct RecoveryCostTests {
    @Test(arguments: [1000, 2000])
    func `Recovery looks at an unproven frame a fixed number of times`(commits: Int) throws {
        // Nothing is synced: not one frame says of another that it is durable.
        var options = Harness.options(.relaxed, segmentBytes: 64 << 20)
        options.preallocationBytes = 4 << 20
        options.attestAfter = .seconds(3600)
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...commits { try opened.append(Harness.item(number)) }
        let remains = disk.afterKill()
        let found = try DirectoryOpening.open(Harness.path, creates: false, remains)
        defer { found.lock.release() }
        let base = try RecoveryBase.find(in: found.directory)
        var walk = LogWalk(
            directory: found.directory.segments, segments: base.listing.segments, lineage: base.lineage, evidence: 0)
        let end = try walk.run(from: 0) { _, _, _, _ in }
        #expect(end.last == UInt64(commits) && end.firstUnproven?.first == 1)
        #expect(walk.frames >= commits && walk.placesVisited <= 2 * walk.frames + 2)
        try opened.store.close()
    }

    @Test func `Twice the log, and twice the damage in it, are at most two and a half times the bytes read`() throws {
        func counts(_ commits: Int) throws -> (open: Int, verify: Int, damaged: Int, findings: Int) {
            var options = Harness.options(.always, segmentBytes: 64 << 20)
            options.preallocationBytes = 0
            let disk = MemoryFileSystem()
            var opened = try Opened(disk, Harness.path, options)
            for number in 1...commits { try opened.append(Harness.item(number)) }
            try opened.store.close()
            let counting = WatchedFileSystem(disk)
            #expect(try reopened(counting).get().count == commits)
            let open = counting.takeBytes()
            let reader = try StoreReader.open(Harness.path, fileSystem: counting)
            #expect(try reader.verify(level: 1).severity == .clean)
            let verify = counting.takeBytes()
            // Every fourth frame loses its header: it is stepped over, one by one.
            let file = FilePath("/db/wal").appending(try #require(disk.names("/db/wal").first))
            var bytes = try #require(disk.contents(file))
            for at in stride(from: 4096 + 4 * 512, to: bytes.count - 1024, by: 4 * 512) { bytes[at + 20] ^= 1 }
            disk.setContents(file, bytes)
            let report = try reader.verify(level: 1)
            return (open, verify, counting.takeBytes(), report.findings.count)
        }
        // No more than are findings of their own.
        let (small, large) = (try counts(2000), try counts(4000))
        #expect(small.findings > 450 && large.findings > 900 && large.findings <= Verifier.damagedPlacesMax)
        #expect(2 * large.open <= 5 * small.open, "\(small) \(large)")
        #expect(2 * large.verify <= 5 * small.verify, "\(small) \(large)")
        #expect(2 * large.damaged <= 5 * small.damaged, "\(small) \(large)")
    }
}
