#if SQLite
    import CSQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakImport
    import YaprakReplay

    /// Files whose pages lead to each other as those of no sound file do.
    @Suite(.bounded) struct HostilePagesTests {
        private static let pageBytes = 4096

        private static func big(_ value: Int, bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        private static func big(_ bytes: Data, _ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

        /// A page of a table: its cells, from the end of the page, and the page to the right of them.
        private static func page(_ cells: [[UInt8]], right: Int? = nil, behind header: [UInt8] = []) -> [UInt8] {
            var places: [UInt8] = [], place = pageBytes
            for cell in cells {
                place -= cell.count
                places += big(place, bytes: 2)
            }
            var page = header + [right == nil ? 13 : 5, 0, 0] + big(cells.count, bytes: 2) + big(place, bytes: 2) + [0]
            if let right { page += big(right, bytes: 4) }
            page += places
            return page + Array(repeating: 0, count: place - page.count) + cells.reversed().joined()
        }

        /// What a file of so many pages begins with.
        private static func header(pageCount: Int) -> [UInt8] {
            var header = Array("SQLite format 3\0".utf8) + big(pageBytes, bytes: 2) + [1, 1, 0, 64, 32, 32]
            for value in [1, pageCount, 0, 0, 1, 4, 0, 0, 1] { header += big(value, bytes: 4) }
            return header + Array(repeating: 0, count: 92 - header.count) + big(1, bytes: 4) + big(3_045_000, bytes: 4)
        }

        /// A file whose list of tables is a tree of pages that all lead to one, `levels` of them, and at last to a row of
        /// nothing: 570 to the power of `levels` rows.
        static func endlessList(
            _ levels: Int, leaf: [[UInt8]] = [[6, 1, 6, 0, 0, 0, 0, 0]], at path: String
        ) throws {
            var bytes: [UInt8] = []
            for level in 1...levels {
                let start = level == 1 ? header(pageCount: levels + 1) : []
                let count = (pageBytes - start.count - 12) / 7
                let cell = big(level + 1, bytes: 4) + [1]
                bytes += page(Array(repeating: cell, count: count), right: level + 1, behind: start)
            }
            bytes += page(leaf)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        /// A file whose list of tables has eight views, each of 60,000 bytes in a chain of pages that all of them share. 325,000
        /// references lead to the page with the eight.
        static func sharedLines(at path: String) throws {
            let inPage = (pageBytes - 12) * 32 / 255 - 23, pageCount = 15, length = inPage + pageCount * (pageBytes - 4)
            func number(_ value: Int) -> [UInt8] {
                value < 128 ? [UInt8(value)] : number(value >> 7).map { $0 | 0x80 } + [UInt8(value & 0x7f)]
            }
            func line(_ name: String) -> [UInt8] {
                let start = "CREATE VIEW \(name) AS SELECT 1 IN ("
                // Eight bytes are the head, with its length.
                let bytes = length - 8 - "view".utf8.count - 2 * name.utf8.count
                let count = bytes - start.utf8.count - 1
                let list = String(repeating: "1,", count: (count - 1) / 2) + (count % 2 == 0 ? "11" : "1")
                let head =
                    number(13 + 2 * "view".utf8.count) + number(13 + 2 * name.utf8.count)
                    + number(13 + 2 * name.utf8.count) + [8] + number(13 + 2 * bytes)
                return [UInt8(head.count + 1)] + head + Array("view\(name)\(name)\(start)\(list))".utf8)
            }
            let lines = (1...8).map { line("v\($0)") }
            precondition(lines.allSatisfy { $0.count == length && $0[inPage...] == lines[0][inPage...] })
            let cells = lines.enumerated().map { place, line -> [UInt8] in
                number(length) + [UInt8(place + 1)] + line[..<inPage] + big(4, bytes: 4)
            }
            let references = (pageBytes - 112) / 7
            var bytes = page(
                Array(repeating: big(2, bytes: 4) + [1], count: references), right: 2,
                behind: header(pageCount: 3 + pageCount))
            bytes += page(Array(repeating: big(3, bytes: 4) + [1], count: references), right: 3) + page(cells)
            for place in 0..<pageCount {
                let start = inPage + place * (pageBytes - 4)
                bytes += big(place + 1 < pageCount ? place + 5 : 0, bytes: 4)
                bytes += lines[0][start..<(start + pageBytes - 4)]
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        /// What surveying, listing and importing a file throws.
        private static func codes(_ path: String) async -> [DatabaseError.Code?] {
            let plan = YapDatabaseImport(FilePath(path))
            var codes: [DatabaseError.Code?] = []
            do { _ = try plan.collections(); codes.append(nil) } catch { codes.append(error.code) }
            do { _ = try plan.survey(); codes.append(nil) } catch { codes.append(error.code) }
            do {
                try await plan.run(into: Database.inMemory())
                codes.append(nil)
            } catch {
                codes.append((error as? DatabaseError)?.code)
            }
            return codes
        }

        // A file of three pages has 325,000 rows that say nothing, and was said to have no table.
        @Test func `A list of tables that leads to one page again and again is damage`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("list.sqlite")
            try Self.endlessList(2, at: path)
            #expect(await Self.codes(path) == [.notADatabase, .notADatabase, .notADatabase])
            let error = #expect(throws: DatabaseError.self) { try YapDatabaseImport(FilePath(path)).collections() }
            #expect(error?.message.contains(".dump database2") == true)
        }

        // One of five pages took sixteen hours, whatever the caller cancelled.
        @Test func `A list of tables without an end is read no further than a sound one could be`() async {
            await #expect(processExitsWith: .success) {
                // Ended by the system if it does not end by itself.
                alarm(60)
                let folder = TemporaryDirectory(), path = folder.appending("list.sqlite")
                for levels in [4, 19] {
                    try HostilePagesTests.endlessList(levels, at: path)
                    let codes = await HostilePagesTests.codes(path)
                    precondition(codes == [.notADatabase, .notADatabase, .notADatabase], "\(codes)")
                }
            }
        }

        // A megabyte of such lines was three gigabytes of memory, and seventy kilobytes took minutes.
        @Test func `Lines of a list of tables that share their bytes are neither parsed to their end nor kept`() async {
            await #expect(processExitsWith: .success) {
                alarm(20)
                let folder = TemporaryDirectory(), path = folder.appending("lines.sqlite")
                try HostilePagesTests.sharedLines(at: path)
                let codes = await HostilePagesTests.codes(path)
                precondition(codes == [.notADatabase, .notADatabase, .notADatabase], "\(codes)")
                // What SQLite had at a time; 0 where it does not count.
                precondition(sqlite3_memory_highwater(0) < 8 << 20, "\(sqlite3_memory_highwater(0))")
            }
        }

        // Lines that are just not too long were a gigabyte.
        @Test func `A list of tables that is longer than any program's is damage`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("many.sqlite")
            // 570 references to a page with twenty lines that say nothing.
            try Self.endlessList(1, leaf: Array(repeating: [6, 1, 6, 0, 0, 0, 0, 0], count: 20), at: path)
            #expect(await Self.codes(path) == [.notADatabase, .notADatabase, .notADatabase])
        }

        // A program with a view for each of its chats has thousands.
        @Test func `The tables of a thousand views are no damage`() throws {
            let folder = TemporaryDirectory(), path = folder.appending("views.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run("PRAGMA synchronous = OFF; BEGIN")
            for view in 0..<1_000 {
                try old.run(
                    """
                    CREATE TABLE "view_\(view)_map" ("rowid" INTEGER PRIMARY KEY, "pageKey" CHAR NOT NULL);
                    CREATE TABLE "view_\(view)_page" ("pageKey" CHAR NOT NULL PRIMARY KEY, "data" BLOB);
                    """)
            }
            try old.run("COMMIT")
            try old.insert("x", "k", Data([1]))
            #expect(try YapDatabaseImport(FilePath(path)).survey().rowCount == 1)
        }

        // It was said to be damaged, with a remedy that writes the same line again.
        @Test func `A table of another program that has the name of old versions is not there`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("other.sqlite")
            let columns = (0..<60).map { "a_column_with_a_long_name_\($0)" }.joined(separator: ", ")
            try OldDatabase(at: path, table: "other", journal: "DELETE").run("CREATE TABLE database (\(columns))")
            #expect(await Self.codes(path) == [.notFound, .notFound, .notFound])
        }

        /// The place of the page of the table that begins so.
        private static func page(_ kind: UInt8, of bytes: Data) throws -> Int {
            try #require(
                stride(from: pageBytes, to: bytes.count, by: pageBytes).first {
                    // One of the tables has no rows.
                    bytes[$0] == kind && big(bytes, $0 + 3) > 0
                })
        }

        // All eight arrived: ten thousand of them in a file of a megabyte are gigabytes of records.
        @Test func `Rows that share their bytes are read up to what the file has room for`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("shared.sqlite")
            // So many that as few as can be are in the page itself, and the others in a chain of pages.
            let length = 98_687
            try OldDatabase(at: path, journal: "DELETE").insert("x", "k", Data(repeating: 0x7a, count: length))
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let start = try Self.page(13, of: bytes)
            let cell = Array(bytes[(start + Self.big(bytes, start + 8))..<(start + Self.pageBytes)])
            // Three bytes are its length, and the next one the number of the row.
            try #require(cell[3] == 1 && cell.count < 504)
            let cells = (1...8).map { number in cell[..<3] + [UInt8(number)] + cell[4...] }
            bytes.replaceSubrange(start..<(start + Self.pageBytes), with: Self.page(cells.map { Array($0) }))
            try bytes.write(to: URL(fileURLWithPath: path))

            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.rowCount * length <= 2 * bytes.count && report.rowCount > 0, "\(report.rowCount)")
            #expect(report.insertedCount == report.rowCount && report.isComplete)
            let notes = report.notes.filter { $0.kind == .leftOut }
            #expect(notes.count == 1 && notes[0].reason.contains("rows refer to the same pages"), "\(report.notes)")
            #expect(report.unreadPlaceCount == 1 && report.leftOutCount == 1)
            #expect(try YapDatabaseImport(FilePath(path)).survey().rowCount == report.rowCount)
        }

        // It was inserted a second time, with its number behind its key.
        @Test func `A row of the highest number arrives once where its page is led to twice`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("highest.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            for number in [1, 2, Int64.max] {
                try old.run("INSERT INTO database2 VALUES (\(number), 'x', 'k\(number)', zeroblob(3000), NULL)")
            }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // A page for each row. The one of the second is made the third one's.
            let start = try Self.page(5, of: bytes), count = Self.big(bytes, start + 3)
            let cell = start + Self.big(bytes, start + 12 + 2 * (count - 1))
            bytes.replaceSubrange(cell..<(cell + 4), with: bytes[(start + 8)..<(start + 12)])
            try bytes.write(to: URL(fileURLWithPath: path))

            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(database.snapshot.untyped("x").map(\.key).sorted() == ["k1", "k\(Int64.max)"])
            #expect(report.insertedCount == 2 && !report.notes.contains { $0.kind == .renamed }, "\(report.notes)")
            #expect(report.leftOutCount == 1 && report.notes.last?.reason.contains("can't be read") == true)
        }
    }
#endif
