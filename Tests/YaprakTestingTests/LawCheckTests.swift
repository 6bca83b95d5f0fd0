import Foundation
import Synchronization
import TestSupport
import Testing
import Yaprak
import YaprakTesting

/// The laws hold for code that is right, and each finds a mistake that was planted, with a short history.
@Suite(.bounded) struct LawCheckTests {
    /// What a check reports; it has to fail.
    private func report(_ check: @escaping @Sendable () async -> Bool) async -> String {
        await reports { #expect(await !check()) }.joined(separator: "\n")
    }

    /// The number of commits in the history that a report prints.
    private func commits(_ report: String) -> Int { report.split(separator: "\n").count { $0.hasPrefix("commit ") } }

    /// Inserts, changes, removals, touches of few books.
    @Sendable private static func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) {
        let key = choices.key(among: 8)
        switch choices.below(8) {
        case 0..<4:
            transaction[.books][key] = Book(
                title: "t\(choices.below(9))", genre: choices.pick(["a", "b", "c"]), salesRank: choices.below(6))
        case 4: transaction[.books].remove(key)
        case 5: transaction[.books][key]?.salesRank += 1
        case 6: transaction[.books].touchObject(for: key)
        default: if choices.chance(10) { transaction[.books].removeAll() }
        }
    }

    // MARK: Code that is right

    @Test func `Code that is right passes`() async {
        #expect(await checkListLaw(of: bySalesRank, histories: 10, using: Self.edit))
        var window = ViewMappings(bySalesRank, groups: ["b", "a"])
        window.setRangeForAllGroups(.fixed(length: 2, from: .beginning))
        window.setDynamicForAllGroups(true)
        #expect(await checkListLaw(of: bySalesRank, mappings: [window], histories: 10, using: Self.edit))
        let few = FilteredView("few", of: bySalesRank) { $0.salesRank < 3 }
        #expect(
            await checkListLaw(
                of: few, histories: 10, preparing: { try await $0.register(bySalesRank) }, using: Self.edit))
        #expect(
            await checkIndex(RecordIndex("rank", of: .books, \.genre, \.salesRank), histories: 10, using: Self.edit))
        let unique = RecordIndex("title", of: .books, columns: .ascending(\.title), unique: true)
        #expect(await checkIndex(unique, histories: 10, using: Self.edit))
        #expect(await checkExtension(Ranks(.none), histories: 20, reading: { $0.mapValues { $0 } }, using: Self.edit))
    }

    /// Takes any two records one after the other, and refuses them where it is made of both.
    private struct Picky: DatabaseExtension {
        let name = "picky"
        func makeRoot() -> Int { 0 }
        func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
            let count = changes.keys(inCollectionNamed: "books").count
            if context.before.commitNumber == context.after.commitNumber, count > 1 {
                throw DatabaseError(.uniqueViolation, "two records have the same values")
            }
            root += count
            return nil
        }
    }

    // What the rebuild refuses was taken for a history that may end there.
    @Test func `What has taken records that its rebuild refuses is found`() async {
        let text = await report {
            await checkExtension(Picky(), histories: 10, reading: { _ in 0 }) { transaction, choices in
                transaction[.books][choices.key(among: 9)] = Book(title: "t")
            }
        }
        #expect(text.contains("its rebuild refuses"), "\(text)")
    }

    @Test func `A law for which nothing was changed was not checked`() async {
        let text = await report {
            await checkIndex(RecordIndex("rank", of: .books, \.salesRank), histories: 3) { transaction, choices in
                transaction[.books].remove(choices.key(among: 9))
            }
        }
        #expect(text.contains("nothing was tried"), "\(text)")
    }

    // Each passed, as there were commits: to other collections, or into groups that the list does not have.
    @Test func `A law whose index, extension or list had nothing in it was not checked`() async {
        let index = RecordIndex("rank", of: .sequels, \.salesRank)
        let elsewhere = ViewMappings(bySalesRank, groups: ["d"])
        let checks: [(check: @Sendable () async -> Bool, words: String)] = [
            ({ await checkIndex(index, histories: 3, using: Self.edit) }, #""rank" never had an entry"#),
            (
                { await checkExtension(index, histories: 3, reading: { Array($0.keys) }, using: Self.edit) },
                #"no commit changed a collection of "rank""#
            ),
            (
                { await checkListLaw(of: bySalesRank, mappings: [elsewhere], histories: 3, using: Self.edit) },
                #"no list of "bySalesRank" ever showed a row"#
            ),
            (
                { await checkListLaw(of: bySalesRank, mappings: [], histories: 3, using: Self.edit) },
                "there are no mappings"
            ),
        ]
        for (check, words) in checks {
            let text = await report(check)
            #expect(text.contains("nothing was tried") && text.contains(words), "\(text)")
        }
        // One list with rows is enough: another may show what comes up rarely.
        #expect(
            await checkListLaw(
                of: bySalesRank, mappings: [ViewMappings(bySalesRank), elsewhere], histories: 3, using: Self.edit))
    }

    @Test func `What an edit needs beside an index is prepared, for each opening`() async {
        let index = RecordIndex("rank", of: .books, \.genre, \.salesRank)
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) throws {
            let tag = choices.pick(["1", "2"])
            try transaction.setGrouping(of: bySalesRank, groupedBy: .everything(in: tag), versionTag: tag)
            Self.edit(&transaction, &choices)
        }
        #expect(
            await checkIndex(
                index, histories: 10, preparing: { try await $0.register(bySalesRank) }, using: edit))
        let text = await report { await checkIndex(index, histories: 3, using: edit) }
        #expect(text.contains("every commit threw"), "\(text)")
    }

    // It was compared with what it was before that was written again, and had the blame.
    @Test func `What prepares a check may write at each opening`() async {
        @Sendable func prepare(_ database: Database) async throws {
            try await database.write { $0[.books]["dune"] = Book(title: "Dune", salesRank: 3) }
        }
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) {
            let key = choices.pick(["dune", "emma"])
            transaction[.books][key] = choices.chance(50) ? nil : Book(title: "t", salesRank: choices.below(6))
        }
        let index = RecordIndex("rank", of: .books, \.genre, \.salesRank)
        #expect(await checkIndex(index, histories: 20, preparing: prepare, using: edit))
        #expect(
            await checkExtension(
                Ranks(.none), histories: 20, preparing: prepare, reading: { $0.mapValues { $0 } }, using: edit))
    }

    // It was compared with a view that has the filter of the beginning.
    @Test func `A filter that edits exchange keeps the law`() async {
        let few = FilteredView("few", of: bySalesRank) { $0.salesRank < 3 }
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) throws {
            if choices.chance(30) {
                let bound = choices.below(6)
                try transaction.setFiltering(
                    of: few, where: .byObject { $0.salesRank < bound }, versionTag: "below \(bound)")
            }
            Self.edit(&transaction, &choices)
        }
        #expect(
            await checkListLaw(
                of: few, histories: 10, preparing: { try await $0.register(bySalesRank) }, using: edit))
    }

    @Test func `Lists of what a query finds keep the law, while the query changes`() async {
        let text = FullTextIndex("text", of: .books, \.title)
        let found = SearchResultsView("found", in: text, groupedBy: \.genre, sortedBy: \.salesRank)
        let few = FilteredView("few", of: found) { $0.salesRank < 3 }
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) throws {
            if choices.chance(30) {
                let words: [SearchQuery] = [.typing("t"), .word("t1"), .word("t2"), .word("t3"), .word("none")]
                try transaction.setQuery(of: found, to: choices.pick(words))
            }
            Self.edit(&transaction, &choices)
        }
        var window = ViewMappings(found, groups: ["b", "a"])
        window.setRangeForAllGroups(.fixed(length: 2, from: .beginning))
        let lists = [ViewMappings(found, groups: ["a", "b", "c"]), window]
        #expect(
            await checkListLaw(
                of: found, mappings: lists, histories: 20, preparing: { try await $0.register(text) }, using: edit))
        #expect(
            await checkListLaw(
                of: few, histories: 10,
                preparing: {
                    try await $0.register(text)
                    try await $0.register(found)
                }, using: edit))
    }

    private struct Refused: Error {}

    /// What an edit throws is what it may do: its transaction is undone. If all are, nothing was looked at.
    @Test(arguments: [true, false]) func `A law that no commit has tried says so`(throwsAlways: Bool) async {
        @Sendable func edit(_ transaction: inout WriteTransaction, _ choices: inout Choices) throws {
            transaction[.books]["a"] = Book(title: "a")
            if throwsAlways || choices.chance(50) { throw Refused() }
        }
        let index = RecordIndex("rank", of: .books, \.genre, \.salesRank)
        let checks: [@Sendable () async -> Bool] = [
            { await checkIndex(index, histories: 5, using: edit) },
            { await checkListLaw(of: bySalesRank, histories: 5, using: edit) },
            { await checkExtension(Ranks(.none), histories: 5, reading: { $0.mapValues { $0 } }, using: edit) },
        ]
        for check in checks {
            let text = await reports { #expect(await check() != throwsAlways) }.joined(separator: "\n")
            #expect(text.contains("nothing was tried") == throwsAlways, "\(text)")
            #expect(text.contains("Refused()") == throwsAlways, "\(text)")
        }
    }

    // MARK: Mistakes

    @Test(arguments: Ranks.Mistake.all)
    func `A mistake of an extension is found, with a history of a few commits`(mistake: Ranks.Mistake) async {
        let text = await report {
            await checkExtension(Ranks(mistake), histories: 60, reading: { $0.mapValues { $0 } }, using: Self.edit)
        }
        #expect(text.contains("differs from its rebuild \(mistake.place)"), "\(mistake): \(text)")
        #expect((1...3).contains(commits(text)), "\(mistake): \(text)")
        #expect(text.contains("YAPRAK_SEED="))
    }

    /// Pins and unpins few keys, and edits records.
    @Sendable private static func pin(_ pins: Pins, _ transaction: inout WriteTransaction, _ choices: inout Choices)
        throws
    {
        if choices.chance(50) { return edit(&transaction, &choices) }
        try transaction.perform(choices.chance(70) ? .pin(choices.key(among: 8)) : .unpinAll, on: pins)
    }

    @Test func `State of an extension of its own passes where it lasts`() async {
        let pins = Pins(.none)
        #expect(
            await checkExtension(pins, histories: 40, reading: { $0.sorted { $0.key < $1.key }.map { "\($0)" } }) {
                try Self.pin(pins, &$0, &$1)
            })
    }

    @Test(arguments: Pins.Mistake.all)
    func `State of an extension of its own that does not last is found`(mistake: Pins.Mistake) async {
        let pins = Pins(mistake)
        let text = await report {
            await checkExtension(pins, histories: 60, reading: { $0.sorted { $0.key < $1.key }.map { "\($0)" } }) {
                try Self.pin(pins, &$0, &$1)
            }
        }
        #expect(text.contains("differs from what it was after a reopen"), "\(mistake): \(text)")
        #expect(text.contains("a checkpoint") == (mistake == .forgetsInCheckpoints), "\(mistake): \(text)")
        #expect((1...3).contains(commits(text)), "\(mistake): \(text)")
    }

    @Test func `An extension that throws is found, with what it throws`() async {
        let text = await report {
            await checkExtension(Ranks(.throwing), reading: { $0.mapValues { $0 } }, using: Self.edit)
        }
        #expect(text.contains("a commit throws: extensionFailed") && commits(text) <= 1, "\(text)")
    }

    @Test func `An index whose column is no function of the record is found`() async {
        let calls = Atomic(0)
        let index = RecordIndex(
            "odd", of: .books,
            columns: .ascending { book in
                book.salesRank * (calls.add(1, ordering: .relaxed).newValue % 7 == 0 ? -1 : 1)
            })
        let text = await report { await checkIndex(index, using: Self.edit) }
        #expect(text.hasPrefix("checkIndex: "), "\(text)")
    }

    // Only the order of the keys was compared, and one entry has one order.
    @Test func `An entry that is not where its columns put it is found, whatever the order`() async {
        let calls = Atomic(0)
        let index = RecordIndex(
            "odd", of: .books, columns: .ascending { _ in calls.add(1, ordering: .relaxed).newValue })
        let text = await report {
            await checkIndex(index) { transaction, choices in
                transaction[.books]["a"] = Book(title: "t\(choices.below(9))")
            }
        }
        #expect(text.contains(#"no entry of "a" is where its columns put it now"#), "\(text)")
    }

    // The numbers behind the ten-thousandth were others when the history was repeated, and nothing failed any more.
    @Test func `A mistake that shows by what an edit draws last is found, however much it draws`() async {
        let text = await report {
            await checkExtension(Ranks(.keepsRemoved), histories: 20, reading: { $0.mapValues { $0 } }) {
                transaction, choices in
                for _ in 0..<10_000 { _ = choices.next() }
                let key = choices.key(among: 2)
                transaction[.books][key] = choices.chance(50) ? nil : Book(title: "t")
            }
        }
        #expect(text.contains("differs from its rebuild") && commits(text) <= 3, "\(text)")
    }

    @Test func `A view whose order contradicts itself is found`() async {
        let view = AutoView(
            "circle", of: .books, groupedBy: { _ in "all" }, sortedBy: { Circular(value: $0.salesRank % 3) })
        let text = await report { await checkListLaw(of: view, using: Self.edit) }
        #expect(text.contains("The order of the view contradicts itself"), "\(text)")
        #expect((1...3).contains(commits(text)), "\(text)")
    }

    @Test func `A view whose group is no function of the record is found`() async {
        let calls = Atomic(0)
        let view = AutoView(
            "odd", of: .books,
            groupedBy: { $0.genre + (calls.add(1, ordering: .relaxed).newValue % 9 == 0 ? "!" : "") },
            sortedBy: \.salesRank)
        let text = await report { await checkListLaw(of: view, using: Self.edit) }
        #expect(text.hasPrefix("checkListLaw: "), "\(text)")
    }

    /// Returns something else than it should, now and then.
    private final class Mood: Sendable {
        private let calls = Atomic(0)
        func isBad() -> Bool { calls.add(1, ordering: .relaxed).newValue % 5 == 0 }
    }

    /// Lets some books refer to others, and writes both.
    @Sendable private static func refer(_ transaction: inout WriteTransaction, _ choices: inout Choices) {
        edit(&transaction, &choices)
        let key = choices.key(among: 4)
        transaction[.sequels][key] = choices.chance(20) ? nil : Book(title: choices.key(among: 8))
    }

    // Only the closures of a view of records were asked.
    @Test func `A view of another view whose closure is no function of the record is found`() async {
        let mood = Mood()
        let few = FilteredView("few", of: bySalesRank) { ($0.salesRank < 3) != mood.isBad() }
        let text = await report {
            await checkListLaw(of: few, preparing: { try await $0.register(bySalesRank) }, using: Self.edit)
        }
        #expect(text.hasPrefix("checkListLaw: "), "\(text)")
    }

    @Test func `An aggregate view whose sum is no function of the record is found`() async {
        let mood = Mood()
        for isPure in [true, false] {
            let genres = AggregateView(
                "genres", of: bySalesRank, sums: [{ isPure || !mood.isBad() ? $0.object.salesRank : -1 }],
                row: { Stock(rank: Int($0.totals[0])) }, sortedBy: { -$0.object.rank })
            let text = await reports {
                let holds = await checkListLaw(
                    of: genres, preparing: { try await $0.register(bySalesRank) }, using: Self.edit)
                #expect(holds == isPure)
            }
            #expect(isPure ? text.isEmpty : text.first?.hasPrefix("checkListLaw: ") == true, "\(text)")
        }
    }

    // They encode alike, for which NaN was taken to be the reason.
    @Test func `A difference that no text shows is found, and that NaN is not equal to itself is none`() async {
        let calls = Atomic(0)
        for isPure in [true, false] {
            let genres = AggregateView(
                "genres", of: bySalesRank,
                row: { group in
                    if isPure { return Rate(value: .nan, values: [.nan]) }
                    return Rate(value: Double(group.count), note: calls.add(1, ordering: .relaxed).newValue)
                }, sortedBy: { $0.key })
            let text = await reports {
                let holds = await checkListLaw(
                    of: genres, histories: 10, preparing: { try await $0.register(bySalesRank) }, using: Self.edit)
                #expect(holds == isPure)
            }
            #expect(isPure ? text.isEmpty : text.first?.contains("in what no text shows") == true, "\(text)")
        }
    }

    @Test func `A joined view whose group is no function of its records is found`() async {
        let mood = Mood()
        let first = Relationship("first", from: .sequels, \.title, to: .books)
        for isPure in [true, false] {
            let joined = JoinedView(
                "joined", of: first,
                groupedBy: { _, book in isPure || !mood.isBad() ? book?.object.genre : "!" },
                sortedBy: { sequel, _ in sequel.key })
            let text = await reports {
                let holds = await checkListLaw(
                    of: joined, preparing: { try await $0.register(first) }, using: Self.refer)
                #expect(holds == isPure)
            }
            #expect(isPure ? text.isEmpty : text.first?.hasPrefix("checkListLaw: ") == true, "\(text)")
        }
    }

    @Test func `The shortest history has small numbers, and is the same each time`() async {
        let texts = [0, 1].map { _ in Log() }
        for text in texts {
            text.add(
                await report {
                    await checkExtension(Ranks(.keepsRemoved), reading: { $0.mapValues { $0 } }, using: Self.edit)
                })
        }
        #expect(texts[0].lines == texts[1].lines)
        let text = texts[0].lines[0]
        #expect(text.contains(#": {"genre": "a", "title": "t0", "salesRank": 0}"#) && commits(text) == 2, "\(text)")
    }
}

/// What a genre comes to.
private struct Stock: Codable, Sendable, Equatable {
    var rank: Int
}

/// What a genre comes to, with a number that is not encoded.
struct Rate: Codable, Sendable, Equatable {
    var value: Double
    /// An array with NaN in it is equal to itself, and not to a copy.
    var values: [Double] = []
    var note = 0

    enum CodingKeys: CodingKey { case value, values }
}

extension RecordCollection where Object == Book, Metadata == NoMetadata {
    /// Books by the title of which another book is found.
    fileprivate static var sequels: Self { Self("sequels") }
}

/// How many books have each rank; with mistakes to plant.
struct Ranks: DatabaseExtension {
    enum Mistake: Sendable, CaseIterable {
        case none, keepsRemoved, forgetsClearing, countsUpdatesTwice, staleAfterReopen, throwing

        /// Those that a comparison finds.
        static var all: [Mistake] { [.keepsRemoved, .forgetsClearing, .countsUpdatesTwice, .staleAfterReopen] }

        /// Where it is found.
        var place: String { self == .staleAfterReopen ? "after a reopen" : "" }
    }

    let name = "ranks"
    let mistake: Mistake

    init(_ mistake: Mistake) { self.mistake = mistake }

    struct Failure: Error {}

    func makeRoot() -> [Int: Int] { [:] }

    func update(_ root: inout [Int: Int], for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
        if changes.didRemoveAll(in: .books), mistake != .forgetsClearing { root = [:] }
        for change in changes.changes(in: .books) {
            if mistake == .throwing { throw Failure() }
            if let book = change.before?.object, mistake != .keepsRemoved || change.after != nil {
                root[book.salesRank, default: 0] -= 1
                if root[book.salesRank] == 0 { root[book.salesRank] = nil }
            }
            if let book = change.after?.object {
                root[book.salesRank, default: 0] += mistake == .countsUpdatesTwice && change.before != nil ? 2 : 1
            }
        }
        return nil
    }

    func encode(_ root: [Int: Int]) throws -> [UInt8]? { try Array(JSONEncoder().encode(root)) }

    func decode(_ bytes: [UInt8]) throws -> [Int: Int] {
        let root = try JSONDecoder().decode([Int: Int].self, from: Data(bytes))
        return mistake == .staleAfterReopen ? root.mapValues { $0 + 1 } : root
    }
}

/// Keys that somebody pinned, each with a number; with mistakes to plant.
struct Pins: PrimaryExtension {
    enum Mistake: Sendable {
        case none, forgetsInCheckpoints, countsOutside

        /// Those that a comparison finds.
        static var all: [Mistake] { [.forgetsInCheckpoints, .countsOutside] }
    }

    enum Operation: Codable, Sendable {
        case pin(String), unpinAll
    }

    let name = "pins"
    let mistake: Mistake
    private let count = Count()

    /// What a step must not depend on.
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    init(_ mistake: Mistake) { self.mistake = mistake }

    func makeRoot() -> [String: Int] { [:] }

    func apply(_ operation: Operation, to root: inout [String: Int]) throws -> Never? {
        switch operation {
        case .pin(let key):
            let next = (root.values.max() ?? 0) + 1
            root[key] = mistake == .countsOutside ? count.value.add(1, ordering: .relaxed).newValue : next
        case .unpinAll: root = [:]
        }
        return nil
    }

    func encode(_ root: [String: Int]) throws -> [UInt8]? {
        var root = root
        if mistake == .forgetsInCheckpoints { root["k1"] = nil }
        return try Array(JSONEncoder().encode(root))
    }

    func decode(_ bytes: [UInt8]) throws -> [String: Int] {
        try JSONDecoder().decode([String: Int].self, from: Data(bytes))
    }
}

/// Rock, paper, scissors.
private struct Circular: Comparable {
    var value: Int
    static func < (a: Circular, b: Circular) -> Bool { (b.value - a.value + 3) % 3 == 1 }
}
