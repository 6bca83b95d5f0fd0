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

    private func open(_ policy: CheckpointPolicy, logFilesMax: Int) async throws -> Database {
        var options = DatabaseOptions()
        options.checkpoints = policy
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

    @Test func `Compacting a full log makes room, also if its only checkpoint is of the newest commit`() async throws {
        var written = 0
        while true {
            try #require(written < 100)
            let database = try await open(.manual, logFilesMax: 80)
            do {
                try await database.write { [written] in $0[.books]["\(written)"] = Book(title: "x") }
                written += 1
                try await database.close()
            } catch let error as DatabaseError where error.code == .overLimit {
                try await database.close()
                break
            }
        }
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
