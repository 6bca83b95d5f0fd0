import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

private struct Short: Codable, Sendable { var title: String }

/// The same some time later.
private struct Grown: Codable, Sendable {
    var title: String
    var isNew = false
}

/// A commit as text: played again it is the commit it was.
@Suite(.bounded) struct FixtureTests {
    let directory = TemporaryDirectory()
    private var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    @Test func `Every commit, played from its text, gives the records and reports the changes that the log has`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        try await writeShop(at: path, commits: 250, seed: seed, checkpointsAt: [100])
        let reader = try ReplayReader(path)
        let cursor = try reader.cursor(at: 0)
        while let step = try cursor.next() {
            let number = step.commit.commitNumber
            for touchedOnly in [false, true] {
                let fixture = try reader.fixture(of: number, touchedOnly: touchedOnly)
                let database = try ReplayFixture(fixture.text).database()
                // With types, as a program would.
                if number.rawValue % 2 == 0 { try await database.bind(.books, .notes) }
                let before = database.snapshot
                let changesets = database.changesets()
                try await fixture.play(in: database)
                let words: Comment = "seed \(seed), commit \(number), \(touchedOnly ? "touched" : "all")"
                #expect(database.commitNumber == number, words)
                if !touchedOnly {
                    #expect(before.digest == step.before.digest, words)
                    #expect(database.snapshot.digest == step.after.digest, words)
                }
                for change in step.changes {
                    #expect(database.snapshot.untyped(change.collectionName)[change.key] == change.after, words)
                }
                for try await commit in changesets.prefix(1) {
                    #expect(commit.origin == step.commit.origin && commit.commitNumber == number, words)
                    #expect(commit.didRemoveAll == step.commit.removesAll, words)
                }
            }
        }
    }

    @Test func `Info, time and origin come along`() async throws {
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        try await database.write(origin: "till") { transaction in
            transaction[.books]["a"] = Book(title: "A")
            transaction.setInfo(["shift": 7])
        }
        try await database.close()
        let fixture = try ReplayReader(path).fixture(of: 1)
        #expect(fixture.origin == "till")
        let again = fixture.database()
        let changesets = again.changesets()
        try await fixture.play(in: again)
        for try await commit in changesets.prefix(1) {
            #expect(try commit.info(as: [String: Int].self) == ["shift": 7])
            #expect(commit.nanosecondsSince1970 == fixture.nanosecondsSince1970)
        }
    }

    // The log had that part alone, under the new version: after the reopening the other part was in the older form.
    @Test func `A change of one part of migrated records, played without types, is there after a reopening`()
        async throws
    {
        let things = RecordCollection<CBORValue, CBORValue>("things")
        let present = things.configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { record in
                record.object = .array([record.object])
                record.metadata = record.metadata.map { CBORValue.array([$0]) }
            }
        }
        let copy = FilePath(directory.appending("copy.yaprak"))
        for path in [path, copy] {
            let database = try await Database.open(at: path, options: replayable())
            try await database.write { transaction in
                for key in ["a", "b", "c"] {
                    try transaction.setUntyped("one", metadata: 1, for: key, inCollectionNamed: "things")
                }
            }
            try await database.close()
        }
        let one: CBORValue = ["one"], two: CBORValue = ["two"], first: CBORValue = [1], second: CBORValue = [2]
        var database = try await Database.open(at: path, options: replayable(), collections: present)
        try await database.write { transaction in
            transaction[things].replaceMetadata(second, for: "a")
            transaction[things].replaceObject(two, for: "b")
            transaction[things].touchObject(for: "c")
        }
        try await database.close()

        let fixture = try ReplayReader(path).fixture(of: 2)
        database = try await Database.open(at: copy, options: replayable())
        try await fixture.play(in: database)
        // In the version that the record has by then, a part stands for itself.
        try await database.write { transaction in
            try transaction.setUntyped(one, metadata: [3], version: 2, for: "a", inCollectionNamed: "things")
        }
        let played = database.snapshot.digest
        try await database.close()
        database = try await Database.open(at: copy, options: replayable())
        #expect(database.snapshot.digest == played)
        try await database.bind(present)
        let records = database.snapshot[things]
        #expect(records["a"] == one && records.metadata(for: "a") == ([3] as CBORValue))
        #expect(records["b"] == two && records.metadata(for: "b") == first)
        #expect(records["c"] == one && records.metadata(for: "c") == first)
        try await database.close()
    }

    // In memory the object was that of the fixture, and in the log there was the metadata alone.
    @Test(arguments: [false, true])
    func `A change of metadata, played on another object, is after a reopening what it was before`(hasTypes: Bool)
        async throws
    {
        let things = RecordCollection<String, Int>("things")
        var database = try await Database.open(at: path, options: replayable(), collections: things)
        try await database.write { $0[things].set("one", metadata: 1, for: "a") }
        try await database.write { $0[things].replaceMetadata(2, for: "a") }
        try await database.close()
        let fixture = try ReplayReader(path).fixture(of: 2)

        let copy = FilePath(directory.appending("copy.yaprak"))
        database = try await Database.open(at: copy, options: replayable(), collections: things)
        try await database.write { $0[things].set("another", metadata: 1, for: "a") }
        try await database.close()
        database = try await Database.open(at: copy, options: replayable())
        if hasTypes { try await database.bind(things) }
        var changes = database.changesets().makeAsyncIterator()
        try await fixture.play(in: database)
        let changeset = try await changes.next()
        if hasTypes {
            #expect(changeset?.changes(in: things).first?.kinds == [.objectChanged, .metadataChanged] as ChangeKinds)
        }
        let played = database.snapshot.digest
        try await database.close()
        database = try await Database.open(at: copy, options: replayable(), collections: things)
        #expect(database.snapshot.digest == played)
        #expect(database.snapshot[things]["a"] == "one" && database.snapshot[things].metadata(for: "a") == 2)
        try await database.close()
    }

    // What the type writes by now was compared with what it wrote then.
    @Test func `A commit played with a type that has grown says what it said`() async throws {
        let short = RecordCollection<Short, Int>("things")
        let grown = RecordCollection<Grown, Int>("things").configured { $0.prototype = Grown(title: "") }
        var database = try await Database.open(at: path, options: replayable(), collections: short)
        try await database.write { $0[short].set(Short(title: "one"), metadata: 1, for: "a") }
        try await database.write { $0[short].replaceMetadata(2, for: "a") }
        try await database.close()
        let fixture = try ReplayReader(path).fixture(of: 2)
        database = try Database.inMemory(collections: grown)
        try await database.write { $0[grown].set(Grown(title: "one"), metadata: 1, for: "a") }
        var changes = database.changesets().makeAsyncIterator()
        try await fixture.play(in: database)
        #expect(try await changes.next()?.changes(in: grown).first?.kinds == [.metadataChanged] as ChangeKinds)
    }

    // The index kept the entry of the object that was there.
    @Test func `A change of an older version, played on another object, reaches an index`() async throws {
        let short = RecordCollection<Short, Int>("things")
        let later = short.configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { _ in }
        }
        let titles = RecordIndex("titles", of: later, \.title)
        var database = try await Database.open(at: path, options: replayable(), collections: short)
        try await database.write { $0[short].set(Short(title: "one"), metadata: 1, for: "a") }
        try await database.write { $0[short].replaceMetadata(2, for: "a") }
        try await database.close()
        let fixture = try ReplayReader(path).fixture(of: 2)
        database = try Database.inMemory(collections: later)
        try await database.register(titles)
        try await database.write { $0[later].set(Short(title: "another"), metadata: 1, for: "a") }
        try await fixture.play(in: database)
        #expect(database.snapshot[later]["a"]?.title == "one")
        #expect(try database.snapshot[titles].equal("one").map(\.key) == ["a"])
        #expect(try database.snapshot[titles].equal("another").map(\.key).isEmpty)
    }

    // Without the line of a record, its removal by the commit did nothing, and no error said so.
    @Test func `A text without the line of a record, with one twice or with another is refused`() async throws {
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        try await database.write { transaction in
            for key in ["a", "b", "c"] { transaction[.books][key] = Book(title: key) }
        }
        try await database.write { $0[.books]["b"] = nil }
        try await database.close()
        let lines = try ReplayReader(path).fixture(of: 2).text.split(separator: "\n").map(String.init)
        try #require(lines.count == 6 && lines[1...3].allSatisfy { $0.hasPrefix(#"{"collection":"books""#) })
        #expect(throws: Never.self) { try ReplayFixture(lines.joined(separator: "\n")) }
        let (a, b, c) = (lines[1], lines[2], lines[3])
        let other = b.replacing(#""books""#, with: #""other""#)
        for records in [[a, c], [a, a, c], [a, b, c, other]] {
            let text = ([lines[0]] + records + [lines[4], lines[5]]).joined(separator: "\n")
            let error = #expect(throws: DatabaseError.self) { try ReplayFixture(text) }
            #expect(error?.code == .invalidDump && error?.message.contains("first line promises") == true)
        }
    }

    // What was set aside was in no collection then: its line had no object, and playing it changed nothing.
    @Test func `A reader with types gives the text of one without them, and no change lacks its object`() async throws {
        let database = try await Database.open(at: path, options: replayable())
        try await database.write { try $0.setUntyped(7, for: "a", inCollectionNamed: "numbers") }
        try await database.write { transaction in
            try transaction.setUntyped("seven", for: "a", inCollectionNamed: "numbers")
            try transaction.setUntyped("eight", for: "b", inCollectionNamed: "numbers")
        }
        try await database.write { try $0.setUntyped(9, for: "c", inCollectionNamed: "numbers") }
        try await database.close()
        let numbers = RecordCollection<Int, NoMetadata>("numbers")
        let lenient = numbers.configured { $0.undecodable = .setAside }
        let untyped = try ReplayReader(path)
        for typed in [try ReplayReader(path, collections: numbers), try ReplayReader(path, collections: lenient)] {
            for number in [1, 2, 3] as [CommitNumber] {
                for touchedOnly in [false, true] {
                    let text = try typed.fixture(of: number, touchedOnly: touchedOnly).text
                    #expect(try untyped.fixture(of: number, touchedOnly: touchedOnly).text == text)
                }
            }
        }
        let text = try untyped.fixture(of: 2).text
        for object in ["seven", "eight"] {
            let cut = text.replacing(#","object":"\#(object)""#, with: "")
            try #require(cut != text)
            let error = #expect(throws: DatabaseError.self) { try ReplayFixture(cut) }
            #expect(error?.code == .invalidDump && error?.message.contains("has one") == true)
        }
    }

    @Test func `Nobody's text stops the reader`() async throws {
        try await writeShop(at: path, commits: 4, seed: 1)
        let reader = try ReplayReader(path)
        for number in [0, 5] as [CommitNumber] {
            let error = #expect(throws: DatabaseError.self) { try reader.fixture(of: number) }
            #expect(error?.code == .commitOutOfReach)
        }
        let text = try reader.fixture(of: 3).text
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(32 + random.below(95)) }
            do {
                let fixture = try ReplayFixture(String(decoding: bytes, as: UTF8.self))
                try await fixture.play(in: fixture.database())
            } catch {
                #expect(error is DatabaseError, "seed \(seed): \(error)")
            }
        }
        for text in ["", "\n", text.split(separator: "\n").dropLast(1).joined(separator: "\n"), "{}"] {
            #expect(throws: DatabaseError.self) { try ReplayFixture(text) }
        }
    }
}
