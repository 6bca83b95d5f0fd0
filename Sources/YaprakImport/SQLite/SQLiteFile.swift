#if SQLite
    import CSQLite
    import Foundation
    import SystemPackage
    import YaprakModel

    /// A file of SQLite, open for reading only. For one task at a time.
    final class SQLiteFile {
        private let handle: OpaquePointer
        private let path: FilePath
        /// The file itself: SQLite's logs are beside it, not beside a link to it.
        private let real: FilePath

        /// The file as it was when it was opened, if it was opened as one that nobody changes.
        private let before: Attributes?
        private let budget: StatementBudget
        private let valueBytesMax: Int
        /// The bytes of the file and of the logs beside it: where it was not checkpointed, most of its pages are in there.
        let size: Int

        private struct Attributes: Equatable {
            let size: Int
            let changedSeconds: Int
            let changedNanoseconds: Int
            let isRegular: Bool
        }

        /// Opens a file. What it says about itself is not trusted.
        ///
        /// A file without a log beside it is opened as one that nobody changes, so that SQLite makes no files and needs no lock;
        /// ``checkUnchanged()`` finds out whether that was so.
        /// - Parameters:
        ///   - valueBytesMax: the most bytes that are wanted of a column.
        ///   - endsWithTask: whether statements end when the task is cancelled that they are run in.
        init(_ path: FilePath, valueBytesMax: Int, endsWithTask: Bool = false) throws(DatabaseError) {
            self.path = path
            self.valueBytesMax = valueBytesMax
            budget = StatementBudget(endsWithTask: endsWithTask)
            guard let attributes = try Self.attributes(path, path, followsLinks: true) else {
                throw DatabaseError(
                    .notFound, "There is nothing at \(path). Check the path.", place: .init(file: path.string))
            }
            guard attributes.isRegular else {
                throw DatabaseError(
                    .ioFailed, "\(path) is not a file. Check the path.", place: .init(file: path.string))
            }
            real = try Self.resolved(path)
            let logBytes = try Self.logBytes(real, path), isAlone = logBytes == 0
            size = Self.sum(attributes.size, logBytes)
            before = isAlone ? attributes : nil
            guard real.withPlatformString({ access($0, R_OK) }) == 0 else {
                throw DatabaseError(
                    .permissionDenied, "\(path) can't be read. Check its permissions.", place: .init(file: path.string))
            }
            var handle: OpaquePointer?
            let status = sqlite3_open_v2(
                Self.address(of: real, isAlone: isAlone), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
            guard status == SQLITE_OK, let handle else {
                defer { sqlite3_close_v2(handle) }
                throw Self.error(status, handle, path)
            }
            self.handle = handle
            sqlite3_extended_result_codes(handle, 1)
            sqlite3_busy_timeout(handle, 5000)
            budget.attach(to: handle)
            budget.beginSchema()
            // The list of tables comes first. SQLite parses all of it and keeps what it parsed, thirty times the bytes: those of
            // a line may be any other's, too, and so make gigabytes of a small file. YapDatabase's own line has 150; without
            // those that are longer SQLite goes on.
            sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 20)
            sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 1 << 10)
            sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, 100)
            // A file that was cut off has fewer pages than it says. SQLite reads it only as one whose schema may be written to,
            // which nothing here does, and says nothing where it is not to be written to.
            _ = csqlite_set_defensive(handle, 0)
            for pragma in [
                "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA query_only = ON",
                "PRAGMA writable_schema = ON",
            ] {
                let status = sqlite3_exec(handle, pragma, nil, nil, nil)
                guard status == SQLITE_OK, !budget.isSpent else { throw error(status) }
            }
        }

        deinit { sqlite3_close_v2(handle) }

        /// A statement of ours. Nothing of a user's is ever part of one.
        func statement(_ text: String) throws(DatabaseError) -> SQLiteStatement {
            var statement: OpaquePointer?
            budget.beginSchema()
            let status = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
            // A list of tables that was not read to its end is one to SQLite all the same.
            guard status == SQLITE_OK, !budget.isSpent, let statement else {
                defer { sqlite3_finalize(statement) }
                throw error(status)
            }
            return SQLiteStatement(statement, self)
        }

        /// Goes on with statements that return values, after those about tables.
        func beginValues() {
            // What is too large for a record does not come into memory. A text may have twice the bytes in UTF-16.
            sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: 2 * valueBytesMax))
        }

        /// Gives the statement that is about to be stepped what it may take up to its next row.
        fileprivate func beginStep() { budget.beginStep(fileBytes: size) }

        /// Whether a name is that of a table, whatever it is made of; of none that SQLite could not read the line of.
        func hasTable(_ table: String) -> Bool {
            sqlite3_table_column_metadata(handle, "main", table, nil, nil, nil, nil, nil, nil) == SQLITE_OK
        }

        /// Whether a name is that of a table whose rows have numbers: of no view, which could be any query, whatever the list of
        /// tables says of it, and of no table `WITHOUT ROWID`.
        func hasNumberedRows(_ table: String) -> Bool {
            sqlite3_table_column_metadata(handle, "main", table, "_rowid_", nil, nil, nil, nil, nil) == SQLITE_OK
        }

        /// Whether the file ends in the middle of a page, which SQLite fills with zeros without a word.
        func endsWithinPage() throws(DatabaseError) -> Bool {
            let pages = try statement("PRAGMA page_size")
            guard before != nil, try pages.step() else { return false }
            return size % max(1, Int(pages.integer(0))) != 0
        }

        func error(_ status: Int32) -> DatabaseError {
            guard budget.isSpent else { return Self.error(status, handle, path) }
            let sentence =
                budget.isOfSchema
                ? """
                \(path) has more tables and indexes than are read, or is damaged. Take out the table of objects: \
                sqlite3 old.sqlite ".dump database2" | sqlite3 small.sqlite
                """
                : """
                \(path) is damaged: it leads to more rows than it has room for. Repair it first: \
                sqlite3 old.sqlite .recover | sqlite3 repaired.sqlite
                """
            return DatabaseError(.notADatabase, sentence, place: .init(file: path.string))
        }

        private static func error(_ status: Int32, _ handle: OpaquePointer?, _ path: FilePath) -> DatabaseError {
            let said = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "error \(status)"
            let (code, sentence): (DatabaseError.Code, String) =
                switch status & 0xff {
                case SQLITE_NOTADB:
                    (
                        .notADatabase,
                        """
                        \(path) is no SQLite file, or an encrypted one. Decrypt it first, with sqlcipher_export of SQLCipher.
                        """
                    )
                case SQLITE_CORRUPT:
                    (
                        .notADatabase,
                        """
                        \(path) is damaged: \(said). Repair it first: \
                        sqlite3 old.sqlite .recover | sqlite3 repaired.sqlite
                        """
                    )
                case SQLITE_TOOBIG: (.valueTooLarge, "A row of \(path) is larger than a record may be.")
                case SQLITE_BUSY, SQLITE_LOCKED:
                    (.alreadyOpen, "\(path) is in use: \(said). Close the program that has it open.")
                case SQLITE_READONLY, SQLITE_CANTOPEN:
                    (
                        .ioFailed,
                        """
                        \(path) can't be read as it is: \(said). Copy it to a folder that can be written, with the files \
                        beside it that begin with its name, and open the copy once: sqlite3 copy.sqlite .tables
                        """
                    )
                default: (.ioFailed, "\(path) can't be read: \(said). Try a copy of it.")
                }
            return DatabaseError(code, sentence, place: .init(file: path.string))
        }

        /// Throws if another program wrote to a file that was taken for one that nobody changes.
        func checkUnchanged() throws(DatabaseError) {
            guard let before else { return }
            guard try Self.attributes(real, path) == before, try Self.logBytes(real, path) == 0 else {
                throw DatabaseError(
                    .alreadyOpen,
                    "\(path) was changed while it was read. Close the program that has it open, and try again.",
                    place: .init(file: path.string))
            }
        }

        /// The bytes of the file and of the logs beside it as they are now: another program may write to them.
        func currentSize() throws(DatabaseError) -> Int {
            Self.sum(try Self.attributes(real, path)?.size ?? 0, try Self.logBytes(real, path))
        }

        /// Files with holes may be of any size.
        private static func sum(_ a: Int, _ b: Int) -> Int {
            let (sum, isOver) = a.addingReportingOverflow(b)
            return isOver ? .max : sum
        }

        /// What is at a place; `nil` if nothing is.
        private static func attributes(
            _ place: FilePath, _ path: FilePath, followsLinks: Bool = false
        ) throws(DatabaseError) -> Attributes? {
            var found = stat()
            let status = place.withPlatformString { followsLinks ? stat($0, &found) : lstat($0, &found) }
            guard status == 0 else {
                let code = errno
                if code == ENOENT || code == ENOTDIR { return nil }
                throw unreachable(path, Errno(rawValue: code))
            }
            #if canImport(Darwin)
                let changed = found.st_mtimespec
            #else
                let changed = found.st_mtim
            #endif
            return Attributes(
                size: Int(found.st_size), changedSeconds: Int(changed.tv_sec), changedNanoseconds: Int(changed.tv_nsec),
                isRegular: found.st_mode & S_IFMT == S_IFREG)
        }

        /// The file that a path leads to, through all links.
        private static func resolved(_ path: FilePath) throws(DatabaseError) -> FilePath {
            guard let text = path.withPlatformString({ realpath($0, nil) }) else {
                throw unreachable(path, Errno(rawValue: errno))
            }
            defer { free(text) }
            return FilePath(platformString: text)
        }

        private static func unreachable(_ path: FilePath, _ cause: Errno) -> DatabaseError {
            DatabaseError(
                .permissionDenied, "\(path) can't be reached. Check its permissions, and those of its folder.",
                place: .init(file: path.string), cause: cause)
        }

        /// The bytes of the logs beside the file; 0 if there is none. One that is there has to be readable.
        private static func logBytes(_ real: FilePath, _ path: FilePath) throws(DatabaseError) -> Int {
            var bytes = 0
            for ending in ["-wal", "-journal"] {
                let log = beside(real, ending)
                guard let found = try attributes(log, path), !found.isRegular || found.size > 0 else { continue }
                guard found.isRegular, log.withPlatformString({ access($0, R_OK) }) == 0 else {
                    throw DatabaseError(
                        .permissionDenied,
                        "\(log), which belongs to the database, can't be read. Check its permissions.",
                        place: .init(file: log.string))
                }
                bytes = sum(bytes, found.size)
            }
            return bytes
        }

        /// A path with more behind its last component.
        private static func beside(_ path: FilePath, _ ending: String) -> FilePath {
            FilePath(platformString: bytes(of: path) + ending.utf8CString)
        }

        /// The bytes of a path, which need not be UTF-8.
        private static func bytes(of path: FilePath) -> [CChar] {
            path.withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
        }

        /// The path as SQLite's form of an address, in which a question mark would begin options.
        private static func address(of path: FilePath, isAlone: Bool) -> String {
            let digits = Array("0123456789ABCDEF")
            var text = path.isAbsolute ? "file://" : "file:"
            for byte in bytes(of: path).map({ UInt8(bitPattern: $0) }) {
                let isPlain =
                    "/-_.~".utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                    || (0x61...0x7a).contains(byte)
                if isPlain {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
                }
            }
            return text + "?mode=ro" + (isAlone ? "&immutable=1" : "")
        }
    }

    /// A statement and the row that it stands on.
    final class SQLiteStatement {
        private let handle: OpaquePointer
        private let file: SQLiteFile

        fileprivate init(_ handle: OpaquePointer, _ file: SQLiteFile) {
            self.handle = handle
            self.file = file
        }

        deinit { sqlite3_finalize(handle) }

        /// Goes to the next row; false behind the last.
        ///
        /// - Throws: `notADatabase`, too, if it takes more than a sound file could make it take.
        func step() throws(DatabaseError) -> Bool {
            file.beginStep()
            let status = sqlite3_step(handle)
            switch status {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw file.error(status)
            }
        }

        /// Begins again, with other values.
        func restart(_ values: Int64...) {
            sqlite3_reset(handle)
            for (place, value) in values.enumerated() { sqlite3_bind_int64(handle, Int32(place + 1), value) }
        }

        func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

        /// The bytes of a blob or a text, which are in the file; 0 for a number.
        func storedByteCount(_ column: Int32) -> Int {
            let type = sqlite3_column_type(handle, column)
            return type == SQLITE_BLOB || type == SQLITE_TEXT ? byteCount(column) : 0
        }

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        /// The bytes of a blob or of a text, in UTF-8 whatever the encoding of the file; a number as its text.
        func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

        /// Whether ``bytes(_:)`` are these.
        func hasBytes(_ bytes: [UInt8], _ column: Int32) -> Bool {
            let raw = raw(column)
            return raw.count == bytes.count && raw.elementsEqual(bytes)
        }

        /// Bytes up to the next step.
        private func raw(_ column: Int32) -> UnsafeRawBufferPointer {
            // The pointer first: asking for it may change the form, and with it the count.
            let start =
                sqlite3_column_type(handle, column) == SQLITE_BLOB
                ? sqlite3_column_blob(handle, column)
                : sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
            guard let start else { return UnsafeRawBufferPointer(start: nil, count: 0) }
            return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        }
    }
#endif
