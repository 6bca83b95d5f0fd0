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
            progress.withLock { progress in
                if !progress.isOver, isInterrupted() { progress.isStopped = true }
                return progress.isStopped
            }
        }) { reader in
            defer { progress.withLock { $0.isOver = true } }
            return try body(reader)
        }
    }
}
