import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Taking commits back: what comes back, what is a conflict, and that views never notice who wrote.
@Suite(.bounded) struct RevertTests {
    let directory = TemporaryDirectory()
    private var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    @Test func `Taken back right away, every commit leaves the records as they were before`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        for number in 1...150 {
            let draw = seed &+ UInt64(number)
            let before = database.snapshot.digest
            try await database.write { step(&$0, number, SplitMix64(seed: draw)) }
            let commit = database.commitNumber
            let after = database.snapshot.digest
            let revert = try await database.revert(commit...commit)
            #expect(revert.conflicts.isEmpty, "seed \(seed), step \(number)")
            #expect(database.snapshot.digest == before, "seed \(seed), step \(number)")
            // And the taking back taken back.
            let second = database.commitNumber
            if second > commit { try await database.revert(second...second) }
            #expect(database.snapshot.digest == after, "seed \(seed), step \(number)")
        }
        try await database.close()
    }

    // What it wrote would be taken for the bytes of a coder.
    @Test func `A record that has the form of another coder's bytes comes back as it was`() async throws {
        let values = RecordCollection<CBORValue, CBORValue>("values")
        let item = CBORValue.tag(27, [.text("json"), .bytes(Array("1".utf8))])
        let database = try await Database.open(at: path, options: replayable(), collections: values)
        try await database.write { $0[values].set(item, metadata: item, for: "a") }
        try await database.write { $0[values].set("other", metadata: nil, for: "a") }
        try await database.revert(2...2)
        #expect(database.snapshot[values]["a"] == item)
        #expect(database.snapshot[values].metadata(for: "a") == item)
        // What a program without the types reads, it can write back.
        let record = try #require(database.snapshot.untyped("values")["a"])
        #expect(try record.object(as: CBORValue.self) == item && record.metadata(as: CBORValue.self) == item)
        try await database.write { transaction in
            transaction[values].remove("a")
            try transaction.setUntyped(
                record.object, metadata: record.metadata, for: "a", inCollectionNamed: "values")
        }
        #expect(database.snapshot[values]["a"] == item)
        #expect(database.snapshot[values].metadata(for: "a") == item)
        try await database.close()
    }

    // A checkpoint wraps it beside a version, and without types nothing took the wrapping off.
    @Test func `Metadata that is undefined is the same in the log and in checkpoints without types`() async throws {
        var database = try await Database.open(at: path, options: replayable())
        try await database.write { transaction in
            try transaction.setUntyped(1, metadata: 2, version: 2, for: "a", inCollectionNamed: "values")
            try transaction.setUntyped(
                1, metadata: CBORValue.undefined, version: 1, for: "b", inCollectionNamed: "values")
        }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, options: replayable())
        #expect(try #require(database.snapshot.untyped("values")["b"]).metadata == CBORValue.undefined)
        try await database.write { $0.removeUntyped("a", inCollectionNamed: "values") }
        try await database.checkpoint()
        try await database.close()
        #expect(try await Database.replay(path).snapshot.count(inCollectionNamed: "values") == 1)
        #expect(try ReplayReader(path).verify(.replay).findings.isEmpty)
    }

    @Test func `The newest commits taken back at once lead to any earlier state`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await writeShop(at: path, commits: 120, seed: seed, checkpointsAt: [40, 80])
        var random = SplitMix64(seed: seed)
        let reader = try ReplayReader(path)
        // Without types, as a tool does it.
        let database = try await Database.open(at: path, options: replayable())
        for _ in 0..<20 {
            let newest = database.commitNumber
            let first = CommitNumber(UInt64(1 + random.below(Int(newest.rawValue))))
            let before = CommitNumber(first.rawValue - 1)
            let expected = try reader.snapshot(at: before).digest
            try await database.revert(first...newest)
            #expect(database.snapshot.digest == expected, "seed \(seed): \(first) to \(newest)")
        }
        try await database.close()
        let typed = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        #expect(typed.snapshot.digest == (try reader.snapshot().digest))
        try await typed.close()
    }

    @Test func `A conflict is what is neither as the commits left it nor as it was, and nothing is written`()
        async throws
    {
        let seed = UInt64.random(in: .min ... .max)
        try await writeShop(at: path, commits: 80, seed: seed)
        var random = SplitMix64(seed: seed)
        let reader = try ReplayReader(path)
        let database = try await Database.open(at: path, options: replayable())
        var conflicts = 0
        for _ in 0..<40 {
            let first = UInt64(1 + random.below(70)), last = first + UInt64(random.below(6))
            let old = try reader.snapshot(at: CommitNumber(first - 1)),
                left = try reader.snapshot(at: CommitNumber(last))
            let head = database.snapshot
            // The rule, spelled out over all keys.
            var expected: [String: Bool] = [:]
            for name in ["books", "notes"] {
                let keys = Set([old, left, head].flatMap { $0.untyped(name).map(\.key) })
                for key in keys {
                    let states = [old, left, head].map { $0.untyped(name)[key] }
                    if states[0] != states[1], states[2] != states[0] {
                        expected["\(name) \(key)"] = states[2] != states[1]
                    }
                }
            }
            let commits = CommitNumber(first)...CommitNumber(last)
            let revert = try reader.revert(of: commits, in: head)
            #expect(
                Dictionary(
                    uniqueKeysWithValues: revert.changes.map { ("\($0.collectionName) \($0.key)", $0.isConflict) })
                    == expected, "seed \(seed): \(commits)")
            guard expected.values.contains(true) else { continue }
            conflicts += 1
            await #expect(throws: ReplayRevertConflict.self) { try await database.revert(commits) }
            #expect(database.snapshot.isIdentical(to: head))
            if random.chance(30) {
                try await database.revert(commits, overwritesConflicts: true)
                for change in revert.changes {
                    #expect(database.snapshot.untyped(change.collectionName)[change.key] == change.then, "seed \(seed)")
                }
            }
        }
        #expect(conflicts > 10, "seed \(seed)")
        try await database.close()
    }

    @Test func `What is to be done already makes no commit, and what is out of reach is said`() async throws {
        try await writeShop(at: path, commits: 5, seed: 1)
        let database = try await Database.open(at: path, options: replayable())
        try await database.revert(5...5)
        #expect(database.commitNumber == 6)
        let again = try await database.revert(5...5)
        #expect(again.changes.isEmpty && database.commitNumber == 6)
        for commits in [0...0, 9...9, 3...9] as [ClosedRange<CommitNumber>] {
            let error = await #expect(throws: DatabaseError.self) { try await database.revert(commits) }
            #expect(error?.code == .commitOutOfReach)
            var choice = ReplayRevert.Choice()
            choice.condition = try ReplayExpression("true", about: .change)
            let chosen = await #expect(throws: DatabaseError.self) {
                try await database.revert(commits, choosing: choice)
            }
            #expect(chosen?.code == .commitOutOfReach)
        }
        try await database.close()
        let memory = await #expect(throws: DatabaseError.self) { try await Database.inMemory().revert(1...1) }
        #expect(memory?.code == .commitOutOfReach)
        var commits = try ReplayReader(path).commits(from: 6).makeAsyncIterator()
        let commit = try #require(try await commits.next())
        #expect(commit.origin == "revert")
        #expect(commit.info == ["reverts": [5]])
    }

    private struct Tagged: Codable, Sendable, Hashable {
        var tags: Set<String>
        var number = 0
    }

    // A set is iterated in another order in each instance, and so are its bytes: what the log had was taken for another record.
    @Test func `A record with a set has no conflict if nobody changed it`() async throws {
        let records = RecordCollection<Tagged, Set<Int>>("tagged")
        let names = (0..<40).map { "tag \($0)" }
        let roomy = names.reduce(into: Set<String>(minimumCapacity: 1000)) { $0.insert($1) }
        let database = try await Database.open(at: path, options: replayable(), collections: records)
        try await database.write { transaction in
            transaction[records].set(Tagged(tags: roomy), metadata: Set(0..<40), for: "a")
            transaction[records]["b"] = Tagged(tags: Set(names))
        }
        let before = database.snapshot[records].map { $0 }
        try await database.write { transaction in
            transaction[records]["a"]?.tags.insert("more")
            transaction[records]["b"] = Tagged(tags: roomy.union(["other"]), number: 1)
        }
        let commit = database.commitNumber
        // Of fields, too.
        var choice = ReplayRevert.Choice()
        (choice.key, choice.fields) = ("b", ["number", "tags"])
        let part = try ReplayReader(path).revert(of: commit...commit, in: database.snapshot, choosing: choice)
        #expect(part.changes.count == 1 && part.conflicts.isEmpty)
        choice.fields = nil
        try await database.revert(commit...commit, choosing: choice)
        let rest = try await database.revert(commit...commit)
        #expect(rest.changes.map(\.key) == ["a"], "b is what it was")
        for (row, old) in zip(database.snapshot[records], before) {
            #expect(row.object == old.object && row.metadata == old.metadata, "\(row.key)")
        }
        try await database.close()
        var commits = try ReplayReader(path).commits(from: CommitNumber(commit.rawValue + 1)).makeAsyncIterator()
        #expect(try await commits.next()?.info == ["partly": [2], "reverts": [2]], "of commit 2, a stayed")
        #expect(try await commits.next()?.info == ["reverts": [2]])
    }

    /// Stands for a cipher: the same value never has the same bytes twice.
    private struct Cipher: RecordCoder {
        let name = "cipher"
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
            let salt = UInt8.random(in: 1...255)
            return [salt] + (try JSONEncoder().encode(value)).map { $0 ^ salt }
        }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try JSONDecoder().decode(type, from: Data(bytes.dropFirst().map { $0 ^ bytes[0] }))
        }
    }

    private struct Old: Codable, Sendable, Hashable { var name: String }

    /// The same with a property that came later.
    private struct New: Codable, Sendable, Hashable {
        var name: String
        var shelf = "a"

        init(name: String) { self.name = name }
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            shelf = try values.decodeIfPresent(String.self, forKey: .shelf) ?? "a"
        }
    }

    private enum Change: CaseIterable { case nothing, property, version, coder }

    @Test(arguments: Change.allCases, [false, true])
    private func `A record whose form has changed since is no conflict, and one whose value has is one`(
        change: Change, ofFields: Bool
    ) async throws {
        let old = RecordCollection<Old, String>("things").configured { if change == .coder { $0.coder = Cipher() } }
        let new = RecordCollection<New, String>("things").configured { configuration in
            if change == .coder { configuration.coder = Cipher() }
            guard change == .version else { return }
            configuration.version = 2
            configuration.migrate(from: 1, to: 2) { $0.object = .map([.init("name", $0.object["name"] ?? .null)]) }
        }
        do {
            let database = try await Database.open(at: path, options: replayable(), collections: old)
            try await database.write { transaction in
                for key in ["a", "b", "z"] { transaction[old].set(Old(name: "one"), metadata: "m", for: key) }
            }
            try await database.write { transaction in
                transaction[old]["a"] = Old(name: "two")
                if ofFields { return }
                transaction[old].remove("b")
                transaction[old]["c"] = Old(name: "two")
            }
            try await database.close()
        }
        var choice = ReplayRevert.Choice()
        if ofFields { choice.fields = ["name"] }
        func names(_ database: Database) -> [String] {
            change == .nothing
                ? database.snapshot[old].map { "\($0.key) \($0.object.name) \($0.metadata ?? "")" }
                : database.snapshot[new].map { "\($0.key) \($0.object.name) \($0.metadata ?? "")" }
        }
        let database = try await Database.open(at: path, options: replayable())
        if change == .nothing { try await database.bind(old) } else { try await database.bind(new) }
        let before = database.snapshot
        let revert = try await database.revert(2...2, choosing: choice)
        #expect(revert.conflicts.isEmpty && revert.changes.count == (ofFields ? 1 : 3), "\(revert.changes)")
        #expect(names(database) == ["a one m", "b one m", "z one m"])
        #expect(try await database.revert(2...2, choosing: choice).changes.isEmpty)
        try await database.restore(before)
        if change == .nothing {
            try await database.write { $0[old]["a"] = Old(name: "three") }
        } else {
            try await database.write { $0[new]["a"] = New(name: "three") }
        }
        let conflict = await #expect(throws: ReplayRevertConflict.self) {
            try await database.revert(2...2, choosing: choice)
        }
        #expect(conflict?.revert.conflicts.map(\.key) == ["a"])
        try await database.close()
    }

    @Test func `A record that was set aside is one that is there`() async throws {
        do {
            let database = try await Database.open(at: path, options: replayable())
            try await database.write { try $0.setUntyped(7, for: "a", inCollectionNamed: "numbers") }
            try await database.write { transaction in
                try transaction.setUntyped("seven", for: "a", inCollectionNamed: "numbers")
                try transaction.setUntyped("eight", for: "b", inCollectionNamed: "numbers")
            }
            try await database.close()
        }
        let numbers = RecordCollection<Int, NoMetadata>("numbers").configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, options: replayable(), collections: numbers)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "numbers") == ["a", "b"])
        let revert = try await database.revert(2...2)
        #expect(revert.conflicts.isEmpty && revert.changes.map(\.key) == ["a", "b"])
        #expect(database.snapshot[numbers].map(\.object) == [7])
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "numbers") == [])
        try await database.close()
    }

    // What was set aside was in no collection then: the plan lacked it, or had a conflict that nobody had caused.
    @Test func `The plan of a revert is the same with types and without them`() async throws {
        do {
            let database = try await Database.open(at: path, options: replayable())
            try await database.write { try $0.setUntyped(7, for: "a", inCollectionNamed: "numbers") }
            try await database.write { transaction in
                try transaction.setUntyped("seven", for: "a", inCollectionNamed: "numbers")
                try transaction.setUntyped("eight", for: "b", inCollectionNamed: "numbers")
            }
            try await database.write { try $0.setUntyped(9, for: "c", inCollectionNamed: "numbers") }
            try await database.close()
        }
        let numbers = RecordCollection<Int, NoMetadata>("numbers").configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, options: replayable(), collections: numbers)
        let (typed, untyped) = (try ReplayReader(path, collections: numbers), try ReplayReader(path))
        for (number, keys) in [(1, ["a"]), (2, ["a", "b"]), (3, ["c"])] as [(CommitNumber, [String])] {
            let plan = try typed.revert(of: number...number, in: database.snapshot)
            #expect(plan.changes.map(\.key) == keys && plan.conflicts.map(\.key) == (number == 1 ? ["a"] : []))
            #expect(try untyped.revert(of: number...number, in: database.snapshot).changes == plan.changes)
        }
        try await database.close()
    }

    /// A tool has no code for views, so a checkpoint's view is behind its commits, or gone. Either way a program must not
    /// see it as it was.
    @Test(arguments: [false, true])
    func `A persisted view is never stale after a revert without types`(withCheckpoint: Bool) async throws {
        let byRank = AutoView(
            "byRank", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank, persistence: .checkpoints)
        let seed = UInt64.random(in: .min ... .max)
        var database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(byRank)
        for number in 1...60 {
            let draw = seed &+ UInt64(number)
            try await database.write { step(&$0, number, SplitMix64(seed: draw)) }
            if number == 30 { try await database.checkpoint() }
        }
        try await database.checkpoint()
        try await database.close()

        let untyped = try await Database.open(at: path, options: replayable())
        #expect(untyped.snapshot.commitNumber == 60)
        try await untyped.revert(45...60)
        if withCheckpoint { try await untyped.checkpoint() }
        try await untyped.close()

        database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        let host = try await database.register(byRank)
        #expect(await host.origin == (withCheckpoint ? .populated : .adopted))
        let fresh = Database.inMemory()
        let rows = database.snapshot[.books].map { $0 }
        try await fresh.write { transaction in
            for row in rows { transaction[.books].set(row.object, metadata: row.metadata, for: row.key) }
        }
        try await fresh.register(byRank)
        func groups(_ snapshot: Snapshot) -> [String: [String]] {
            var groups: [String: [String]] = [:]
            for group in snapshot[byRank].groups { groups[group.name] = group.map(\.key) }
            return groups
        }
        #expect(groups(database.snapshot) == groups(fresh.snapshot), "seed \(seed)")
        #expect(database.snapshot.digest == (try ReplayReader(path).snapshot(at: 44).digest), "seed \(seed)")
        try await database.close()
    }

    /// Keeps the number of books of each genre in its note.
    private struct CountBooks: Reaction {
        let name = "count books"
        let collectionNames: [String]? = ["books"]

        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            var counts: [String: Int] = [:]
            for change in changes.changes(in: .books) {
                if let book = change.before { counts[book.object.genre, default: 0] -= 1 }
                if let book = change.after { counts[book.object.genre, default: 0] += 1 }
            }
            for (genre, count) in counts {
                transaction[.notes][genre] = "\((Int(transaction[.notes][genre] ?? "0") ?? 0) + count)"
            }
        }
    }

    @Test func `What a reaction wrote in a reverted commit is not undone twice`() async throws {
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(CountBooks())
        try await database.write { $0[.books]["dune"] = Book(title: "Dune") }
        try await database.write { $0[.books]["emma"] = Book(title: "Emma", genre: "classic") }
        try await database.write { $0[.books]["solaris"] = Book(title: "Solaris") }
        #expect(database.snapshot[.notes]["sci-fi"] == "2")
        let revert = try await database.revert(3...3)
        #expect(revert.changes.map(\.key).sorted() == ["sci-fi", "solaris"])
        #expect(database.snapshot[.notes]["sci-fi"] == "1")
        #expect(database.snapshot[.books]["solaris"] == nil)
        // It runs for what was not chosen: the book alone.
        var choice = ReplayRevert.Choice()
        choice.collectionName = "books"
        try await database.revert(2...2, choosing: choice)
        #expect(database.snapshot[.books]["emma"] == nil)
        #expect(database.snapshot[.notes]["classic"] == "0")
        // And for the next write as ever.
        try await database.write { $0[.books]["neuromancer"] = Book(title: "Neuromancer") }
        #expect(database.snapshot[.notes]["sci-fi"] == "2")
        try await database.close()
    }

    /// Keeps the sum of the ranks of books in a note of a genre, and the sum of those in another note.
    private struct SumRanks: Reaction {
        let name = "sum ranks"
        let collectionNames: [String]? = ["books", "notes"]

        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            var genres: [String: Int] = [:], total = 0
            for change in changes.changes(in: .books) {
                if let book = change.before { genres[book.object.genre, default: 0] -= book.object.rank }
                if let book = change.after { genres[book.object.genre, default: 0] += book.object.rank }
            }
            func number(_ note: String?) -> Int { note.flatMap { Int($0) } ?? 0 }
            for change in changes.changes(in: .notes) where change.key != "total" {
                total += number(change.after?.object) - number(change.before?.object)
            }
            for (genre, sum) in genres where sum != 0 {
                transaction[.notes][genre] = "\(number(transaction[.notes][genre]) + sum)"
            }
            if total != 0 { transaction[.notes]["total"] = "\(number(transaction[.notes]["total"]) + total)" }
        }
    }

    @Test func `What reactions made of a record that is then reverted follows it`() async throws {
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        try await database.register(SumRanks())
        try await database.write { transaction in
            transaction[.books]["dune"] = Book(title: "Dune", rank: 5)
            transaction[.books]["emma"] = Book(title: "Emma", genre: "classic", rank: 4)
        }
        try await database.write { $0[.books]["dune"]?.rank = 3 }
        try await database.write { $0[.books]["emma"]?.rank = 6 }
        #expect(database.snapshot[.notes]["sci-fi"] == "3" && database.snapshot[.notes]["total"] == "9")
        // The book and its genre's note, and not the total, which has changed since.
        var choice = ReplayRevert.Choice()
        choice.condition = try ReplayExpression("before.rank == 5 or before == \"5\"", about: .change)
        try await database.revert(2...2, choosing: choice)
        #expect(database.snapshot[.books]["dune"]?.rank == 5)
        #expect(database.snapshot[.notes]["sci-fi"] == "5")
        #expect(database.snapshot[.notes]["total"] == "11")
        try await database.close()
    }

    @Test func `A chosen field that the commits left alone follows a reaction, one that they changed does not`()
        async throws
    {
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        try await database.write { $0[.books]["dune"] = Book(title: "Dune", rank: 5) }
        try await database.write { $0[.books]["dune"]?.rank = 3 }
        try await database.register(
            RecordReaction("name the rank", to: .books) { change, transaction in
                guard let book = change.after?.object else { return }
                let named = Book(title: "Dune, renamed", genre: "rank \(book.rank)", rank: book.rank)
                if book != named { transaction[.books][change.key] = named }
            })
        try await database.write { $0[.books]["dune"]?.title = "Arrakis" }
        var choice = ReplayRevert.Choice()
        choice.fields = ["genre", "rank"]
        let revert = try await database.revert(2...2, choosing: choice)
        #expect(revert.conflicts.isEmpty)
        #expect(database.snapshot[.books]["dune"] == Book(title: "Dune, renamed", genre: "rank 5", rank: 5))
        choice.fields = ["title", "rank"]
        try await database.revert(3...3, choosing: choice)
        #expect(database.snapshot[.books]["dune"] == Book(title: "Dune", genre: "rank 5", rank: 5))
        try await database.close()
    }

    /// A few changes of all kinds, wholesale removals among them.
    private func step(_ transaction: inout WriteTransaction, _ number: Int, _ source: SplitMix64) {
        var random = source
        if random.below(10) == 0 { transaction[.books].removeAll() }
        if random.below(15) == 0 { transaction.removeAll() }
        for _ in 0...random.below(5) {
            let key = "book \(random.below(12))"
            switch random.below(6) {
            case 0: transaction[.books].remove(key)
            case 1:
                transaction[.books].set(Book(title: "é \(number)", rank: random.below(9)), metadata: number, for: key)
            case 2: transaction[.books][key]?.rank += 1
            case 3: transaction[.books].replaceMetadata(random.chance(50) ? nil : number, for: key)
            case 4: transaction[.books].touchObject(for: key)
            default:
                transaction[.books][key] = Book(title: "title \(number)", genre: ["sci-fi", "crime"][random.below(2)])
            }
        }
        transaction[.notes]["last"] = "commit \(number)"
    }
}
