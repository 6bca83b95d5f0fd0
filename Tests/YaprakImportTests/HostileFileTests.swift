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
                #expect(try YapDatabaseImport(FilePath(path)).survey().rowCount == 1)
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
                #expect(try YapDatabaseImport(odd.appending("old.sqlite")).survey().rowCount == 1)
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
            #expect(error?.code == .notADatabase, "\(String(describing: error))")
        }

        // It said that there is no table database2, and that there is one.
        @Test func `A line of the list of tables that is too long is skipped, or the list is said to be damaged`()
            async throws
        {
            let columns = (0..<300).map { "c\($0) UNIQUE" }.joined(separator: ", ")
            for (name, bytes) in [("long", 70_000), ("longest", 1_100_000)] {
                let old = try OldDatabase(at: folder.appending(name), journal: "DELETE")
                try old.run(
                    """
                    DROP TABLE database2;
                    CREATE TABLE wide (\(columns));
                    CREATE VIEW v AS SELECT '\(String(repeating: "z", count: bytes))' AS a;
                    CREATE TABLE database2 (rowid INTEGER PRIMARY KEY, collection, key, data, metadata);
                    INSERT INTO database2 VALUES (1, 'x', 'k', '[1]', NULL)
                    """)
            }
            #expect(try survey("long").rowCount == 1)
            let error = #expect(throws: DatabaseError.self) { try survey("longest") }
            #expect(error?.code == .notADatabase && error?.message.contains(".recover") == true)
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
            #expect(report.insertedCount == 3 && report.noteCount == 0, "\(report.notes)")
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
            #expect(report.insertedCount == 5 && report.leftOutCount == 0, "\(report.notes)")
            #expect(Set(database.snapshot.untyped("x").map(\.key)) == ["5", "a%ff\0", "a\0b", ""])
            #expect(database.snapshot.untyped("x")["5"]?.object == .bytes(Array("9223372036854775807".utf8)))
            #expect(database.snapshot.untyped("%ff").map(\.key) == ["Inf"])
            // Each name that is another text than in the file has a note, that of a collection one for all of its rows.
            let renamed = report.notes.filter { $0.kind == .renamed }
            #expect(renamed.map(\.rowID) == [2, nil] && renamed.map(\.key) == ["a%ff\0", nil], "\(report.notes)")
            #expect(renamed.last?.collectionName == "%ff")
        }

        // Both were one collection, in the report and in the database.
        @Test func `A name that is no UTF-8 and the text that stands for it are two names`() async throws {
            let path = folder.appending("names.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run(
                """
                INSERT INTO database2 (collection, key, data) VALUES (x'ff', 'k1', '[1]'), ('%ff', 'k2', '[2]'),
                    (x'ff', 'k3', '[3]'), (x'2566ff', 'k4', '[4]'), ('x', x'ff', '[5]'), ('x', '%ff', '[6]')
                """)
            var plan = YapDatabaseImport(FilePath(path))
            #expect(try plan.collections().map(\.name) == ["%ff", "%25f%ff", "x", "%ff"])
            #expect(try plan.collections().map(\.rowCount) == [1, 1, 2, 2])
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            func keys(_ collection: String) -> [String] { database.snapshot.untyped(collection).map(\.key).sorted() }
            #expect(keys("%ff") == ["k2"] && keys("%ff (2)") == ["k1", "k3"] && keys("%25f%ff") == ["k4"])
            #expect(keys("x") == ["%ff", "%ff (row 6)"])
            #expect(report.collections.map(\.rowCount).reduce(0, +) == 6 && report.collections.count == 4)
            let renamed = report.notes.filter { $0.kind == .renamed }
            #expect(renamed.map(\.key) == [nil, nil, "%ff", "%ff"], "\(report.notes)")

            // What the program says of the text is about the collection of that name; if there is none, about the other.
            let lists = RecordCollection<[UInt8], NoMetadata>("lists")
            for (name, found) in [("%ff", ["k2"]), ("%25f%ff", ["k4"])] {
                let database = Database.inMemory()
                plan = YapDatabaseImport(FilePath(path))
                plan.rest = .skipped
                plan.decode(name, as: lists) { Array($0.object) }
                #expect(try await plan.run(into: database).insertedCount == 1)
                #expect(database.snapshot[lists].map(\.key) == found)
            }
        }

        // Rows of more than 64 MiB were left out, whatever the database takes and the closure makes of them.
        @Test func `A row is read up to what any database takes, and refused by the one that it is for`() async throws {
            let path = folder.appending("large.sqlite"), bytes = 65 << 20
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.run("INSERT INTO database2 (collection, key, data) VALUES ('films', 'k', zeroblob(\(bytes)))")
            let sizes = RecordCollection<Int, NoMetadata>("films")
            var plan = YapDatabaseImport(FilePath(path))
            let whole = plan
            plan.decode("films", as: sizes) { $0.object.count }
            var database = Database.inMemory(checkingCoding: true)
            #expect(try await plan.run(into: database).insertedCount == 1)
            #expect(database.snapshot[sizes]["k"] == bytes)

            let refused = try await whole.run(into: Database.inMemory(checkingCoding: true))
            #expect(refused.leftOutCount == 1 && refused.notes.map(\.rowID) == [1], "\(refused.notes)")
            #expect(refused.notes.first?.reason.contains("valueTooLarge") == true, "\(refused.notes)")
            var options = DatabaseOptions()
            options.limits.valueBytesMax = 119 << 20
            database = Database.inMemory(checkingCoding: true, options: options)
            let report = try await whole.run(into: database)
            #expect(report.insertedCount == 1 && report.noteCount == 0, "\(report.notes)")
        }

        // The second was taken for a record that is there already.
        @Test func `Two spellings of a long key stay two records in a database that takes such keys`() async throws {
            let path = folder.appending("keys.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.insert("x", String(repeating: "e\u{301}", count: 50_000), Data("[1]".utf8))
            try old.insert("x", String(repeating: "\u{e9}", count: 50_000), Data("[2]".utf8))
            var options = DatabaseOptions()
            options.limits.keyBytesMax = 1 << 20
            let database = Database.inMemory(options: options)
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.insertedCount == 2 && report.unchangedCount == 0, "\(report)")
            #expect(report.notes.map(\.kind) == [.renamed])
        }

        // With a number behind it, the second was longer than a name may be: none of its rows arrived.
        @Test func `Two spellings of a long name stay two collections`() async throws {
            let path = folder.appending("names.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            for (number, letter) in ["\u{e9}", "e\u{301}"].enumerated() {
                let name = String(repeating: letter, count: 5) + String(repeating: "n", count: 240)
                try old.insert(name, "k\(number)", Data("[1]".utf8))
            }
            let database = Database.inMemory()
            let report = try await YapDatabaseImport(FilePath(path)).run(into: database)
            #expect(report.insertedCount == 2 && report.leftOutCount == 0, "\(report.notes)")
            #expect(report.notes.map(\.kind) == [.renamed])
            let targets = report.collections.compactMap(\.target)
            #expect(Set(targets).count == 2 && targets.contains { $0.hasSuffix("n (2)") }, "\(targets)")
            for target in targets {
                #expect(target.utf8.count <= 255 && database.snapshot.count(inCollectionNamed: target) == 1)
            }
        }

        // A log that may have no more files was said to be the fault of each row.
        @Test func `A limit of the database is no fault of a row, but for one collection too many`() {
            #expect(!ImportWriter.isOfOneRow(DatabaseError(.overLimit, "The commits are used up.")))
            #expect(ImportWriter.isOfOneRow(DatabaseError(.overLimit, "x", place: .init(collectionName: "a"))))
            #expect(ImportWriter.isOfOneRow(DatabaseError(.keyTooLong, "x")))
            for code: DatabaseError.Code in [.diskFull, .syncFailed, .closed, .readOnly, .notConfigured] {
                #expect(!ImportWriter.isOfOneRow(DatabaseError(code, "x")))
            }
            // What the program's own code throws, also with a code of its own.
            for code: DatabaseError.Code in [
                .extensionFailed, .reactionsUnsettled, .removalRestricted, .init(rawValue: "own"), .notFound,
                .alreadyExists, .notADatabase, .alreadyOpen, .newerFormat,
            ] {
                #expect(ImportWriter.isOfOneRow(DatabaseError(code, "x")))
            }
        }

        // A reaction that gave up by itself ended the import as if it had been cancelled.
        @Test func `A cancellation ends the import if its task is cancelled`() async {
            #expect(ImportWriter.isOfOneRow(CancellationError()))
            let isOfOneRow = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return ImportWriter.isOfOneRow(CancellationError())
            }.value
            #expect(!isOfOneRow)
        }

        // The key of each row that was refused was kept whole.
        @Test func `A note has no more of a name, or of an error, than a key may have`() async throws {
            let path = folder.appending("long.sqlite")
            let old = try OldDatabase(at: path, journal: "DELETE")
            try old.insert("x", String(repeating: "k\u{e9}", count: 100_000), Data("[1]".utf8))
            try old.insert(String(repeating: "c", count: 300_000), "k", Data("bplist00".utf8))
            try old.insert("y", "k", Data("[1]".utf8))
            var plan = YapDatabaseImport(FilePath(path))
            plan.decode("y", as: RecordCollection<Int, NoMetadata>("y")) { _ in
                throw DatabaseError(.notFound, String(repeating: "n", count: 100_000))
            }
            let report = try await plan.run(into: Database.inMemory())
            #expect(report.leftOutCount == 2 && report.insertedCount == 1)
            for note in report.notes {
                #expect((note.key?.utf8.count ?? 0) <= 65_540 && (note.collectionName?.utf8.count ?? 0) <= 65_540)
                #expect(note.reason.utf8.count <= 65_540)
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
            #expect(report.insertedCount == 2 && report.unchangedCount == 0, "\(report)")
            #expect(database.snapshot.count(inCollectionNamed: "x") == 2)
        }

        /// A text of a property list.
        private static func text(_ text: String) -> [UInt8] {
            [0x5f, 0x12] + withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { Array($0) } + Array(text.utf8)
        }

        /// A property list of objects that refer to each other by one byte. The first is at the top.
        private static func list(_ objects: [[UInt8]]) -> [UInt8] {
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
            return bytes
        }

        // Each name of the 64 was a text of its own, however long the one that they all refer to.
        @Test func `Names of an archive that refer to one long text are refused`() throws {
            let bytes = Self.list([
                [0xd3, 1, 2, 3, 4, 5, 6], Self.text("$archiver"), Self.text("$objects"), Self.text("$top"),
                Self.text("NSKeyedArchiver"), [0xa1, 7],
                [0xdf, 0x10, 64] + Array(repeating: 7, count: 64) + Array(repeating: 8, count: 64),
                Self.text(String(repeating: "n", count: 300_000)), [0x80, 0],
            ])
            let error = #expect(throws: ForeignDataError.self) { try CBORValue(keyedArchive: bytes) }
            #expect(error?.code == .overLimit)
            #expect(StoredValue(bytes).form == .bytes)
        }

        // All were kept before there was any bound: 15 texts that overlap in a row of 119 MiB were 1.8 GB.
        @Test(arguments: [(10, StoredValue.Form.keyedArchive), (100_000, .propertyList)])
        func `A list with very long names at its top is no archive`(length: Int, form: StoredValue.Form) {
            let names = (0..<13).map { Self.text("\($0)" + String(repeating: "n", count: length)) }
            let keys = [1, 2, 3] + Array(UInt8(10)..<23), values = [4, 5, 6] + [UInt8](repeating: 7, count: 13)
            let objects = [
                [0xdf, 0x10, 16] + keys + values, Self.text("$archiver"), Self.text("$objects"), Self.text("$top"),
                Self.text("NSKeyedArchiver"), [0xa1, 7], [0xd1, 8, 9], Self.text("$null"), Self.text("root"),
                [0x80, 0],
            ]
            #expect(StoredValue(Self.list(objects + names)).form == form)
        }

        /// A property list or a keyed archive that is an array of one number, so many times.
        private static func numbers(_ count: Int, isArchive: Bool) -> [UInt8] {
            func array(of number: UInt8) -> [UInt8] {
                [0xaf, 0x12] + withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
                    + Array(repeating: number, count: count)
            }
            guard isArchive else { return list([array(of: 1), [0x10, 7]]) }
            return list([
                [0xd3, 1, 2, 3, 4, 5, 6], text("$archiver"), text("$objects"), text("$top"), text("NSKeyedArchiver"),
                [0xa2, 7, 8], [0xd1, 9, 10], text("$null"), array(of: 11), text("root"), [0x80, 1], [0x10, 7],
            ])
        }

        // They were made, twice, before they were found to be too large; a row of 119 MiB was six gigabytes.
        @Test(arguments: [false, true]) func `Each element counts as a byte, and there are no more than some millions`(
            isArchive: Bool
        ) {
            let form = isArchive ? StoredValue.Form.keyedArchive : .propertyList
            #expect(StoredValue(Self.numbers(1000, isArchive: isArchive), bytesMax: 1000).form == form)
            let many = Self.numbers(1001, isArchive: isArchive)
            let stored = StoredValue(many, bytesMax: 1000)
            #expect(stored.form == .bytes && stored.error?.code == .overLimit && stored.value == .bytes(many))
            let millions = StoredValue(Self.numbers(16 << 20 + 1, isArchive: isArchive))
            #expect(millions.form == .bytes && millions.error?.code == .overLimit)
        }

        // Each was as large as a record may be, however many there were: 2 MB of rows were 8 GB of records.
        @Test func `What values that refer to one object many times become together follows the size of the file`()
            async throws
        {
            let path = folder.appending("again.sqlite"), count = 8100, size = 8200
            let old = try OldDatabase(at: path, journal: "DELETE")
            func length(_ number: Int) -> [UInt8] { [0x11, UInt8(number >> 8), UInt8(number & 0xff)] }
            let list = Self.list([
                [0xaf] + length(count) + [UInt8](repeating: 1, count: count),
                [0x4f] + length(size) + [UInt8](repeating: 7, count: size),
            ])
            for number in 0..<40 { try old.insert("x", "\(number)", Data(list)) }
            try old.insert("x", "sound", Data(Self.list([[0xa1, 1], [0x10, 7]])))
            let plan = YapDatabaseImport(FilePath(path)), database = Database.inMemory()
            for report in [try plan.survey(), try await plan.run(into: database)] {
                let notes = report.notes.filter { $0.reason.contains("a file of this size") }
                #expect(notes.count == 39 && notes.allSatisfy { $0.kind == .keptAsBytes }, "\(report.notes)")
                #expect(report.collections.first?.forms == [.propertyList: 2, .bytes: 39])
            }
            let records = database.snapshot.untyped("x")
            #expect(records["0"]?.object.array?.count == count && records["39"]?.object == .bytes(list))
            #expect(records["sound"]?.object == [7])
            #expect(records.reduce(0) { $0 + $1.objectBytes.count } < 100 << 20)
        }

        // They were counted as they are stored: 8 MB of rows were 17 GB of objects before the first commit.
        @Test func `Rows that the program decodes are counted by what they mean, in a batch and in the file`()
            async throws
        {
            let path = folder.appending("again.sqlite"), count = 2100, size = 8200
            let old = try OldDatabase(at: path, journal: "DELETE")
            func length(_ number: Int) -> [UInt8] { [0x11, UInt8(number >> 8), UInt8(number & 0xff)] }
            let list = Self.list([
                [0xaf] + length(count) + [UInt8](repeating: 1, count: count),
                [0x4f] + length(size) + [UInt8](repeating: 7, count: size),
            ])
            for number in 0..<40 { try old.insert("x", "\(number)", Data(list)) }
            try old.insert("x", "sound", Data(Self.list([[0xa1, 1], [0x41, 7]])))
            let parts = RecordCollection<[Data], NoMetadata>("x")
            var plan = YapDatabaseImport(FilePath(path))
            plan.decode("x", as: parts)
            let database = Database.inMemory()
            let report = try await plan.run(into: database)
            #expect((2..<10).contains(report.insertedCount) && report.commitCount == report.insertedCount, "\(report)")
            #expect(report.leftOutCount == 41 - report.insertedCount && report.leftOutCount == report.noteCount)
            #expect(report.notes.allSatisfy { $0.kind == .leftOut && $0.reason.contains("a file of this size") })
            #expect(database.snapshot[parts]["0"]?.count == count && database.snapshot[parts]["39"] == nil)
            #expect(database.snapshot[parts]["sound"] == [Data([7])])
            #expect(try plan.survey().notes == report.notes)
        }

        // It was counted once: a hundred kilobytes were a record of 200 MB.
        @Test func `The long name of a class counts for each of its objects`() throws {
            let bytes = Self.list([
                [0xd3, 1, 2, 3, 4, 5, 6], Self.text("$archiver"), Self.text("$objects"), Self.text("$top"),
                Self.text("NSKeyedArchiver"), [0xa4, 7, 8, 9, 10], [0xd1, 11, 12],
                // The table: nothing, an array of one object many times, that object, and its class.
                Self.text("$null"), [0xaf, 0x11, 0x07, 0xd0] + Array(repeating: 13, count: 2000), [0xd1, 14, 15],
                [0xd1, 16, 17], Self.text("root"), [0x80, 1], [0x80, 2], Self.text("$class"), [0x80, 3],
                Self.text("$classname"), Self.text(String(repeating: "n", count: 100_000)),
            ])
            let error = #expect(throws: ForeignDataError.self) { try CBORValue(keyedArchive: bytes) }
            #expect(error?.code == .overLimit)
        }

        // Each element was counted twice, and two million were more than a record may have.
        @Test func `An array of millions of numbers is read`() throws {
            let count = 2_100_000
            let head: [UInt8] = [0xaf, 0x12] + withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
            let value = try CBORValue(propertyList: Self.list([head + Array(repeating: 1, count: count), [0x10, 5]]))
            #expect(value.array?.count == count && value.array?.last == 5)
        }
    }
#endif
