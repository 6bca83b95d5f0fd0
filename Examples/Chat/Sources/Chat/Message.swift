public import Foundation
public import Yaprak

/// A message of a chat.
public struct Message: Codable, Sendable, Hashable {
    public var chat: String
    public var author: String
    public var text: String
    public var sentAt: Date
    public var isRead: Bool

    public init(chat: String, author: String, text: String, sentAt: Date, isRead: Bool = false) {
        self.chat = chat
        self.author = author
        self.text = text
        self.sentAt = sentAt
        self.isRead = isRead
    }
}

/// What the list of chats shows of one of them. Nobody writes it: a view computes it.
public struct ChatSummary: Codable, Sendable, Hashable {
    public var lastText: String
    public var lastSentAt: Date
    public var unreadCount: Int
}

extension RecordCollection where Object == Message, Metadata == NoMetadata {
    /// All messages of all chats.
    public static var messages: Self { Self("messages") }
}
