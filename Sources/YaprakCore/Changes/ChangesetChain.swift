import YaprakLocks
import YaprakStorage

/// One published commit, and the way to the next.
///
///     a lagging reader                                  the newest
///           ▼                                               ▼
///        ┌──────┐ next ┌──────┐ next ┌──────┐ next ┌──────┐
///        │  40  │─────▶│  41  │─────▶│  42  │─────▶│  43  │
///        └──────┘      └──────┘      └──────┘      └──────┘
///
/// Whoever wants every commit holds the link of the last one it has seen: what came since hangs on it, one changeset per
/// missed commit, and goes as soon as nobody holds it. Publishing costs the same whether nobody listens or a thousand do.
final class ChangesetLink: Sendable {
    /// `nil` only in the first link, which stands for the state that was opened.
    let changeset: Changeset?
    /// The commit the link stands for.
    let number: CommitNumber
    let next = Mutex<ChangesetLink?>(nil)

    init(changeset: Changeset?, number: CommitNumber) {
        self.changeset = changeset
        self.number = number
    }

    deinit {
        // A long chain must not be taken down by recursion.
        var following = next.withLock { $0.take() }
        while following != nil, isKnownUniquelyReferenced(&following) {
            following = following!.next.withLock { $0.take() }
        }
    }
}

/// Where a stream of changesets stands, and how far it may fall behind.
///
/// The link is taken away from a stream that has fallen too far behind, whether it asks for more or not: what a consumer
/// that went to sleep keeps in memory is bounded.
final class ChangesetCursor: Sendable {
    private struct Place {
        var link: ChangesetLink?
        var number: CommitNumber
    }

    private let place: Mutex<Place>
    let lagLimit: Int

    init(_ link: ChangesetLink, lagLimit: Int) {
        place = Mutex(Place(link: link, number: link.number))
        self.lagLimit = lagLimit
    }

    /// A cursor behind `number`, for a stream that reads from the log.
    init(number: CommitNumber, lagLimit: Int) {
        place = Mutex(Place(link: nil, number: number))
        self.lagLimit = lagLimit
    }

    private init(_ place: Place, lagLimit: Int) {
        self.place = Mutex(place)
        self.lagLimit = lagLimit
    }

    /// Another cursor at the same place.
    func copy() -> ChangesetCursor { ChangesetCursor(place.withLock { $0 }, lagLimit: lagLimit) }

    /// The last commit that was delivered.
    var number: CommitNumber { place.withLock { $0.number } }

    /// Whether the stream follows the chain; a stream that doesn't has to read the log, or to end.
    var isLinked: Bool { place.withLock { $0.link != nil } }

    /// The next changeset in the chain, if it is there.
    func advance() -> Changeset? {
        // What is let go of goes outside the lock: it may be the last of a long chain.
        let (changeset, old) = place.withLock { place -> (Changeset?, ChangesetLink?) in
            let old = place.link
            guard let next = old?.next.withLock({ $0 }) else { return (nil, nil) }
            place.link = next
            place.number = next.number
            return (next.changeset, old)
        }
        withExtendedLifetime(old) {}
        return changeset
    }

    /// Moves on without the chain: what was delivered came from the log.
    func delivered(_ number: CommitNumber) { place.withLock { $0.number = number } }

    /// Goes on in the chain, if that is where the cursor stands.
    func link(to link: ChangesetLink) -> Bool {
        place.withLock { place in
            guard place.number == link.number else { return false }
            place.link = link
            return true
        }
    }

    /// Lets go of the chain if the cursor is too far behind its end.
    func cut(newest: CommitNumber) {
        let old = place.withLock { place -> ChangesetLink? in
            guard newest.rawValue &- place.number.rawValue > UInt64(max(lagLimit, 1)) else { return nil }
            return place.link.take()
        }
        withExtendedLifetime(old) {}
    }
}
