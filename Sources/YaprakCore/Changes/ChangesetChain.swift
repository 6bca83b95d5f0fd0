import Synchronization

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
    let state: CommitPlace
    let next = Mutex<ChangesetLink?>(nil)

    /// Where a link stands: its commit, counted also when it carries no changeset.
    typealias CommitPlace = UInt64

    init(changeset: Changeset?, place: CommitPlace) {
        self.changeset = changeset
        self.state = place
    }

    deinit {
        // A long chain must not be taken down by recursion.
        var following = next.withLock { $0.take() }
        while let link = following, isKnownUniquelyReferenced(&following) {
            following = link.next.withLock { $0.take() }
        }
    }
}
