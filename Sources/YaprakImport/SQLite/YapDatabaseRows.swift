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

        private enum Direction { case up, down, done }

        private let file: SQLiteFile
        private let table: String
        private var rows: SQLiteStatement
        private var direction = Direction.up
        /// The last row on the way up, and on the way down.
        private var last: Int64?
        private var lastFromAbove: Int64?
        /// How many rows there are; `nil` if the file does not say.
        let count: Int?

        /// - Throws: `notFound` for a file that is not there, or has no table of YapDatabase's; `notADatabase`.
        init(_ path: FilePath) throws(DatabaseError) {
            let file = try SQLiteFile(path)
            self.file = file
            table = try Self.table(in: file, path)
            rows = try file.statement("SELECT rowid, collection, key, data, metadata FROM \(table) ORDER BY rowid")
            let counter = try file.statement("SELECT count(*) FROM \(table)")
            count = (try? counter.step()) == true ? Int(clamping: counter.integer(0)) : nil
        }

        /// The table of objects: that of today's YapDatabase, or of versions before 2.
        private static func table(in file: SQLiteFile, _ path: FilePath) throws(DatabaseError) -> String {
            let tables = try file.statement(
                "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name DESC")
            var names: [String] = []
            while try tables.step() {
                let name = String(decoding: tables.bytes(0), as: UTF8.self)
                names.append(name)
            }
            for name in ["database2", "database"] where names.contains(name) {
                let columns = try file.statement("PRAGMA table_info(\(name))")
                var wanted: Set = ["collection", "key", "data", "metadata"]
                while try columns.step() { wanted.remove(String(decoding: columns.bytes(1), as: UTF8.self)) }
                if wanted.isEmpty { return "\"\(name)\"" }
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
        func collections() -> [(name: String, rows: Int)] {
            var found: [(name: String, rows: Int)] = []
            let text = "SELECT collection, count(*) FROM \(table) GROUP BY collection ORDER BY collection"
            guard let groups = try? file.statement(text) else { return [] }
            while (try? groups.step()) == true {
                found.append((String(decoding: groups.bytes(0), as: UTF8.self), Int(clamping: groups.integer(1))))
            }
            return found
        }

        /// The next row, or what is known of one that can't be read; `nil` at the end.
        ///
        /// A row that is damaged is skipped. Where a page of them is, reading goes on from the other end, so that the rows on
        /// both sides are there.
        func next() throws(DatabaseError) -> Step? {
            switch direction {
            case .done: return nil
            case .up:
                do {
                    guard try rows.step() else { return end() }
                    last = rows.integer(0)
                    return .row(row())
                } catch {
                    guard error.code == .notADatabase else { throw error }
                    return try skip()
                }
            case .down:
                do {
                    guard try rows.step() else { return end() }
                    lastFromAbove = rows.integer(0)
                    return .row(row())
                } catch {
                    guard error.code == .notADatabase else { throw error }
                    direction = .done
                    return .unread(hole())
                }
            }
        }

        private func end() -> Step? {
            direction = .done
            return nil
        }

        private func row() -> YapDatabaseRow {
            YapDatabaseRow(
                rowID: rows.integer(0), collection: String(decoding: rows.bytes(1), as: UTF8.self),
                key: String(decoding: rows.bytes(2), as: UTF8.self), object: Data(rows.bytes(3)),
                metadata: rows.isNull(4) ? nil : Data(rows.bytes(4)))
        }

        /// Goes on behind a row that can't be read, or, if not even its number can, from the end downwards.
        private func skip() throws(DatabaseError) -> Step? {
            let first = last.map { $0 == .max ? $0 : $0 + 1 } ?? .min
            let numbers = try file.statement("SELECT rowid FROM \(table) WHERE rowid >= ?1 ORDER BY rowid LIMIT 1")
            numbers.restart(first)
            if (try? numbers.step()) == true {
                let number = numbers.integer(0)
                last = number
                rows = try file.statement(
                    "SELECT rowid, collection, key, data, metadata FROM \(table) WHERE rowid > ?1 ORDER BY rowid")
                rows.restart(number)
                return .unread(
                    ImportNote(.leftOut, "row \(number) can't be read, the file is damaged there", rowID: number))
            }
            direction = .down
            rows = try file.statement(
                """
                SELECT rowid, collection, key, data, metadata FROM \(table) WHERE rowid >= ?1 ORDER BY rowid DESC
                """)
            rows.restart(first)
            return try next()
        }

        private func hole() -> ImportNote {
            let from = last.map { "behind row \($0)" } ?? "from the first on"
            let to = lastFromAbove.map { "before row \($0)" } ?? "up to the last"
            return ImportNote(.leftOut, "the rows \(from) and \(to) can't be read: the file is damaged there")
        }
    }
#endif
