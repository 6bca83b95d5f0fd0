#if SQLite
    import CSQLite
    import Foundation
    import SystemPackage
    import YaprakModel

    /// The rows of a YapDatabase, one after the other, also of one whose file is damaged in places.
    final class YapDatabaseRows {
        enum Step {
            case row(YapDatabaseRow)
            case unread(ImportNote)
        }

        private enum Direction { case start, up, down, done }

        private let path: FilePath
        private let valueBytesMax: Int
        private let endsWithTask: Bool
        private let file: SQLiteFile
        private let table: String
        private var rows: SQLiteStatement
        private var direction = Direction.start
        /// The last row on the way up, and on the way down.
        private var last: Int64?
        private var lastFromAbove: Int64?
        /// Rows that were met, read or not.
        private var seen = 0
        /// The bytes of texts and blobs in them.
        private var bytes = 0
        private var hasHole = false
        /// How many rows there are; `nil` if the file does not say.
        let count: Int?
        /// The bytes of the file, and of its log.
        var fileSize: Int { file.size }

        /// - Parameters:
        ///   - valueBytesMax: a row with more bytes in a column is not read: by default what no database takes.
        ///   - endsWithTask: whether reading throws when the task is cancelled that it is in, also within a row.
        /// - Throws: `notFound` for a file that is not there, or has no table of YapDatabase's; `notADatabase`.
        init(
            _ path: FilePath, valueBytesMax: Int = DatabaseLimits.storedValueBytesMax, endsWithTask: Bool = false
        ) throws(DatabaseError) {
            let file = try SQLiteFile(path, valueBytesMax: valueBytesMax, endsWithTask: endsWithTask)
            (self.path, self.valueBytesMax, self.endsWithTask, self.file) = (path, valueBytesMax, endsWithTask, file)
            table = try Self.table(in: file, path)
            file.beginValues()
            rows = try file.statement("SELECT _rowid_, collection, key, data, metadata FROM \(table) ORDER BY _rowid_")
            // A damaged file may refer to one page many times: no more rows than there is room for are counted.
            let counter = try file.statement("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(file.size / 4 + 1))")
            count = (try? counter.step()) == true ? Int(clamping: counter.integer(0)) : nil
        }

        /// The table of objects: that of today's YapDatabase, or of versions before 2.
        private static func table(in file: SQLiteFile, _ path: FilePath) throws(DatabaseError) -> String {
            for name in ["database2", "database"] {
                guard try isListed(name, in: file) else { continue }
                guard file.hasTable(name) else {
                    // The other name is a common word: any program's table may have so long a line.
                    if name == "database2" { throw unreadable(name, path) }
                    continue
                }
                guard file.hasNumberedRows(name) else { continue }
                let columns = try file.statement("PRAGMA table_xinfo(\(name))")
                var wanted: Set = ["collection", "key", "data", "metadata"]
                var hidesNumbers = false, hasKey = false
                while try columns.step() {
                    let column = String(decoding: columns.bytes(1), as: UTF8.self)
                    // What is computed is no value of the file's: it could be of any size, or take any time.
                    if columns.integer(6) == 0 { wanted.remove(column) }
                    // By this name the numbers are read: that of YapDatabase's column may be another column elsewhere.
                    if column.lowercased() == "_rowid_" { hidesNumbers = true }
                    // No table of a module's has one. Its content could be a view, and so any query.
                    if columns.integer(5) > 0 { hasKey = true }
                }
                if wanted.isEmpty, hasKey, !hidesNumbers { return "\"\(name)\"" }
            }
            let names = try someTables(in: file)
            let others = names.isEmpty ? "" : " It has \(names.joined(separator: ", "))."
            throw DatabaseError(
                .notFound,
                """
                \(path) has no table of YapDatabase's, which is called database2.\(others) Export other tables with \
                `sqlite3 -json FILE 'SELECT …' | yaprak load - DATABASE --collection NAME --key COLUMN`.
                """,
                place: .init(file: path.string))
        }

        /// That a table is in the list, and SQLite does not know it.
        private static func unreadable(_ name: String, _ path: FilePath) -> DatabaseError {
            DatabaseError(
                .notADatabase,
                """
                The list of tables of \(path) can't be read: it has \(name), and is damaged there or before. \
                Repair it first: sqlite3 old.sqlite .recover | sqlite3 repaired.sqlite
                """,
                place: .init(file: path.string))
        }

        /// Whether the list of tables has a table of this name.
        private static func isListed(_ name: String, in file: SQLiteFile) throws(DatabaseError) -> Bool {
            let tables = try file.statement(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = '\(name)' LIMIT 1")
            return try tables.step()
        }

        /// The names of the first tables, or how they begin.
        private static func someTables(in file: SQLiteFile) throws(DatabaseError) -> [String] {
            let tables = try file.statement(
                "SELECT substr(name, 1, 100) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 LIMIT 8")
            var names: [String] = []
            while try tables.step() { names.append(String(decoding: tables.bytes(0), as: UTF8.self)) }
            return names.sorted()
        }

        /// A collection of the file.
        struct Collection {
            let name: YapDatabaseName
            let rows: Int
        }

        /// The collections and how many rows they have, by name; of a damaged file those that can be read.
        func collections() throws(DatabaseError) -> [Collection] {
            var counts: [[UInt8]: Int] = [:]
            if let found = try? indexed() {
                counts = found
            } else {
                // The index is damaged, or more: row by row.
                let others = try YapDatabaseRows(path, valueBytesMax: valueBytesMax, endsWithTask: endsWithTask)
                while let step = try others.next() {
                    if case .row(let row) = step { counts[row.collectionBytes, default: 0] += 1 }
                }
            }
            return counts.map { Collection(name: YapDatabaseName($0.key), rows: $0.value) }
                .sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
        }

        /// Counted by an index, if there is one, which has the rows of a collection beside each other.
        private func indexed() throws(DatabaseError) -> [[UInt8]: Int] {
            var counts: [[UInt8]: Int] = [:], name: [UInt8] = [], count = 0, bytes = 0
            let names = try file.statement("SELECT collection FROM \(table) LIMIT \(file.size / 4 + 1)")
            while try names.step() {
                bytes += names.storedByteCount(0)
                guard try hasRoom(for: bytes) else { throw file.error(SQLITE_CORRUPT) }
                if count > 0, names.hasBytes(name, 0) {
                    count += 1
                } else {
                    if count > 0 { counts[name, default: 0] += count }
                    (name, count) = (names.bytes(0), 1)
                }
            }
            if count > 0 { counts[name, default: 0] += count }
            return counts
        }

        /// Whether rows of so many bytes can be in the file. No two rows share a byte of a sound one; a text that is there in
        /// UTF-16 may have half as many bytes more.
        private func hasRoom(for bytes: Int) throws(DatabaseError) -> Bool {
            bytes / 2 <= file.size ? true : bytes / 2 <= (try file.currentSize())
        }

        /// The next row, or what is known of one that can't be read; `nil` at the end.
        ///
        /// A row that is damaged is skipped. Where a page of them is, reading goes on from the other end, so that the rows on
        /// both sides are there. Numbers of rows ascend, or the file is damaged: it never leads in a circle.
        func next() throws(DatabaseError) -> Step? {
            switch direction {
            case .done: return nil
            case .start:
                direction = .up
                guard try file.endsWithinPage() else { return try next() }
                return .unread(
                    ImportNote(
                        .leftOut, "the file was cut off in the middle of a page: the rows there may end in zeros"))
            case .up:
                do {
                    guard try rows.step() else { return try end() }
                } catch {
                    return try skip(error)
                }
                let number = rows.integer(0)
                guard last.map({ number > $0 }) ?? true else { return try turn() }
                last = number
                return try step()
            case .down:
                do {
                    guard try rows.step() else { return try end() }
                } catch {
                    return try skipDownwards(error)
                }
                let number = rows.integer(0)
                guard number >= first, lastFromAbove.map({ number < $0 }) ?? true else { return try stop() }
                lastFromAbove = number
                return try step()
            }
        }

        /// The lowest number that was not read on the way up. Behind the highest of all nothing is looked for.
        private var first: Int64 { last.map { $0 == .max ? $0 : $0 + 1 } ?? .min }

        private func end() throws(DatabaseError) -> Step? {
            direction = .done
            try file.checkUnchanged()
            guard let count, seen < count, !hasHole else { return nil }
            let found = "\(seen.grouped) \(seen.word("is", "are")) in it"
            return .unread(ImportNote(.leftOut, "the file says that it has \(count.counted("row")), and \(found)"))
        }

        /// The row at hand.
        private func step() throws(DatabaseError) -> Step? {
            seen += 1
            let number = rows.integer(0)
            for column in 1...4 { bytes += rows.storedByteCount(Int32(column)) }
            guard try hasRoom(for: bytes) else {
                return try stop("reading ends at row \(number): rows refer to the same pages, the file is damaged")
            }
            for column in 1...4 where rows.byteCount(Int32(column)) > valueBytesMax {
                return .unread(Self.tooLarge(number))
            }
            return .row(
                YapDatabaseRow(
                    rowID: number, collection: YapDatabaseName(rows.bytes(1)), key: YapDatabaseName(rows.bytes(2)),
                    object: Data(rows.bytes(3)), metadata: rows.isNull(4) ? nil : Data(rows.bytes(4))))
        }

        /// Goes on behind a row that can't be read, or, if not even its number can, from the end downwards.
        private func skip(_ error: DatabaseError) throws(DatabaseError) -> Step? {
            guard [.notADatabase, .valueTooLarge].contains(error.code) else { throw error }
            // The highest number of all has none above it.
            guard last != .max else { return try stop() }
            let numbers = try file.statement(
                "SELECT _rowid_ FROM \(table) WHERE _rowid_ >= ?1 ORDER BY _rowid_ LIMIT 1")
            numbers.restart(first)
            guard (try? numbers.step()) == true, numbers.integer(0) >= first else { return try turn() }
            let number = numbers.integer(0)
            last = number
            seen += 1
            rows = try file.statement(
                "SELECT _rowid_, collection, key, data, metadata FROM \(table) WHERE _rowid_ > ?1 ORDER BY _rowid_")
            rows.restart(number)
            return .unread(Self.unreadable(number, error))
        }

        /// Goes on before a row that can't be read, or ends if not even its number can.
        private func skipDownwards(_ error: DatabaseError) throws(DatabaseError) -> Step? {
            guard [.notADatabase, .valueTooLarge].contains(error.code) else { throw error }
            let numbers = try file.statement(
                "SELECT _rowid_ FROM \(table) WHERE _rowid_ >= ?1 AND _rowid_ <= ?2 ORDER BY _rowid_ DESC LIMIT 1")
            // The lowest number of all has none below it.
            guard lastFromAbove != .min else { return try stop() }
            let limit = lastFromAbove.map { $0 - 1 } ?? .max
            numbers.restart(first, limit)
            guard (try? numbers.step()) == true else { return try stop() }
            let number = numbers.integer(0)
            guard number >= first, number <= limit else { return try stop() }
            lastFromAbove = number
            seen += 1
            rows = try file.statement(
                """
                SELECT _rowid_, collection, key, data, metadata FROM \(table) WHERE _rowid_ >= ?1 AND _rowid_ < ?2
                ORDER BY _rowid_ DESC
                """)
            rows.restart(first, number)
            return .unread(Self.unreadable(number, error))
        }

        private static func unreadable(_ number: Int64, _ error: DatabaseError) -> ImportNote {
            error.code == .valueTooLarge
                ? tooLarge(number)
                : ImportNote(.leftOut, "row \(number) can't be read, the file is damaged there", rowID: number)
        }

        private static func tooLarge(_ number: Int64) -> ImportNote {
            ImportNote(.leftOut, "row \(number) is larger than a record may be", rowID: number)
        }

        /// Begins to read from the end downwards.
        private func turn() throws(DatabaseError) -> Step? {
            guard last != .max else { return try stop() }
            direction = .down
            rows = try file.statement(
                """
                SELECT _rowid_, collection, key, data, metadata FROM \(table) WHERE _rowid_ >= ?1 ORDER BY _rowid_ DESC
                """)
            rows.restart(first)
            return try next()
        }

        /// Where the way down ends, something is missing between it and the way up.
        private func stop(_ reason: String? = nil) throws(DatabaseError) -> Step? {
            direction = .done
            hasHole = true
            try file.checkUnchanged()
            return .unread(ImportNote(.leftOut, reason ?? hole()))
        }

        private func hole() -> String {
            let from = last.map { "behind row \($0)" } ?? "from the first on"
            let to = lastFromAbove.map { "before row \($0)" } ?? "up to the last"
            return "the rows \(from) and \(to) can't be read: the file is damaged there"
        }
    }
#endif
