public import YaprakCore
public import YaprakExtensions
public import YaprakLists
import YaprakLocks

/// The updates of a list in which somebody searches: one for each query that changes it, and for each commit that does. See
/// `database.updates(of:searching:in:order:)`.
public struct SearchedListUpdates<View: OrderedView, Object: Codable & Sendable, Metadata: Codable & Sendable>:
    AsyncSequence, Sendable
{
    /// One update of the list.
    public typealias Element = ListUpdate<View>
    /// The error if the view or the index is no longer registered, or what the sequence of queries throws.
    public typealias Failure = any Error

    let mappings: ViewMappings<View>
    let index: FullTextIndex<Object, Metadata>
    let order: SearchOrder
    let start: @Sendable () -> SearchFeed

    /// An iterator with a cursor of its own, which begins to take queries. O(1).
    public func makeAsyncIterator() -> Iterator {
        Iterator(mappings: mappings, index: index, order: order, feed: start())
    }

    /// Delivers updates, and knows what it delivered.
    public struct Iterator: AsyncIteratorProtocol {
        private var mappings: ViewMappings<View>
        private let index: FullTextIndex<Object, Metadata>
        private let order: SearchOrder
        private let feed: SearchFeed
        private let cache = PlaceMapCache()
        private var shown: Snapshot?

        init(
            mappings: ViewMappings<View>, index: FullTextIndex<Object, Metadata>, order: SearchOrder, feed: SearchFeed
        ) {
            self.mappings = mappings
            self.index = index
            self.order = order
            self.feed = feed
        }

        /// The next update; waits until something in the list is different. `nil` when the database closes and when the task
        /// is cancelled.
        public mutating func next() async throws -> ListUpdate<View>? {
            while true {
                switch try await feed.next() {
                case nil: return nil
                case .snapshot(let newest):
                    if let update = try follow(newest) { return update }
                case .query(let query, let turn):
                    if let update = try search(query, turn) { return update }
                }
            }
        }

        private mutating func follow(_ newest: Snapshot) throws -> ListUpdate<View>? {
            let before = mappings
            var next = mappings
            guard let old = shown else {
                try next.update(to: newest)
                (mappings, shown) = (next, newest)
                return ListUpdate(
                    old: newest, new: newest, mappingsBefore: before, mappings: next,
                    changes: .reload(rawChangeCount: next.itemCount))
            }
            let changes = try next.advance(from: old, to: newest)
            (mappings, shown) = (next, newest)
            if !next.isSearching { cache.removeAll() }
            guard changes.hasChanges else { return nil }
            return ListUpdate(old: old, new: newest, mappingsBefore: before, mappings: next, changes: changes)
        }

        /// What a query changes; nothing if a newer one has come meanwhile.
        private mutating func search(_ query: SearchQuery?, _ turn: Int) throws -> ListUpdate<View>? {
            guard let shown else { return nil }
            let before = mappings
            var next = mappings
            let attempt = SearchAttempt(feed, turn)
            do {
                next.setSearch(query, in: index, order: order, cache: cache) { attempt.isOutdated }
                try next.update(to: shown)
                let changes = try next.changes(since: before, in: shown)
                if attempt.isOutdated { return nil }
                // Commits are followed whatever is typed.
                attempt.end()
                mappings = next
                guard changes.hasChanges else { return nil }
                return ListUpdate(old: shown, new: shown, mappingsBefore: before, mappings: next, changes: changes)
            } catch is CancellationError {
                return nil
            }
        }
    }
}

/// One search in progress.
private final class SearchAttempt: Sendable {
    // Mappings that are delivered keep it; the feed ends with its consumer.
    private struct Waiting: @unchecked Sendable {
        weak var feed: SearchFeed?
    }

    private let waiting: Mutex<Waiting>
    private let turn: Int

    init(_ feed: SearchFeed, _ turn: Int) {
        waiting = Mutex(Waiting(feed: feed))
        self.turn = turn
    }

    /// Whether a newer query has come while it was in progress.
    var isOutdated: Bool {
        let feed = waiting.withLock { $0.feed }
        return feed?.hasQuery(after: turn) ?? false
    }

    func end() { waiting.withLock { $0.feed = nil } }
}

/// The newest query and the newest snapshot, for one consumer; older ones are forgotten.
final class SearchFeed: Sendable {
    enum Event: Sendable {
        case snapshot(Snapshot)
        case query(SearchQuery?, turn: Int)
    }

    private struct State {
        var snapshot: Snapshot?
        var query: SearchQuery??
        /// How many queries came.
        var turn = 0
        var isEnded = false
        var error: (any Error)?
        var waiter: CheckedContinuation<Void, Never>?
        var hasSnapshot = false
        /// Whether a snapshot was taken last: a query that waits comes next.
        var isQueryNext = false
    }

    private let state = Mutex(State())
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init<Queries: AsyncSequence & Sendable>(
        _ snapshots: SnapshotSequence, _ queries: Queries
    ) where Queries.Element == SearchQuery? {
        let snapshotTask = Task { [weak self] in
            for await snapshot in snapshots { self?.change { $0.snapshot = snapshot } }
            self?.change { $0.isEnded = true }
        }
        let queryTask = Task { [weak self] in
            do {
                for try await query in queries {
                    self?.change {
                        $0.query = .some(query)
                        $0.turn += 1
                    }
                }
            } catch {
                self?.change { $0.error = error }
            }
        }
        tasks.withLock { $0 = [snapshotTask, queryTask] }
    }

    deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

    private func change(_ body: (inout State) -> Void) {
        let (waiter, former) = state.withLock { state in
            // What it replaces is released after the lock: it may be the last of a snapshot.
            let former = state.snapshot
            body(&state)
            defer { state.waiter = nil }
            return (state.waiter, former)
        }
        waiter?.resume()
        _ = consume former
    }

    /// Whether a query came after a turn.
    func hasQuery(after turn: Int) -> Bool { state.withLock { $0.turn > turn } }

    private func take() -> (event: Event?, isEnded: Bool, error: (any Error)?) {
        state.withLock { state in
            // Both take turns, so that neither waits for more than one of the other. The list is there before anything is
            // sought in it.
            let query: SearchQuery?? = state.hasSnapshot ? state.query : nil
            if let snapshot = state.snapshot, query == nil || !state.isQueryNext {
                state.snapshot = nil
                state.hasSnapshot = true
                state.isQueryNext = true
                return (.snapshot(snapshot), false, nil)
            }
            if let query {
                state.query = nil
                state.isQueryNext = false
                return (.query(query, turn: state.turn), false, nil)
            }
            return (nil, state.isEnded, state.error)
        }
    }

    /// What is newest; waits for it. `nil` at the end, and when the task is cancelled.
    func next() async throws -> Event? {
        while !Task.isCancelled {
            let (event, isEnded, error) = take()
            if let event { return event }
            if let error { throw error }
            if isEnded { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        let isReady =
                            state.snapshot != nil || state.hasSnapshot && state.query != nil || state.isEnded
                            || state.error != nil
                        if !isReady { state.waiter = continuation }
                        return isReady
                    }
                    if isReady || Task.isCancelled { change { _ in } }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                change { _ in }
            }
        }
        return nil
    }
}

extension Database {
    /// What happens in a list while somebody searches in it: an update for each query, and for each commit that changes
    /// what is found.
    ///
    ///     let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self, bufferingPolicy: .bufferingNewest(1))
    ///     for try await update in database.updates(of: sections, searching: queries, in: text) {
    ///         shown = update.new
    ///         if update.isReload { list.reloadData() } else { list.apply(update.sectionChanges, update.rowChanges) }
    ///     }
    ///     // at each keystroke: typed.yield(field.text.isEmpty ? nil : .typing(field.text))
    ///
    /// The first element comes at once and is a reload: the list as the mappings have it. Each query gives the exact changes
    /// from what was found before. The newest query wins: those that came while another was looked up are skipped, and a
    /// search that nobody waits for any more is given up. `nil` shows all rows again. Queries and commits take turns: however
    /// steadily commits come, a query waits for one of their updates at most, and the other way round.
    /// - Parameters:
    ///   - mappings: the list.
    ///   - queries: what to find, one after the other. When they end, the last one stays. What they throw ends the updates.
    ///   - index: a full-text index of a collection of the view.
    ///   - order: in which order the rows of a group are shown.
    /// - Returns: a sequence that throws ``DatabaseError`` with the code `extensionNotRegistered` once a snapshot does not
    ///   have the view or the index, and ends when the database closes and when its task is cancelled.
    /// - Complexity: as ``ViewMappings/setSearch(_:in:order:)``, in the consumer's task.
    public nonisolated func updates<View: OrderedView, Queries: AsyncSequence & Sendable, Object, Metadata>(
        of mappings: ViewMappings<View>, searching queries: Queries, in index: FullTextIndex<Object, Metadata>,
        order: SearchOrder = .asInView
    ) -> SearchedListUpdates<View, Object, Metadata> where Queries.Element == SearchQuery? {
        let snapshots = snapshots
        return SearchedListUpdates(mappings: mappings, index: index, order: order) { SearchFeed(snapshots, queries) }
    }
}
