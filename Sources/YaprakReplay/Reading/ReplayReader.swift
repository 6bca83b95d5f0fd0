public import SystemPackage
public import YaprakCore
public import YaprakModel
package import YaprakStorage

public import struct Foundation.Date

/// A database directory, read without the program that wrote it and without its types: statistics, commits, the state
/// as of any commit, verification.
///
///     let reader = try ReplayReader("shop.yaprak")
///     for try await commit in reader.commits(from: 100) { print(commit.commitNumber, commit.time) }
///     let dune = try reader.snapshot(at: 42).untyped("books")["abc"]
///
/// Takes no lock and writes nothing (except tags, on request), so a program may be writing meanwhile: each call sees
/// the commits that are complete when it is made. Calls read files and block while they do.
///
/// Any call that reads files throws `permissionDenied` if the file system refuses one of them, `ioFailed` if it fails to read,
/// and `overLimit` if a folder has more than 131,072 names.
public struct ReplayReader: Sendable {
    /// The directory.
    public let path: FilePath
    let store: StoreReader
    /// The types that collections are given, and the extensions that follow.
    let types: ReplayTypes

    /// What time it is, in nanoseconds since 1970: `10 minutes ago` counts from there.
    public var clock: @Sendable () -> Int64 = { wallClockNanoseconds() }

    /// Called with a sentence if an answer is doubtful: a time, if the clock was set back around it.
    package var warn: @Sendable (String) -> Void = { _ in }

    /// Opens the directory at `path` for reading.
    ///
    /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`.
    /// - Complexity: O(1); files are read by the other calls.
    public init(_ path: FilePath) throws(DatabaseError) {
        self.path = path
        store = try StoreReader.open(path)
        types = .none
    }

    /// As above, on any file system.
    package init(_ path: FilePath, fileSystem: any FileSystem) throws(DatabaseError) {
        self.path = path
        store = try StoreReader.open(path, fileSystem: fileSystem)
        types = .none
    }

    /// As above, of a directory that is open already.
    init(_ path: FilePath, _ store: StoreReader) {
        self.path = path
        self.store = store
        types = .none
    }

    /// The same files without types: with them, what is set aside is in no collection, and what is older is migrated.
    var untyped: ReplayReader { types.isEmpty ? self : ReplayReader(path, store) }

    /// The files of a database that is open, wherever their path leads by now; `nil` in memory.
    package init?(filesOf database: Database) {
        guard let path = database.path, let makeStoreReader = database.makeStoreReader else { return nil }
        self.init(path, makeStoreReader())
    }

    /// Opens the directory at `path` for reading, with the program's types and extensions.
    ///
    ///     let reader = try ReplayReader("shop.yaprak", collections: .books, extensions: salesRank)
    ///     let then = try reader.snapshot(at: 42)
    ///     print(then[.books]["abc"]?.title, then[salesRank]["sci-fi"].count)
    ///
    /// Snapshots then have these collections as the program has them, migrated where their form was older, and these
    /// extensions as they were at each commit; other collections stay bytes. The state of a primary extension is
    /// what the log says; derived state comes from the code given here, whichever code wrote the log.
    ///
    /// - Parameters:
    ///   - path: the database's directory.
    ///   - collections: handles of the collections to read with types.
    ///   - extensions: those that others read come before these.
    /// - Throws: `notFound`, `notADatabase`, `permissionDenied`, `ioFailed`; `invalidName`, `nameTaken`, `missingExtension`.
    /// - Complexity: O(1); files are read by the other calls.
    public init<each Object, each Metadata, each Extension: DatabaseExtension>(
        _ path: FilePath, collections: repeat RecordCollection<each Object, each Metadata>,
        extensions: repeat each Extension
    ) throws(DatabaseError) {
        self.path = path
        store = try StoreReader.open(path)
        types = try ReplayTypes(collections: repeat each collections, extensions: repeat each extensions)
    }

    /// Whether nothing was ever committed: there are no files that could be damaged.
    package func isBlank() throws(DatabaseError) -> Bool { try store.isBlank() }

    /// The newest complete commit there is now; 0 in a new database.
    ///
    /// - Throws: `corruptLog`, `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`.
    /// - Complexity: O(frames of the newest segment) the first time, then O(new ones); payloads are not read.
    public func newestCommitNumber() throws(DatabaseError) -> CommitNumber { try store.newest() }

    /// The oldest commit in the log, where ``commits(from:through:)`` can start; `nil` if the log has none.
    ///
    /// - Throws: `permissionDenied`, `ioFailed`, `overLimit`. - Complexity: O(number of files) as a rule.
    public func oldestCommitNumber() throws(DatabaseError) -> CommitNumber? {
        try store.oldest()
    }

    /// The whole database as of a commit: from the nearest checkpoint at or before it, and the log from there.
    ///
    ///     let then = try reader.snapshot(at: 42)
    ///     print(then.collectionNames, then.untyped("books").count)
    ///
    /// A value like any other snapshot. Each call reads the files again; to look at many commits, make a
    /// ``HistoryCursor``.
    ///
    /// - Parameter number: the commit; the newest there is if `nil`.
    /// - Throws: `commitOutOfReach` if neither a checkpoint nor the log leads there; `corruptLog`, `corruptCheckpoint`,
    ///   `newerFormat`, `permissionDenied`, `ioFailed`, `overLimit`; with types `undecodableRecord`, `migrationFailed`,
    ///   `extensionFailed`, too.
    /// - Complexity: O(bytes of the checkpoint and of the log after it), in time and in memory; with types the decoding of
    ///   all their records, too.
    public func snapshot(at number: CommitNumber? = nil) throws -> Snapshot {
        if types.isEmpty { return Snapshot(try HistoryReader.state(at: number, of: store)) }
        return Snapshot(try store.reading(asOf: number) { try HistoryLine(of: store, at: $0, types).state })
    }

    /// The whole database as it was at a time: as of the newest commit whose ``ReplayCommit/time`` is then or earlier. A
    /// `Date` is some 200 ns wide in our years; commits within one have the same time.
    ///
    ///     let then = try reader.snapshot(at: Date(timeIntervalSinceNow: -600))
    ///
    /// - Throws: as ``snapshot(at:)-(CommitNumber?)``; `commitOutOfReach` also if the log keeps no commit that old, and
    ///   does not go back to the first.
    /// - Complexity: O(bytes of the log).
    public func snapshot(at time: Date) throws -> Snapshot {
        try snapshot(at: commitNumber(atOrBefore: Self.lastNanosecond(of: time)))
    }

    /// The last nanosecond whose commit would have this time or an earlier one; also for times that no commit will have.
    private static func lastNanosecond(of time: Date) -> Int64 {
        let nanoseconds = time.timeIntervalSince1970 * 1e9
        guard let middle = Int64(exactly: nanoseconds.rounded(.down)) else { return nanoseconds < 0 ? .min : .max }
        // Numbers of seconds are this far apart, and were rounded up to three times on the way. A `Date` counts from 2001.
        let grain = max(time.timeIntervalSince1970.magnitude.ulp, time.timeIntervalSinceReferenceDate.magnitude.ulp)
        let width = Int64(grain * 2e9) + 2
        var (low, high) = (middle.subtractingReportingOverflow(width).partialValue, middle)
        if low > middle { low = .min }
        let (end, isOver) = middle.addingReportingOverflow(width)
        high = isOver ? .max : end
        // `low` has the time or an earlier one, `high` a later one.
        while low < high - 1 {
            let between = low + (high - low) / 2
            if Date(timeIntervalSince1970: Double(between) / 1e9) <= time { low = between } else { high = between }
        }
        return low
    }
}
