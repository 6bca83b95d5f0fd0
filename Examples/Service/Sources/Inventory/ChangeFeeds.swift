import Foundation
import HTTPTypes
import Hummingbird
import ServiceLifecycle
import Synchronization
import Yaprak

/// Feeds of what was changed, as server-sent events: one for each commit.
///
/// A client that reconnects sends the last number it has seen, and misses none: what memory no longer has is read from the log.
/// A feed that reads the log holds a copy of all items until it has caught up, for as long as its client takes to read what is
/// sent. So only a few do at once, and none whose client is far behind. A client that is behind counts as one that reads the
/// log, also where memory still has its commits.
///
/// The other clients get the event `reset`: they read the items again, and go on from its number. So do those whose commits
/// nobody has any more. Where all items were removed at once, all clients get it.
final class ChangeFeeds: Sendable {
    private let database: Database
    private let commitsBehindMax: UInt64
    private let logReadersMax: Int
    private let logReaders = Atomic(0)

    /// - Parameters:
    ///   - commitsBehindMax: how many commits a client may be behind.
    ///   - logReadersMax: how many feeds may read the log at once.
    init(_ database: Database, commitsBehindMax: UInt64 = 10_000, logReadersMax: Int = 4) {
        self.database = database
        self.commitsBehindMax = commitsBehindMax
        self.logReadersMax = logReadersMax
    }

    /// How many feeds may be reading the log now.
    var logReaderCount: Int { logReaders.load(ordering: .relaxed) }

    /// The feed of one client.
    ///
    /// - Parameter last: the last commit that the client has seen; `nil` if it wants what comes from now on.
    func response(after last: CommitNumber?) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                do {
                    try await self.send(after: last, to: &writer)
                } catch let error as DatabaseError where [.commitOutOfReach, .laggedBehind].contains(error.code) {
                    // With the same number it would fail again, however often the client comes back.
                    let newest = self.database.commitNumber
                    try await writer.write(ByteBuffer(string: "id: \(newest)\nevent: reset\ndata: []\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    private func send(after last: CommitNumber?, to writer: inout any ResponseBodyWriter) async throws {
        // A sequence that nobody reads counts as a slow consumer, so it is made where it is read.
        let changesets = last.map { database.changesets(after: $0) } ?? database.changesets()
        // Asked before anything is awaited: commits from now on are in memory.
        let isBehind = last.map { $0 < database.commitNumber } ?? false
        // So that a client knows that it is connected before anything happens.
        try await writer.write(ByteBuffer(string: ": connected\n\n"))
        var mayReadLog = false
        defer { if mayReadLog { endReadingLog() } }
        if let last, isBehind {
            try checkDistance(to: last)
            try beginReadingLog()
            mayReadLog = true
        }
        for try await changeset in changesets.cancelOnGracefulShutdown() {
            // The client was so slow that memory no longer had this commit.
            if changeset.isFromLog, !mayReadLog {
                try beginReadingLog()
                mayReadLog = true
            }
            try await writer.write(ByteBuffer(string: try event(of: changeset)))
            try checkDistance(to: changeset.commitNumber)
            // It has caught up.
            if mayReadLog, !changeset.isFromLog || changeset.commitNumber == database.commitNumber {
                endReadingLog()
                mayReadLog = false
            }
        }
    }

    /// - Throws: `laggedBehind` if a client that has seen no more than this commit is far behind.
    private func checkDistance(to number: CommitNumber) throws {
        let newest = database.commitNumber
        let distance = newest.rawValue - min(number, newest).rawValue
        guard distance <= commitsBehindMax else {
            throw DatabaseError(.laggedBehind, "The client is \(distance) commits behind. Let it read the items again.")
        }
    }

    /// - Throws: `laggedBehind` if so many feeds read the log already.
    private func beginReadingLog() throws {
        guard logReaders.wrappingAdd(1, ordering: .relaxed).newValue <= logReadersMax else {
            endReadingLog()
            throw DatabaseError(.laggedBehind, "Other feeds are reading the log. Let the client read the items again.")
        }
    }

    private func endReadingLog() { logReaders.wrappingSubtract(1, ordering: .relaxed) }

    private func event(of changeset: Changeset) throws -> String {
        let changed = changeset.changes(in: .items)
        let changes = changed.map { ChangeEvent(id: $0.key, item: $0.after?.object) }
        let data = String(decoding: try JSONEncoder().encode(changes), as: UTF8.self)
        // That all items were removed is one fact, before the changes of single ones.
        let event = changed.didRemoveAll ? "reset" : changeset.origin
        return "id: \(changeset.commitNumber)\nevent: \(event)\ndata: \(data)\n\n"
    }
}

/// An item as it is now; without one it was removed.
private struct ChangeEvent: Encodable {
    var id: String
    var item: Item?
}
