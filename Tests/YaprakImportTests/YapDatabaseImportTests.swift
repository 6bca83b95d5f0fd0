#if SQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakImport
    import YaprakLocks
    import YaprakReplay

    struct ImportedBook: Codable, Sendable, Hashable {
        var title: String
        var rank: Int
        var released: Date?
    }

    struct ImportedMark: Codable, Sendable, Hashable {
        var isRead: Bool
    }

    extension RecordCollection where Object == ImportedBook, Metadata == ImportedMark {
        static var importedBooks: Self { Self("books") }
    }

    @Suite(.bounded) struct YapDatabaseImportTests {
        private static func encoded(_ value: some Encodable) throws -> Data {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            return try encoder.encode(value)
        }

        private static func book(_ number: Int) -> ImportedBook {
            ImportedBook(
                title: "Book \(number)", rank: number,
                released: number.isMultiple(of: 3) ? Date(timeIntervalSinceReferenceDate: Double(number)) : nil)
        }

        /// Books with marks, as a program with `registerCodableSerialization` leaves them.
        static func makeBooks(_ count: Int, at path: String) throws {
            let old = try OldDatabase(at: path)
            try old.run("BEGIN")
            for number in 0..<count {
                let mark = number.isMultiple(of: 2) ? try encoded(ImportedMark(isRead: true)) : nil
                try old.insert("books", "b\(number)", try encoded(book(number)), mark)
            }
            try old.run("COMMIT")
        }

        private static func names(in folder: TemporaryDirectory) -> [String] { folder.files(in: "") }

        @Test func `Records read without their types are those that the program's types decode and would write`()
            async throws
        {
            let folder = TemporaryDirectory()
            try Self.makeBooks(2500, at: folder.appending("old.sqlite"))
            let path = FilePath(folder.appending("new.yaprak"))
            let database = try await Database.open(at: path)
            let report = try await YapDatabaseImport(FilePath(folder.appending("old.sqlite"))).run(into: database)
            #expect(report.isComplete)
            #expect(report.totalRowCount == 2500)
            #expect(report.insertedCount == 2500)
            #expect(report.commitCount == 3)
            #expect(report.noteCount == 0)
            #expect(report.collections.map(\.name) == ["books"])
            #expect(report.collections[0].forms == [.propertyList: 2500])
            #expect(report.collections[0].metadataForms == [.propertyList: 1250])
            try await database.close()
            let typed = try await Database.open(at: path, collections: .importedBooks)
            for number in 0..<2500 {
                let row = typed.snapshot[.importedBooks].row(for: "b\(number)")
                #expect(row?.object == Self.book(number))
                #expect(row?.metadata == (number.isMultiple(of: 2) ? ImportedMark(isRead: true) : nil))
            }
            // The program's own writing of an equal value has the same bytes: the digest stays.
            let before = typed.snapshot.digest
            let second = try await YapDatabaseImport(FilePath(folder.appending("old.sqlite"))).run(into: typed)
            #expect(second.unchangedCount == 2500)
            #expect(second.commitCount == 0)
            #expect(typed.snapshot.digest == before)
            try await typed.close()
        }

        @Test func `Names of a file whose texts are UTF-16 are those names`() async throws {
            let folder = TemporaryDirectory(), path = folder.appending("wide.sqlite")
            // The encoding has to be said before there is a table.
            let old = try OldDatabase(at: path, journal: "DELETE; PRAGMA encoding = 'UTF-16'")
            try old.insert("bücher", "schlüssel", Data("[1]".utf8))
            let plan = YapDatabaseImport(FilePath(path))
            #expect(try plan.collections().map(\.name) == ["bücher"])
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            #expect(report.insertedCount == 1 && report.noteCount == 0)
            #expect(database.snapshot.untyped("bücher").map(\.key) == ["schlüssel"])
        }

        @Test func `Rows are decoded by the program's closures, and one that throws is left out with a note`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(10, at: file)
            let old = try OldDatabase(at: file)
            try old.insert("books", "broken", Data([1, 2, 3]))
            try old.insert("covers", "c1", Data([0xff, 0xd8]))
            try old.insert("secrets", "s1", Data([1]))
            let covers = RecordCollection<[UInt8], NoMetadata>("images")
            let database = Database.inMemory()
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks)
            plan.decode("covers", as: covers) { Array($0.object) + [7] }
            plan.skip("secrets")
            let notes = Mutex<[ImportNote]>([])
            let report = try await plan.run(into: database, note: { note in notes.withLock { $0.append(note) } })
            #expect(database.snapshot[.importedBooks].count == 10)
            #expect(database.snapshot[.importedBooks].row(for: "b4")?.metadata == ImportedMark(isRead: true))
            #expect(database.snapshot[covers]["c1"] == [0xff, 0xd8, 7])
            #expect(database.snapshot.collectionNames == ["books", "images"])
            #expect(report.leftOutCount == 1)
            let said = notes.withLock { $0 }
            #expect(said == report.notes)
            #expect(said.count == 1)
            #expect(said.first?.kind == .leftOut)
            #expect(said.first?.key == "broken")
            #expect(
                said.first?.description.hasPrefix(#"row 11, collection "books", key "broken": it could not be decoded"#)
                    == true)
            // Values that are equal are left alone: nothing is committed the second time.
            let number = database.commitNumber
            let again = try await plan.run(into: database)
            #expect(again.unchangedCount == 11)
            #expect(database.commitNumber == number)
        }

        @Test func `Other collections are left out if the program says so, but for those that it keeps`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            for name in ["a", "b", "c"] { try old.insert(name, "k", Data("{\"n\": \"\(name)\"}".utf8)) }
            var plan = YapDatabaseImport(FilePath(file))
            plan.rest = .skipped
            plan.keep("b")
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            #expect(database.snapshot.collectionNames == ["b"])
            #expect(report.rowCount == 3)
            #expect(report.insertedCount == 1)
            #expect(try plan.collections().map(\.name) == ["a", "b", "c"])
        }

        @Test func `What was never checkpointed by SQLite is read too, and nothing of the file changes`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            // Still open: the rows are in its log.
            let old = try OldDatabase(at: file)
            try old.insert("books", "dune", try Self.encoded(Self.book(1)))
            let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: file + $0)) }
            let database = Database.inMemory()
            #expect(try await YapDatabaseImport(FilePath(file)).run(into: database).insertedCount == 1)
            #expect(try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: file + $0)) } == before)
            try old.insert("books", "emma", try Self.encoded(Self.book(2)))
            #expect(try await YapDatabaseImport(FilePath(file)).run(into: database).insertedCount == 1)
        }

        // As many rows were counted as the file itself has room for, without its log.
        @Test func `Collections and rows that are in SQLite's log alone are counted, all of them`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            try old.run("BEGIN")
            for number in 0..<3000 { try old.insert("c\(number / 1000)", "\(number)", Data("[1]".utf8)) }
            try old.run("COMMIT")
            let size = try Data(contentsOf: URL(fileURLWithPath: file)).count
            try #require(size / 4 < 2000, "the rows are in the file: \(size) bytes")
            let plan = YapDatabaseImport(FilePath(file))
            let collections = try plan.collections()
            #expect(collections.map(\.name) == ["c0", "c1", "c2"])
            #expect(collections.map(\.rowCount) == [1000, 1000, 1000])
            let report = try await plan.run(into: Database.inMemory())
            #expect(report.totalRowCount == 3000 && report.insertedCount == 3000 && report.noteCount == 0, "\(report)")
            withExtendedLifetime(old) {}
        }

        @Test func `An import takes a path given as a string, and a URL`() throws {
            let folder = TemporaryDirectory()
            try Self.makeBooks(5, at: folder.appending("old?%#.sqlite"))
            let url = URL(filePath: folder.path).appending(path: "old?%#.sqlite")
            #expect(try YapDatabaseImport(url).survey().rowCount == 5)
            #expect(try YapDatabaseImport("\(folder.path)/old?%#.sqlite").survey().rowCount == 5)
            let error = #expect(throws: DatabaseError.self) {
                try YapDatabaseImport(URL(string: "https://example.org/a")!)
            }
            #expect(error?.code == .notADatabase)
        }

        @Test func `A closed file in a folder that can't be written is read, and leaves nothing beside it`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old?%#.sqlite")
            try Self.makeBooks(5, at: file)
            #expect(Self.names(in: folder) == ["old?%#.sqlite"])
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.appending(""))
            defer {
                try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.appending(""))
            }
            #expect(try YapDatabaseImport(FilePath(file)).survey().rowCount == 5)
            #expect(Self.names(in: folder) == ["old?%#.sqlite"])
        }

        @Test func `A link leads to the file and to the log beside it, and a log that can't be read is an error`()
            throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            try old.insert("books", "dune", try Self.encoded(Self.book(1)))
            let link = folder.appending("link.sqlite")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(try YapDatabaseImport(FilePath(link)).survey().rowCount == 1)
            let other = folder.appending("other.sqlite")
            try FileManager.default.copyItem(atPath: file, toPath: other)
            #expect(mkfifo(other + "-wal", 0o600) == 0)
            #expect(throws: DatabaseError.self) { try YapDatabaseImport(FilePath(other)).survey() }
        }

        @Test func `A file that is written to while it is read is an error, not a mixture`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(100, at: file)
            var plan = YapDatabaseImport(FilePath(file))
            plan.batchCount = 10
            let writer = Mutex(false)
            await #expect {
                try await plan.run(into: Database.inMemory()) { _ in
                    let isFirst = writer.withLock { isWritten in
                        defer { isWritten = true }
                        return !isWritten
                    }
                    if isFirst { try? OldDatabase(at: file).insert("books", "late", Data([1])) }
                    return true
                }
            } throws: {
                ($0 as? DatabaseError)?.code == .alreadyOpen
            }
        }

        @Test func `A record that was changed after an import stays, unless rows are to replace records`() async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(3, at: file)
            let database = Database.inMemory()
            var plan = YapDatabaseImport(FilePath(file))
            try await plan.run(into: database)
            try await database.write { try $0.setUntyped(["n": 99], for: "b1", inCollectionNamed: "books") }
            #expect(try await plan.run(into: database).unchangedCount == 3)
            #expect(database.snapshot.untyped("books")["b1"]?.object["n"] == 99)
            plan.replacesExisting = true
            let report = try await plan.run(into: database)
            #expect(report.replacedCount == 1)
            #expect(report.unchangedCount == 2)
            #expect(database.snapshot.untyped("books")["b1"]?.object["rank"] == 1)
        }

        // They were replaced, though the user may have changed them since: by types that this program does not have.
        @Test(arguments: [false, true])
        func `A record that is set aside stays, unless rows are to replace records`(isTyped: Bool) async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(3, at: file)
            let path = FilePath(folder.appending("new.yaprak"))
            let other = try await Database.open(at: path)
            try await other.write { try $0.setUntyped(["n": 99], for: "b1", inCollectionNamed: "books") }
            try await other.close()
            let books = RecordCollection<ImportedBook, ImportedMark>.importedBooks.configured {
                $0.undecodable = .setAside
            }
            let database = try await Database.open(at: path, collections: books)
            try #require(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["b1"])
            var plan = YapDatabaseImport(FilePath(file))
            if isTyped { plan.decode("books", as: .importedBooks) }
            var report = try await plan.run(into: database)
            #expect(report.unchangedCount == 1 && report.insertedCount == 2 && report.noteCount == 0, "\(report)")
            #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["b1"])
            plan.replacesExisting = true
            report = try await plan.run(into: database)
            #expect(report.insertedCount == 0 && report.replacedCount > 0 && report.noteCount == 0, "\(report)")
            #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
            #expect(database.snapshot[.importedBooks]["b1"] == Self.book(1))
            try await database.close()
        }

        /// A type whose `==` leaves a property out.
        private struct TitledBook: Codable, Sendable, Equatable {
            var title: String
            var rank: Int
            static func == (a: Self, b: Self) -> Bool { a.title == b.title }
        }

        // A date, as YapDatabase's serializer of them writes it, is no property list.
        @Test func `Into a collection without metadata rows are imported whatever metadata they have`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            let stamp = withUnsafeBytes(of: 500_000_000.5.bitPattern.littleEndian) { Data($0) }
            try old.insert("books", "b1", try Self.encoded(Self.book(1)), stamp)
            try old.insert("books", "b2", try Self.encoded(Self.book(2)), try Self.encoded(ImportedMark(isRead: true)))
            let plain = RecordCollection<ImportedBook, NoMetadata>("books")
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: plain)
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            #expect(report.leftOutCount == 0 && report.insertedCount == 2)
            #expect(database.snapshot[plain].allSatisfy { $0.metadata == nil })
        }

        @Test func `A row replaces a record that is stored differently, also where the two are equal to their type`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(3, at: file)
            let database = Database.inMemory()
            let books = RecordCollection<TitledBook, ImportedMark>("books")
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: books)
            #expect(try await plan.run(into: database).insertedCount == 3)
            try await database.write { $0[books]["b1"]?.rank = 99 }
            plan.replacesExisting = true
            let report = try await plan.run(into: database)
            #expect(report.replacedCount == 1 && report.unchangedCount == 2)
            #expect(database.snapshot[books]["b1"]?.rank == 1)
        }

        @Test func `Two spellings of a key stay two records, and names that are not possible get others`() async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            try old.insert("books", "caf\u{e9}", Data("{\"n\": 1}".utf8))
            try old.insert("books", "cafe\u{301}", Data("{\"n\": 2}".utf8))
            try old.insert("books", "caf\u{e9} (row 2)", Data("{\"n\": 7}".utf8))
            try old.insert("", "k", Data("{\"n\": 3}".utf8))
            try old.insert("default", "k", Data("{\"n\": 4}".utf8))
            try old.insert("tab\tbed", "k", Data("{\"n\": 5}".utf8))
            try old.insert(String(repeating: "x", count: 400), "k", Data("{\"n\": 6}".utf8))
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(file)).run(into: database)
            #expect(report.insertedCount == 7)
            #expect(report.notes.map(\.kind) == Array(repeating: .renamed, count: 5))
            let snapshot = database.snapshot
            func number(_ collection: String, _ key: String) -> CBORValue? {
                snapshot.untyped(collection)[key]?.object["n"]
            }
            #expect(number("books", "caf\u{e9}") == 1)
            #expect(number("books", "caf\u{e9} (row 2)") == 2)
            #expect(number("books", "caf\u{e9} (row 2) (row 3)") == 7)
            #expect(number("default", "k") == 4)
            #expect(number("default (2)", "k") == 3)
            #expect(number("tab\u{2409}bed", "k") == 5)
            #expect(snapshot.collectionNames.contains { $0.hasPrefix("xxx") && $0.utf8.count < 256 })
        }

        @Test func `Objects and metadata of every form arrive, and what can't be read keeps its bytes`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file, table: "database", journal: "DELETE")
            let date = Date(timeIntervalSince1970: 1_500_000_000)
            let stamp = withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) { Data($0) }
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: ["a": 1] as NSDictionary, requiringSecureCoding: false)
            try old.insert("x", "archive", archive, stamp)
            try old.insert("x", "json", Data("[1]".utf8), Data())
            try old.insert("x", "picture", Data([0x89, 0x50]))
            try old.insert("x", "nothing", Data())
            try old.insert("x", "null", nil)
            try old.insert("x", "torn", Data(archive.dropLast(9)), Data(archive.dropLast(9)))
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(file)).run(into: database)
            #expect(report.insertedCount == 6)
            #expect(
                report.collections[0].forms == [.keyedArchive: 1, .json: 1, .bytes: 2, .empty: 2])
            #expect(report.collections[0].metadataForms == [.timestamp: 1, .empty: 1, .bytes: 1])
            #expect(report.notes.compactMap(\.key) == ["nothing", "null", "torn", "torn"])
            #expect(report.notes.allSatisfy { $0.kind == .keptAsBytes })
            let records = database.snapshot.untyped("x")
            #expect(records["archive"]?.object == ["a": 1])
            #expect(records["picture"]?.object == .bytes([0x89, 0x50]))
            #expect(records["torn"]?.object == .bytes(Array(archive.dropLast(9))))
            #expect(records["null"]?.object == .null)
        }

        @Test func `A row that the database refuses is left out, and those around it are not`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            for number in 0..<50 { try old.insert("x", "k\(number)", Data("[\(number)]".utf8)) }
            try old.insert("x", String(repeating: "long", count: 20_000), Data("[1]".utf8))
            for number in 50..<100 { try old.insert("x", "k\(number)", Data("[\(number)]".utf8)) }
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(file)).run(into: database)
            #expect(report.insertedCount == 100)
            #expect(report.leftOutCount == 1)
            #expect(report.notes.first?.rowID == 51)
            #expect(report.notes.first?.reason.contains("keyTooLong") == true)
            #expect(database.snapshot.count(inCollectionNamed: "x") == 100)
        }

        @Test func `A row that the program's own check refuses is left out, and those around it are not`() async throws
        {
            struct Refused: Error { var title: String }
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(20, at: file)
            let books = RecordCollection<ImportedBook, ImportedMark>.importedBooks.configured { configuration in
                configuration.prepare { key, book, _ in
                    if key == "b7" || key == "b8" { throw Refused(title: book.title) }
                }
            }
            let database = Database.inMemory()
            try await database.bind(books)
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks)
            let report = try await plan.run(into: database)
            #expect(report.insertedCount == 18 && report.leftOutCount == 2)
            #expect(report.notes.map(\.key) == ["b7", "b8"])
            // The title is the user's: nobody wants it in a log.
            let reason = try #require(report.notes.first?.reason)
            #expect(reason.contains("Refused") && !reason.contains("Book 7"), "\(reason)")
        }

        /// Follows all but one record.
        private struct Picky: DatabaseExtension {
            struct Refused: Error {}
            let name = "picky"
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
                if context.after[.importedBooks]["b7"] != nil { throw Refused() }
                root += 1
                return nil
            }
        }

        // The import ended there, at each launch.
        @Test func `A row at which the program's own extension throws is left out, and those around it are not`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(20, at: file)
            let database = Database.inMemory()
            try await database.register(Picky())
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks)
            let report = try await plan.run(into: database)
            #expect(report.insertedCount == 19 && report.leftOutCount == 1 && report.isComplete)
            #expect(report.notes.map(\.key) == ["b7"])
            #expect(report.notes.first?.reason.contains("picky") == true, "\(report.notes)")
        }

        /// Throws an error of the program's own that has a code of Yaprak's.
        private struct Author: DatabaseExtension {
            let name = "author"
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
                if context.after[.importedBooks]["b7"] != nil { throw DatabaseError(.notFound, "There is no author.") }
                root += 1
                return nil
            }
        }

        // So did one with a code that no write of Yaprak's own has.
        @Test func `A row at which the program throws an error with a code of Yaprak's is left out`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(20, at: file)
            let database = Database.inMemory()
            try await database.register(Author())
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks)
            let report = try await plan.run(into: database)
            #expect(report.insertedCount == 19 && report.leftOutCount == 1 && report.isComplete)
            #expect(report.notes.map(\.key) == ["b7"], "\(report.notes)")
        }

        // With its name misspelled a collection was skipped, and the report said that all is well.
        @Test func `A collection that is read and not in the file has a note if it may be another one of the file`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(3, at: file)
            var plan = YapDatabaseImport(FilePath(file))
            plan.rest = .skipped
            plan.decode("book", as: .importedBooks)
            plan.skip("cache")
            let said = Mutex<[ImportNote]>([])
            let report = try await plan.run(
                into: Database.inMemory(), note: { note in said.withLock { $0.append(note) } })
            #expect(report.isComplete && report.insertedCount == 0 && report.leftOutCount == 0 && report.noteCount == 1)
            #expect(report.notes.map(\.kind) == [.unmatched])
            // There is nothing to leave out.
            #expect(report.notes.map(\.collectionName) == ["book"])
            #expect(report.notes.first?.reason.contains(#"it has "books""#) == true, "\(report.notes)")
            #expect(said.withLock { $0 } == report.notes)
            #expect(try plan.survey().notes == report.notes)
            // Of a file that was not read to its end nobody knows.
            plan = YapDatabaseImport(FilePath(file))
            plan.keep("book")
            plan.batchCount = 1
            #expect(try await plan.run(into: Database.inMemory(), progress: { _ in false }).noteCount == 0)
            // A collection that the user never used is in no file.
            plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks)
            plan.keep("drafts")
            #expect(try await plan.run(into: Database.inMemory()).noteCount == 0)
            plan.skip("books")
            #expect(try plan.survey().noteCount == 0)
            try OldDatabase(at: folder.appending("empty.sqlite")).run("SELECT 1")
            var empty = YapDatabaseImport(FilePath(folder.appending("empty.sqlite")))
            empty.keep("books")
            #expect(try await empty.run(into: Database.inMemory()).noteCount == 0)
        }

        // It was said to be missing, and to be there, in one sentence.
        @Test func `Of a collection whose rows can't be read it is not said that it has none`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file, journal: "DELETE")
            try old.insert("x", "small", Data("[1]".utf8))
            let half = String(repeating: "z", count: 10_000)
            try old.insert("films", "torn", Data((half + "middle" + half).utf8))
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            // A page in the middle of a value begins with the number of the next one.
            let middle = try #require(bytes.firstRange(of: Data("middle".utf8))).lowerBound
            let page = middle - middle % 4096
            bytes.replaceSubrange(page..<(page + 4), with: [0xff, 0xff, 0xff, 0xff])
            try bytes.write(to: URL(fileURLWithPath: file))
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("films", as: RecordCollection<Int, NoMetadata>("films")) { $0.object.count }
            let report = try await plan.run(into: Database.inMemory())
            #expect(report.insertedCount == 1 && report.notes.map(\.kind) == [.leftOut], "\(report.notes)")
            #expect(try plan.survey().notes == report.notes)
        }

        // All rows of a batch were read and decoded before it was noticed, or all of a file in one statement; then some 140.
        @Test func `An import ends soon after its task was cancelled, in the middle of a batch`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            let old = try OldDatabase(at: file)
            try old.run("BEGIN")
            for number in 0..<5000 { try old.insert("x", "\(number)", Data("[1]".utf8)) }
            try old.run("COMMIT")
            let decoded = Mutex(0)
            var plan = YapDatabaseImport(FilePath(file))
            plan.batchCount = 1_000_000
            plan.decode("x", as: RecordCollection<Int, NoMetadata>("x")) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return decoded.withLock {
                    $0 += 1; return $0
                }
            }
            let task = Task { [plan] in try await plan.run(into: Database.inMemory()) }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(decoded.withLock { $0 } == 1)
        }

        @Test func `An import that is ended goes on where it was`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(100, at: file)
            var plan = YapDatabaseImport(FilePath(file))
            plan.batchCount = 10
            let database = Database.inMemory()
            let first = try await plan.run(into: database) { $0.rowCount < 50 }
            #expect(!first.isComplete)
            #expect(first.insertedCount == 50)
            #expect(first.commitCount == 5)
            let second = try await plan.run(into: database)
            #expect(second.isComplete)
            #expect(second.unchangedCount == 50)
            #expect(second.insertedCount == 50)
            let task = Task {
                try await plan.run(into: database) { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return true
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        // Those of the first commit were, and the others were taken for what the first had become.
        @Test(arguments: [false, true])
        func `Rows that are read without their types are migrated, whichever commit they are in`(isInterrupted: Bool)
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(25, at: file)
            let books = RecordCollection<ImportedBook, ImportedMark>.importedBooks.configured {
                $0.version = 2
                $0.migrate(from: 1, to: 2) { record in
                    let rank = record.object["rank"]?.integer ?? 0
                    record.object["rank"] = .integer(100 * rank)
                }
            }
            let database = Database.inMemory()
            try await database.bind(books)
            var plan = YapDatabaseImport(FilePath(file))
            plan.batchCount = 10
            if isInterrupted {
                #expect(try await plan.run(into: database, progress: { _ in false }).insertedCount == 10)
            }
            let report = try await plan.run(into: database)
            #expect(report.insertedCount == (isInterrupted ? 15 : 25) && report.noteCount == 0, "\(report)")
            let ranks = database.snapshot[.importedBooks].map(\.object.rank).sorted()
            #expect(ranks == (0..<25).map { 100 * $0 })
        }

        @Test func `A survey finds what an import finds, and writes nothing`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try Self.makeBooks(30, at: file)
            try OldDatabase(at: file).insert("books", "bad", Data("bplist00".utf8))
            let plan = YapDatabaseImport(FilePath(file))
            let survey = try plan.survey()
            let report = try await plan.run(into: Database.inMemory())
            #expect(survey.notes == report.notes)
            #expect(survey.notes.map(\.kind) == [.keptAsBytes])
            #expect(survey.rowCount == 31)
            #expect(survey.insertedCount == 0)
            #expect(survey.collections.map(\.forms) == report.collections.map(\.forms))
        }

        @Test func `What is no YapDatabase is refused with the reason`() throws {
            let folder = TemporaryDirectory()
            func code(_ name: String) -> DatabaseError.Code? {
                do {
                    _ = try YapDatabaseImport(FilePath(folder.appending(name))).survey()
                    return nil
                } catch {
                    #expect(error.message.contains(name))
                    return error.code
                }
            }
            #expect(code("absent") == .notFound)
            try FileManager.default.createDirectory(
                atPath: folder.appending("folder"), withIntermediateDirectories: true)
            #expect(code("folder") == .ioFailed)
            #expect(mkfifo(folder.appending("pipe"), 0o600) == 0)
            #expect(code("pipe") == .ioFailed)
            try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }).write(
                to: URL(fileURLWithPath: folder.appending("encrypted")))
            #expect(code("encrypted") == .notADatabase)
            try OldDatabase(at: folder.appending("other")).run("DROP TABLE database2; CREATE TABLE players (id, name)")
            #expect(code("other") == .notFound)
            // A view of that name could be any query.
            try OldDatabase(at: folder.appending("view")).run(
                """
                DROP TABLE database2;
                CREATE VIEW database2 AS SELECT 1 AS collection, 2 AS key, 3 AS data, 4 AS metadata
                """
            )
            #expect(code("view") == .notFound)
            try Data().write(to: URL(fileURLWithPath: folder.appending("empty")))
            #expect(code("empty") == .notFound)
        }
    }
#endif
