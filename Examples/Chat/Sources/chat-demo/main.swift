import Chat
import Foundation
import Yaprak

// Two people write; a screen follows. `swift run chat-demo` keeps nothing; `swift run chat-demo PATH` keeps a file.

let store: ChatStore
if let path = CommandLine.arguments.dropFirst().first {
    store = try await ChatStore.open(at: path)
} else {
    store = try await ChatStore(Database.inMemory())
}
let conversation = try await Conversation("lunch", of: store.byDay, in: store)
let following = Task { try await conversation.follow() }

try await store.send("Shall we eat at one?", to: "lunch", by: "ada")
try await store.send("Yes! The soup place?", to: "lunch", by: "ben")
try await store.send("Build is green again.", to: "work", by: "ada")

let expected = store.database.snapshot[store.byChat]["lunch"].count
while await conversation.days.reduce(0, { $0 + $1.messages.count }) < expected {
    try await Task.sleep(for: .milliseconds(5))
}
for day in await conversation.days {
    print(day.id)
    for message in day.messages { print("  \(message.object.author): \(message.object.text)") }
}
for chat in store.database.snapshot[store.summaries]["all"] {
    print("\(chat.key): \(chat.object.unreadCount) unread, \"\(chat.object.lastText)\"")
}
following.cancel()
try await store.database.close()
