import Chat
import Testing
import Yaprak
import YaprakTesting

/// What becomes of messages when the disk does not do what it should.
@Suite(.database(.chats), .timeLimit(.minutes(1))) struct FaultTests {
    @Test func `A message that does not fit on the disk is not sent, and can be sent when there is room`() async throws
    {
        let disk = SimulatedDisk()
        let store = try await ChatStore(Database.current.fork(on: disk), timeZone: greenwich)
        disk.plan(.diskFull(afterBytes: 0))
        let error = await #expect(throws: DatabaseError.self) { try await store.send("Hello?", to: "lunch", by: "ada") }
        #expect(error?.code == .diskFull)
        #expect(store.database.snapshot[store.byChat]["lunch"].count == 2)
        disk.heal()
        try await store.send("Hello again.", to: "lunch", by: "ada", at: time(23))
        #expect(store.database.snapshot[store.byChat]["lunch"].last?.object.text == "Hello again.")
    }

    @Test func `A message that was sent survives a power cut, and its views are there at the next launch`() async throws
    {
        let disk = SimulatedDisk()
        let database = try await Database.current.fork(at: "/chat", on: disk)
        let store = try await ChatStore(database, timeZone: greenwich)
        try await store.send("Still there?", to: "lunch", by: "ada", at: time(23))
        let after = disk.afterPowerCut()
        let again = try await ChatStore(
            Database.open(at: "/chat", on: after, collections: .messages), timeZone: greenwich)
        #expect(again.database.snapshot[again.byChat]["lunch"].last?.object.text == "Still there?")
        #expect(again.database.snapshot[again.summaries]["all"].first?.key == "lunch")
    }
}
