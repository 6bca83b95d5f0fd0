import SystemPackage
import Yaprak
import YaprakLocks
import YaprakReplay

/// One database that several commands look at: what one of them has read is there for the next.
final class Journey: Sendable {
    let path: String
    let reader: ReplayReader
    private let cursor = Mutex<HistoryCursor?>(nil)
    private let views = Mutex<(commit: CommitNumber, names: [String])?>(nil)

    init(_ path: String) throws(DatabaseError) {
        self.path = path
        reader = try ReplayReader(FilePath(path))
    }

    /// Whether something of the history was read.
    var isWarm: Bool { cursor.withLock { $0 != nil } }

    /// The names of the views; read again only after another commit.
    func viewNames() throws -> [String] {
        let newest = try reader.newestCommitNumber()
        if let known = views.withLock({ $0 }), known.commit == newest { return known.names }
        let names = try reader.views().map(\.name)
        views.withLock { $0 = (newest, names) }
        return names
    }

    /// The cursor, at a commit. Commands share it, one after the other.
    func cursor(at number: CommitNumber) throws -> HistoryCursor {
        if let cursor = cursor.withLock({ $0 }) {
            do {
                try cursor.seek(to: number)
                return cursor
            } catch {
                // The files may be others by now: retention removes some. What leads there today decides.
                self.cursor.withLock { $0 = nil }
            }
        }
        let made = try reader.cursor(at: number)
        cursor.withLock { $0 = made }
        return made
    }
}

extension ReplayReader {
    /// The database as of a commit; from what was read before, in a shell.
    func state(at number: CommitNumber? = nil) throws -> Snapshot {
        guard let journey = Invocation.journey, journey.reader.path == path else { return try snapshot(at: number) }
        let number = try number ?? newestCommitNumber()
        return try journey.cursor(at: number).snapshot
    }

    /// A cursor at a commit; the one of the shell, if there is one.
    func warmCursor(at number: CommitNumber? = nil) throws -> HistoryCursor {
        guard let journey = Invocation.journey, journey.reader.path == path else { return try cursor(at: number) }
        let number = try number ?? newestCommitNumber()
        return try journey.cursor(at: number)
    }
}
