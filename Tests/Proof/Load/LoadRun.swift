internal import Foundation
internal import Synchronization
internal import SystemPackage
internal import Yaprak

/// Writers, readers and followers on a real disk, for a stated time, with memory that does not grow.
package struct LoadRun: Sendable {
    package struct Totals: Sendable {
        package var commits = 0
        package var reads = 0
        package var changesets = 0
        /// What the process holds in memory after a third of the time, and at the end, in KiB.
        package var residentEarly = 0
        package var residentLate = 0
        /// What was wrong first.
        package var failure: String?
    }

    private final class Counts: Sendable {
        let commits = Atomic<Int>(0)
        let reads = Atomic<Int>(0)
        let changesets = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let failures = Atomic<Int>(0)
    }

    private static let records = RecordCollection<SimulatedRecord, NoMetadata>("load")
    private static let perTask = 64
    /// The memory may grow by this between the first third and the end: 64 MiB hold 64 followers that are a little behind.
    package static let growthMax = 64 << 10

    /// Runs so many of each, for so many seconds, at a path that does not exist yet.
    package static func run(at path: String, each count: Int, seconds: Int) async throws -> Totals {
        var options = DatabaseOptions()
        options.checkpoints = .every(bytes: 4 << 20)
        let database = try await Database.open(at: FilePath(path), options: options, collections: records)
        let counts = Counts()
        var totals = Totals()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask { try await write(database, index, counts) }
                group.addTask { await read(database, index, counts) }
                group.addTask { try await follow(database, counts) }
            }
            try await Task.sleep(for: .seconds(max(1, seconds / 3)))
            totals.residentEarly = resident()
            try await Task.sleep(for: .seconds(max(1, seconds - seconds / 3)))
            totals.residentLate = resident()
            counts.isOver.store(true, ordering: .relaxed)
            try await database.drain()
            // Followers end with the database.
            try await database.close()
            try await group.waitForAll()
        }
        let again = try await Database.open(at: FilePath(path), collections: records)
        let isSame = contents(again.snapshot) == contents(database.snapshot)
        try await again.close()
        totals.commits = counts.commits.load(ordering: .relaxed)
        totals.reads = counts.reads.load(ordering: .relaxed)
        totals.changesets = counts.changesets.load(ordering: .relaxed)
        if counts.failures.load(ordering: .relaxed) > 0 {
            totals.failure = "a reader or a follower saw what was not there"
        }
        if !isSame { totals.failure = "it opens with another state" }
        if totals.residentLate - totals.residentEarly > growthMax {
            totals.failure = "memory grew from \(totals.residentEarly) KiB to \(totals.residentLate) KiB"
        }
        return totals
    }

    private static func write(_ database: Database, _ index: Int, _ counts: Counts) async throws {
        var round = 0
        while !counts.isOver.load(ordering: .relaxed) {
            round += 1
            let record = SimulatedRecord(number: round, text: "writer \(index) round \(round)")
            do {
                // Two records that are equal in every commit.
                try await database.write { [round] transaction in
                    transaction[records]["\(index)/\(round % perTask)"] = record
                    transaction[records]["\(index)/twin"] = record
                }
            } catch let error as DatabaseError where error.code == .closed {
                return
            }
            counts.commits.add(1, ordering: .relaxed)
        }
    }

    private static func read(_ database: Database, _ index: Int, _ counts: Counts) async {
        while !counts.isOver.load(ordering: .relaxed) {
            let rows = database.snapshot[records]
            if let twin = rows["\(index)/twin"], rows["\(index)/\(twin.number % perTask)"] != twin {
                counts.failures.add(1, ordering: .relaxed)
            }
            counts.reads.add(1, ordering: .relaxed)
            // Readers that never pause would leave writers no thread.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    private static func follow(_ database: Database, _ counts: Counts) async throws {
        var last: UInt64?
        for try await changeset in database.changesets() {
            let number = changeset.commitNumber.rawValue
            if let last, number != last + 1 { counts.failures.add(1, ordering: .relaxed) }
            last = number
            counts.changesets.add(1, ordering: .relaxed)
        }
    }

    private static func contents(_ snapshot: Snapshot) -> [String: SimulatedRecord] {
        Dictionary(uniqueKeysWithValues: snapshot[records].map { ("\($0.key)", $0.object) })
    }

    /// What the process holds in memory, in KiB; 0 where it can't be asked.
    private static func resident() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }
}
