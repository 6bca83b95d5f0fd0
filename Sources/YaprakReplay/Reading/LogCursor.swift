import YaprakCore
public import YaprakModel
import YaprakStorage

/// How far a log was read, as text to keep: a reader that continues from there misses no commit and gets none twice.
///
///     var cursor = try LogCursor(text: saved)
///     for try await commit in try reader.commits(after: cursor) {
///         handle(commit)
///         cursor = try reader.cursor(at: commit)
///     }
///
/// It names the database, the commit, and the commit's own bytes by their hash. A number alone could mean another commit:
/// of another database, of a fork, of a backup that was put back, or of a log that a crash took the last commits from, if
/// they were written under `Durability.interval` or `Durability.relaxed`. Such a cursor is refused, not
/// misread.
public struct LogCursor: Sendable, Hashable {
    let database: String
    let number: CommitNumber
    /// nil before the first commit.
    let fingerprint: UInt64?

    /// The commit that was read last; 0 before the first. O(1).
    public var commitNumber: CommitNumber { number }

    init(database: String, number: CommitNumber, fingerprint: UInt64?) {
        self.database = database
        self.number = number
        self.fingerprint = fingerprint
    }

    /// Reads a cursor.
    ///
    /// - Throws: `invalidPosition` if the text is none. - Complexity: O(1).
    public init(text: String) throws(DatabaseError) {
        let parts = text.utf8.count <= 100 ? text.split(separator: "-", omittingEmptySubsequences: false) : []
        guard parts.count == 2 || parts.count == 3, parts[0].utf8.count == 32,
            parts[0].utf8.allSatisfy(Self.isHexadecimal), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt64(parts[1]), number <= LogPosition.commitNumberMax, (number == 0) == (parts.count == 2)
        else { throw Self.refusal(text) }
        var fingerprint: UInt64?
        if parts.count == 3 {
            guard parts[2].utf8.count == 16, parts[2].utf8.allSatisfy(Self.isHexadecimal) else {
                throw Self.refusal(text)
            }
            fingerprint = UInt64(parts[2], radix: 16)
        }
        self.init(database: String(parts[0]), number: CommitNumber(number), fingerprint: fingerprint)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func refusal(_ text: String) -> DatabaseError {
        DatabaseError(.invalidPosition, "\(quoted(text)) is not a cursor. Give one as it was printed, or a position.")
    }
}

extension LogCursor: CustomStringConvertible {
    /// The identity of the database, the number, the hash of the commit: `c15c…a1-42-09af…`.
    public var description: String {
        guard let fingerprint else { return "\(database)-\(number)" }
        let digits = String(fingerprint, radix: 16)
        return "\(database)-\(number)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension ReplayReader {
    /// The cursor of a reader that has read up to a commit.
    ///
    /// - Throws: `notADatabase`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(1), whatever the number of files; a reader's first cursor reads the header of each segment.
    public func cursor(at commit: ReplayCommit) throws(DatabaseError) -> LogCursor {
        LogCursor(
            database: "\(try store.databaseID())", number: commit.commitNumber, fingerprint: commit.fingerprint)
    }

    /// The commits after a cursor, up to `last` or the newest there is.
    ///
    /// - Throws: `typeMismatch` if the cursor belongs to another database or another history; `commitOutOfReach` if the
    ///   log does not reach back to it, or does not reach it; `notADatabase`, `corruptLog`, `newerFormat`, `permissionDenied`,
    ///   `ioFailed`, `overLimit`.
    /// - Complexity: as ``commits(from:through:)``.
    public func commits(after cursor: LogCursor, through last: CommitNumber? = nil) throws(DatabaseError)
        -> ReplayCommits
    {
        guard cursor.database == "\(try store.databaseID())" else {
            throw DatabaseError(
                .typeMismatch, "The cursor belongs to another database. Read this one from the beginning.",
                place: .init(commits: cursor.number...cursor.number))
        }
        let newest = try newestCommitNumber()
        guard cursor.number <= newest else {
            throw DatabaseError(
                .commitOutOfReach,
                "The cursor stands at commit \(cursor.number), and the newest is \(newest): the log has lost "
                    + "commits, or is an older copy. Read it from the beginning.",
                place: .init(commits: newest...cursor.number))
        }
        let oldest = try oldestCommitNumber()
        guard oldest ?? cursor.number.next() <= cursor.number.next() else {
            throw DatabaseError(
                .commitOutOfReach,
                "The cursor stands at commit \(cursor.number), and the log starts with \(oldest ?? 0): the commits "
                    + "between are gone. Read a snapshot, then continue from there.",
                place: .init(commits: cursor.number...(oldest ?? cursor.number)))
        }
        if cursor.number > .zero, let oldest, oldest <= cursor.number {
            var commits = commits(from: cursor.number, through: cursor.number).makeAsyncIterator()
            guard let commit = try commits.next(), commit.fingerprint == cursor.fingerprint else {
                throw DatabaseError(
                    .typeMismatch,
                    "Commit \(cursor.number) is not the one that the cursor was made at: this is a fork, a copy "
                        + "from a backup, or a log that lost commits in a crash. Read it from the beginning.",
                    place: .init(commits: cursor.number...cursor.number))
            }
        }
        return commits(from: cursor.number.next(), through: last)
    }
}
