import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakLocks

// snippet: coming-model
struct Player: Codable, Sendable {
    var name: String
    var score: Int
}

extension RecordCollection where Object == Player, Metadata == NoMetadata {
    static var players: Self { Self("players") }
}
// end

/// The programs of the page on coming from another database.
@Suite(.bounded) struct ComingFromPageTests {
    @Test func `Ten everyday tasks`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.path)
        let shown = Mutex<[String]>([])
        func show(_ rows: QueryRows<Player, NoMetadata>) { shown.withLock { $0 = rows.map(\.key) } }
        struct NotEnough: Error {}
        // snippet: coming-tasks
        // 1. Open
        let database = try await Database.open(at: path, collections: .players)
        // 2. Insert or replace
        try await database.write { $0[.players]["ada"] = Player(name: "Ada", score: 120) }
        // 3. Change a field, if the record is there
        try await database.write { $0[.players]["ada"]?.score += 1 }
        // 4. Read by key
        let ada = database.snapshot[.players]["ada"]
        // 5. The ten best above a hundred
        let best = RecordQuery(
            .players, where: #Predicate { $0.score > 100 }, sortedBy: RecordSort(\.score, .descending), limit: 10
        )
        let rows = database.snapshot[best]
        // 6. Remove what a query finds
        let losers = RecordCollection.players.query(where: #Predicate { $0.score == 0 })
        try await database.write { transaction in
            let keys = try transaction[losers].map(\.key)
            transaction[.players].remove(keys)
        }
        // 7. Several changes, or none: a closure that throws changes nothing
        func pay(_ amount: Int, from: String, to: String) async throws {
            try await database.write { transaction in
                guard let payer = transaction[.players][from], payer.score >= amount else { throw NotEnough() }
                transaction[.players][from]?.score -= amount
                transaction[.players][to]?.score += amount
            }
        }
        // 8. Follow a query
        let following = Task { for await update in database.updates(of: best) { show(update.rows) } }
        // 9. Values that must differ: a unique index
        try await database.register(RecordIndex("players.name", of: .players, \.name, unique: true))
        // 10. In memory, for a test: a fork of what there is, or nothing
        let copy = database.fork()
        let empty = Database.inMemory()
        // end
        #expect(ada?.score == 121 && rows.map(\.key) == ["ada"])
        await #expect(throws: NotEnough.self) { try await pay(1000, from: "ada", to: "ben") }
        try await database.write { $0[.players]["ben"] = Player(name: "Ben", score: 0) }
        try await pay(10, from: "ada", to: "ben")
        for _ in 0..<5000 where shown.withLock({ $0 }) != ["ada"] { try await Task.sleep(for: .milliseconds(1)) }
        #expect(database.snapshot[.players]["ben"]?.score == 10)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.players]["eve"] = Player(name: "Ada", score: 1) }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(copy.snapshot[.players].count == 1 && empty.snapshot[.players].isEmpty)
        following.cancel()
        try await database.close()
        await following.value
    }

    @Test func `What another database has is written in batches`() async throws {
        struct OldPlayer {
            var id: String
            var name: String
            var score: Int
        }
        let rows = (0..<2500).map { OldPlayer(id: "p\($0)", name: "\($0)", score: $0) }
        let database = Database.inMemory()
        // snippet: coming-import
        var batch: [OldPlayer] = []
        func flush() async throws {
            let players = batch
            try await database.write(origin: "import") { transaction in
                for old in players { transaction[.players][old.id] = Player(name: old.name, score: old.score) }
            }
            batch = []
        }
        for row in rows {  // a cursor of the other database
            batch.append(row)
            if batch.count == 1000 { try await flush() }
        }
        try await flush()
        // end
        #expect(database.snapshot[.players].count == 2500 && database.commitNumber == 3)
    }
}
