internal import YaprakLocks
internal import YaprakModel

/// Why the last pruning left files that nobody needs: what a full folder gives as the cause.
final class PruningFailure: Sendable {
    private let error = Mutex<DiskError?>(nil)

    /// Notes what came of a pruning; nil if it removed everything that it had to.
    func note(_ failure: DiskError?) { error.withLock { $0 = failure } }

    /// The failure of the last pruning; nil if it succeeded, or if there was none.
    var cause: DatabaseError? { error.withLock { $0 }?.asDatabaseError(writing: true) }
}
