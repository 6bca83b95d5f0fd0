import TestSupport
import Testing
import Yaprak

// snippet: relations-records
struct Message: Codable, Sendable {
    var text: String
    var chatID: String
    var senderID: String?
    var attachmentIDs: [String] = []
}

struct Chat: Codable, Sendable {
    var title: String
    var messageCount = 0
}

struct Person: Codable, Sendable {
    var name: String
}

struct Attachment: Codable, Sendable {
    var file: String
}

extension RecordCollection where Object == Message, Metadata == NoMetadata {
    static var messages: Self { Self("messages") }
}

extension RecordCollection where Object == Chat, Metadata == NoMetadata {
    static var chats: Self { Self("chats") }
}

extension RecordCollection where Object == Person, Metadata == NoMetadata {
    static var people: Self { Self("people") }
}

extension RecordCollection where Object == Attachment, Metadata == NoMetadata {
    static var attachments: Self { Self("attachments") }
}
// end

// snippet: reactions-count
/// Keeps the number of messages in each chat.
struct CountMessages: Reaction {
    let name = "count messages"
    let collectionNames: [String]? = ["messages"]

    func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
        var counts: [String: Int] = [:]
        let messages = changes.changes(in: .messages)
        if messages.didRemoveAll {
            for message in before[.messages] { counts[message.object.chatID, default: 0] -= 1 }
        }
        for change in messages {
            if let message = change.before { counts[message.object.chatID, default: 0] -= 1 }
            if let message = change.after { counts[message.object.chatID, default: 0] += 1 }
        }
        for (chat, count) in counts where count != 0 { transaction[.chats][chat]?.messageCount += count }
    }
}
// end

/// The programs of the pages about relationships and reactions: one chat.
@Suite(.bounded) struct RelationshipPagesTests {
    // snippet: relations-declare
    let inChat = Relationship("in chat", from: .messages, \.chatID, to: .chats, onDelete: .cascade)
    let sender = Relationship("sender", from: .messages, \.senderID, to: .people, onDelete: .nullify)
    let attached = Relationship(
        "attached", from: .messages, \.attachmentIDs, to: .attachments,
        onDelete: .nullify, onSourceDelete: .cascadeWhenLast)
    // end

    func open() async throws -> Database {
        let database = Database.inMemory()
        // snippet: relations-register
        try await database.register(inChat)
        try await database.register(sender)
        try await database.register(attached)
        // end
        return database
    }

    func fill(_ database: Database) async throws {
        // snippet: relations-write
        try await database.write { transaction in
            transaction[.people]["ada"] = Person(name: "Ada")
            transaction[.chats]["math"] = Chat(title: "Mathematics")
            transaction[.attachments]["note-g"] = Attachment(file: "note-g.pdf")
            transaction[.messages]["m1"] = Message(
                text: "Look", chatID: "math", senderID: "ada", attachmentIDs: ["note-g"])
            transaction[.messages]["m2"] = Message(text: "Again", chatID: "math", attachmentIDs: ["note-g"])
        }
        // end
    }

    @Test func `Relationships of a chat are read both ways, and followed`() async throws {
        let database = try await open()
        try await fill(database)
        // snippet: relations-read
        let snapshot = database.snapshot
        print(snapshot[inChat].sourceCount(of: "math"))  // 2
        for message in snapshot[inChat].sources(of: "math") { print(message.object.text) }  // Look, Again
        print(snapshot[sender].target(of: "m1")?.object.name ?? "no sender")  // Ada
        print(snapshot[attached].targetKeys(of: "m1"))  // ["note-g"]
        // end
        #expect(snapshot[inChat].sourceCount(of: "math") == 2)
        #expect(snapshot[inChat].sources(of: "math").map(\.object.text) == ["Look", "Again"])
        #expect(snapshot[sender].target(of: "m1")?.object.name == "Ada")
        #expect(snapshot[attached].targetKeys(of: "m1") == ["note-g"])

        // snippet: relations-remove
        try await database.write { $0[.people].remove("ada") }
        print(database.snapshot[.messages]["m1"]?.senderID ?? "no sender")  // no sender

        try await database.write { $0[.messages].remove("m1") }
        print(database.snapshot[.attachments].count)  // 1: m2 has it, too

        try await database.write { $0[.chats].remove("math") }
        print(database.snapshot.count)  // 0: the chat, its message, and the attachment that nobody has any more
        // end
        #expect(database.snapshot.count == 0 && database.snapshot.commitNumber == 4)
    }

    @Test func `A restriction, a question and missing records`() async throws {
        let database = Database.inMemory()
        try await fill(database)
        // snippet: relations-restrict
        let owner = Relationship("owner", from: .messages, \.senderID, to: .people, onDelete: .restrict)
        try await database.register(owner)
        do {
            try await database.write { $0[.people].remove("ada") }
        } catch let error as DatabaseError where error.code == .removalRestricted {
            print(error.message)  // "messages" "m1" restricts the removal of "people" "ada", …
        }
        // end
        #expect(database.snapshot[.people].count == 1)
        try await database.unregister("owner")
        // snippet: relations-notify
        let signed = Relationship(
            "signed", from: .messages, \.senderID, to: .people,
            onDelete: .notify { message, removedKey in
                var changed = message.object
                changed.senderID = nil
                changed.text += " (by \(removedKey), who left)"
                return changed
            })
        // end
        try await database.register(signed)
        try await database.write { $0[.people].remove("ada") }
        #expect(database.snapshot[.messages]["m1"]?.text == "Look (by ada, who left)")
        // snippet: relations-missing
        try await database.write { $0[.messages]["m3"] = Message(text: "Who?", chatID: "math", senderID: "nobody") }
        print(database.snapshot[signed].missingTargets)  // ["nobody"]
        // end
        #expect(database.snapshot[signed].missingTargets == ["nobody"])
    }

    @Test func `Edges set explicitly are walked`() async throws {
        let database = Database.inMemory()
        try await database.write { for key in ["ada", "charles", "mary"] { $0[.people][key] = Person(name: key) } }
        // snippet: relations-manual
        let knows = ManualRelationship("knows", from: .people, to: .people)
        try await database.register(knows)
        try await database.write { transaction in
            try transaction.connect("ada", to: "charles", in: knows)
            try transaction.connect("ada", to: "mary", in: knows)
            try transaction.connect("charles", to: "ada", in: knows)
        }
        let people = database.snapshot[knows]
        print(people.path(from: "charles", to: "mary") ?? [])  // ["charles", "ada", "mary"]
        print(people.reachable(from: "charles", distanceMax: 1).map(\.key))  // ["ada"]
        // end
        #expect(people.path(from: "charles", to: "mary") == ["charles", "ada", "mary"])
        #expect(people.reachable(from: "charles", distanceMax: 1).map(\.key) == ["ada"])
    }

    @Test func `A list shows messages by the name of their sender`() async throws {
        let database = try await open()
        try await fill(database)
        // snippet: relations-view
        let bySender = JoinedView(
            "by sender", of: sender,
            groupedBy: { message, person in message.object.chatID },
            sortedBy: { message, person in person?.object.name ?? "" })
        try await database.register(bySender)

        for message in database.snapshot[bySender]["math"] {
            let name = database.snapshot[sender].target(of: message.key)?.object.name ?? "Somebody"
            print(name, message.object.text)  // Somebody Again, Ada Look
        }
        // end
        #expect(database.snapshot[bySender]["math"].map(\.key) == ["m2", "m1"])
        var list = ViewMappings(bySender, groups: ["math"])
        let before = database.snapshot
        try list.update(to: before)
        // snippet: relations-rename
        try await database.write { $0[.people]["ada"]?.name = "Ada Lovelace" }
        // end
        let changes = try list.advance(from: before, to: database.snapshot)
        #expect(changes.rowChanges.map(\.key) == ["m1"])
    }

    @Test func `A chat counts its messages, whatever removes them`() async throws {
        let database = try await open()
        // snippet: reactions-register
        try await database.register(CountMessages())
        // end
        try await fill(database)
        #expect(database.snapshot[.chats]["math"]?.messageCount == 2)
        try await database.write { $0[.messages].remove("m2") }
        #expect(database.snapshot[.chats]["math"]?.messageCount == 1)
        // snippet: reactions-record
        let limit = RecordReaction("longest text", to: .messages) { change, transaction in
            guard let message = change.after?.object, message.text.count > 1000 else { return }
            transaction[.messages][change.key]?.text = String(message.text.prefix(1000))
        }
        try await database.register(limit)
        // end
        try await database.write { transaction in
            transaction[.messages]["long"] = Message(text: String(repeating: "x", count: 5000), chatID: "math")
        }
        #expect(database.snapshot[.messages]["long"]?.text.count == 1000)
        #expect(database.snapshot[.chats]["math"]?.messageCount == 2)
        // snippet: reactions-refuse
        struct ChatIsFull: Error { var chat: String }
        let full = RecordReaction("full", to: .chats) { change, _ in
            if let chat = change.after?.object, chat.messageCount > 2 { throw ChatIsFull(chat: change.key) }
        }
        try await database.register(full)
        // end
        await #expect(throws: ChatIsFull.self) {
            try await database.write { transaction in
                for key in ["m4", "m5"] { transaction[.messages][key] = Message(text: "", chatID: "math") }
            }
        }
        #expect(database.snapshot[.messages].count == 2)
    }
}
