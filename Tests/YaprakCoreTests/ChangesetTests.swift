import Foundation
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore

/// What a commit says it did.
@Suite(.bounded) struct ChangesetTests {
    let database = Database.inMemory()

    private func commit(_ body: @Sendable (inout WriteTransaction) throws -> Void) async throws -> Changeset {
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write(body)
        return try #require(await connection.advance().first)
    }

    @Test func `A changeset has each record once, with its value before and after`() async throws {
        try await database.write {
            $0[.books]["a"] = Book(title: "a")
            $0[.books]["gone"] = Book(title: "gone")
        }
        let changeset = try await commit { transaction in
            transaction[.books]["a"]?.salesRank = 1
            transaction[.books]["a"]?.salesRank = 2
            transaction[.books]["b"] = Book(title: "b")
            transaction[.books].remove("gone")
            transaction[.books]["shortlived"] = Book(title: "x")
            transaction[.books].remove("shortlived")
        }
        let changes = changeset.changes(in: .books)
        #expect(changes.map(\.key) == ["a", "b", "gone"])
        #expect(changes.map(\.kinds) == [.objectChanged, .inserted, .removed])
        #expect(changes["a"]?.before?.object.salesRank == 0)
        #expect(changes["a"]?.after?.object.salesRank == 2)
        #expect(changes["b"]?.before == nil && changes["gone"]?.after == nil)
        #expect(changes["gone"]?.before?.object.title == "gone")
        #expect(changeset.changedCollectionNames == ["books"])
    }

    @Test func `A record that was removed and inserted again was changed`() async throws {
        try await database.write { $0[.shelved].set(Book(title: "a"), metadata: Shelf(room: "1"), for: "a") }
        let changeset = try await commit { transaction in
            transaction[.shelved].remove("a")
            transaction[.shelved]["a"] = Book(title: "b")
        }
        let change = try #require(changeset.changes(in: .shelved)["a"])
        #expect(change.kinds == [.objectChanged, .metadataChanged])
        #expect(change.before?.metadata == Shelf(room: "1") && change.after?.metadata == nil)
    }

    @Test func `Object, metadata and touches are distinguished`() async throws {
        try await database.write {
            for key in ["o", "m", "t", "u"] { $0[.shelved].set(Book(title: key), metadata: nil, for: key) }
        }
        let changeset = try await commit { transaction in
            transaction[.shelved]["o"]?.salesRank = 1
            transaction[.shelved].replaceMetadata(Shelf(room: "1"), for: "m")
            transaction[.shelved].touchObject(for: "t")
            transaction[.shelved].touchMetadata(for: "u")
        }
        #expect(
            changeset.hasObjectChange(forKey: "o", in: .shelved)
                && !changeset.hasMetadataChange(forKey: "o", in: .shelved))
        #expect(
            !changeset.hasObjectChange(forKey: "m", in: .shelved)
                && changeset.hasMetadataChange(forKey: "m", in: .shelved))
        #expect(
            changeset.hasObjectChange(forKey: "t", in: .shelved)
                && !changeset.hasMetadataChange(forKey: "t", in: .shelved))
        #expect(
            !changeset.hasObjectChange(forKey: "u", in: .shelved)
                && changeset.hasMetadataChange(forKey: "u", in: .shelved))
        #expect(changeset.hasChange(forAnyOf: ["x", "u"], in: .shelved))
        #expect(!changeset.hasChange(forAnyOf: ["x", "y"], in: .shelved))
        #expect(!changeset.hasChange(in: .books) && changeset.hasObjectChange(in: .shelved))
    }

    @Test func `Removing everything is one fact, and what came after it is listed`() async throws {
        try await database.write { for index in 0..<50 { $0[.books]["\(index)"] = Book(title: "\(index)") } }
        let changeset = try await commit { transaction in
            transaction[.books]["early"] = Book(title: "early")
            transaction[.books].removeAll()
            transaction[.books]["7"] = Book(title: "new")
        }
        let changes = changeset.changes(in: .books)
        #expect(changes.didRemoveAll && changes.removedAllCount == 50)
        #expect(changes.map(\.key) == ["7"] && changes[0].kinds == .inserted)
        #expect(changeset.hasChange(forKey: "3", in: .books) && changeset.didRemoveAll(in: .books))
        #expect(!changeset.didRemoveAll && !changeset.hasChange(in: .authors))
        let all = try await commit { $0.removeAll() }
        #expect(all.didRemoveAll && all.hasChange(forKey: "x", in: .authors))
    }

    @Test func `Many changesets answer as one`() async throws {
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0[.books]["a"] = Book(title: "1") }
        try await database.write { $0[.books]["a"]?.title = "2" }
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        try await database.write { $0[.books].remove("a") }
        let changesets = await connection.advance()
        #expect(changesets.map(\.commitNumber) == [1, 2, 3, 4])
        #expect(!changesets.hasChange(forKey: "a", in: .books), "inserted and removed: nothing is left")
        #expect(changesets.hasChange(forKey: "b", in: .books))
        #expect(changesets.netChanges.changes(in: .books).map(\.key) == ["b"])
        #expect(Array(changesets.prefix(2)).netChanges.changes(in: .books)["a"]?.kinds == .inserted)
        #expect(Array(changesets.suffix(1)).hasChange(forKey: "a", in: .books))
    }

    /// One step of a random commit.
    private static func step(_ transaction: inout WriteTransaction, _ random: inout SplitMix64) {
        let key = ["a", "b", "c", "d"][random.below(4)]
        switch random.below(12) {
        case 0: transaction.removeAll()
        case 1: transaction[.shelved].removeAll()
        case 2, 3: transaction[.shelved].remove(key)
        case 4: transaction[.shelved].replaceMetadata(Shelf(room: "\(random.below(9))"), for: key)
        case 5: transaction[.shelved].touchObject(for: key)
        case 6: transaction[.authors][key] = Author(name: "\(random.below(9))")
        case 7: transaction[.authors].remove(key)
        default:
            transaction[.shelved].set(
                Book(title: "\(random.below(9))"), metadata: random.chance(50) ? Shelf(room: "1") : nil, for: key)
        }
    }

    private static func check<Object, Metadata>(
        _ some: [Changeset], in collection: RecordCollection<Object, Metadata>, _ comment: Comment
    ) {
        let sum = some.netChanges
        #expect(some.didRemoveAll == sum.didRemoveAll, comment)
        #expect(some.didRemoveAll(in: collection) == sum.didRemoveAll(in: collection), comment)
        #expect(some.hasChange(in: collection) == sum.hasChange(in: collection), comment)
        #expect(some.hasObjectChange(in: collection) == sum.hasObjectChange(in: collection), comment)
        #expect(some.hasMetadataChange(in: collection) == sum.hasMetadataChange(in: collection), comment)
        let keys = ["a", "b", "c", "d", "e"]
        for key in keys {
            #expect(
                some.hasChange(forKey: key, in: collection) == sum.hasChange(forKey: key, in: collection), comment)
            #expect(
                some.hasObjectChange(forKey: key, in: collection) == sum.hasObjectChange(forKey: key, in: collection),
                comment)
            #expect(
                some.hasMetadataChange(forKey: key, in: collection)
                    == sum.hasMetadataChange(forKey: key, in: collection), comment)
        }
        for keys in [keys[0...1], keys[2...3], keys[4...4]] {
            #expect(
                some.hasChange(forAnyOf: keys, in: collection) == sum.hasChange(forAnyOf: keys, in: collection), comment
            )
            #expect(
                some.hasObjectChange(forAnyOf: keys, in: collection)
                    == sum.hasObjectChange(forAnyOf: keys, in: collection), comment)
            #expect(
                some.hasMetadataChange(forAnyOf: keys, in: collection)
                    == sum.hasMetadataChange(forAnyOf: keys, in: collection), comment)
        }
    }

    @Test(arguments: Array(1...UInt64(Soak.volume(20, soak: 1_000))))
    func `A question to many changesets is answered as by all of them added up`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        for _ in 0..<40 {
            let draw = random.next()
            try await database.write { transaction in
                var steps = SplitMix64(seed: draw)
                for _ in 0...steps.below(4) { Self.step(&transaction, &steps) }
            }
        }
        let all = await connection.advance()
        try #require(all.count > 10)
        for _ in 0..<40 {
            let start = random.below(all.count)
            let some = Array(all[start...].prefix(random.below(7)))
            let comment: Comment = "seed \(seed), \(some.count) from \(start)"
            Self.check(some, in: .shelved, comment)
            Self.check(some, in: .authors, comment)
            Self.check(some, in: .books, comment)
        }
    }

    /// Each question added up all changes of all collections.
    @Test func `A question to many changesets about one key does not pay for the others`() async throws {
        /// Seconds for questions to two changesets, by the best of some runs.
        func seconds(_ others: Int) async throws -> Double {
            let database = Database.inMemory()
            let connection = database.makeConnection()
            await connection.beginLongLivedRead()
            for round in 0..<2 {
                try await database.write { transaction in
                    transaction[.books]["a"] = Book(title: "\(round)")
                    for number in 0..<others { transaction[.authors]["\(number)"] = Author(name: "\(round)") }
                }
            }
            let both = await connection.advance()
            return (0..<10).map { _ in
                let start = ThreadClock.seconds
                var count = 0
                for _ in 0..<20 {
                    if both.hasChange(forKey: "a", in: .books) { count += 1 }
                    if both.hasChange(forKey: "b", in: .books) { count += 1 }
                    if both.hasChange(in: .books) { count += 1 }
                }
                let end = ThreadClock.seconds
                #expect(count == 40)
                return end - start
            }.min()!
        }
        let (few, many) = (try await seconds(10), try await seconds(20_000))
        #expect(many < few * 20, "\(few) s beside 10 other changes, \(many) s beside 20,000")
    }

    @Test func `Inserted and removed wholesale is no change, and removing everything concerns every collection`()
        async throws
    {
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.write { $0[.books].removeAll() }
        let both = await connection.advance()
        #expect(!both.hasChange(in: .books) && both.netChanges.isEmpty)
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let all = try await commit { transaction in
            transaction.removeAll()
            transaction[.authors]["new"] = Author(name: "new")
        }
        #expect(all.didRemoveAll(in: .authors) && all.netChanges.didRemoveAll(inCollectionNamed: "authors"))
        #expect(all.hasChange(forKey: "any", in: .authors) && all.hasChange(forKey: "any", in: .books))
    }

    // A removal of everything was a change of every collection, though all that was there had come in the commits before it.
    @Test func `Inserted and removed with all collections is no change, unless something was there before`()
        async throws
    {
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.write { $0.removeAll() }
        let both = await connection.advance()
        #expect(both.count == 2 && both[1].didRemoveAll)
        #expect(both.netChanges.isEmpty && !both.didRemoveAll && !both.didRemoveAll(in: .books))
        #expect(!both.hasChange(in: .books) && !both.hasChange(in: .authors) && !both.hasObjectChange(in: .books))
        #expect(!both.hasChange(forKey: "a", in: .books) && !both.hasChange(forAnyOf: ["a", "b"], in: .authors))
        // The removal finds nothing of what was there at first, but that went in the same commits.
        try await database.write { $0[.authors]["b"] = Author(name: "b") }
        _ = await connection.advance()
        try await database.write { $0[.authors].remove("b") }
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.write { $0.removeAll() }
        let three = await connection.advance()
        #expect(three.didRemoveAll && three.netChanges.didRemoveAll && three.hasChange(forKey: "a", in: .books))
        #expect(three.netChanges.changes(in: .authors).removedAllCount == 1)
    }

    // The positions of all changes were sorted and kept for one question about one key.
    @Test func `Positions of changes are kept for a second question about a key, and answers are the same`() throws {
        let binding = TypedBinding(RecordCollection<Book, NoMetadata>.books)
        let entries = (0..<100).reversed().map { number in
            let box = TypedRecord<Book, NoMetadata>.make(
                key: "\(number)", object: Book(title: "\(number)"), metadata: nil, objectStamp: 1, metadataStamp: 1)
            return ChangeEntry(before: nil, after: box, kinds: .inserted)
        }
        for count in [0, 1, 8, 9, 100] {
            let changes = CollectionChanges(
                binding: binding, clearedCount: nil, entries: OneOrMany(entries.prefix(count)))
            for question in 1...3 {
                let keys = Set((0..<100).map { "\($0)" }.filter { changes.entry(forKey: $0)?.key == $0 })
                #expect(keys == Set(entries.prefix(count).map(\.key)), "\(count) changes, question \(question)")
            }
            let again = CollectionChanges(
                binding: binding, clearedCount: nil, entries: OneOrMany(entries.prefix(count)))
            for (question, key) in ["99", "none", "0"].enumerated() {
                #expect((again.entry(forKey: key) != nil) == entries.prefix(count).contains { $0.key == key })
                #expect(again.keepsOrder == (count > 8 && question > 0), "\(count) changes")
            }
        }
    }

    @Test func `Info travels with a commit, and alone makes one`() async throws {
        let changeset = try await commit { transaction in
            transaction[.books]["a"] = Book(title: "a")
            transaction.setInfo(["minute": 17])
        }
        #expect(try changeset.info(as: [String: Int].self) == ["minute": 17])
        let alone = try await commit { $0.setInfo("nothing else") }
        #expect(alone.commitNumber == 2)
        #expect(try alone.info(as: String.self) == "nothing else")
        #expect(alone.changedCollectionNames.isEmpty)
    }

    @Test func `The origin is the connection's name, and the time is the clock's`() async throws {
        var options = DatabaseOptions()
        options.clock = { 1_357_000_000_000_000_000 }
        let database = Database.inMemory(options: options)
        let connection = database.makeConnection(named: "sync")
        await connection.beginLongLivedRead()
        try await connection.write { $0[.books]["a"] = Book(title: "a") }
        let changeset = try #require(await connection.advance().first)
        #expect(changeset.origin == "sync")
        #expect(changeset.nanosecondsSince1970 == 1_357_000_000_000_000_000)
        #expect(changeset.time.timeIntervalSince1970 == 1_357_000_000)
    }

    @Test func `Replacing every record of every collection in one commit is reported record by record`() async throws {
        try await database.write { transaction in
            for index in 0..<300 {
                transaction[.books]["\(index)"] = Book(title: "old")
                transaction[.authors]["\(index)"] = Author(name: "old")
            }
        }
        let changeset = try await commit { transaction in
            for row in transaction[.books].rows { transaction[.books][row.key] = Book(title: "new") }
            for row in transaction[.authors].rows { transaction[.authors][row.key] = Author(name: "new") }
        }
        #expect(changeset.changes(in: .books).count == 300)
        #expect(
            changeset.changes(in: .authors).allSatisfy {
                $0.before?.object.name == "old" && $0.after?.object.name == "new"
            })
        #expect(changeset.hasObjectChange(forKey: "299", in: .authors))
    }
}
