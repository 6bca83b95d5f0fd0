import SystemPackage
import TestSupport
import Testing
import YaprakModel
import YaprakSimulator

@testable import Yaprak
@testable import YaprakCore
@testable import YaprakStorage

/// Many openings with few commits each fill the folder of the log long before their bytes make a checkpoint due.
@Suite(.bounded) struct ShortOpeningTests {
    private let files = MemoryFileSystem()

    private func open(
        _ policy: CheckpointPolicy, logFilesMax: Int, retention: Retention = .checkpoints(2)
    ) async throws -> Database {
        var options = DatabaseOptions()
        options.checkpoints = policy
        options.retention = retention
        options.store.logFilesMax = logFilesMax
        options.store.preallocationBytes = 8 << 10
        options.store.attestAfter = .zero
        return try await Database.open(at: "/db", options: options, fileSystem: files, collections: .books)
    }

    @Test func `Segments make a checkpoint due, however large the newest one is`() async throws {
        for number in 1...6 {
            let database = try await open(.manual, logFilesMax: 256)
            try await database.write { $0[.books]["\(number)"] = Book(title: "x") }
            let opened = try #require(database.files)
            #expect(!opened.isCheckpointDue && !opened.hasManySegments)
            #expect(opened.growth.segments == number - 1)
            try await database.close()
        }
        for policy in [CheckpointPolicy.automatic, .every(bytes: 1 << 40)] {
            let database = try await open(policy, logFilesMax: 256)
            let opened = try #require(database.files)
            opened.checkpoints.noteSize(1 << 40)
            #expect(opened.growth.segments == 5 && opened.isCheckpointDue && opened.hasManySegments)
            // After one that failed, so many must come again.
            opened.checkpoints.noteFailure(at: opened.growth)
            #expect(!opened.isCheckpointDue && !opened.hasManySegments)
            try await database.close()
        }
        let database = try await open(.automatic, logFilesMax: 256)
        try await database.checkpoint()
        let opened = try #require(database.files)
        #expect(opened.growth.segments == 0 && !opened.isCheckpointDue)
        try await database.close()
    }

    // The checkpoint that was due began in the background, and the program closed the database before it had its turn.
    @Test(arguments: [CheckpointPolicy.automatic, .every(bytes: 1 << 40)])
    func `A program that writes once and closes at once never fills the folder of the log`(
        policy: CheckpointPolicy
    ) async throws {
        for number in 1...250 {
            let database = try await open(policy, logFilesMax: 256)
            try await database.write { $0[.books]["\(number)"] = Book(title: "x") }
            try await database.close()
            #expect(files.names("/db/wal").count < 40)
        }
        let database = try await open(policy, logFilesMax: 256)
        #expect(database.snapshot[.books].count == 250)
        try await database.close()
    }

    /// Opens, writes and closes; false if the log refuses the write.
    private func writes(
        _ key: String, _ policy: CheckpointPolicy, retention: Retention = .checkpoints(2)
    ) async throws -> Bool {
        let database = try await open(policy, logFilesMax: 80, retention: retention)
        do {
            try await database.write { $0[.books][key] = Book(title: "x") }
            try await database.close()
            return true
        } catch let error as DatabaseError where error.code == .overLimit {
            try await database.close()
            return false
        }
    }

    /// Fills the folder of the log by short openings, and returns the number of records.
    private func fill() async throws -> Int {
        var written = 0
        while try await writes("\(written)", .manual) {
            written += 1
            try #require(written < 100)
        }
        return written
    }

    // A log that refused a commit took nothing from the checkpoint before closing either. Where one had been written, the
    // segments were counted from there, none was due, and the folder stayed full.
    @Test(arguments: [CheckpointPolicy.automatic, .every(bytes: 1 << 40)])
    func `A program that only opens, writes and closes gets out of a full log`(policy: CheckpointPolicy) async throws {
        let written = try await fill()
        #expect(try await !writes("first", policy))
        #expect(files.names("/db/ckpt").count == 1)
        #expect(try await !writes("second", policy))
        #expect(files.names("/db/ckpt").count == 2)
        #expect(files.names("/db/wal").count <= 3)
        #expect(try await writes("third", policy))
        let database = try await open(policy, logFilesMax: 80)
        #expect(database.snapshot[.books].count == written + 1)
        #expect(database.snapshot[.books]["third"] != nil && database.snapshot[.books]["first"] == nil)
        try await database.close()
    }

    @Test func `What retention keeps costs no checkpoint at each close of a full log, and a manual policy none at all`()
        async throws
    {
        let written = try await fill()
        #expect(files.names("/db/ckpt").isEmpty)
        for _ in 1...3 { #expect(try await !writes("x", .automatic, retention: .all)) }
        #expect(files.names("/db/ckpt").count == 1)
        // It was the first of the two that lead to room, once less is retained.
        #expect(try await !writes("x", .automatic))
        #expect(try await writes("x", .automatic))
        let database = try await open(.automatic, logFilesMax: 80)
        #expect(database.snapshot[.books].count == written + 1)
        try await database.close()
    }

    // The flush went on behind the refused commit, and nothing was left to say that there had been one.
    @Test func `A flush after a commit that a full log refused does not keep closing from making room`() async throws {
        _ = try await fill()
        for _ in 1...2 {
            let database = try await open(.automatic, logFilesMax: 80)
            await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.books]["x"] = Book(title: "x") }
            }
            try await database.flush()
            try await database.close()
        }
        #expect(try await writes("x", .automatic))
    }

    @Test func `Compacting a full log makes room, also if its only checkpoint is of the newest commit`() async throws {
        let written = try await fill()
        var options = StoreOptions()
        options.logFilesMax = 80
        let maintenance = Maintenance("/db", fileSystem: files, storeOptions: options)
        #expect(try maintenance.compact(.checkpoints(2), isDryRun: false).pruned.segments.isEmpty)
        let second = try maintenance.compact(.checkpoints(2), isDryRun: false)
        #expect(second.writesCheckpoint && !second.pruned.segments.isEmpty)
        #expect(files.names("/db/wal").count <= 3)
        #expect(try !maintenance.compact(.checkpoints(2), isDryRun: false).writesCheckpoint)
        let database = try await open(.manual, logFilesMax: 80)
        try await database.write { $0[.books]["last"] = Book(title: "x") }
        #expect(database.snapshot[.books].count == written + 1)
        try await database.close()
    }
}
