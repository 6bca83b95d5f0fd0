import TestSupport
import Testing

@testable import YaprakStorage

/// What recovery costs, counted.
@Suite(.bounded) struct RecoveryCostTests {
    @Test(arguments: [1000, 2000])
    func `Recovery looks at an unproven frame a fixed number of times`(commits: Int) throws {
        // Nothing is synced: not one frame says of another that it is durable.
        var options = Harness.options(.none, segmentBytes: 64 << 20)
        options.preallocationBytes = 4 << 20
        options.attestAfter = .seconds(3600)
        let disk = MemoryFileSystem()
        var opened = try Opened(disk, Harness.path, options)
        for number in 1...commits { try opened.append(Harness.item(number)) }
        let remains = disk.afterKill()
        let (directory, lock) = try DirectoryOpening.open(Harness.path, creates: false, remains)
        defer { lock.release() }
        let base = try RecoveryBase.find(in: directory)
        var walk = LogWalk(
            directory: directory.segments, segments: base.listing.segments, lineage: base.lineage, evidence: 0)
        let end = try walk.run(from: 0) { _, _, _, _ in }
        #expect(end.last == UInt64(commits) && end.firstUnproven?.first == 1)
        #expect(walk.frames >= commits && walk.placesVisited <= 2 * walk.frames + 2)
        try opened.store.close()
    }
}
