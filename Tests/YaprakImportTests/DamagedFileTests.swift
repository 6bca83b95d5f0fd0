#if SQLite
    import CSQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakImport
    import YaprakLocks
    import YaprakReplay

    /// Files that a disk, a cable or someone else has damaged.
    @Suite(.bounded) struct DamagedFileTests {
        /// Where the pages of the files begin.
        private static let pageBytes = 4096

        /// Rows `[number, "begin-number …"]` in the collection x.
        private static func make(_ count: Int, bytes: Int, at path: String) throws -> Data {
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run("BEGIN")
            for number in 0..<count {
                let filling = String(repeating: "z", count: bytes / 2)
                let text = "[\(number), \"begin-\(number)-\(filling) middle-\(number)-\(filling)\"]"
                try old.insert("x", "key-\(number)", Data(text.utf8))
            }
            try old.run("COMMIT")
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }

        /// The numbers of the records, each checked to be in its place.
        private static func numbers(_ database: Database, _ context: String) -> Set<Int> {
            Set(
                database.snapshot.untyped("x").map { record in
                    let number = Int(record.key.dropFirst(4)) ?? -1
                    // What was filled with zeros is no JSON any more.
                    if case .bytes(let bytes) = record.object, bytes.last == 0 { return number }
                    #expect(record.object.array?.first?.integer == Int64(number), "\(context)")
                    return number
                })
        }

        /// Writes over a page.
        private static func spoil(_ page: Int, of bytes: inout Data, _ random: inout SplitMix64) {
            for place in 0..<pageBytes { bytes[page * pageBytes + place] = UInt8(truncatingIfNeeded: random.next()) }
        }

        @Test func `Of a damaged file every row that can be read arrives, on both sides of the damage`() async throws {
            let folder = TemporaryDirectory(), seed = UInt64.random(in: .min ... .max)
            var random = SplitMix64(seed: seed)
            let good = try Self.make(2000, bytes: 100, at: folder.appending("old.sqlite"))
            let pages = good.count / Self.pageBytes
            var hadHole = 0
            for _ in 0..<Soak.volume(30, soak: 3000) {
                var bytes = good
                // A whole page, of the table or of its index; not the first, which says what there is.
                let page = 1 + random.below(pages - 1)
                Self.spoil(page, of: &bytes, &random)
                let damaged = folder.appending("damaged.sqlite")
                try bytes.write(to: URL(fileURLWithPath: damaged))
                let database = Database.inMemory()
                do {
                    let report = try await YapDatabaseImport(FilePath(damaged)).run(into: database)
                    let records = Self.numbers(database, "seed \(seed), page \(page)")
                    // A page of leaves has some 30 rows. That of the root leads to all.
                    if report.noteCount > 0 {
                        hadHole += 1
                        #expect(records.count > 1800 || records.count == 0, "seed \(seed), page \(page)")
                    } else {
                        #expect(records.count == 2000, "seed \(seed), page \(page)")
                    }
                } catch let error as DatabaseError {
                    #expect(error.code == .notADatabase, "seed \(seed), page \(page): \(error)")
                }
            }
            #expect(hadHole > 0, "seed \(seed)")
            // Single bytes lead SQLite in circles: each row is read once, and the reading ends.
            for _ in 0..<Soak.volume(60, soak: 20_000) {
                var bytes = good
                // Heads of pages, and the places of their cells.
                let count = 1 + random.below(3)
                for _ in 0..<count {
                    let place = Self.pageBytes * (1 + random.below(pages - 1)) + random.below(40)
                    bytes[place] = UInt8(truncatingIfNeeded: random.next())
                }
                let damaged = folder.appending("bytes.sqlite")
                try bytes.write(to: URL(fileURLWithPath: damaged))
                do {
                    let report = try YapDatabaseImport(FilePath(damaged)).survey()
                    #expect(report.rowCount <= 2000 + report.noteCount, "seed \(seed)")
                    // More of them may damage the table and its index alike.
                    if count == 1 { #expect(report.rowCount == 2000 || report.leftOutCount > 0, "seed \(seed)") }
                } catch {
                    #expect([.notADatabase, .notFound].contains(error.code), "seed \(seed): \(error)")
                }
            }
        }

        @Test func `What is before the cut of a file that was cut off arrives`() async throws {
            let folder = TemporaryDirectory(), seed = UInt64.random(in: .min ... .max)
            var random = SplitMix64(seed: seed)
            let good = try Self.make(600, bytes: 100, at: folder.appending("old.sqlite"))
            var most = 0
            for _ in 0..<Soak.volume(25, soak: 2000) {
                var count = 1 + random.below(good.count - 1)
                if random.below(2) == 0 { count -= count % Self.pageBytes }
                let cut = folder.appending("cut.sqlite"), context = "seed \(seed), \(count) bytes of \(good.count)"
                try good.prefix(count).write(to: URL(fileURLWithPath: cut))
                let database = Database.inMemory()
                do {
                    let report = try await YapDatabaseImport(FilePath(cut)).run(into: database)
                    let found = Self.numbers(database, context).count
                    #expect(found == 600 || report.leftOutCount > 0, "\(context)")
                    // What was filled with zeros is never without a word.
                    let zeros = database.snapshot.untyped("x").filter { $0.object.array == nil }.count
                    #expect(zeros == 0 || count % Self.pageBytes != 0, "\(context)")
                    #expect(zeros == 0 || report.leftOutCount > 0, "\(context)")
                    // Rows lie in the file as they were inserted, with their index between them.
                    most = max(most, found)
                    if count > good.count / 2 { #expect(found > 200, "\(context)") }
                } catch let error as DatabaseError {
                    // The first pages say what there is.
                    #expect([.notADatabase, .notFound].contains(error.code), "\(context): \(error)")
                    #expect(count < 8 * Self.pageBytes, "\(context): \(error)")
                }
            }
            #expect(most > 0, "seed \(seed)")
        }

        #if os(Linux)
            // Apple's library is so for every file, and no row of one that was cut off arrived.
            @Test func `What is before the cut arrives where SQLite protects files from the start`() async {
                await #expect(processExitsWith: .success) {
                    typealias Opened = @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Int32
                    let opened: Opened = { database, _, _ in csqlite_set_defensive(database, 1) }
                    let folder = TemporaryDirectory()
                    let good = try DamagedFileTests.make(600, bytes: 100, at: folder.appending("old.sqlite"))
                    let cut = folder.appending("cut.sqlite")
                    let count = good.count * 3 / 4 / DamagedFileTests.pageBytes * DamagedFileTests.pageBytes
                    try good.prefix(count).write(to: URL(fileURLWithPath: cut))
                    // The type that the call is declared with is that of no entry point; SQLite calls it as this one.
                    let entry = unsafeBitCast(opened, to: (@convention(c) () -> Void).self)
                    precondition(sqlite3_auto_extension(entry) == SQLITE_OK)
                    let database = Database.inMemory()
                    let report = try await YapDatabaseImport(FilePath(cut)).run(into: database)
                    let found = DamagedFileTests.numbers(database, "a file that was cut off").count
                    precondition(found > 200 && found < 600 && report.leftOutCount > 0, "\(found) rows")
                }
            }
        #endif

        @Test func `Rows around one that is torn arrive, before a hole and behind it`() async throws {
            let folder = TemporaryDirectory(), seed = UInt64.random(in: .min ... .max)
            var random = SplitMix64(seed: seed)
            var bytes = try Self.make(300, bytes: 20_000, at: folder.appending("old.sqlite"))
            func page(of text: String) throws -> Int {
                try #require(bytes.firstRange(of: Data(text.utf8))).lowerBound / Self.pageBytes
            }
            let torn = [50, 51, 200, 250, 299]
            for number in torn {
                // The page in the middle of a value begins with the number of the next one.
                let start = try page(of: "middle-\(number)-") * Self.pageBytes
                for place in start..<start + 4 { bytes[place] = 0xff }
            }
            Self.spoil(try page(of: "begin-100-"), of: &bytes, &random)
            let damaged = folder.appending("damaged.sqlite")
            try bytes.write(to: URL(fileURLWithPath: damaged))
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(damaged)).run(into: database)
            let missing = Set(0..<300).subtracting(Self.numbers(database, "seed \(seed)"))
            let hole = missing.subtracting(torn)
            #expect(missing.isSuperset(of: torn), "seed \(seed)")
            #expect(hole.contains(100) && hole.allSatisfy { (92...108).contains($0) }, "seed \(seed): \(hole.sorted())")
            // A note for each, and one for the hole. Numbers of rows begin at 1.
            #expect(Set(report.notes.compactMap(\.rowID)) == Set(torn.map { Int64($0 + 1) }), "seed \(seed)")
            #expect(report.noteCount == torn.count + 1, "seed \(seed): \(report.notes)")
        }

        // A damaged index made the tool say that there is no such collection.
        @Test func `Collections are found where their index is damaged`() throws {
            let folder = TemporaryDirectory(), seed = UInt64.random(in: .min ... .max)
            var random = SplitMix64(seed: seed)
            let good = try Self.make(500, bytes: 100, at: folder.appending("old.sqlite"))
            var wholeCount = 0
            for page in 1..<good.count / Self.pageBytes {
                var bytes = good
                Self.spoil(page, of: &bytes, &random)
                let damaged = folder.appending("damaged.sqlite")
                try bytes.write(to: URL(fileURLWithPath: damaged))
                let plan = YapDatabaseImport(FilePath(damaged)), context = "seed \(seed), page \(page)"
                let rows = try plan.survey().rowCount, collections = try plan.collections()
                #expect(collections.map(\.name) == (rows > 0 ? ["x"] : collections.map(\.name)), "\(context)")
                #expect(collections.first?.rowCount ?? 0 >= rows, "\(context)")
                if rows == 500 { wholeCount += 1 }
            }
            // The index has pages, too.
            #expect(wholeCount > 1, "seed \(seed)")
        }
    }
#endif
