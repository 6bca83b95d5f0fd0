import YaprakLocks
import YaprakModel

/// How far a stream of changesets may fall behind before the chain is taken away from it.
struct LagLimit: Sendable {
    var commits: Int
    var bytes: Int
}

/// Where a stream of changesets stands.
///
/// The link is taken away from a stream that has fallen too far behind, whether it asks for more or not: what a consumer
/// that went to sleep keeps in memory is bounded. To that end all live cursors are known to a ``StreamRegistry``, which
/// keeps their places and not the cursors, so that a cursor that is let go of goes at once.
final class ChangesetCursor: Sendable {
    private let place: StreamPlace
    /// Has the registry.
    private let publication: Publication
    private let id: UInt64

    /// A cursor behind the commit of `link`.
    convenience init(_ link: ChangesetLink, of publication: Publication) {
        self.init(StreamPlace(link: link, number: link.number), of: publication)
    }

    /// A cursor behind `number`, for a stream that reads from the log.
    convenience init(number: CommitNumber, of publication: Publication) {
        self.init(StreamPlace(link: nil, number: number), of: publication)
    }

    private init(_ place: StreamPlace, of publication: Publication) {
        self.place = place
        self.publication = publication
        id = publication.register(place)
    }

    deinit { publication.forget(id) }

    /// Another cursor at the same place.
    func copy() -> ChangesetCursor { ChangesetCursor(place.copy(), of: publication) }

    /// The last commit that was delivered.
    var number: CommitNumber { place.number }

    /// Whether the stream follows the chain; a stream that doesn't has to read the log, or to end.
    var isLinked: Bool { place.isLinked }

    /// The next changeset in the chain, if it is there.
    func advance() -> Changeset? { place.advance() }

    /// Moves on without the chain: what was delivered came from the log.
    func delivered(_ number: CommitNumber) { place.delivered(number) }

    /// Goes on in the chain, if that is where the cursor stands.
    func link(to link: ChangesetLink) -> Bool { place.link(to: link) }
}

/// The link a stream holds, and the number of the last commit it delivered.
final class StreamPlace: Sendable {
    private struct State {
        var link: ChangesetLink?
        var number: CommitNumber
    }

    // Links that are let go of are moved out and released after the lock: one may be the last of a long chain of users'
    // values.
    private let state: Mutex<State>

    init(link: ChangesetLink?, number: CommitNumber) {
        state = Mutex(State(link: link, number: number), rank: .streamPlace)
    }

    func copy() -> StreamPlace {
        let (link, number) = state.withLock { ($0.link, $0.number) }
        return StreamPlace(link: link, number: number)
    }

    var number: CommitNumber { state.withLock { $0.number } }
    var isLinked: Bool { state.withLock { $0.link != nil } }

    /// The link, if it is that of a commit or of an earlier one.
    func link(atOrBefore number: CommitNumber) -> ChangesetLink? {
        state.withLock { $0.number <= number ? $0.link : nil }
    }

    func advance() -> Changeset? {
        let (changeset, old) = state.withLock { state -> (Changeset?, ChangesetLink?) in
            guard let next = state.link?.following else { return (nil, nil) }
            let old = state.link.take()
            state.link = next
            state.number = next.number
            return (next.changeset, old)
        }
        withExtendedLifetime(old) {}
        return changeset
    }

    func delivered(_ number: CommitNumber) { state.withLock { $0.number = number } }

    func link(to link: ChangesetLink) -> Bool {
        let (isLinked, old) = state.withLock { state -> (Bool, ChangesetLink?) in
            guard state.number == link.number else { return (false, nil) }
            let old = state.link.take()
            state.link = link
            return (true, old)
        }
        withExtendedLifetime(old) {}
        return isLinked
    }

    /// Lets go of the chain.
    func detach() {
        let old = state.withLock { $0.link.take() }
        withExtendedLifetime(old) {}
    }

    /// Lets go of the chain if that keeps more than the limit from here to `newest`.
    func detachIfLagging(newest: ChangesetLink, limit: LagLimit) {
        let old = state.withLock { state -> ChangesetLink? in
            guard let link = state.link else { return nil }
            let isTooLong = newest.number.rawValue &- link.number.rawValue > UInt64(max(limit.commits, 1))
            let isTooLarge = newest.bytes &- link.bytes > UInt64(max(limit.bytes, 1))
            return isTooLong || isTooLarge ? state.link.take() : nil
        }
        withExtendedLifetime(old) {}
    }
}

/// The places of all live streams of changesets, by a number of their own.
struct StreamRegistry: Sendable {
    private(set) var places: [UInt64: StreamPlace] = [:]
    private var lastID: UInt64 = 0

    mutating func add(_ place: StreamPlace) -> UInt64 {
        lastID += 1
        places[lastID] = place
        return lastID
    }

    mutating func remove(_ id: UInt64) -> StreamPlace? { places.removeValue(forKey: id) }
}

// Nobody who reads or writes takes the lock of the registry; who makes or drops a stream does, for O(1).
extension Publication {
    /// The number of live streams.
    var streamCount: Int { streams.withLock { $0.places.count } }

    fileprivate func register(_ place: StreamPlace) -> UInt64 { streams.withLock { $0.add(place) } }

    fileprivate func forget(_ id: UInt64) {
        let place = streams.withLock { $0.remove(id) }
        withExtendedLifetime(place) {}
    }

    /// A cursor behind a commit: in the chain if the commit is there, so that no log is needed.
    func cursor(after number: CommitNumber) -> ChangesetCursor {
        if let link = link(of: number) { return ChangesetCursor(link, of: self) }
        return ChangesetCursor(number: number, of: self)
    }

    /// The link of a commit: the end of the chain, or one that is kept by a stream which stands there or before. `nil` if none
    /// does, or if the commit is not there yet. O(1) for the newest commit, else O(number of streams + commits from the nearest).
    private func link(of number: CommitNumber) -> ChangesetLink? {
        let tail = newestWithTail.tail
        guard number < tail.number else { return number == tail.number ? tail : nil }
        // A copy of the dictionary's reference; adding a stream meanwhile copies its storage once.
        let places = streams.withLock { $0.places }
        var found: ChangesetLink?
        for place in places.values {
            guard let link = place.link(atOrBefore: number) else { continue }
            if found.map({ $0.number < link.number }) ?? true { found = link }
        }
        while let link = found, link.number < number { found = link.following }
        return found
    }

    /// Takes the chain away from everybody.
    func detachStreams() {
        let places = streams.withLock { $0.places }
        for place in places.values { place.detach() }
    }

    /// Takes the chain away from those who are too far behind. O(number of streams).
    func detachLaggingStreams(behind newest: ChangesetLink) {
        // A copy of the dictionary's reference; adding a stream meanwhile copies its storage once.
        let places = streams.withLock { $0.places }
        for place in places.values { place.detachIfLagging(newest: newest, limit: lagLimit) }
    }
}
