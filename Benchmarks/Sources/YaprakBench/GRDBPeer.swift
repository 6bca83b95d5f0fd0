import Foundation
import GRDB

/// GRDB over SQLite: what a Swift program would use today.
struct GRDBPeer {
    enum Mode: String {
        case memory = "GRDB, memory"
        /// Nothing is synced, not even where the log is copied into the database: a power cut may destroy it.
        case off = "GRDB, WAL OFF"
        /// A power cut may take the last commits.
        case normal = "GRDB, WAL NORMAL"
        /// A commit is synced, as ours is.
        case full = "GRDB, WAL FULL"
    }

    let writer: any DatabaseWriter

    init(_ mode: Mode, in directory: String = "", fresh: Bool = true) throws {
        if mode == .memory {
            writer = try DatabaseQueue()
        } else {
            writer = try DatabasePool(path: directory + "/db.sqlite")
            let level = mode == .full ? 2 : mode == .normal ? 1 : 0
            try writer.writeWithoutTransaction { db in
                // A pool sets NORMAL itself, after its configuration has run.
                try db.execute(sql: "PRAGMA synchronous = \(level)")
                let set = try Int.fetchOne(db, sql: "PRAGMA synchronous")
                precondition(set == level)
            }
        }
        guard fresh else { return }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE kv(collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
                        PRIMARY KEY(collection, key)) WITHOUT ROWID;
                    CREATE TABLE item(key TEXT NOT NULL PRIMARY KEY, id INTEGER, title TEXT, grp TEXT, body TEXT,
                        rank REAL, count INTEGER, done BOOLEAN);
                    """)
        }
    }

    func close() throws { try writer.close() }

    func fill(_ keys: [String], _ blobs: [Data], per: Int = 1000) throws {
        for start in stride(from: 0, to: keys.count, by: per) {
            try writer.write { db in
                let statement = try db.cachedStatement(sql: "INSERT INTO kv VALUES ('items', ?, ?)")
                for i in start..<min(keys.count, start + per) { try statement.execute(arguments: [keys[i], blobs[i]]) }
            }
        }
    }

    func fillRecords(_ keys: [String], _ items: [Item], per: Int = 1000) throws {
        for start in stride(from: 0, to: keys.count, by: per) {
            try writer.write { db in
                for i in start..<min(keys.count, start + per) { try ItemRecord(keys[i], items[i]).insert(db) }
            }
        }
    }

    func readBlobs(_ probes: ArraySlice<String>) throws {
        try writer.read { db in
            for key in probes { try Self.readBlob(db, key) }
        }
    }

    func readBlobsEach(_ probes: ArraySlice<String>) throws {
        for key in probes { try writer.read { db in try Self.readBlob(db, key) } }
    }

    func readBlobsEachAwaiting(_ probes: ArraySlice<String>) async throws {
        for key in probes { try await writer.read { db in try Self.readBlob(db, key) } }
    }

    private static func readBlob(_ db: GRDB.Database, _ key: String) throws {
        let statement = try db.cachedStatement(sql: "SELECT value FROM kv WHERE collection = 'items' AND key = ?")
        sink &+= UInt64(try Data.fetchOne(statement, arguments: [key])!.count)
    }

    func readRecords(_ probes: ArraySlice<String>) throws {
        try writer.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM item WHERE key = ?")
            for key in probes { sink &+= UInt64(try ItemRecord.fetchOne(statement, arguments: [key])!.count) }
        }
    }

    func readAllRecords() throws -> [String: Item] {
        try writer.read { db in
            var records: [String: Item] = [:]
            let cursor = try ItemRecord.fetchCursor(db, sql: "SELECT * FROM item")
            while let record = try cursor.next() { records[record.key] = record.item }
            return records
        }
    }

    /// Replaces rows, one in each transaction.
    func update(_ keys: ArraySlice<String>, _ blobs: [Data], salt: Int) throws {
        for (i, key) in keys.enumerated() {
            try writer.write { db in
                try db.cachedStatement(sql: "UPDATE kv SET value = ? WHERE collection = 'items' AND key = ?")
                    .execute(arguments: [blobs[(i + salt) % blobs.count], key])
            }
        }
    }
}

struct ItemRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let databaseTableName = "item"
    var key: String
    var id: Int64
    var title: String
    var grp: String
    var body: String
    var rank: Double
    var count: Int
    var done: Bool

    init(_ key: String, _ item: Item) {
        self.key = key
        id = item.id
        title = item.title
        grp = item.group
        body = item.body
        rank = item.rank
        count = item.count
        done = item.done
    }

    var item: Item {
        Item(id: id, title: title, group: grp, body: body, rank: rank, count: count, done: done)
    }
}
