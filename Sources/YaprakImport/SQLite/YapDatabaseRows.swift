#if SQLite
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
        private let file: SQLiteFile
        private let table: String
        private var rows: SQLiteStatement
        private var direction = Direction.start
        /// The last row on the way up, and on the way down.
        private var last: Int64?
        private var lastFromAbove: Int64?
        /// Rows that were met, read or not.
        private var seen = 0
        private var hasHole = false
        /// How many rows there are; `nil` if the file does not say.
        let count: Int?

        /// - Parameter valueBytesMax: a row with more bytes in a column is not read.
        /// - Throws: `notFound` for a file that is not there, or has no table of YapDatabase's; `notADatabase`.
        init(_ path: FilePath, valueBytesMax: Int = DatabaseLimits().valueBytesMax) throws(DatabaseError) {
            let file = try SQLiteFile(path, valueBytesMax: valueBytesMax)
            (self.path, self.valueBytesMax, self.file) = (path, valueBytesMax, file)
            table = try Self.table(in: file, path)
            rows = try file.statement("SELECT _rowid_, collection, key, data, metadata FROM \(table) ORDER BY _rowid_")
            // A damaged file may refer to one page many times: no more rows than there is room for are counted.
            let counter = try file.statement("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(file.size / 4 + 1))")
            count = (try? counter.step()) == true ? Int(clamping: counter.integer(0)) : nil
        }

        /// The table of objects: that of today's YapDatabase, or of versions before 2.
        private static func table(in file: SQLiteFile, _ path: FilePath) throws(DatabaseError) -> String {
            let tables = try file.statement(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name DESC")
            var names: [String] = []
            while try tables.step() {
                let name = String(decoding: tables.bytes(0), as: UTF8.self)
                names.append(name)
            }
            for name in ["database2", "database"] where names.contains(name) && file.hasNumberedRows(name) {
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
            let others = names.isEmpty ? "" : " It has \(names.sorted().prefix(8).joined(separator: ", "))."
            throw DatabaseError(
                .notFound,
                """
                \(path) has no table of YapDatabase's, which is called database2.\(others) Export other tables with \
                `sqlite3 -json FILE 'SELECT …' | yaprak load - DATABASE --collection NAME --key COLUMN`.
                """,
                place: .init(file: path.string))
        }

        /// The collections and how many rows they have; of a damaged file those that can be read.
        func collections() throws(DatabaseError) -> [(name: String, rows: Int)] {
            if let found = try? indexed() { return found }
            // The index is damaged, or more: row by row.
            let others = try YapDatabaseRows(path, valueBytesMax: valueBytesMax)
            var counts: [[UInt8]: Int] = [:]
            while let step = try others.next() {
                if case .row(let row) = step { counts[Array(row.collection.utf8), default: 0] += 1 }
            }
            return counts.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }.sorted { $0.0 < $1.0 }
        }

        private func indexed() throws(DatabaseError) -> [(name: String, rows: Int)] {
            var found: [(name: String, rows: Int)] = []
            let groups = try file.statement(
                """
                SELECT collection, count(*) FROM (SELECT collection FROM \(table) LIMIT \(file.size / 4 + 1))
                GROUP BY collection ORDER BY collection
                """)
            while try groups.step() { found.append((Self.text(groups.bytes(0)), Int(clamping: groups.integer(1)))) }
            return found
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
                return step()
            case .down:
                do {
                    guard try rows.step() else { return try end() }
                } catch {
                    return try skipDownwards(error)
                }
                let number = rows.integer(0)
                guard number >= first, lastFromAbove.map({ number < $0 }) ?? true else { return try stop() }
                lastFromAbove = number
                return step()
            }
        }

        /// The lowest number that was not read on the way up.
        private var first: Int64 { last.map { $0 == .max ? $0 : $0 + 1 } ?? .min }

        private func end() throws(DatabaseError) -> Step? {
            direction = .done
            try file.checkUnchanged()
            guard let count, seen < count, !hasHole else { return nil }
            return .unread(ImportNote(.leftOut, "the file says that it has \(count) rows, and \(seen) are in it"))
        }

        /// The row at hand.
        private func step() -> Step {
            seen += 1
            let number = rows.integer(0)
            for column in 1...4 where rows.byteCount(Int32(column)) > valueBytesMax {
                return .unread(Self.tooLarge(number))
            }
            return .row(
                YapDatabaseRow(
                    rowID: number, collection: Self.text(rows.bytes(1)), key: Self.text(rows.bytes(2)),
                    object: Data(rows.bytes(3)), metadata: rows.isNull(4) ? nil : Data(rows.bytes(4))))
        }

        /// Bytes as a text. Of what is no UTF-8 each byte that is not ASCII is written as a number, so that none is lost.
        private static func text(_ bytes: [UInt8]) -> String {
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            var text = ""
            for byte in bytes {
                if byte < 0x80 {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%" + String(byte, radix: 16)
                }
            }
            return text
        }

        /// Goes on behind a row that can't be read, or, if not even its number can, from the end downwards.
        private func skip(_ error: DatabaseError) throws(DatabaseError) -> Step? {
            guard [.notADatabase, .valueTooLarge].contains(error.code) else { throw error }
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
            direction = .down
            rows = try file.statement(
                """
                SELECT _rowid_, collection, key, data, metadata FROM \(table) WHERE _rowid_ >= ?1 ORDER BY _rowid_ DESC
                """)
            rows.restart(first)
            return try next()
        }

        /// Where the way down ends, something is missing between it and the way up.
        private func stop() throws(DatabaseError) -> Step? {
            direction = .done
            hasHole = true
            try file.checkUnchanged()
            return .unread(hole())
        }

        private func hole() -> ImportNote {
            let from = last.map { "behind row \($0)" } ?? "from the first on"
            let to = lastFromAbove.map { "before row \($0)" } ?? "up to the last"
            return ImportNote(.leftOut, "the rows \(from) and \(to) can't be read: the file is damaged there")
        }
    }
#endif
