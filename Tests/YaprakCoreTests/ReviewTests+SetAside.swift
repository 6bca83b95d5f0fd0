import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore

/// Records that were set aside, and collections without types.
extension ReviewTests {
    // A touch finds no record where one was set aside, and took the bytes away all the same.
    @Test func `Touching a key leaves what was set aside under it`() async throws {
        try await withBadRecords(["bad", "good"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        let isThere = try await database.write { $0[Self.strict].touchObject(for: "bad") }
        #expect(!isThere)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        #expect(database.commitNumber == 1)
        try await database.close()
    }

    // Swift calls the setter of a subscript also where a chain of `?.` finds nothing: with nil, which removed the bytes.
    @Test func `A chain that finds no record, and setting nil, leave what was set aside`() async throws {
        try await withBadRecords(["bad", "good"])
        var database = try await Database.open(at: path, collections: Self.lenient)
        try await database.write { $0[Self.strict]["bad"]?.title = "x" }
        try await database.write { transaction in
            transaction[Self.strict]["bad"]?.title += "x"
            transaction[Self.strict]["bad"] = nil
            transaction[Self.strict]["none"]?.title = "x"
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        #expect(database.commitNumber == 1)
        try await database.write { $0[Self.strict]["good"]?.title = "better" }
        try await database.close()
        database = try await Database.open(at: path, collections: Self.lenient)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        #expect(database.snapshot[Self.strict].objects.map(\.title) == ["better"])
        try await database.write { transaction in
            transaction[Self.strict]["good"] = nil
            transaction[Self.strict].remove("bad")
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.snapshot[Self.strict].isEmpty)
        try await database.close()
    }

    // Records set aside are out of extensions, but their removal was reported to them.
    @Test func `Extensions hear nothing of records that were set aside`() async throws {
        try await withBadRecords(["bad", "good"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        try await database.register(Counter())
        #expect(database.snapshot[Counter()] == ["books": 1])
        try await database.write { $0[Self.strict].remove("bad") }
        #expect(database.snapshot[Counter()] == ["books": 1])
        try await database.write { $0[Self.strict].removeAll() }
        #expect(database.snapshot[Counter()] == [:])
        try await database.close()
        let again = try await Database.open(at: path, collections: Self.lenient)
        #expect(again.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await again.close()
    }

    // With nothing but set-aside records in a collection, its clearing was not logged: memory lost what the disk kept.
    @Test func `Removing everything removes what was set aside, also where nothing else is left`() async throws {
        try await withBadRecords(["bad"])
        var database = try await Database.open(at: path, collections: Self.lenient, .authors)
        try await database.write { transaction in
            transaction[Self.strict].removeAll()
            transaction[.authors]["a"] = Author(name: "a")
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await database.close()
        database = try await Database.open(at: path, collections: Self.lenient, .authors)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await database.close()
    }

    // What a transaction put in the place of bytes and took out again was no change, and the bytes came back with a launch;
    // also where it looked at its changes in between, or other records came and went.
    @Test(arguments: [true, false], [true, false])
    func `What was set aside stays away when its successor is removed in the same transaction`(all: Bool, looks: Bool)
        async throws
    {
        try await withBadRecords(["bad", "worse"])
        var database = try await Database.open(at: path, collections: Self.lenient, .authors)
        try await database.write { transaction in
            transaction[Self.strict]["bad"] = Strict(title: "x")
            transaction[Self.strict]["new"] = Strict(title: "y")
            if looks { _ = try transaction.snapshot() }
            if all {
                transaction[Self.strict].removeAll()
            } else {
                for key in ["bad", "worse", "new"] { transaction[Self.strict].remove(key) }
            }
            transaction[.authors]["a"] = Author(name: "a")
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        try await database.close()
        database = try await Database.open(at: path, collections: Self.lenient, .authors)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.snapshot[Self.strict].isEmpty)
        try await database.close()
    }

    // The removal of everything forgot the one before it, and found nothing itself: the record was gone, and back with a launch.
    @Test(arguments: [true, false], [0, 1, 2])
    func `What was set aside stays away when it is removed, and then everything is`(writes: Bool, way: Int) async throws
    {
        try await withBadRecords(["bad"])
        var database = try await Database.open(at: path, collections: Self.lenient, .authors)
        let before = database.commitNumber
        try await database.write { transaction in
            if way == 1 { transaction[Self.strict]["bad"] = Strict(title: "x") }
            transaction[Self.strict].remove("bad")
            if way == 2 {
                transaction[Self.strict]["new"] = Strict(title: "y")
                _ = try transaction.snapshot()
            }
            transaction[Self.strict].removeAll()
            if writes { transaction[.authors]["a"] = Author(name: "a") }
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.commitNumber == before.next())
        try await database.close()
        database = try await Database.open(at: path, collections: Self.lenient, .authors)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books").isEmpty)
        #expect(database.snapshot[Self.strict].isEmpty)
        try await database.close()
    }

    @Test func `A removal of what was set aside, and then of everything, is a change also as a sum`() async throws {
        try await withBadRecords(["bad"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { transaction in
            transaction[Self.strict].remove("bad")
            transaction[Self.strict]["a"] = Strict(title: "a")
        }
        try await database.write { $0[Self.strict].removeAll() }
        let changesets = await connection.advance()
        #expect(changesets.count == 2 && changesets.hasChange(in: Self.strict))
        #expect(changesets.netChanges.changes(in: Self.strict).removedAllCount == 0)
        try await database.close()
    }

    // What was set aside does not count, so the sum of the two took it for a removal of nothing.
    @Test(arguments: [true, false], [true, false])
    func `Commits that remove what was set aside add up to what one commit does`(together: Bool, all: Bool)
        async throws
    {
        try await withBadRecords(["bad"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        if !together { try await database.write { $0[Self.strict]["a"] = Strict(title: "a") } }
        try await database.write { transaction in
            if together { transaction[Self.strict]["a"] = Strict(title: "a") }
            if all { transaction.removeAll() } else { transaction[Self.strict].removeAll() }
        }
        let changesets = await connection.advance()
        #expect(changesets.count == (together ? 1 : 2))
        #expect(changesets.didRemoveAll == all && !changesets.netChanges.isEmpty)
        #expect(changesets.didRemoveAll(in: Self.strict) && changesets.hasChange(in: Self.strict))
        #expect(changesets.netChanges.changes(in: Self.strict).removedAllCount == 0)
        try await database.close()
    }

    /// The commits after `number`, as the log has them.
    func logged(after number: CommitNumber, _ count: Int) async throws -> [Changeset] {
        let database = try await Database.open(at: path, collections: Self.lenient)
        var iterator = database.changesets(after: number).makeAsyncIterator()
        var changesets: [Changeset] = []
        while changesets.count < count, let changeset = try await iterator.next() { changesets.append(changeset) }
        try await database.close()
        #expect(changesets.allSatisfy { $0.isFromLog })
        return changesets
    }

    /// How a record goes.
    enum Removal: CaseIterable { case ofKey, ofCollection, ofAll }

    // The first commit said nothing of the bytes whose place was taken, so a record came and went in the sum, and nothing
    // changed; the one commit of both, and each of them, said something else.
    @Test(arguments: Removal.allCases, [true, false])
    func `What took the place of what was set aside and went is a change also as a sum`(
        removal: Removal, removesFirst: Bool
    ) async throws {
        try await withBadRecords(["bad"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        let begin = database.commitNumber
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { transaction in
            if removesFirst { transaction[Self.strict].remove("bad") }
            transaction[Self.strict]["bad"] = Strict(title: "new")
        }
        try await database.write { $0[Self.strict]["bad"]?.title = "newer" }
        try await database.write { transaction in
            switch removal {
            case .ofKey: transaction[Self.strict].remove("bad")
            case .ofCollection: transaction[Self.strict].removeAll()
            case .ofAll: transaction.removeAll()
            }
        }
        let live = await connection.advance()
        try await database.close()
        for changesets in [live, try await logged(after: begin, 3)] {
            try #require(changesets.count == 3)
            let net = changesets.netChanges
            #expect(!net.isEmpty && net.countDifference(inCollectionNamed: "books") == 0)
            for source in [changesets, Array(changesets[...0])] {
                #expect(source.hasChange(in: Self.strict) && source.hasChange(forKey: "bad", in: Self.strict))
            }
            #expect(changesets[0].changes(in: Self.strict)["bad"]?.kinds == .inserted)
            let changes = net.changes(in: Self.strict)
            if removal == .ofKey {
                #expect(changes["bad"]?.kinds == .removed && changes["bad"]?.before == nil && !changes.didRemoveAll)
            } else {
                #expect(changes.didRemoveAll && changes.removedAllCount == 0 && changes.isEmpty)
                #expect(changesets.didRemoveAll == (removal == .ofAll))
            }
        }
    }

    @Test func `What took the place of what was set aside is an insertion, whatever is made of it later`() async throws
    {
        try await withBadRecords(["bad"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        try await database.register(Counter())
        let begin = database.commitNumber
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0[Self.strict]["bad"] = Strict(title: "new") }
        #expect(database.snapshot[Counter()] == ["books": 1])
        try await database.write { $0[Self.strict]["bad"]?.title = "newer" }
        #expect(database.snapshot[Counter()] == ["books": 1])
        let live = await connection.advance()
        try await database.close()
        for changesets in [live, try await logged(after: begin, 2)] {
            let change = try #require(changesets.netChanges.changes(in: Self.strict)["bad"])
            #expect(change.kinds == .inserted && change.before == nil && change.after?.object.title == "newer")
            #expect(changesets.netChanges.countDifference(inCollectionNamed: "books") == 1)
        }
    }

    // It depended on how many changesets there were, and on how their sum was grouped.
    @Test(arguments: [1, 3, 4])
    func `What took the place of what was set aside and removed is an insertion, however changes are added up`(
        count: Int
    ) async throws {
        try await withBadRecords(["bad"])
        let database = try await Database.open(at: path, collections: Self.lenient)
        let begin = database.commitNumber
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        let writes: [@Sendable (inout WriteTransaction) -> Void] = [
            { $0[Self.strict]["bad"] = Strict(title: "A") }, { $0[Self.strict].remove("bad") },
            { $0[Self.strict]["bad"] = Strict(title: "B") }, { $0[Self.strict]["other"] = Strict(title: "C") },
        ]
        if count == 1 {
            try await database.write { transaction in for write in writes { write(&transaction) } }
        } else {
            for write in writes[..<count] { try await database.write { write(&$0) } }
        }
        let live = await connection.advance()
        try await database.close()
        for changesets in [live, try await logged(after: begin, count)] {
            try #require(changesets.count == count)
            let change = try #require(changesets.netChanges.changes(in: Self.strict)["bad"])
            #expect(change.kinds == .inserted && change.before == nil && change.after?.object.title == "B")
        }
    }

    // A record that was written without decoding counted where it came, and not where everything went.
    @Test(arguments: [[], ["a", "b", "c", "d", "e"]], Removal.allCases)
    func `What came without decoding counts in no sum of changesets from the log`(keys: [String], removal: Removal)
        async throws
    {
        try await withBadRecords(["z"] + keys)
        try await withBadRecords(["bad"])
        for title in ["bad again", "bad as ever"] {
            let database = try await Database.open(at: path, collections: .books)
            try await database.write { $0[.books]["bad"]?.title = title }
            try await database.close()
        }
        let database = try await Database.open(at: path, collections: Self.lenient)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        try await database.write { $0[Self.strict].remove("z") }
        try await database.write { transaction in
            switch removal {
            case .ofKey: transaction[Self.strict].remove("bad")
            case .ofCollection: transaction[Self.strict].removeAll()
            case .ofAll: transaction.removeAll()
            }
        }
        try await database.close()
        let changesets = try await logged(after: 1, 5)
        try #require(changesets.count == 5)
        // It was there before the second change of it, and came with the first of all.
        for (first, isThere) in [(0, false), (1, true), (2, true)] {
            let sum = Array(changesets[first...])
            let count = removal == .ofKey ? 0 : keys.count + 1
            let changes = sum.netChanges.changes(in: Self.strict)
            #expect(changes.removedAllCount == count, "\(first)")
            #expect(changes.didRemoveAll == (removal != .ofKey), "\(first)")
            #expect(sum.netChanges.countDifference(inCollectionNamed: "books") == -(removal == .ofKey ? 1 : count))
            #expect(changes["bad"]?.kinds == (removal == .ofKey && isThere ? .removed : nil), "\(first)")
        }
        for some in [[changesets[0]], Array(changesets[1...2]), Array(changesets[...2])] {
            #expect(some.netChanges.countDifference(inCollectionNamed: "books") == 0)
        }
    }

    // The removal was said to have taken away something that had been there before: it was a change of every key.
    @Test(arguments: [false, true], [false, true])
    func `What came without decoding and went with everything has not changed`(all: Bool, live: Bool) async throws {
        try await withBadRecords(["z"])
        var database = try await Database.open(at: path, collections: Self.lenient)
        try await database.write { $0[Self.strict].remove("z") }
        try await database.close()
        try await withBadRecords(["bad", "bad, too"])
        database = try await Database.open(at: path, collections: Self.lenient)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { transaction in
            // Those that went before are among what everything takes away.
            transaction[Self.strict]["bad"] = Strict(title: "A")
            transaction[Self.strict].remove("bad, too")
            if all { transaction.removeAll() } else { transaction[Self.strict].removeAll() }
        }
        let last = await connection.advance()
        try await database.close()
        let logged = try await logged(after: 2, 2)
        try #require(logged.count == 2 && last.count == 1)
        let changesets = [logged[0], live ? last[0] : logged[1]]
        #expect(changesets[1].didRemoveAll(in: Self.strict) && changesets[1].changes(in: Self.strict).didRemoveAll)
        #expect(changesets.netChanges.isEmpty && !changesets.hasChange(in: Self.strict))
        #expect(!changesets.netChanges.hasChange(forKey: "other", in: Self.strict))
    }

    // Read back from the log, a removal of everything counted what was set aside, too.
    @Test(arguments: [true, false], [["bad", "good", "worse"], ["bad"]])
    func `A removal of everything counts the same records from the log as it did in memory`(all: Bool, keys: [String])
        async throws
    {
        try await withBadRecords(keys)
        let database = try await Database.open(at: path, collections: Self.lenient)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["bad"])
        let begin = database.commitNumber
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { transaction in
            if all { transaction.removeAll() } else { transaction[Self.strict].removeAll() }
        }
        try await database.write { $0[Self.strict]["a"] = Strict(title: "a") }
        let live = await connection.advance()
        try await database.close()
        for changesets in [live, try await logged(after: begin, 2)] {
            try #require(changesets.count == 2)
            let changes = changesets[0].changes(in: Self.strict)
            #expect(changes.didRemoveAll && changes.removedAllCount == keys.count - 1)
            #expect(changesets[0].netChanges.countDifference(inCollectionNamed: "books") == 1 - keys.count)
        }
    }

    // Extensions never saw the rows of a collection without types, but were given the count of those removed.
    @Test func `Extensions hear nothing of collections without types`() async throws {
        try await withBadRecords(["a", "b"])
        let database = try await Database.open(at: path, collections: .authors)
        try await database.register(Counter())
        try await database.write { $0.removeAll(inCollectionNamed: "books") }
        #expect(database.snapshot[Counter()] == [:])
        try await database.close()
    }
}
