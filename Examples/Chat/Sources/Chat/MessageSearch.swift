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
        didSet { if text != oldValue { typed?.yield(query) } }
    }
    /// What was found, by chat. Empty while nothing is typed.
    public private(set) var hits: [Hits] = []

    private let store: ChatStore
    @ObservationIgnored private var typed: AsyncStream<SearchQuery?>.Continuation?
    private var query: SearchQuery? { text.isEmpty ? nil : .typing(text) }

    public init(in store: ChatStore) { self.store = store }

    /// Follows what is typed and what is written until the task is cancelled or the database closes. A screen that comes back
    /// follows once more, and finds what its text says.
    public func follow() async throws {
        // A stream ends with the task that reads it.
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self, bufferingPolicy: .bufferingNewest(1))
        self.typed = typed
        typed.yield(query)
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
