#if SQLite
    import CSQLite
    public import Foundation

    /// A file of SQLite with the tables of YapDatabase, as its `createTables` makes them.
    ///
    ///     let old = try OldDatabase(at: path)
    ///     try old.insert("books", "dune", try PropertyListEncoder().encode(book), nil)
    public final class OldDatabase {
        private let handle: OpaquePointer
        private let table: String

        /// What SQLite said.
        public struct Failure: Error {
            let message: String
        }

        /// A new file.
        /// - Parameter table: `database2`, or the name that versions before 2 used.
        public init(at path: String, table: String = "database2", journal: String = "WAL") throws {
            var handle: OpaquePointer?
            guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else { throw Failure(message: path) }
            self.handle = handle
            self.table = table
            try run("PRAGMA journal_mode = \(journal)")
            try run("PRAGMA user_version = 3")
            try run(
                """
                CREATE TABLE IF NOT EXISTS "yap2" ("extension" CHAR NOT NULL, "key" CHAR NOT NULL, "data" BLOB,
                    PRIMARY KEY ("extension", "key"));
                CREATE TABLE IF NOT EXISTS "\(table)" ("rowid" INTEGER PRIMARY KEY, "collection" CHAR NOT NULL,
                    "key" CHAR NOT NULL, "data" BLOB, "metadata" BLOB);
                CREATE UNIQUE INDEX IF NOT EXISTS "true_primary_key" ON "\(table)" ("collection", "key");
                """)
        }

        deinit { sqlite3_close_v2(handle) }

        /// Runs statements.
        public func run(_ statements: String) throws {
            guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
                throw Failure(message: String(cString: sqlite3_errmsg(handle)))
            }
        }

        /// Inserts a row.
        public func insert(_ collection: String, _ key: String, _ object: Data?, _ metadata: Data? = nil) throws {
            var statement: OpaquePointer?
            let text = "INSERT INTO \"\(table)\" (collection, key, data, metadata) VALUES (?1, ?2, ?3, ?4)"
            guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK else {
                throw Failure(message: String(cString: sqlite3_errmsg(handle)))
            }
            defer { sqlite3_finalize(statement) }
            let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            for (place, text) in [collection, key].enumerated() {
                sqlite3_bind_text(statement, Int32(place + 1), text, Int32(text.utf8.count), copies)
            }
            for (place, bytes) in [object, metadata].enumerated() {
                guard let bytes else { continue }
                _ = bytes.withUnsafeBytes { raw in
                    // A blob of no bytes is not NULL.
                    raw.isEmpty
                        ? sqlite3_bind_zeroblob(statement, Int32(place + 3), 0)
                        : sqlite3_bind_blob(statement, Int32(place + 3), raw.baseAddress, Int32(raw.count), copies)
                }
            }
            guard sqlite3_step(statement) == SQLITE_DONE else {
                throw Failure(message: String(cString: sqlite3_errmsg(handle)))
            }
        }
    }
#endif
