import YaprakLocks
public import YaprakModel

/// A reader's place in time, with a name.
///
///     let list = database.makeConnection(named: "list")
///     await list.beginLongLivedRead()
///     let rows = await list.snapshot[.books]                     // stays what it is …
///     …
///     let changes = await list.advance()                          // … until the connection moves on
///     if changes.hasChange(in: .books) { redraw() }
///
/// A live connection sees the newest commit with each read. A long-lived read pins one commit until ``advance()``, so that
/// everything read meanwhile belongs together. A pin never makes a writer, a checkpoint or the pruning of the log wait; it
/// costs the memory of what changed since, and one changeset for each commit it is behind.
public actor Connection {
    /// The name: the origin of what is written through this connection.
    public nonisolated let name: String
    /// The database.
    public nonisolated let database: Database

    private var pin: (state: SnapshotState, link: ChangesetLink)?

    init(_ database: Database, name: String) {
        self.database = database
        self.name = name
    }

    /// What this connection sees: the newest commit, or the one it is pinned to. O(1).
    public var snapshot: Snapshot { pin.map { Snapshot($0.state) } ?? database.snapshot }

    /// The commit this connection sees.
    public var commitNumber: CommitNumber { snapshot.commitNumber }

    /// Whether the connection is pinned to a commit.
    public var isInLongLivedRead: Bool { pin != nil }

    /// Pins the connection to the newest commit. A connection that is pinned already moves on, as by ``advance()``.
    /// - Returns: the changesets of the commits it jumped, oldest first; empty on the first call.
    /// - Complexity: O(number of commits jumped).
    @discardableResult
    public func beginLongLivedRead() -> [Changeset] { advance() }

    /// Moves a pinned connection to the newest commit, in one step. A live one becomes pinned there.
    ///
    /// - Returns: the changesets of every commit it jumped, its own and others', oldest first.
    /// - Complexity: O(number of commits jumped).
    @discardableResult
    public func advance() -> [Changeset] {
        let (state, tail, _) = database.publication.newestWithTail
        defer { pin = (state, tail) }
        return pin.map { Self.changesets(after: $0.link, upTo: tail) } ?? []
    }

    /// Makes the connection live again.
    /// - Returns: the changesets of the commits it was behind, oldest first; empty if it was live.
    /// - Complexity: O(number of commits it was behind).
    @discardableResult
    public func endLongLivedRead() -> [Changeset] {
        guard pin != nil else { return [] }
        defer { pin = nil }
        return advance()
    }

    /// Reads from what this connection sees, as of one moment. The body runs on the connection's actor, nobody else's.
    /// - Throws: what the body throws.
    public func read<Result: Sendable>(_ body: @Sendable (Snapshot) throws -> Result) rethrows -> Result {
        try body(snapshot)
    }

    /// Writes; the connection's name is the origin. A pin stays where it is, also behind the connection's own commits.
    /// - Throws: as ``Database/write(origin:_:)``.
    /// - Complexity: as ``Database/write(origin:_:)``.
    @discardableResult
    public nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @Sendable (inout WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write(origin: name, body)
    }

    private static func changesets(after link: ChangesetLink, upTo tail: ChangesetLink) -> [Changeset] {
        var changesets: [Changeset] = []
        var at = link
        while at !== tail, let next = at.following {
            if let changeset = next.changeset { changesets.append(changeset) }
            at = next
        }
        return changesets
    }
}

extension Database {
    /// A connection: a named place in time. O(1), no limit on their number.
    ///
    ///     let sync = database.makeConnection(named: "sync")
    public nonisolated func makeConnection(named name: String = "") -> Connection { Connection(self, name: name) }
}
