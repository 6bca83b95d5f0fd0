public import Observation
public import Yaprak

/// The screen of one chat: its messages by day, kept up to date.
///
///     let all = try Conversation("lunch", of: store.byDay, in: store)
///     let unread = try Conversation("lunch", of: store.unreadByDay, in: store)
///
/// A screen shows ``days``, and follows with `.task { try? await conversation.follow() }`. One that animates rows itself
/// (a collection view) applies ``changes`` instead: they lead from the days before to those of now, exactly.
@MainActor @Observable public final class Conversation<View: OrderedView>
where View.Element == Record<Message, NoMetadata> {
    /// A day with messages.
    public struct Day: Identifiable {
        /// The day, `2026-11-22`.
        public let id: String
        public let messages: ListSection<View>
    }

    private let chat: String
    private let list: ListModel<View>

    public init(_ chat: String, of view: View, in store: ChatStore) throws {
        self.chat = chat
        // The days of this chat, in their order; a day without a message has no group, and no section.
        // The name of another chat may begin as this one's, with a slash behind it.
        let mappings = ViewMappings(
            view, filter: { $0.hasPrefix(chat + "/") && !$0.dropFirst(chat.count + 1).contains("/") }, order: <)
        list = try ListModel(mappings, in: store.database)
    }

    public var days: [Day] {
        list.sections.map { Day(id: String($0.name.dropFirst(chat.count + 1)), messages: $0) }
    }

    /// What the last update did to sections and rows.
    public var changes: ListChanges { list.changes }

    /// Follows the database until the task is cancelled or the database closes.
    public func follow() async throws { try await list.follow() }
}
