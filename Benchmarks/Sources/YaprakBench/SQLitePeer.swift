import GRDBSQLite

/// SQLite by its C interface, in memory: one prepared statement, nothing bound that is copied.
final class SQLitePeer {
    private var database: OpaquePointer?
    private var insert: OpaquePointer?

    init() {
        check(
            sqlite3_open_v2(
                ":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil))
        execute(
            """
            CREATE TABLE kv(collection TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
                PRIMARY KEY(collection, key)) WITHOUT ROWID
            """)
        check(sqlite3_prepare_v2(database, "INSERT INTO kv VALUES ('items', ?, ?)", -1, &insert, nil))
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(database)
    }

    func fill(_ keys: [[UInt8]], _ values: [[UInt8]], per: Int = 1000) {
        for start in stride(from: 0, to: keys.count, by: per) {
            execute("BEGIN")
            for i in start..<min(keys.count, start + per) {
                keys[i].withUnsafeBytes { key in
                    values[i].withUnsafeBytes { value in
                        // No destructor: the bytes outlive the step.
                        sqlite3_bind_text(insert, 1, key.baseAddress, Int32(key.count), nil)
                        sqlite3_bind_blob(insert, 2, value.baseAddress, Int32(value.count), nil)
                        precondition(sqlite3_step(insert) == SQLITE_DONE)
                    }
                }
                sqlite3_reset(insert)
            }
            execute("COMMIT")
        }
    }

    private func execute(_ sql: String) { check(sqlite3_exec(database, sql, nil, nil, nil)) }

    private func check(_ code: Int32) { precondition(code == SQLITE_OK, "SQLite says \(code)") }
}
