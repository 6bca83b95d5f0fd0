import TestSupport
import Testing
import Yaprak

// snippet: sync-note
struct Note: Codable, Sendable, Equatable {
    var text: String
    var isRemoved = false  // by the user; the record goes when the server knows
}

/// What is known of the server's copy.
struct SyncMark: Codable, Sendable, Equatable {
    var revision = 0  // the server's revision that this record is based on
    var isChanged = false  // waits to be sent
}

extension RecordCollection where Object == Note, Metadata == SyncMark {
    static var notes: Self { Self("notes") }
}
// end

// snippet: sync-outbox
/// Marks what the program changes. What comes from the server has another revision, and is not marked.
let markChanges = RecordReaction("mark changes", to: .notes) { change, transaction in
    guard let note = change.after, change.kinds.contains(.inserted) || change.kinds.contains(.objectChanged),
        note.metadata?.revision == change.before?.metadata?.revision
    else { return }
    let mark = SyncMark(revision: note.metadata?.revision ?? 0, isChanged: true)
    if mark != note.metadata { transaction[.notes].replaceMetadata(mark, for: change.key) }
}
let outbox = AutoView(
    "outbox", of: .notes, groupedBy: .byMetadata { $0?.isChanged == true ? "outbox" : nil }, sortedBy: .byKey)
// end

// snippet: sync-send
func send(_ database: Database, _ upload: (String, Note, _ base: Int) async throws -> Int) async throws {
    for sent in database.snapshot[outbox]["outbox"] {
        let revision = try await upload(sent.key, sent.object, sent.metadata?.revision ?? 0)
        try await database.write(origin: "server") { transaction in
            guard let now = transaction[.notes].row(for: sent.key) else { return }
            let isSame = now.isIdentical(to: sent)  // false if it was changed while it was sent
            if isSame, sent.object.isRemoved {
                transaction[.notes].remove(sent.key)
            } else {
                let newest = max(revision, now.metadata?.revision ?? 0)
                let mark = SyncMark(revision: newest, isChanged: !isSame)
                transaction[.notes].replaceMetadata(mark, for: sent.key)
            }
        }
    }
}
// end

// snippet: sync-receive
/// A change from the server; without a note it was removed there.
struct Incoming: Sendable {
    var key: String
    var note: Note?
    var revision: Int
}

func receive(
    _ changes: [Incoming], in database: Database, merge: @Sendable (_ mine: Note, _ theirs: Note) -> Note
) async throws {
    try await database.write(origin: "server") { transaction in
        for change in changes {
            let mine = transaction[.notes].row(for: change.key)
            if (mine?.metadata?.revision ?? 0) >= change.revision { continue }  // known, or what was sent from here
            if let mine, mine.metadata?.isChanged == true {
                // A conflict. What comes of it is to be sent; a change wins over a removal.
                let merged = change.note.map { merge(mine.object, $0) } ?? mine.object
                let mark = SyncMark(revision: change.revision, isChanged: true)
                transaction[.notes].set(merged, metadata: mark, for: change.key)
            } else if let note = change.note {
                transaction[.notes].set(note, metadata: SyncMark(revision: change.revision), for: change.key)
            } else {
                transaction[.notes].remove(change.key)
            }
        }
    }
}
// end

/// The programs of the page on synchronizing with a server.
@Suite(.bounded) struct SynchronizationPageTests {
    let database = Database.inMemory()

    private func register() async throws {
        // snippet: sync-register
        try await database.register(markChanges)
        try await database.register(outbox)
        // end
    }

    private var waiting: [String] { database.snapshot[outbox]["outbox"].map(\.key) }

    @Test func `The outbox has what the program changed, and nothing that came from the server`() async throws {
        try await register()
        try await receive([Incoming(key: "a", note: Note(text: "theirs"), revision: 7)], in: database) { mine, _ in mine
        }
        #expect(waiting == [])
        try await database.write { transaction in
            transaction[.notes]["a"]?.text = "mine"
            transaction[.notes]["b"] = Note(text: "new")
        }
        #expect(waiting == ["a", "b"] && database.snapshot[.notes].metadata(for: "a")?.revision == 7)
        try await send(database) { key, _, _ in key == "a" ? 8 : 9 }
        #expect(waiting == [] && database.snapshot[.notes].metadata(for: "a") == SyncMark(revision: 8))
        try await receive([Incoming(key: "a", note: Note(text: "mine"), revision: 8)], in: database) { mine, _ in mine }
        #expect(waiting == [], "the server's answer to what was sent is no change")
    }

    @Test func `A record that changes while it is sent stays in the outbox`() async throws {
        try await register()
        try await database.write { $0[.notes]["a"] = Note(text: "first") }
        try await send(database) { _, _, _ in
            try await database.write { $0[.notes]["a"]?.text = "second" }
            return 1
        }
        #expect(waiting == ["a"] && database.snapshot[.notes].metadata(for: "a")?.revision == 1)
        try await send(database) { _, note, _ in note.text == "second" ? 2 : 0 }
        #expect(waiting == [] && database.snapshot[.notes].metadata(for: "a") == SyncMark(revision: 2))
    }

    @Test func `A removal goes to the server before the record goes`() async throws {
        try await register()
        try await database.write { $0[.notes]["a"] = Note(text: "first") }
        try await send(database) { _, _, _ in 1 }
        try await database.write { $0[.notes]["a"]?.isRemoved = true }
        #expect(waiting == ["a"])
        try await send(database) { _, note, _ in note.isRemoved ? 2 : 0 }
        #expect(waiting == [] && database.snapshot[.notes].isEmpty)
    }

    @Test func `A conflict is merged and sent, and a change wins over a removal`() async throws {
        try await register()
        let merge: @Sendable (Note, Note) -> Note = { Note(text: $0.text + $1.text) }
        try await receive(
            ["a", "b"].map { Incoming(key: $0, note: Note(text: ""), revision: 1) }, in: database, merge: merge)
        try await database.write { transaction in
            for key in ["a", "b"] { transaction[.notes][key]?.text = "mine" }
        }
        try await receive(
            [Incoming(key: "a", note: Note(text: "+theirs"), revision: 2), Incoming(key: "b", revision: 3)],
            in: database,
            merge: merge)
        #expect(database.snapshot[.notes].objects.map(\.text) == ["mine+theirs", "mine"] && waiting == ["a", "b"])
        try await send(database) { key, _, base in
            #expect(base == (key == "a" ? 2 : 3))
            return 4
        }
        try await receive([Incoming(key: "a", revision: 5)], in: database, merge: merge)
        #expect(waiting == [] && database.snapshot[.notes].map(\.key) == ["b"])
    }

    @Test func `What the server refuses, since another device was faster, is merged and sent again`() async throws {
        try await register()
        let merge: @Sendable (Note, Note) -> Note = { Note(text: $0.text + $1.text) }
        try await receive([Incoming(key: "a", note: Note(text: ""), revision: 4)], in: database, merge: merge)
        try await database.write { $0[.notes]["a"]?.text = "mine" }
        struct Refused: Error {}
        let upload: (String, Note, Int) async throws -> Int = { _, _, base in
            guard base == 5 else { throw Refused() }
            return 6
        }
        await #expect(throws: Refused.self) { try await send(database, upload) }
        #expect(waiting == ["a"])
        try await receive([Incoming(key: "a", note: Note(text: "+theirs"), revision: 5)], in: database, merge: merge)
        try await send(database, upload)
        #expect(waiting == [] && database.snapshot[.notes].metadata(for: "a") == SyncMark(revision: 6))
        #expect(database.snapshot[.notes]["a"]?.text == "mine+theirs")
    }
}
