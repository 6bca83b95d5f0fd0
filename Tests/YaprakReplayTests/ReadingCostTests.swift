import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay
import YaprakSimulator
import YaprakStorage

@testable import YaprakCore

/// What reading on costs in a log of many segments.
///
/// A cursor asked for the identity of the database, which listed the directory and read the header of every segment, and
/// the end of each segment listed the directory again: a follower of 1,100 segments never caught up with a writer.
@Suite(.bounded) struct ReadingCostTests {
    private let disk = MemoryFileSystem()

    /// Each commit has a segment of its own.
    private func open() async throws -> Database {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.retention = .all
        options.checkpoints = .manual
        options.store.segmentBytesMax = 1
        options.store.preallocationBytes = 4 << 10
        return try await Database.open(
            at: "/log", options: options, bindings: [TypedBinding(.books)], fileSystem: disk)
    }

    private func write(_ count: Int, to database: Database) async throws {
        for number in 0..<count {
            try await database.write { $0[.books]["a"] = Book(title: "\(number)") }
            try await database.drain()
        }
    }

    /// Calls of the file system; a listing counts as many as it has names.
    private func calls(names: Int) -> Int {
        disk.calls(.open) + disk.calls(.read) + disk.calls(.size) + disk.calls(.list) * names
    }

    /// Calls for each commit, behind the first, in a log of so many segments; then calls of a follower who stands at its
    /// end, for each commit that comes.
    private func callsPerCommit(segments: Int) async throws -> (reading: Double, following: Double) {
        let database = try await open()
        try await write(segments, to: database)
        let reader = try ReplayReader("/log", fileSystem: disk)
        let segmentCount = try reader.statistics().segments.count
        #expect(segmentCount >= segments)
        var commits = reader.commits().makeAsyncIterator()
        func step() throws -> CommitNumber {
            guard let commit = try commits.next() else { return 0 }
            return try reader.cursor(at: commit).commitNumber
        }
        #expect(try step() == 1)
        var start = calls(names: segmentCount)
        for number in 2...UInt64(segments) { #expect(try step().rawValue == number) }
        let reading = Double(calls(names: segmentCount) - start) / Double(segments - 1)
        var following = 0
        for number in 1...UInt64(50) {
            try await write(1, to: database)
            start = calls(names: segmentCount)
            #expect(try step().rawValue == UInt64(segments) + number)
            following += calls(names: segmentCount) - start
        }
        #expect(try step() == 0)
        try await database.close()
        return (reading, Double(following) / 50)
    }

    @Test func `A commit and its cursor cost the same in a log of 1,000 segments as in one of 10`() async throws {
        let few = try await ReadingCostTests().callsPerCommit(segments: 10)
        let many = try await callsPerCommit(segments: 1000)
        #expect(many.reading <= few.reading * 1.1 + 0.5, "\(few) \(many)")
        #expect(many.following <= few.following * 1.1 + 0.5, "\(few) \(many)")
    }
}
