import YaprakLocks
import YaprakModel

/// One published commit, and the way to the next.
///
///     a lagging reader                                  the newest
///           ▼                                               ▼
///        ┌──────┐ next ┌──────┐ next ┌──────┐ next ┌──────┐
///        │  40  │─────▶│  41  │─────▶│  42  │─────▶│  43  │
///        └──────┘      └──────┘      └──────┘      └──────┘
///
/// A stream that wants every commit holds the link of the last one it has seen: what came since hangs on it, one changeset per
/// missed commit, and goes as soon as nobody holds it. Publishing costs the same whether one listens or a thousand do; while
/// nobody does, no links are made.
final class ChangesetLink: Sendable {
    /// `nil` only in the first link, which stands for the state that somebody began to follow.
    let changeset: Changeset?
    /// The commit the link stands for.
    let number: CommitNumber
    /// What all changesets up to this one keep in memory, about: the difference of two links is what the holder of the
    /// earlier one keeps. Complete when the link is appended, before anybody else can reach it.
    nonisolated(unsafe) private(set) var bytes: UInt64
    private let next = Mutex<ChangesetLink?>(nil, rank: .changesetLink)

    /// - Parameter bytes: what the changeset alone keeps in memory; of the first link, where the count begins.
    init(changeset: Changeset?, number: CommitNumber, bytes: UInt64) {
        self.changeset = changeset
        self.number = number
        self.bytes = bytes
    }

    deinit {
        // A long chain must not be taken down by recursion.
        var following = next.withLock { $0.take() }
        while following != nil, isKnownUniquelyReferenced(&following) {
            following = following!.next.withLock { $0.take() }
        }
    }

    /// The commit after this one, if there is one.
    var following: ChangesetLink? { next.withLock { $0 } }

    /// Puts the next commit behind this one. Once.
    func append(_ link: ChangesetLink) {
        link.bytes &+= bytes
        next.withLock { $0 = link }
    }
}
