import Chat
import Testing
import Yaprak
import YaprakTesting

/// The models of the screens, each test on a fork of one fixture.
@Suite(.database(.chats), .timeLimit(.minutes(1))) struct ConversationTests {
    /// Waits until a screen shows what it should.
    @MainActor private func eventually(_ condition: () -> Bool) async throws {
        for _ in 0..<5000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(condition())
    }

    @Test @MainActor func `A chat shows its messages by day, and each that arrives`() async throws {
        let store = try await ChatStore.current()
        let chat = try Conversation("lunch", of: store.byDay, in: store)
        #expect(chat.days.map(\.id) == ["2026-11-21", "2026-11-22"])
        let following = Task { try await chat.follow() }
        try await store.send("And tomorrow?", to: "lunch", by: "ada", at: time(23))
        try await eventually { chat.days.map(\.id) == ["2026-11-21", "2026-11-22", "2026-11-23"] }
        #expect(chat.days.last?.messages.map(\.object.text) == ["And tomorrow?"])
        following.cancel()
        _ = await following.result
    }

    @Test @MainActor func `What was read leaves the unread screen, and stays in the other`() async throws {
        let store = try await ChatStore.current()
        let all = try Conversation("films", of: store.byDay, in: store)
        let unread = try Conversation("films", of: store.unreadByDay, in: store)
        #expect(unread.days.map(\.messages.count) == [2])
        let following = Task { try await unread.follow() }
        #expect(try await store.markRead("films") == 2)
        try await eventually { unread.days.isEmpty }
        #expect(all.days.map(\.messages.count) == [2])
        #expect(try await store.markRead("films") == 0)
        following.cancel()
        _ = await following.result
    }

    @Test func `The list of chats follows from the messages`() async throws {
        let store = try await ChatStore.current()
        func summaries() -> [String] {
            store.database.snapshot[store.summaries]["all"].map {
                "\($0.key): \($0.object.lastText) (\($0.object.unreadCount))"
            }
        }
        #expect(
            summaries() == ["lunch: The dunes are lovely today. (2)", "films: Only if it is the old one. (2)"])
        try await store.send("See you there.", to: "films", by: "ada", at: time(22, minutes: 5))
        try await store.markRead("lunch")
        #expect(summaries() == ["films: See you there. (3)", "lunch: The dunes are lovely today. (0)"])
        try await store.remove("films")
        #expect(summaries() == ["lunch: The dunes are lovely today. (0)"])
    }

    @Test @MainActor func `Typing finds messages in all chats, and those that arrive meanwhile`() async throws {
        let store = try await ChatStore.current()
        let search = MessageSearch(in: store)
        let following = Task { try await search.follow() }
        search.text = "dun"
        try await eventually { search.hits.map(\.id) == ["films", "lunch"] }
        search.text = "dunes"
        try await eventually { search.hits.map(\.id) == ["lunch"] }
        try await store.send("More dunes!", to: "films", by: "ben", at: time(23))
        try await eventually { search.hits.map(\.id) == ["films", "lunch"] }
        search.text = ""
        try await eventually { search.hits.isEmpty }
        following.cancel()
        _ = await following.result
        // The screen comes back, with what was typed meanwhile.
        search.text = "dunes"
        let again = Task { try await search.follow() }
        try await eventually { search.hits.map(\.id) == ["films", "lunch"] }
        search.text = ""
        try await eventually { search.hits.isEmpty }
        again.cancel()
        _ = await again.result
    }

    @Test func `What a reader does is one commit, and changes nothing else`() async throws {
        let store = try await ChatStore.current()
        func messages() -> [String: Message] {
            Dictionary(
                uniqueKeysWithValues: store.database.snapshot[.messages].map { ($0.key, $0.object) })
        }
        let before = store.database.commitNumber
        var expected = messages()
        for (key, message) in expected where message.chat == "lunch" { expected[key]?.isRead = true }
        try await store.markRead("lunch")
        #expect(store.database.commitNumber == before.next())
        #expect(messages() == expected)
    }

    @Test func `The lists of the screens keep the law, whatever is sent, read and removed`() async throws {
        let store = try await ChatStore.current()
        await checkListLaw(of: store.byDay, histories: 5) { transaction, choices in
            let key = choices.key(among: 8)
            let message = Message(
                chat: choices.pick(["a", "b"]), author: "x", text: "", sentAt: time(choices.below(4) + 1),
                isRead: choices.chance(50))
            transaction[.messages][key] = choices.chance(25) ? nil : message
        }
    }
}
