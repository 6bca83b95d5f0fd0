import YaprakLocks
import YaprakModel

/// The first failure of the log that no writer has dealt with yet.
///
/// Notified by the log's thread, which keeps this and not the database: it is not to be the last to let go of that. (It may be,
/// where an extension has the database; then it closes the files without waiting.) Commits that were queued before a failure
/// was dealt with may fail after it; they are of an older era, and no news.
final class LogHealth: Sendable {
    private struct State {
        var era = 0
        var failure: DatabaseError?
        var wasOverLimit = false
    }

    private let state = Mutex(State())

    /// Counts the failures that were dealt with. A commit belongs to the era in which it is queued.
    var era: Int { state.withLock { $0.era } }

    var failure: DatabaseError? { state.withLock { $0.failure } }

    /// Whether the log ever refused a commit because of a limit, such as that of its files.
    var wasOverLimit: Bool { state.withLock { $0.wasOverLimit } }

    /// Notes that a commit of an era failed.
    func note(_ error: DatabaseError, era: Int) {
        state.withLock {
            if error.code == .overLimit { $0.wasOverLimit = true }
            if $0.era == era, $0.failure == nil { $0.failure = error }
        }
    }

    /// Memory is back at what was published, and the log goes on behind it.
    func clearFailure() {
        state.withLock {
            $0.era += 1
            $0.failure = nil
        }
    }
}
