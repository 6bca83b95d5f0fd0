import SystemPackage
import TestSupport
import Testing
import YaprakLocks
import YaprakModel
import YaprakSimulator

@testable import YaprakStorage

/// A reader goes to a commit without reading what comes before it.
@Suite(.bounded) struct SeekTests {
    /// So many commits of 100 kB, a frame each.
    private func log(_ count: Int, segmentBytes: Int, closes: Bool) throws -> (MemoryFileSystem, Opened) {
        let disk = MemoryFileSystem()
        var options = Harness.options(segmentBytes: segmentBytes)
        options.compresses = false
        var opened = try Opened(disk, Harness.path, options)
        for n in 1...count { try opened.append(Harness.item(n, bytes: 100_000)) }
        if closes { try opened.store.close() }
        return (disk, opened)
    }

    @Test func `A segment that is not sealed is walked by its headers, once`() throws {
        let (disk, opened) = try log(100, segmentBytes: 1 << 30, closes: false)
        let counting = WatchedFileSystem(disk)
        let reader = try StoreReader.open(Harness.path, fileSystem: counting)
        var commits = try reader.commits(from: 100)
        #expect(try commits.next()?.item == opened.items[99])
        // A header with its 4 KiB for each of 99, the file's header, the commit itself; not 10 MB.
        let first = counting.takeBytes()
        #expect(first < 99 * 4096 + 700_000)
        commits = try reader.commits(from: 99)
        #expect(try commits.next()?.item == opened.items[98])
        #expect(counting.takeBytes() < 700_000)
        #expect(try reader.newest() == 100)
        #expect(counting.takeBytes() < 150_000)
    }

    @Test func `A sealed segment is entered by the index of its seal`() throws {
        let (disk, opened) = try log(100, segmentBytes: 6_000_000, closes: true)
        #expect(disk.names("/db/wal").count == 2)
        let counting = WatchedFileSystem(disk)
        let reader = try StoreReader.open(Harness.path, fileSystem: counting)
        var commits = try reader.commits(from: 40)
        #expect(try commits.next()?.item == opened.items[39])
        #expect(counting.takeBytes() < 900_000)
        #expect(try reader.oldest() == 1)
        #expect(counting.takeBytes() == 0)
    }

    @Test func `Wherever a walk starts, it delivers the same commits`() throws {
        for seed in UInt64(0)..<6 {
            var random = SplitMix64(seed: seed)
            let disk = MemoryFileSystem()
            var options = Harness.options(segmentBytes: 4096 << random.below(4), seed: seed)
            options.frameBytesMax = 1000
            var opened = try Opened(disk, Harness.path, options)
            // Small commits in groups, commits that go on over several frames, marks of checkpoints.
            for n in 1...120 {
                try opened.append(
                    Harness.item(n, bytes: random.chance(10) ? 3500 : random.below(300), compressible: false))
                if random.chance(3) { try opened.checkpoint() }
            }
            let oldest = try #require(try StoreReader.open(Harness.path, fileSystem: disk).oldest())
            let kept = try StoreReader.open(Harness.path, fileSystem: disk)
            for first in (Int(oldest.rawValue)...120).shuffled(using: &random) {
                let fresh = try StoreReader.open(Harness.path, fileSystem: disk)
                for reader in [kept, fresh] {
                    var commits = try reader.commits(from: CommitNumber(UInt64(first)))
                    var number = first
                    while let commit = try commits.next() {
                        #expect(commit.number.rawValue == UInt64(number), "seed \(seed)")
                        #expect(commit.item == opened.items[number - 1], "seed \(seed), commit \(number)")
                        number += 1
                    }
                    #expect(number == 121, "seed \(seed), from \(first)")
                }
            }
            try opened.store.close()
        }
    }

    @Test func `A damaged payload is stepped over where it is not wanted, and found where it is`() throws {
        let (disk, opened) = try log(10, segmentBytes: 1 << 30, closes: true)
        let name = "/db/wal/" + (try #require(disk.names("/db/wal").first))
        // In the middle of the fourth commit.
        var bytes = try #require(disk.contents(FilePath(name)))
        bytes[4096 + 3 * 100_352 + 50_000] ^= 1
        disk.setContents(FilePath(name), bytes)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        var commits = try reader.commits(from: 5)
        #expect(try commits.next()?.item == opened.items[4])
        commits = try reader.commits(from: 3)
        #expect(try commits.next()?.item == opened.items[2])
        let error = #expect(throws: DatabaseError.self) { try commits.next() }
        #expect(error?.code == .corruptLog)
    }

    @Test func `A place that leads nowhere is forgotten`() throws {
        let (disk, opened) = try log(10, segmentBytes: 1 << 30, closes: true)
        let reader = try StoreReader.open(Harness.path, fileSystem: disk)
        let name = try #require(reader.directory.list().segments.first)
        var index = SegmentIndex()
        index.note(.init(offset: 123_456, chain: 7, first: 2))
        index.note(.init(offset: 1 << 40, chain: nil, first: 5))
        reader.indexes.keep(index, of: name)
        var commits = try reader.commits(from: 7)
        #expect(try commits.next()?.item == opened.items[6])
    }

    @Test func `An index stays small, and leads to the nearest place`() {
        var index = SegmentIndex()
        for n in UInt64(1)...100_000 { index.note(.init(offset: n << 16, chain: n, first: n)) }
        #expect(index.places.count <= SegmentIndex.placesMax)
        #expect(index.place(for: 0) == nil)
        for wanted in stride(from: UInt64(1), through: 100_000, by: 997) {
            let place = index.place(for: wanted)
            #expect(place.map { $0.first <= wanted && wanted - $0.first < 64 } == true)
        }
        #expect(index.place(for: .max)?.first ?? 0 > 99_900)
    }
}
