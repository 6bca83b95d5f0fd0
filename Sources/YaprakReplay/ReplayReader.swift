public import SystemPackage
import YaprakCore
public import YaprakStorage

/// A database directory, read without the program that wrote it and without its types: statistics, commits, the state
/// as of any commit, verification.
///
///     let reader = try ReplayReader("shop.yaprak")
///     for try await commit in reader.commits(from: 100) { print(commit.number, commit.time) }
///     let dune = try reader.state(at: 42).record("abc", in: "books")
///
/// Takes no lock and writes nothing, so a program may be writing meanwhile: each call sees the commits that are complete
/// when it is made. Calls read files and block while they do.
public struct ReplayReader: Sendable {
    /// The directory.
    public let path: FilePath
    let store: StoreReader

    /// Opens the directory at `path` for reading.
    ///
    /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
    /// - Complexity: O(1); files are read by the other calls.
    public init(_ path: FilePath) throws(DatabaseError) {
        self.path = path
        store = try StoreReader.open(path)
    }

    /// The newest complete commit there is now; 0 in a new database.
    ///
    /// - Throws: `corruptLog`, `newerFormat`, `ioFailed`.
    /// - Complexity: O(bytes of the newest segment).
    public func newestCommitNumber() throws(DatabaseError) -> CommitNumber { try store.newest() }

    /// The oldest commit in the log, where ``commits(from:through:)`` can start; `nil` if the log has none.
    ///
    /// - Throws: `ioFailed`. - Complexity: O(number of segments).
    public func oldestCommitNumber() throws(DatabaseError) -> CommitNumber? {
        try store.segments().filter { $0.last != nil }.map(\.first).min()
    }

    /// The whole database as of a commit: from the nearest checkpoint at or before it, and the log from there.
    ///
    ///     let then = try reader.state(at: 42)
    ///     print(then.collectionNames, then.count(in: "books"))
    ///
    /// - Parameter number: the commit; the newest there is if `nil`.
    /// - Throws: `commitOutOfReach` if neither a checkpoint nor the log leads there; `corruptLog`, `corruptCheckpoint`,
    ///   `newerFormat`, `ioFailed`.
    /// - Complexity: O(bytes of the checkpoint and of the log after it), in time and in memory.
    public func state(at number: CommitNumber? = nil) throws -> ReplayState {
        ReplayState(state: try HistoryReader.state(at: number, of: store))
    }
}
