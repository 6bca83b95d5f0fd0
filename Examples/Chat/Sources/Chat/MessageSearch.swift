public import Observation
public import Yaprak

/// The screen of the search: what is typed finds messages in all chats, and stays up to date while they change.
@MainActor @Observable public final class MessageSearch {
    /// A chat with messages that were found.
    public struct Hits: Identifiable, Equatable {
        /// The chat.
        public let id: String
        public let messages: [Message]
    }

    /// What was typed. Each change gives new ``hits`` a moment later; the newest wins.
    public var text = "" {
        didSet { if text != oldValue { typed.yield(text.isEmpty ? nil : .typing(text)) } }
    }
    /// What was found, by chat. Empty while nothing is typed.
    public private(set) var hits: [Hits] = []

    private let store: ChatStore
    private let queries: AsyncStream<SearchQuery?>
    private let typed: AsyncStream<SearchQuery?>.Continuation

    public init(in store: ChatStore) {
        self.store = store
        (queries, typed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows what is typed and what is written until the task is cancelled or the database closes.
    public func follow() async throws {
        var mappings = ViewMappings(store.byChat)
        mappings.setDynamicForAllGroups(true)
        let updates = store.database.updates(of: mappings, searching: queries, in: store.words)
        for try await update in updates {
            hits =
                update.mappings.isSearching
                ? update.new.sections(of: update.mappings).map { section in
                    Hits(id: section.name, messages: section.map(\.object))
                } : []
        }
    }
}
