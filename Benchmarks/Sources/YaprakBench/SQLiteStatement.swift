import GRDBSQLite

/// SQLite in memory by its C interface, for what GRDB would stand in the way of.
final class SQLiteMemory {
    fileprivate var handle: OpaquePointer?

    init() {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        precondition(sqlite3_open_v2(":memory:", &handle, flags, nil) == SQLITE_OK)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) {
        if sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
    }
    func prepare(_ sql: String) -> SQLiteStatement { SQLiteStatement(self, sql) }
    func int(_ sql: String) -> Int {
        let statement = prepare(sql)
        _ = statement.step()
        return statement.int(0)
    }
}

/// A prepared statement.
final class SQLiteStatement {
    private var handle: OpaquePointer?
    private let database: SQLiteMemory

    init(_ database: SQLiteMemory, _ sql: String) {
        self.database = database
        if sqlite3_prepare_v2(database.handle, sql, -1, &handle, nil) != SQLITE_OK {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(database.handle)))")
        }
    }
    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                // Copied: what follows may outlive the string.
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                _ = sqlite3_bind_text(handle, index, chars.baseAddress, Int32(chars.count), transient)
            }
        }
    }
    func bind(_ index: Int32, _ value: Int) { sqlite3_bind_int64(handle, index, Int64(value)) }
    func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }
    @inline(__always) func step() -> Bool { sqlite3_step(handle) == SQLITE_ROW }
    func reset() { sqlite3_reset(handle) }
    @inline(__always) func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }
    @inline(__always) func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
}
