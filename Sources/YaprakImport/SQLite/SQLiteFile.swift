#if SQLite
    import CSQLite
    import SystemPackage
    import YaprakModel

    /// A file of SQLite, open for reading only. For one task at a time.
    final class SQLiteFile {
        private let handle: OpaquePointer
        private let path: FilePath

        /// Opens a file. What it says about itself is not trusted.
        ///
        /// A file without a log beside it is opened as one that nobody changes, so that SQLite makes no files of its own.
        init(_ path: FilePath) throws(DatabaseError) {
            self.path = path
            do {
                // What can't be read is said in words before SQLite sees it. A folder has no bytes, and a pipe no end to go to.
                let file = try FileDescriptor.open(path, .readOnly, options: .nonBlocking)
                try file.closeAfter {
                    try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = try file.read(into: $0) }
                    _ = try file.seek(offset: 0, from: .end)
                }
            } catch {
                let code: DatabaseError.Code =
                    switch error as? Errno {
                    case .noSuchFileOrDirectory?, .notDirectory?: .notFound
                    case .permissionDenied?: .permissionDenied
                    default: .ioFailed
                    }
                throw DatabaseError(
                    code, "\(path) can't be opened: \(error). Check the path.", place: .init(file: path.string),
                    cause: error)
            }
            var handle: OpaquePointer?
            let isAlone = !Self.hasBytes(path.string + "-wal") && !Self.hasBytes(path.string + "-journal")
            let status = sqlite3_open_v2(
                Self.address(of: path, isAlone: isAlone), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
            guard status == SQLITE_OK, let handle else {
                defer { sqlite3_close_v2(handle) }
                throw Self.error(status, handle, path)
            }
            self.handle = handle
            sqlite3_extended_result_codes(handle, 1)
            sqlite3_busy_timeout(handle, 5000)
            for pragma in ["PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA query_only = ON"] {
                let status = sqlite3_exec(handle, pragma, nil, nil, nil)
                guard status == SQLITE_OK else { throw Self.error(status, handle, path) }
            }
        }

        deinit { sqlite3_close_v2(handle) }

        /// A statement of ours. Nothing of a user's is ever part of one.
        func statement(_ text: String) throws(DatabaseError) -> SQLiteStatement {
            var statement: OpaquePointer?
            let status = sqlite3_prepare_v2(handle, text, -1, &statement, nil)
            guard status == SQLITE_OK, let statement else { throw error(status) }
            return SQLiteStatement(statement, self)
        }

        func error(_ status: Int32) -> DatabaseError { Self.error(status, handle, path) }

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
                        \(path) is damaged: \(said). Mend it first: sqlite3 old.sqlite .recover | sqlite3 mended.sqlite
                        """
                    )
                case SQLITE_BUSY, SQLITE_LOCKED:
                    (.alreadyOpen, "\(path) is in use: \(said). Close the program that has it open.")
                case SQLITE_READONLY, SQLITE_CANTOPEN:
                    (
                        .ioFailed,
                        """
                        \(path) can't be read as it is: \(said). Copy it to a folder that can be written, with the files \
                        beside it that begin with its name.
                        """
                    )
                default: (.ioFailed, "\(path) can't be read: \(said). Try a copy of it.")
                }
            return DatabaseError(code, sentence, place: .init(file: path.string))
        }

        private static func hasBytes(_ path: String) -> Bool {
            guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return false }
            defer { try? file.close() }
            return ((try? file.seek(offset: 0, from: .end)) ?? 0) > 0
        }

        /// The path as SQLite's form of an address, in which a question mark would begin options.
        private static func address(of path: FilePath, isAlone: Bool) -> String {
            let digits = Array("0123456789ABCDEF")
            var text = path.isAbsolute ? "file://" : "file:"
            for byte in path.string.utf8 {
                let isPlain =
                    byte >= 0x80 || "/-_.~".utf8.contains(byte) || (0x30...0x39).contains(byte)
                    || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
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
        func step() throws(DatabaseError) -> Bool {
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

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

        /// The bytes of a blob or of a text; a number as its text.
        func bytes(_ column: Int32) -> [UInt8] {
            // The pointer first: asking for it may change the form, and with it the count.
            guard let start = sqlite3_column_blob(handle, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
        }
    }
#endif
