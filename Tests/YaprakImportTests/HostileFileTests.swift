#if SQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakCBOR
    import YaprakReplay

    @testable import YaprakImport

    /// Files whose content nobody would expect, and files in odd places.
    @Suite(.bounded) struct HostileFileTests {
        private let folder = TemporaryDirectory()

        private func survey(_ name: String) throws(DatabaseError) -> ImportReport {
            try YapDatabaseImport(FilePath(folder.appending(name))).survey()
        }

        // Bytes beyond ASCII were encoded twice on the way to SQLite.
        @Test(arguments: ["b\u{fc}cher", "bu\u{308}cher", "\u{65e5}\u{672c}\u{1f4da}", "100% %C3%BC", "a b&c=d"])
        func `A file is read whatever its name, and that of its folder`(name: String) throws {
            let parent = folder.appending(name)
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
            for journal in ["DELETE", "WAL"] {
                let path = "\(parent)/\(name)-\(journal).sqlite"
                let old = try OldDatabase(at: path, journal: journal)
                try old.insert("x", "k", Data("[1]".utf8))
                #expect(try YapDatabaseImport(FilePath(path)).survey().rows == 1)
            }
        }

        #if os(Linux)
            // There was nothing, it was said, where the path was no UTF-8.
            @Test(arguments: ["DELETE", "WAL"]) func `A file is read whatever the bytes of its path, with its log`(
                journal: String
            ) throws {
                let plain = FilePath(folder.appending("plain"))
                let odd = plain.removingLastComponent().appending(
                    try #require(FilePath.Component(platformString: [CChar(bitPattern: 0xff), 0x20, 0x25, 0])))
                try FileManager.default.createDirectory(atPath: plain.string, withIntermediateDirectories: false)
                let old = try OldDatabase(at: plain.appending("old.sqlite").string, journal: journal)
                try old.insert("x", "k", Data("[1]".utf8))
                func move(_ from: FilePath, _ to: FilePath) -> Int32 {
                    from.withPlatformString { from in to.withPlatformString { rename(from, $0) } }
                }
                try #require(move(plain, odd) == 0)
                defer { _ = move(odd, plain) }
                #expect(try YapDatabaseImport(odd.appending("old.sqlite")).survey().rows == 1)
                let error = #expect(throws: DatabaseError.self) {
                    try YapDatabaseImport(odd.appending("none.sqlite")).survey()
                }
                #expect(error?.code == .notFound)
                withExtendedLifetime(old) {}
            }
        #endif

        // The list of tables is data, too: it said that there is a table where there was a view without an end.
        @Test func `A view that the list of tables calls a table is refused`() throws {
            let path = folder.appending("view.sqlite")
            do {
                let old = try OldDatabase(at: path, journal: "DELETE")
                try old.run(
                    """
                    DROP TABLE database2;
                    CREATE TABLE database2 (a);
                    CREATE VIEW databas99 AS SELECT 'x' AS collection, 'k' AS key, x'01' AS data, NULL AS metadata
                    """)
            }
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for (old, new) in [("TABLE database2", "TABLE databas99"), ("VIEW databas99", "VIEW database2")] {
                while let range = bytes.firstRange(of: Data(old.utf8)) {
                    bytes.replaceSubrange(range, with: Data(new.utf8))
                }
            }
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: DatabaseError.self) { try survey("view.sqlite") }
            #expect(error?.code == .notFound, "\(String(describing: error))")
        }

        @Test(arguments: [
            "CREATE TABLE database2 (collection, key, data, metadata, PRIMARY KEY (collection, key)) WITHOUT ROWID",
            """
            CREATE TABLE database2 (_rowid_ TEXT PRIMARY KEY, collection, key, data, metadata)
            """,
            """
            CREATE VIEW v AS SELECT 'x' AS collection, 'k' AS key, x'01' AS data, NULL AS metadata;
            CREATE VIRTUAL TABLE database2 USING fts5 (collection, key, data, metadata, content = 'v')
            """,
            """
            CREATE TABLE database2 (rowid INTEGER PRIMARY KEY, collection, key, data, metadata,
                _rowid_ GENERATED ALWAYS AS (1) VIRTUAL)
            """,
            """
            CREATE TABLE database2 (rowid INTEGER PRIMARY KEY, collection, key, metadata,
                data GENERATED ALWAYS AS (zeroblob(1000000)) VIRTUAL)
            """,
        ])
        func `A table whose rows have no numbers, or that is none, is refused with the reason`(statements: String)
            throws
        {
            let old = try OldDatabase(at: folder.appending("other.sqlite"), journal: "DELETE")
            try old.run("DROP TABLE database2")
            do { try old.run(statements) } catch {
                // A SQLite without the module, or too old for columns that are computed.
                try #require(statements.contains("VIRTUAL"), "\(error)")
                return
            }
            let error = #expect(throws: DatabaseError.self) { try survey("other.sqlite") }
            #expect(error?.code == .notFound, "\(String(describing: error))")
        }

        @Test func `Rows are read by their numbers also where a column has that name`() async throws {
            let path = folder.appending("named.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run(
                """
                DROP TABLE database2;
                CREATE TABLE database2 (rowid TEXT PRIMARY KEY, collection, key, data, metadata);
                INSERT INTO database2 VALUES ('c', 'x', 'k1', '[1]', NULL), ('a', 'x', 'k2', '[2]', NULL),
                    ('b', 'x', 'k3', '[3]', NULL)
                """)
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.inserted == 3 && report.noteCount == 0, "\(report.notes)")
            #expect(database.snapshot.untyped("x").map(\.key).sorted() == ["k1", "k2", "k3"])
        }

        @Test func `A row that is too large for SQLite is left out with its number, and those around it are not`()
            throws
        {
            let path = folder.appending("huge.sqlite"), most = 10_000
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.insert("x", "before", Data("[1]".utf8))
            // SQLite itself refuses one of twice as many bytes.
            for bytes in [2 * most + 1, most + 1, most] {
                try old.run(
                    "INSERT INTO database2 (collection, key, data) VALUES ('x', 'large \(bytes)', zeroblob(\(bytes)))")
            }
            let rows = try YapDatabaseRows(FilePath(path), valueBytesMax: most)
            var read: [Int64] = [], notes: [ImportNote] = []
            while let step = try rows.next() {
                switch step {
                case .row(let row): read.append(row.rowID)
                case .unread(let note): notes.append(note)
                }
            }
            #expect(read == [1, 4] && notes.map(\.rowID) == [2, 3], "\(read) \(notes)")
            #expect(notes.allSatisfy { $0.reason.contains("larger than a record may be") }, "\(notes)")
        }

        @Test func `Texts that are numbers, bytes or nothing, with zeros and without UTF-8 in them, are texts`()
            async throws
        {
            let path = folder.appending("odd.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run(
                """
                INSERT INTO database2 (collection, key, data, metadata) VALUES
                    ('x', 5, 9223372036854775807, -1.5), ('x', x'61ff00', '[1]', NULL),
                    ('x', 'a' || char(0) || 'b', '[2]', x'00'), ('x', '', '', ''), (x'ff', 1e999, NULL, NULL)
                """)
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.inserted == 5 && report.leftOut == 0, "\(report.notes)")
            #expect(Set(database.snapshot.untyped("x").map(\.key)) == ["5", "a%ff\0", "a\0b", ""])
            #expect(database.snapshot.untyped("x")["5"]?.object == .bytes(Array("9223372036854775807".utf8)))
            #expect(database.snapshot.untyped("%ff").map(\.key) == ["Inf"])
        }

        // A log that may have no more files was said to be the fault of each row.
        @Test func `A limit of the database is no fault of a row, but for one collection too many`() {
            #expect(!ImportWriter.isOfOneRow(DatabaseError(.overLimit, "The commits are used up.")))
            #expect(ImportWriter.isOfOneRow(DatabaseError(.overLimit, "x", place: .init(collection: "a"))))
            #expect(ImportWriter.isOfOneRow(DatabaseError(.keyTooLong, "x")))
        }

        // The key of each row that was refused was kept whole.
        @Test func `A note has no more of a name than a key may have`() async throws {
            let path = folder.appending("long.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.insert("x", String(repeating: "k\u{e9}", count: 100_000), Data("[1]".utf8))
            try old.insert(String(repeating: "c", count: 300_000), "k", Data("bplist00".utf8))
            let report = try await YapDatabaseImport(FilePath(path)).run(into: Database.inMemory())
            #expect(report.leftOut == 1 && report.inserted == 1)
            for note in report.notes {
                #expect((note.key?.utf8.count ?? 0) <= 65_540 && (note.collection?.utf8.count ?? 0) <= 65_540)
            }
            #expect(report.notes.contains { $0.key?.hasPrefix("k\u{e9}k\u{e9}") == true && $0.key?.last == "\u{2026}" })
        }

        // The second was taken for a record that is there already.
        @Test func `Two spellings of a key stay two records, also of one that is too long in only one of them`()
            async throws
        {
            let path = folder.appending("spelled.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.insert("x", String(repeating: "e\u{301}", count: 30_000), Data("[1]".utf8))
            try old.insert("x", String(repeating: "\u{e9}", count: 30_000), Data("[2]".utf8))
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.inserted == 2 && report.unchanged == 0, "\(report)")
            #expect(database.snapshot.count(inCollectionNamed: "x") == 2)
        }

        // Each name of the 64 was a text of its own, however long the one that they all refer to.
        @Test func `Names of an archive that refer to one long text are refused`() throws {
            func text(_ text: String) -> [UInt8] {
                [0x5f, 0x12] + withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) } + Array(text.utf8)
            }
            let objects: [[UInt8]] = [
                [0xd3, 1, 2, 3, 4, 5, 6], text("$archiver"), text("$objects"), text("$top"), text("NSKeyedArchiver"),
                [0xa1, 7], [0xdf, 0x10, 64] + Array(repeating: 7, count: 64) + Array(repeating: 8, count: 64),
                text(String(repeating: "n", count: 300_000)), [0x80, 0],
            ]
            var bytes = Array("bplist00".utf8), offsets: [UInt8] = []
            for object in objects {
                offsets += withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) }
                bytes += object
            }
            let table = bytes.count
            bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 1]
            for number in [objects.count, 0, table] {
                bytes += withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
            }
            let error = #expect(throws: ForeignDataError.self) { try CBORValue(keyedArchive: bytes) }
            #expect(error?.code == .overLimit)
            #expect(StoredValue(bytes).form == .bytes)
        }
    }
#endif
