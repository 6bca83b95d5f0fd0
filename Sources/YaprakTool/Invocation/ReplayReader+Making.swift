import Yaprak
import YaprakLocks
import YaprakReplay

extension ReplayReader {
    /// Calls `body`, which makes a directory that appears when it is complete, with a reader that reads nothing more after
    /// Ctrl-C.
    ///
    /// - Throws: `CancellationError` if Ctrl-C kept it from reading on: there is no directory then. Who presses it later gets
    ///   what was made. And what `body` throws.
    @discardableResult
    func making<Made>(_ body: (ReplayReader) throws -> Made) throws -> Made {
        let isInterrupted = Invocation.isInterrupted
        let progress = Mutex((isOver: false, isStopped: false))
        return try reading(unless: {
            let known = progress.withLock { $0 }
            if known.isOver || known.isStopped { return known.isStopped }
            // Not under the lock.
            guard isInterrupted() else { return false }
            return progress.withLock { progress in
                if !progress.isOver { progress.isStopped = true }
                return progress.isStopped
            }
        }) { reader in
            defer { progress.withLock { $0.isOver = true } }
            return try body(reader)
        }
    }
}
