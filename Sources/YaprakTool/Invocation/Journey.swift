import SystemPackage
import Yaprak
import YaprakLocks
import YaprakReplay

/// One database that several commands look at: what one of them has read is there for the next.
final class Journey: Sendable {
    let path: String
    let reader: ReplayReader
    private let identity: DirectoryIdentity?
    private let cursor = Mutex<HistoryCursor?>(nil)
    private let views = Mutex<(commit: CommitNumber, names: [String])?>(nil)

    init(_ path: String) throws(DatabaseError) {
        self.path = path
        // First, so that a directory that takes the place of another in between is noticed at the next line.
        identity = DirectoryIdentity(of: FilePath(path))
        reader = try ReplayReader(FilePath(path))
    }

    /// Whether the directory that is read is still the one at the path, to which subcommands write. The reader keeps it open, so
    /// that no other one gets its identity.
    var isAtItsPath: Bool { DirectoryIdentity(of: FilePath(path)) == identity }

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
    ///
    /// - Throws: `CancellationError` if the command is interrupted on the way. How far it came is there for the next.
    func cursor(at number: CommitNumber) throws -> HistoryCursor {
        let isInterrupted = Invocation.isInterrupted
        if let cursor = cursor.withLock({ $0 }) {
            do {
                try cursor.seek(to: number, unless: isInterrupted)
                return cursor
            } catch let error as CancellationError {
                throw error
            } catch {
                // The files may be others by now: retention removes some. What leads there today decides.
                self.cursor.withLock { $0 = nil }
            }
        }
        let made = try beginning(before: number)
        cursor.withLock { $0 = made }
        try made.seek(to: number, unless: isInterrupted)
        return made
    }

    /// A cursor where reading can begin before a commit, or at it.
    private func beginning(before number: CommitNumber) throws -> HistoryCursor {
        let start = try reader.checkpointNumbers().last { $0 <= number } ?? .zero
        // What does not begin there, for damage or want of a log, says so of the commit that is asked for.
        if start < number, let cursor = try? reader.cursor(at: start) { return cursor }
        return try reader.cursor(at: number)
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
