import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakStorage

@testable import YaprakCore

/// Takes all titles.
private struct Plain: Codable, Sendable {
    var title: String
}

/// What a sum of changesets says, for comparing it.
private struct Summary: Equatable, CustomStringConvertible {
    var clearedAll: Bool
    /// By collection: what was removed with everything, and the changes by key.
    var collections: [String: [String]] = [:]

    init(_ batch: ChangeBatch) {
        clearedAll = batch.clearedAll
        for changes in batch.collections {
            let entries = changes.entries.map { entry in
                "\(entry.key) \(entry.kinds.rawValue) \(Self.text(entry.before)) \(Self.text(entry.after))"
            }
            let cleared = changes.clearedCount.map { "\($0) and \(changes.clearedAsides) went" } ?? "no removal"
            collections[changes.binding.name] = ["\(cleared), \(changes.countDifference)"] + entries.sorted()
        }
    }

    private static func text(_ box: RecordBox?) -> String { box.isAside ? "aside" : box == nil ? "none" : "record" }

    var description: String { "\(clearedAll ? "all cleared, " : "")\(collections.sorted { $0.key < $1.key })" }
}

extension [Changeset] {
    /// The sums of these, grouped in every way.
    fileprivate var sums: [Summary] {
        func sums(_ batches: ArraySlice<ChangeBatch>) -> [ChangeBatch] {
            if batches.count == 1 { return [batches.first!] }
            return (batches.startIndex + 1..<batches.endIndex).flatMap { middle in
                let later = sums(batches[middle...])
                return sums(batches[..<middle]).flatMap { first in later.map { first.followed(by: $0) } }
            }
        }
        return sums(map(\.contents.batch)[...]).map { Summary($0.whole.asOneCommit()) }
    }

    /// Expects one sum, however these, and those of them that come first, are grouped.
    fileprivate func expectOneSum(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        for count in stride(from: 2, through: self.count, by: 1) {
            let some = Array(self[..<count])
            let expected = Summary(some.netChanges.batch)
            let others = some.sums.filter { $0 != expected }
            #expect(
                others.isEmpty, "\(comment) \(count) of \(self.count): \(expected) and \(others.first!)",
                sourceLocation: sourceLocation)
        }
    }
}

/// Sums of changesets, grouped in every way.
extension ReviewTests {
    private static let plain = RecordCollection<Plain, NoMetadata>("books")

    /// Sets titles in one commit each, by a program that takes all of them, or by one that sets bad ones aside.
    private func put(_ titles: [String], for key: String, lenient: Bool = false) async throws {
        let database =
            lenient
            ? try await Database.open(at: path, collections: Self.lenient)
            : try await Database.open(at: path, collections: Self.plain)
        for title in titles {
            try await database.write { transaction in
                if lenient {
                    transaction[Self.strict][key] = Strict(title: title)
                } else if transaction[Self.plain].contains(key: key) {
                    transaction[Self.plain][key]?.title = title
                } else {
                    transaction[Self.plain][key] = Plain(title: title)
                }
            }
        }
        try await database.close()
    }

    // Whether it was an insertion depended on whether its entry met another.
    @Test func `What decodes again is inserted, alone and in every sum`() async throws {
        try await put(["x", "bad", "good", "better"], for: "x")
        try await put(["y"], for: "y")
        let changesets = try await logged(after: 1, 4)
        try #require(changesets.count == 4)
        changesets.expectOneSum()
        #expect(changesets[0].changes(in: Self.strict)["x"]?.kinds == .objectChanged)
        for some in [changesets[1...1], changesets[1...2], changesets[1...3]] {
            #expect(Array(some).netChanges.changes(in: Self.strict)["x"]?.kinds == .inserted, "\(some.count)")
        }
        for some in [changesets[...2], changesets[...3]].map({ Array($0) }) {
            // What was there went in between: what is there now is new, metadata and all.
            #expect(some.netChanges.changes(in: Self.strict)["x"]?.kinds == [.objectChanged, .metadataChanged])
            #expect(some.hasMetadataChange(forKey: "x", in: Self.strict))
            #expect(some.netChanges.hasMetadataChange(forKey: "x", in: Self.strict))
            #expect(some.netChanges.countDifference(inCollectionNamed: "books") == some.count - 3)
        }
    }

    // A sum of four was an insertion of a record that was not there after it, one of three was none.
    @Test func `What does not decode any more is not inserted`() async throws {
        try await put(["bad", "bad again"], for: "x")
        try await put(["A"], for: "x", lenient: true)
        try await put(["bad, too"], for: "x")
        try await put(["y"], for: "y")
        let changesets = try await logged(after: 1, 4)
        try #require(changesets.count == 4)
        changesets.expectOneSum()
        #expect(changesets[1].changes(in: Self.strict)["x"]?.kinds == .inserted)
        for some in [changesets[1...2], changesets[...2], changesets[...3]] {
            let change = try #require(Array(some).netChanges.changes(in: Self.strict)["x"])
            #expect(change.before == nil && change.after == nil)
            #expect(change.kinds == [.objectChanged, .metadataChanged], "\(some.count)")
        }
    }

    // What a writer had set aside may decode with the types of who reads the log.
    @Test func `What took the place of bytes that decode today is no insertion`() async throws {
        try await put(["bad"], for: "x")
        try await put(["A"], for: "x", lenient: true)
        let database = try await Database.open(at: path, collections: Self.plain)
        var iterator = database.changesets(after: 1).makeAsyncIterator()
        let changeset = try #require(try await iterator.next())
        let change = try #require(changeset.changes(in: Self.plain)["x"])
        try await database.close()
        #expect(change.before?.object.title == "bad")
        #expect(change.kinds == [.objectChanged, .metadataChanged])
    }

    // Rows of a collection without types were taken for what was set aside.
    @Test func `A record that was there before its collection had types is no insertion`() async throws {
        let database = try await Database.open(at: path)
        try await database.write { try $0.setUntyped(["title": "a"], for: "a", inCollectionNamed: "books") }
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { try $0.setUntyped(["title": "A"], for: "a", inCollectionNamed: "books") }
        try await database.bind(Self.strict)
        try await database.write { $0[Self.strict]["a"]?.title = "B" }
        try await database.write { $0[Self.strict].removeAll() }
        let changesets = await connection.advance()
        try await database.close()
        try #require(changesets.count == 3)
        changesets.expectOneSum()
        let two = Array(changesets[...1])
        #expect(two.netChanges.changes(in: Self.strict)["a"]?.kinds.contains(.inserted) == false)
        #expect(two.netChanges.countDifference(inCollectionNamed: "books") == 0)
        #expect(changesets.netChanges.changes(in: Self.strict).removedAllCount == 1)
    }

    // A half of the sum forgot that everything was removed, where all of it had come in that half.
    @Test(arguments: [true, false])
    func `A sum of three says of a removal of everything what one of four does, and one transaction`(all: Bool)
        async throws
    {
        let writes: [@Sendable (inout WriteTransaction) -> Void] = [
            { $0[.books].remove("z") }, { $0[.books]["x"] = Book(title: "x") },
            { if all { $0.removeAll() } else { $0[.books].removeAll() } },
            { $0[.authors]["other"] = Author(name: "other") },
        ]
        for count in [1, 3, 4] {
            let database = Database.inMemory()
            try await database.write { $0[.books]["z"] = Book(title: "z") }
            let connection = database.makeConnection()
            await connection.beginLongLivedRead()
            if count == 1 {
                try await database.write { transaction in
                    for write in writes[...2] {
                        write(&transaction)
                        _ = try transaction.snapshot()
                    }
                }
            } else {
                for write in writes[..<count] { try await database.write { write(&$0) } }
            }
            let changesets = await connection.advance()
            try #require(changesets.count == count)
            changesets.expectOneSum()
            let changes = changesets.netChanges.changes(in: .books)
            #expect(changes.didRemoveAll && changes.removedAllCount == 1 && changes.isEmpty, "\(count)")
            #expect(changesets.netChanges.hasChange(forKey: "other", in: .books), "\(count)")
            #expect(changesets.hasChange(forKey: "other", in: .books), "\(count)")
            try await database.close()
        }
    }

    // MARK: Histories

    /// Changes a record, or all of them.
    private static func change(_ transaction: inout WriteTransaction, lenient: Bool, _ random: inout SplitMix64) {
        let key = ["a", "b", "c"][random.below(3)]
        switch random.below(lenient ? 9 : 12) {
        case 0...3 where lenient: transaction[strict][key] = Strict(title: "\(random.below(1000))")
        case 0...3: transaction[plain][key] = Plain(title: "\(random.below(1000))")
        case 4...6 where lenient: transaction[strict].remove(key)
        case 4...6: transaction[plain].remove(key)
        case 7 where lenient: transaction[strict].removeAll()
        case 7: transaction[plain].removeAll()
        case 8: transaction.removeAll()
        default: transaction[plain][key] = Plain(title: "bad \(random.below(1000))")
        }
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `Changesets from the log have one sum, whatever decodes of what they wrote`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await put(["a"], for: "a")
        var last: CommitNumber = 1
        while last < 8 {
            let lenient = random.chance(40)
            let database =
                lenient
                ? try await Database.open(at: path, collections: Self.lenient)
                : try await Database.open(at: path, collections: Self.plain)
            for _ in 0...random.below(2) where database.commitNumber < 8 {
                try await database.write { [seed = random.next()] transaction in
                    var random = SplitMix64(seed: seed)
                    for _ in 0...random.below(2) { Self.change(&transaction, lenient: lenient, &random) }
                }
            }
            last = database.commitNumber
            try await database.close()
        }
        let changesets = try await logged(after: 1, 7)
        try #require(changesets.count == 7)
        changesets.expectOneSum("seed \(seed),")
        let database = try await Database.open(at: path, collections: Self.lenient)
        let count = database.snapshot[Self.strict].count
        try await database.close()
        #expect(changesets.netChanges.countDifference(inCollectionNamed: "books") == count - 1, "seed \(seed)")
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `Changesets before and after their collection gets types have one sum`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let database = Database.inMemory()
        try await database.write { try $0.setUntyped(["title": "a"], for: "a", inCollectionNamed: "books") }
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        let bound = CommitNumber(rawValue: UInt64(2 + random.below(5)))
        while database.commitNumber < 8 {
            let isBound = database.commitNumber >= bound
            if database.commitNumber == bound { try await database.bind(Self.strict) }
            try await database.write { [seed = random.next()] transaction in
                var random = SplitMix64(seed: seed)
                if isBound { return Self.change(&transaction, lenient: true, &random) }
                let key = ["a", "b", "c"][random.below(3)]
                switch random.below(4) {
                case 0...1:
                    let title = CBORValue.text("\(random.below(1000))")
                    try transaction.setUntyped(["title": title], for: key, inCollectionNamed: "books")
                case 2: transaction.removeUntyped(key, inCollectionNamed: "books")
                default: transaction.removeAll(inCollectionNamed: "books")
                }
            }
        }
        let changesets = await connection.advance()
        try #require(changesets.count == 7)
        changesets.expectOneSum("seed \(seed),")
        let count = database.snapshot[Self.strict].count
        #expect(changesets.netChanges.countDifference(inCollectionNamed: "books") == count - 1, "seed \(seed)")
        try await database.close()
    }

    // The reader stood at one commit and its log behind the next: the call after it found a gap in a sound log.
    @Test func `A reader of the log that was ended while it counted goes on with the same commit`() async throws {
        struct Ended: Error {}
        try await put(["a"], for: "a")
        let database = try await Database.open(at: path, collections: Self.lenient)
        try await database.write { $0[Self.strict].removeAll() }
        try await database.write { $0[Self.strict]["b"] = Strict(title: "b") }
        let directory = database.snapshot.state.directory
        try await database.close()
        let reader = try HistoryReader(StoreReader.open(path), at: 1)
        #expect(throws: Ended.self) { try reader.next(typedBy: directory, checking: { throw Ended() }) }
        #expect(reader.number == 1)
        let changeset = try reader.next(typedBy: directory)
        #expect(changeset?.commitNumber == 2 && changeset?.changes(in: Self.strict).removedAllCount == 1)
        #expect(try reader.next(typedBy: directory)?.commitNumber == 3)
        #expect(try reader.next(typedBy: directory) == nil)
    }
}
