import Foundation
import SystemPackage
import Yaprak
import YaprakCore
import YaprakReplay
import YaprakTrees

/// Makes and drops what a program makes and drops, as often as one likes, and expects nothing to be left: no database, no
/// node, no row, no open file, and no memory that grows.
///
/// What leaks a little each time is found by repetition only. The memory of the process is compared over the second half
/// of the rounds: the first fills what is kept on purpose, such as the allocator's own stock.
struct FlatMemory {
    let path: FilePath
    let rounds: Int
    var random: Steps

    /// The resident memory may grow by so much over the second half of the rounds: 800 bytes for each of 5,000.
    static let growthMax = 4 << 20

    static let books = RecordCollection<Shown, NoMetadata>("books")
    static let byShelf = AutoView("by shelf", of: books, groupedBy: { $0.shelf }, sortedBy: { $0.number })

    struct Shown: Codable, Sendable {
        var number: Int
        var shelf: String
    }

    /// What is made and dropped.
    enum Kind: String, CaseIterable {
        case openAndClose = "opened and closed"
        case openAndDrop = "opened and dropped"
        case failingOpen = "failed to open"
        case verification = "verified"
        case replay = "replayed"
        case fork = "forks"
        case stream = "streams"
        case logStream = "streams from the log"
        case list = "lists"
        case snapshots = "snapshots of the past"
        case registration = "views registered"
        case checkpoint = "checkpoints"
    }

    mutating func run() async throws {
        let options = Self.options
        // A small database, closed, that the first kinds only read: two checkpoints and some commits behind them.
        let kept = path.appending("kept.yaprak")
        do {
            let database = try await Database.open(at: kept, options: options, collections: Self.books)
            for round in 0..<40 {
                try await database.write { Self.fill($0[Self.books], round) }
                if round == 10 || round == 20 { try await database.checkpoint() }
            }
            try await database.close()
        }
        let memory = Database.inMemory()
        try await memory.register(Self.byShelf)
        try await memory.write { for round in 0..<10 { Self.fill($0[Self.books], round) } }
        let written = try await Database.open(
            at: path.appending("written.yaprak"), options: options, collections: Self.books)
        for round in 0..<20 { try await written.write { Self.fill($0[Self.books], round) } }

        for kind in Kind.allCases {
            let arenas = Arena.liveCount
            let before = try await settled(memory, written, arenas)
            var files = 0
            var half = 0
            for round in 0..<rounds {
                if round == rounds / 2 {
                    _ = try await settled(memory, written, arenas, since: before)
                    (half, files) = (Self.residentBytes, Self.openFiles)
                }
                try await once(kind, round, kept, memory, written)
            }
            let after = try await settled(memory, written, arenas, since: before)
            let grown = Self.residentBytes - half
            let more = "\(after.nodes - before.nodes) nodes and \(after.rows - before.rows) rows more"
            let resident = "\(grown >> 10) KiB more in the second half, \(Self.residentBytes >> 20) MiB in all"
            print("\(rounds) \(kind.rawValue): \(Arena.liveCount - arenas) databases, \(more), \(resident)")
            guard Arena.liveCount == arenas, after == before else { fatalError("\(kind.rawValue) leave something") }
            // The thread that closed the last ones may be on its way out.
            for _ in 0..<2_000 where Self.openFiles > files { try await Task.sleep(for: .milliseconds(5)) }
            guard Self.openFiles <= files else { fatalError("\(kind.rawValue) leave files open") }
            guard grown <= Self.growthMax else { fatalError("\(kind.rawValue) grow the process") }
        }
        try await written.close()
        print("memory is flat")
    }

    private static var options: DatabaseOptions {
        var options = DatabaseOptions()
        options.durability = .relaxed
        options.checkpoints = .every(bytes: 256 << 10)
        options.retention = .commits(60)
        return options
    }

    /// The same keys each time, other values.
    private static func fill(_ books: borrowing MutableRecords<Shown, NoMetadata>, _ round: Int) {
        for key in 0..<20 { books["\(key)"] = Shown(number: round &* 7919 % 100 + key, shelf: "shelf \(key % 4)") }
    }

    private mutating func once(
        _ kind: Kind, _ round: Int, _ kept: FilePath, _ memory: Database, _ written: Database
    ) async throws {
        let options = Self.options
        let commit = CommitNumber(UInt64(1 + random.below(40)))
        switch kind {
        case .openAndClose:
            let database = try await Database.open(at: kept, options: options, collections: Self.books)
            precondition(database.snapshot[Self.books].count == 20)
            try await database.close()
        case .openAndDrop:
            _ = try await Database.open(at: kept, options: options, collections: Self.books).snapshot
        // The lock goes with the last reference, which a task of the database's own may hold a moment longer.
        case .failingOpen:
            let others = RecordCollection<[Int], NoMetadata>("books")
            guard (try? await Database.open(at: kept, options: options, collections: others)) == nil else {
                fatalError("opened with another type")
            }
        case .verification:
            let report = try ReplayReader(kept).verify(.replay)
            precondition(report.severity == .clean, "\(report)")
        case .replay:
            let upTo = random.below(2) == 0 ? nil : commit
            let database = try await Database.replay(kept, upTo: upTo, collections: Self.books)
            precondition(database.commitNumber.rawValue >= 1)
        case .fork:
            let fork = memory.fork()
            try await fork.write { Self.fill($0[Self.books], round) }
            if random.below(2) == 0 { try await fork.close() }
        case .stream:
            var iterator = memory.changesets().makeAsyncIterator()
            try await memory.write { Self.fill($0[Self.books], round) }
            if random.below(2) == 0 { _ = try await iterator.next() }
        case .logStream:
            try await written.write { Self.fill($0[Self.books], round) }
            let newest = written.commitNumber
            let since = CommitNumber(newest.rawValue - UInt64(2 + random.below(15)))
            let leaves = random.below(2) == 0
            for try await changeset in written.changesets(after: since) {
                if leaves || changeset.commitNumber == newest { break }
            }
        case .list:
            var iterator = memory.updates(of: ViewMappings(Self.byShelf)).makeAsyncIterator()
            _ = try await iterator.next()
            try await memory.write { Self.fill($0[Self.books], round) }
            if random.below(2) == 0 { _ = try await iterator.next() }
        case .snapshots:
            let past = try ReplayReader(kept).snapshot(at: CommitNumber(40))
            precondition(past.count == 20)
        case .registration:
            let view = AutoView("again", of: Self.books, groupedBy: { $0.shelf }, sortedBy: { -$0.number })
            try await memory.register(view)
            precondition(memory.snapshot[view].count == 20)
            try await memory.unregister("again")
        case .checkpoint:
            try await written.write { Self.fill($0[Self.books], round) }
            try await written.checkpoint()
        }
    }

    /// Waits until what is freed by tasks is free, for a while.
    private func settled(
        _ memory: Database, _ written: Database, _ arenas: Int, since expected: ArenaCounts? = nil
    ) async throws -> ArenaCounts {
        func counts() -> ArenaCounts {
            var sum = memory.snapshot.state.version.timeline.arena.counts
            let other = written.snapshot.state.version.timeline.arena.counts
            sum.nodes += other.nodes
            sum.rows += other.rows
            sum.bytes = 0
            return sum
        }
        var last = counts()
        for _ in 0..<2000 {
            try await Task.sleep(for: .milliseconds(5))
            let now = counts()
            if Arena.liveCount == arenas, expected.map({ $0 == now }) ?? (now == last) { return now }
            last = now
        }
        return last
    }

    /// What the process holds in memory; 0 where it can't be asked.
    private static var residentBytes: Int {
        #if os(Linux)
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return pages * sysconf(Int32(_SC_PAGESIZE))
        #else
            return 0
        #endif
    }

    private static var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }
}

/// Numbers that follow from a seed.
struct Steps {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % bound)
    }
}
