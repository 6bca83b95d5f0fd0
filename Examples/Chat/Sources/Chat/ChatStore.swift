public import Foundation
public import Yaprak

/// The database of the program, with the views and the index that its screens read.
///
/// A program makes one at launch, on a file; a test makes one on a fork in memory.
public struct ChatStore: Sendable {
    /// A view whose rows are messages.
    public typealias Messages = AutoView<Record<Message, NoMetadata>>

    public let database: Database
    /// One group for each day of each chat, `lunch/2026-11-22`, in order of time.
    public let byDay: Messages
    /// The same without what was read.
    public let unreadByDay: FilteredView<Messages>
    /// One group for each chat.
    public let byChat: Messages
    /// A row for each chat, the latest first.
    public let summaries: AggregateView<Messages, ChatSummary>
    /// The words of all messages.
    public let words = FullTextIndex("words", versionTag: "1", of: .messages, \.text)

    /// Opens the database at a path.
    public static func open(at path: String, timeZone: TimeZone = .current) async throws -> ChatStore {
        try await ChatStore(Database.open(at: path, collections: .messages), timeZone: timeZone)
    }

    /// Registers what the screens need. The index of words comes with the files of a database; the views are made of its records.
    public init(_ database: Database, timeZone: TimeZone = .current) async throws {
        self.database = database
        // A view's closure depends on the record alone, and on what its version tag names: with another time zone the days are
        // others.
        let days = Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day()
        byDay = AutoView(
            "byDay", versionTag: "1 \(timeZone.identifier)", of: .messages,
            groupedBy: { "\($0.chat)/\($0.sentAt.formatted(days))" }, sortedBy: \.sentAt)
        unreadByDay = FilteredView(
            "unreadByDay", versionTag: "1", of: byDay, where: { (message: Message) in !message.isRead })
        byChat = AutoView("byChat", versionTag: "1", of: .messages, groupedBy: \.chat, sortedBy: \.sentAt)
        summaries = AggregateView(
            "summaries", versionTag: "1", of: byChat, sums: [{ $0.object.isRead ? 0 : 1 }],
            row: { chat in
                ChatSummary(
                    lastText: chat.last.object.text, lastSentAt: chat.last.object.sentAt,
                    unreadCount: Int(chat.totals[0]))
            }, sortedBy: { $0.object.lastSentAt }, order: .descending)
        try await register(byDay)
        try await register(unreadByDay)
        try await register(byChat)
        try await register(summaries)
        try await register(words)
    }

    /// A fork has the extensions of its origin already: that of a test those of its fixture.
    private func register(_ item: some DatabaseExtension) async throws {
        if !database.snapshot.isRegistered(item.name) { try await database.register(item) }
    }

    /// Sends a message. When this returns, it is in the log.
    /// - Returns: its key.
    /// - Throws: ``DatabaseError``; then nothing was sent, and the text is still the caller's.
    @discardableResult
    public func send(_ text: String, to chat: String, by author: String, at date: Date = Date()) async throws -> String
    {
        let key = UUID().uuidString
        let message = Message(chat: chat, author: author, text: text, sentAt: date)
        try await database.write(origin: author) { $0[.messages][key] = message }
        return key
    }

    /// Marks what was sent to a chat up to now as read. One commit, however many there are.
    /// - Returns: how many were unread.
    @discardableResult
    public func markRead(_ chat: String) async throws -> Int {
        try await database.write(origin: "reader") { [byChat] transaction in
            let unread = try transaction.reader(of: byChat)[chat].filter { !$0.object.isRead }.map(\.key)
            for key in unread { transaction[.messages][key]?.isRead = true }
            return unread.count
        }
    }

    /// Removes a chat with its messages.
    public func remove(_ chat: String) async throws {
        try await database.write(origin: "reader") { [byChat] transaction in
            let keys = try transaction.reader(of: byChat)[chat].map(\.key)
            for key in keys { transaction[.messages].remove(key) }
        }
    }
}
