import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

/// What is there after a launch is what was there before.
@Suite(.bounded) struct PersistenceTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    private func open(_ options: DatabaseOptions = DatabaseOptions()) async throws -> Database {
        try await Database.open(at: path, options: options, collections: .books, .shelved)
    }

    @Test func `Commits are there after a reopen, with their numbers`() async throws {
        var database = try await open()
        try await database.write { transaction in
            transaction[.books]["a"] = Book(title: "Dune", salesRank: 3)
            transaction[.shelved].set(Book(title: "b"), metadata: Shelf(room: "1"), for: "b")
            transaction[.shelved].set(Book(title: "c"), metadata: Shelf(room: "2"), for: "c")
        }
        try await database.write { transaction in
            transaction[.shelved]["b"]?.salesRank = 7
            transaction[.shelved].replaceMetadata(nil, for: "c")
            transaction[.books].remove("a")
            transaction[.books]["d"] = Book(title: "d")
        }
        try await database.write { $0[.books].touchObject(for: "d") }
        try await database.close()

        database = try await open()
        #expect(database.commitNumber == 3)
        #expect(database.recoveryReport?.replayedCommitCount == 3)
        #expect(database.snapshot[.books].map(\.key) == ["d"])
        #expect(database.snapshot[.shelved]["b"] == Book(title: "b", salesRank: 7))
        #expect(database.snapshot[.shelved].metadata(for: "b") == Shelf(room: "1"))
        #expect(database.snapshot[.shelved].metadata(for: "c") == nil)
        try await database.write { $0[.books]["e"] = Book(title: "e") }
        #expect(database.commitNumber == 4)
        try await database.close()
    }

    @Test func `A checkpoint stands for the log before it`() async throws {
        var database = try await open()
        try await database.write { for index in 0..<3000 { $0[.books]["\(index)"] = Book(title: "\(index)") } }
        try await database.write { $0[.shelved].set(Book(title: "x"), metadata: Shelf(room: "9"), for: "x") }
        #expect(try await database.checkpoint() == 2)
        try await database.write { $0[.books]["late"] = Book(title: "late") }
        try await database.close()

        database = try await open()
        let report = database.recoveryReport
        #expect(report?.checkpointCommitNumber == 2 && report?.replayedCommitCount == 1)
        #expect(database.snapshot[.books].count == 3001 && database.snapshot[.books]["2999"]?.title == "2999")
        #expect(database.snapshot[.shelved].metadata(for: "x") == Shelf(room: "9"))
        try await database.close()
    }

    @Test func `Writers go on while a checkpoint is written`() async throws {
        let database = try await open()
        try await database.write { for index in 0..<20_000 { $0[.books]["\(index)"] = Book(title: "\(index)") } }
        async let checkpoint = database.checkpoint()
        for index in 0..<50 { try await database.write { $0[.books]["new \(index)"] = Book(title: "new") } }
        let number = try #require(try await checkpoint)
        #expect(number >= 1 && number <= 51)
        try await database.close()
        let reopened = try await open()
        #expect(reopened.snapshot[.books].count == 20_050)
        #expect(reopened.recoveryReport?.checkpointCommitNumber == number)
        try await reopened.close()
    }

    @Test func `The log is pruned as far as retention allows`() async throws {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        let database = try await open(options)
        for round in 0..<5 {
            try await database.write { $0[.books]["\(round)"] = Book(title: "x") }
            try await database.checkpoint()
        }
        #expect(directory.files(in: "shop.yaprak/ckpt").count == 2)
        try await database.close()
        let reopened = try await open()
        #expect(reopened.snapshot[.books].count == 5)
        try await reopened.close()
    }

    @Test func `A database is opened once at a time, and again after it was closed`() async throws {
        let database = try await open()
        let error = await #expect(throws: DatabaseError.self) { _ = try await open() }
        #expect(error?.code == .alreadyOpen)
        try await database.close()
        try await open().close()
    }

    @Test func `A database that is let go of can be opened again`() async throws {
        do {
            let database = try await open()
            try await database.write { $0[.books]["a"] = Book(title: "a") }
        }
        let again = try await open()
        #expect(again.snapshot[.books].count == 1)
        try await again.close()
    }

    @Test func `Unbound collections keep their bytes through checkpoints`() async throws {
        var database = try await open()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.close()
        database = try await Database.open(at: path, collections: .authors)
        try await database.write { $0[.authors]["z"] = Author(name: "z") }
        try await database.checkpoint()
        try await database.close()
        database = try await open()
        #expect(database.snapshot[.books]["a"] == Book(title: "a"))
        #expect(database.snapshot.count(inCollectionNamed: "authors") == 1)
        try await database.bind(.authors)
        #expect(database.snapshot[.authors]["z"]?.name == "z")
        try await database.close()
    }

    @Test func `A record of another form makes opening throw, names the key and loses nothing`() async throws {
        struct Other: Codable, Sendable { var isbn: Int }
        let other = RecordCollection<Other, NoMetadata>("books")
        var database = try await open()
        try await database.write { for key in ["a", "b", "c"] { $0[.books][key] = Book(title: key) } }
        try await database.close()
        let path = path
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: path, collections: other)
        }
        #expect(error?.code == .undecodableRecord && error?.place.collectionName == "books" && error?.place.key == "a")
        database = try await open()
        #expect(database.snapshot[.books].count == 3)
        try await database.close()
    }

    @Test func `Records that do not decode can be set aside, and are kept until they are overwritten`() async throws {
        struct Strict: Codable, Sendable {
            var title: String
            init(title: String) { self.title = title }
            init(from decoder: any Decoder) throws {
                title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
                if title.hasPrefix("bad") {
                    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: title))
                }
            }
            enum CodingKeys: CodingKey { case title }
        }
        let strict = RecordCollection<Strict, NoMetadata>("books")
        let lenient = strict.configured { $0.undecodable = .setAside }
        var database = try await open()
        try await database.write { for key in ["bad 1", "bad 2", "good"] { $0[.books][key] = Book(title: key) } }
        try await database.close()

        database = try await Database.open(at: path, collections: lenient)
        #expect(database.snapshot[strict].map(\.key) == ["good"])
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad 1", "bad 2"])
        #expect(database.snapshot.collectionNames == ["books"])
        #expect(database.recoveryReport?.setAsideRecordCount == 2)
        try await database.write { $0[strict]["bad 1"] = Strict(title: "repaired") }
        try await database.checkpoint()
        try await database.close()

        database = try await Database.open(at: path, collections: lenient)
        #expect(database.snapshot[strict].map(\.key) == ["bad 1", "good"])
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad 2"])
        try await database.write { $0[strict].remove("bad 2") }
        try await database.close()

        database = try await Database.open(at: path, collections: lenient)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.commitNumber == 3)
        try await database.close()
    }

    @Test func `Migrations take records from version to version, once`() async throws {
        struct Old: Codable, Sendable { var name: String }
        struct New: Codable, Sendable, Equatable {
            var title: String
            var words: Int
        }
        let old = RecordCollection<Old, NoMetadata>("titles")
        let new = RecordCollection<New, NoMetadata>("titles").configured {
            $0.version = 3
            $0.migrate(from: 1, to: 2) { record in
                record.object = .map([.init("title", record.object["name"] ?? .null)])
            }
            $0.migrate(from: 2, to: 3) { record in
                let title = record.object["title"]?.text ?? ""
                record.object = .map([
                    .init("title", .text(title)), .init("words", .integer(Int64(title.split(separator: " ").count))),
                ])
            }
        }
        var database = try await Database.open(at: path, collections: old)
        try await database.write { $0[old]["a"] = Old(name: "a fine day") }
        try await database.checkpoint()
        try await database.write { $0[old]["b"] = Old(name: "rain") }
        try await database.close()

        database = try await Database.open(at: path, collections: new)
        #expect(database.snapshot[new]["a"] == New(title: "a fine day", words: 3))
        #expect(database.snapshot[new]["b"] == New(title: "rain", words: 1))
        try await database.write { $0[new]["b"]?.words = 100 }
        try await database.close()

        database = try await Database.open(at: path, collections: new)
        #expect(database.snapshot[new]["b"]?.words == 100)
        #expect(database.snapshot[new]["a"]?.words == 3)
        try await database.close()
        let path = path
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(
                at: path, collections: RecordCollection<New, NoMetadata>("titles").configured { $0.version = 4 })
        }
        #expect(error?.code == .migrationFailed)
    }

    @Test func `A collection may have a coder of its own, and change it`() async throws {
        struct Reversed: RecordCoder {
            let name = "reversed"
            func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
                try CBOREncoder().encode(value).reversed()
            }
            func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
                try CBORDecoder().decode(type, from: bytes.reversed())
            }
        }
        let json = RecordCollection.books.configured { $0.coder = JSONRecordCoder() }
        let reversed = RecordCollection.books.configured { $0.coder = Reversed() }
        var database = try await open()
        try await database.write { $0[.books]["cbor"] = Book(title: "cbor") }
        try await database.close()
        database = try await Database.open(at: path, collections: json)
        try await database.write { $0[.books]["json"] = Book(title: "json") }
        try await database.close()
        database = try await Database.open(at: path, collections: reversed)
        try await database.write { $0[.books]["reversed"] = Book(title: "reversed") }
        #expect(database.snapshot[.books].map(\.object.title) == ["cbor", "json", "reversed"])
        try await database.close()
        // A coder that only the program has is needed to read what it wrote.
        let path = path
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: path, collections: .books)
        }
        #expect(error?.code == .undecodableRecord && error?.place.key == "reversed")
        database = try await Database.open(at: path, collections: reversed)
        #expect(database.snapshot[.books].count == 3)
        try await database.close()
    }

    // Two of them kept the database from opening, and one was another value.
    @Test func `A record that has the form of another coder's bytes is what was written`() async throws {
        struct Forwarding: Codable, Sendable, Equatable {
            var value: CBORValue
            init(_ value: CBORValue) { self.value = value }
            init(from decoder: any Decoder) throws { value = try CBORValue(from: decoder) }
            func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        }
        let values = RecordCollection<CBORValue, Forwarding>("values")
        let items: [String: CBORValue] = [
            "number": .tag(27, [.text("My::Object"), .integer(1)]),
            "bytes": .tag(27, [.text("My::Object"), .bytes([1])]),
            "json": .tag(27, [.text("json"), .bytes(Array("1".utf8))]),
            "cbor": .tag(27, [.text("cbor"), .bytes([1])]),
            "three": .tag(27, [.text("json"), .bytes([1]), .null]),
            "other": .tag(32, "https://example.org"),
        ]
        @Sendable func write(_ transaction: inout WriteTransaction) {
            for (key, item) in items { transaction[values].set(item, metadata: Forwarding(item), for: key) }
        }
        func check(_ database: Database) {
            #expect(database.snapshot[values].count == items.count)
            for (key, item) in items {
                #expect(database.snapshot[values][key] == item)
                #expect(database.snapshot[values].metadata(for: key) == Forwarding(item))
            }
        }
        let memory = Database.inMemory(checkingCoding: true)
        try await memory.write { write(&$0) }
        check(memory)

        var database = try await Database.open(at: path, collections: values)
        try await database.write { write(&$0) }
        try await database.close()
        // From the log, then from a checkpoint.
        for round in 0..<2 {
            database = try await Database.open(at: path, collections: values)
            #expect(database.recoveryReport?.replayedCommitCount == 1 - round)
            check(database)
            try await database.checkpoint()
            try await database.close()
        }
    }

    @Test func `What only looks like another coder's bytes is read where it stands as it is`() async throws {
        let values = RecordCollection<CBORValue, NoMetadata>("values")
        let item = CBORValue.tag(27, [.text("My::Object"), .integer(1)])
        var database = try await Database.open(at: path)
        try await database.write { try $0.setUntyped(item, for: "a", inCollectionNamed: "values") }
        try await database.close()
        database = try await Database.open(at: path, collections: values)
        #expect(database.snapshot[values]["a"] == item)
        try await database.close()
    }

    // A checkpoint said that there was none.
    @Test func `Metadata that is undefined is the same from the log and from a checkpoint`() async throws {
        let values = RecordCollection<CBORValue, CBORValue>("values")
        var database = try await Database.open(at: path, collections: values)
        try await database.write { transaction in
            transaction[values].set(1, metadata: CBORValue.undefined, for: "a")
            transaction[values]["b"] = 2
        }
        try await database.close()
        for round in 0..<2 {
            database = try await Database.open(at: path, collections: values)
            #expect(database.recoveryReport?.replayedCommitCount == 1 - round)
            #expect(database.snapshot[values].metadata(for: "a") == CBORValue.undefined)
            #expect((database.snapshot[values].metadata(for: "b") ?? "none") == "none")
            try await database.checkpoint()
            try await database.close()
        }
    }

    @Test(arguments: [0, -1, Int.min])
    func `A value of a version below 1 is refused, and the write goes on`(version: Int) async throws {
        let database = try await Database.open(at: path)
        let isRefused = try await database.write { transaction in
            try transaction.setUntyped(1, for: "a", inCollectionNamed: "values")
            do {
                try transaction.setUntyped(2, version: version, for: "a", inCollectionNamed: "values")
                return false
            } catch let error as DatabaseError {
                return error.code == .undecodableRecord
            }
        }
        #expect(isRefused)
        try await database.bind(RecordCollection<Int, NoMetadata>("values"))
        #expect(database.snapshot[RecordCollection<Int, NoMetadata>("values")]["a"] == 1)
        try await database.close()
    }

    @Test func `Metadata that is undefined stays beside a version of its own`() async throws {
        var database = try await Database.open(at: path)
        try await database.write { transaction in
            try transaction.setUntyped(1, metadata: 2, version: 2, for: "a", inCollectionNamed: "values")
            try transaction.setUntyped(
                1, metadata: CBORValue.undefined, version: 1, for: "b", inCollectionNamed: "values")
            try transaction.setUntyped(1, version: 1, for: "c", inCollectionNamed: "values")
        }
        try await database.checkpoint()
        try await database.close()
        let values = RecordCollection<CBORValue, CBORValue>("values")
        let present = values.configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { _ in }
        }
        database = try await Database.open(at: path, collections: present)
        #expect(database.recoveryReport?.replayedCommitCount == 0)
        #expect(database.snapshot[values].metadata(for: "a") == CBORValue.integer(2))
        #expect(database.snapshot[values].metadata(for: "b") == CBORValue.undefined)
        #expect((database.snapshot[values].metadata(for: "c") ?? "none") == "none")
        try await database.close()
    }

    @Test func `A backup of any snapshot is a database of its own`() async throws {
        let database = try await open()
        try await database.register(Counter())
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let then = database.snapshot
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        let copy = FilePath(directory.appending("copy.yaprak"))
        try await database.backup(then, to: copy)
        let error = await #expect(throws: DatabaseError.self) { try await database.backup(then, to: copy) }
        #expect(error?.code == .alreadyExists)
        let backup = try await Database.open(at: copy, collections: .books)
        #expect(backup.commitNumber == 1 && backup.snapshot[.books].map(\.key) == ["a"])
        try await backup.write { $0[.books]["c"] = Book(title: "c") }
        #expect(try await database.restore(from: copy) == 3)
        #expect(database.snapshot[.books].map(\.key) == ["a", "c"])
        #expect(database.snapshot[Counter()] == ["books": 2])
        #expect(try await database.restore(from: copy) == 3)
        try await backup.close()
        try await database.close()
        let reopened = try await open()
        #expect(reopened.snapshot[.books].map(\.key) == ["a", "c"])
        try await reopened.close()
    }

    @Test func `What has no type is restored like the rest, and what got one since`() async throws {
        func fill() async throws {
            let database = try await open()
            try await database.write { transaction in
                for key in ["a", "b", "c"] { transaction[.books][key] = Book(title: key) }
            }
            try await database.close()
        }
        try await fill()
        var database = try await Database.open(at: path)
        let whole = database.snapshot
        try await database.write { transaction in
            transaction.removeUntyped("a", inCollectionNamed: "books")
            try transaction.setUntyped(
                ["title": "other", "genre": "sci-fi", "salesRank": 0], for: "b", inCollectionNamed: "books")
            try transaction.setUntyped(
                ["title": "d", "genre": "sci-fi", "salesRank": 0], for: "d", inCollectionNamed: "books")
        }
        let changed = database.snapshot
        #expect(try await database.restore(whole) == 3)
        #expect(try await database.restore(whole) == 3, "nothing differs, nothing is committed")
        try await database.write { $0.removeAll() }
        #expect(try await database.restore(whole) == 5)
        // Snapshots from before the type was known, in both directions.
        try await database.bind(.books)
        #expect(database.snapshot[.books].map(\.object.title) == ["a", "b", "c"])
        #expect(try await database.restore(changed) == 6)
        #expect(database.snapshot[.books].map(\.object.title) == ["other", "c", "d"])
        #expect(try await database.restore(whole) == 7)
        #expect(database.snapshot[.books].map(\.object.title) == ["a", "b", "c"])
        try await database.write { try $0.setUntyped(["title": 7], for: "z", inCollectionNamed: "other") }
        try await database.close()
        database = try await Database.open(at: path)
        let fork = database.fork()
        try await fork.bind(.books)
        try await fork.write { $0[.books]["b"] = Book(title: "of the fork") }
        try await database.restore(fork.snapshot)
        try await database.bind(.books)
        #expect(database.snapshot[.books].map(\.object.title) == ["a", "of the fork", "c"])
        // A record that the type does not fit makes the restore fail, and nothing was changed.
        try await fork.close()
        let before = database.snapshot
        let error = await #expect(throws: DatabaseError.self) {
            let odd = database.fork(from: before)
            try await odd.write { try $0.setUntyped(["title": 8], for: "y", inCollectionNamed: "authors") }
            let unfit = odd.snapshot
            try await database.bind(.authors)
            try await database.restore(unfit)
        }
        #expect(error?.code == .undecodableRecord && error?.place.key == "y")
        #expect(database.snapshot.commitNumber == before.commitNumber)
        try await database.close()
    }

    /// It stopped the program.
    @Test func `A snapshot of another database, or of an earlier opening, is not restored, but its copy is`()
        async throws
    {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let early = database.snapshot
        try await database.close()
        let again = try await Database.open(at: path, collections: .books)
        try await again.write { $0[.books]["b"] = Book(title: "b") }
        for snapshot in [early, Database.inMemory().snapshot] {
            let error = await #expect(throws: DatabaseError.self) { try await again.restore(snapshot) }
            #expect(error?.code == .typeMismatch)
        }
        #expect(again.commitNumber == 2 && again.snapshot[.books].count == 2)
        let copy = FilePath(directory.appending("copy.yaprak"))
        try await again.backup(early, to: copy)
        #expect(try await again.restore(from: copy) == 3)
        #expect(again.snapshot[.books].map(\.key) == ["a"])
        try await again.close()
    }

    @Test func `In memory nothing touches a disk`() async throws {
        let before = FileManager.default.currentDirectoryPath
        let listing = try FileManager.default.contentsOfDirectory(atPath: before).sorted()
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        #expect(try await database.checkpoint() == nil)
        try await database.flush()
        try await database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: before).sorted() == listing)
        #expect(database.path == nil && database.recoveryReport == nil)
    }
}
