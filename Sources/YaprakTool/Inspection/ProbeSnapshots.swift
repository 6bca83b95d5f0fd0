import Yaprak
import YaprakReplay

/// The snapshots of the probes: each is reached from another one, or from the nearest checkpoint.
final class ProbeSnapshots {
    private let reader: ReplayReader
    private var cursor: HistoryCursor?

    init(_ reader: ReplayReader) { self.reader = reader }

    /// The database as of a commit.
    func snapshot(at commit: CommitNumber) throws -> Snapshot {
        if let cursor {
            try cursor.seek(to: commit, unless: Invocation.isInterrupted)
            return cursor.snapshot
        }
        let cursor = try reader.warmCursor(at: commit)
        self.cursor = cursor
        return cursor.snapshot
    }
}
