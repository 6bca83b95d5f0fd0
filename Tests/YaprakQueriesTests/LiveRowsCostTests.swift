import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakCore

@testable import YaprakQueries

private struct Chore: Codable, Sendable {
    var rank = 0
    var isDone = false
}

extension RecordCollection where Object == Chore, Metadata == NoMetadata {
    fileprivate static var chores: Self { Self("chores") }
    fileprivate static var others: Self { Self("others") }
}

private typealias ChoreQuery = RecordQuery<Chore, NoMetadata>

/// A type whose comparisons are code of the program.
private struct Shelf: Codable, Sendable, Hashable, Comparable {
    var name = "a"
    static func < (a: Self, b: Self) -> Bool { a.name < b.name }
}

/// A range that says by code of the program what it contains.
struct OddPages: RangeExpression, Codable, Sendable {
    func contains(_ element: Int64) -> Bool { element % 2 == 1 }
    func relative<Pages: Collection>(to pages: Pages) -> Range<Int64> where Pages.Index == Int64 {
        pages.startIndex..<pages.endIndex
    }
}

/// A value with a property of many types.
private struct Loan: Codable, Sendable {
    var title = ""
    var owner = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var isbn: String?
    var renewals: Int?
    var pages: Int64 = 0
    var due = Date(timeIntervalSinceReferenceDate: 0)
    var seal = Data()
    var tags: [String] = []
    var shelf = Shelf()
    var length: Int { title.count }
}

extension RecordCollection where Object == Loan, Metadata == NoMetadata {
    fileprivate static var loans: Self { Self("loans") }
}

/// What following a query costs beside its updates: records that it does not have, and commits that it has nothing of.
@Suite(.bounded) struct LiveRowsCostTests {
    private func database(_ count: Int) async throws -> Database {
        let database = Database.inMemory()
        try await database.write { transaction in
            for number in 0..<count { transaction[.chores]["t\(number)"] = Chore(rank: number) }
        }
        return database
    }

    // All rows were looked through for each record that is not among them, where closures decide which they are.
    @Test func `Many changed records that a query does not have cost one look at its rows`() async throws {
        try await expectGrowth("records that are not among the rows", 4_000) { count in
            let database = try await database(count)
            try await database.write { transaction in
                for number in 0..<count { transaction[.chores]["u\(number)"] = Chore(rank: number, isDone: true) }
            }
            let query = ChoreQuery(.chores, sortedBy: RecordSort { $0.object.rank }) { !$0.isDone }
            var live = LiveRows(query, in: database.snapshot)
            try await database.write { transaction in
                for number in 0..<count { transaction[.chores]["u\(number)"]?.rank += 1 }
            }
            let next = database.snapshot
            return ContinuousClock().measure {
                let changes = live.advance(to: next)
                precondition(!changes.hasChanges && live.rows.count == count)
            }
        }
    }

    // All of these counted as code of the program. By an order that is code, a sort descriptor of a title say, all rows were
    // looked through for each record that a commit changed.
    @Test func `A changed record that a query does not have is looked for among its rows only where code decides`() {
        let record = TypedRecord<Loan, NoMetadata>.make(
            key: "a", object: Loan(), metadata: nil, objectStamp: 0, metadataStamp: 0)
        func check(
            _ predicate: Predicate<Loan>, isCode: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let sort = RecordSort<Loan, NoMetadata>(SortDescriptor(\.title, comparator: .lexical))
            let scope = LiveScope(RecordQuery<Loan, NoMetadata>(.loans, where: predicate, sortedBy: sort))
            #expect(!scope.isOrderPure && scope.match(record) == nil, sourceLocation: sourceLocation)
            #expect(scope.mayHaveHad(record) == isCode, sourceLocation: sourceLocation)
        }
        let owner = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let isbn: String? = "978-0-441-17271-9"
        let day = Date(timeIntervalSinceReferenceDate: 86_400)
        let days = day...day.addingTimeInterval(86_400)
        let pages: Int64 = 100
        let seal = Data([1])
        let (owners, wanted) = ([owner], ["new"])
        check(#Predicate<Loan> { $0.isbn == isbn })
        check(#Predicate<Loan> { $0.isbn != nil })
        check(#Predicate<Loan> { $0.owner == owner })
        check(#Predicate<Loan> { $0.seal == seal })
        check(#Predicate<Loan> { $0.tags == wanted })
        check(#Predicate<Loan> { $0.pages > pages })
        check(#Predicate<Loan> { $0.due >= day })
        check(#Predicate<Loan> { days.contains($0.due) })
        check(#Predicate<Loan> { owners.contains($0.owner) })
        check(#Predicate<Loan> { $0.tags.contains("new") })
        check(#Predicate<Loan> { $0.tags.starts(with: wanted) })
        check(#Predicate<Loan> { $0.title.contains("du") })
        check(#Predicate<Loan> { ($0.renewals ?? 0) > 1 })
        check(#Predicate<Loan> { ($0.isbn == nil ? 0 : 1) > 0 })
        check(#Predicate<Loan> { $0.owner == owner || $0.due >= day })

        let shelf = Shelf(name: "b")
        let (shelves, list, odd) = (shelf...Shelf(name: "c"), [shelf], OddPages())
        check(#Predicate<Loan> { $0.length > 10 }, isCode: true)
        check(#Predicate<Loan> { $0.renewals! > 1 }, isCode: true)
        check(#Predicate<Loan> { $0.shelf == shelf }, isCode: true)
        check(#Predicate<Loan> { $0.shelf >= shelf }, isCode: true)
        check(#Predicate<Loan> { shelves.contains($0.shelf) }, isCode: true)
        check(#Predicate<Loan> { odd.contains($0.pages) }, isCode: true)
        check(#Predicate<Loan> { list.contains($0.shelf) }, isCode: true)
        check(#Predicate<Loan> { $0.owner == owner || $0.shelf == shelf }, isCode: true)
        check(#Predicate<Loan> { ($0.shelf == shelf ? 1 : 0) > 0 }, isCode: true)
    }

    // A table of all rows was made for the second of them, which took as long as thirty walks.
    @Test func `A second changed record that a query does not have costs no more than another look at its rows`()
        async throws
    {
        let database = try await database(100_000)
        let keys = ["u1", "u2", "u3"]
        try await database.write { transaction in
            for key in keys { transaction[.chores][key] = Chore(isDone: true) }
        }
        let query = ChoreQuery(.chores, sortedBy: RecordSort { $0.object.rank }) { !$0.isDone }
        let live = LiveRows(query, in: database.snapshot)
        var snapshots: [Snapshot] = []
        for count in [1, 3] {
            let written = keys.prefix(count)
            try await database.write { transaction in
                for key in written { transaction[.chores][key]?.rank += 1 }
            }
            snapshots.append(database.snapshot)
        }
        /// Seconds for a commit, by the best of some runs.
        func seconds(_ start: LiveRows, to next: Snapshot) -> Double {
            var best = Double.infinity
            for _ in 0..<10 {
                var rows = start
                let start = ThreadClock.seconds
                let changes = rows.advance(to: next)
                best = min(best, ThreadClock.seconds - start)
                precondition(!changes.hasChanges && rows.rows.count == 100_000)
            }
            return best
        }
        let one = seconds(live, to: snapshots[0])
        var following = live
        _ = following.advance(to: snapshots[0])
        let three = seconds(following, to: snapshots[1])
        #expect(three < one * 5, "\(one) s for one record, \(three) s for three")
    }

    @Test func `Rows that an order does not lead to are found by their places, a few and many`() {
        func record(_ key: String) -> RecordBox {
            TypedRecord<Int, NoMetadata>.make(key: key, object: 0, metadata: nil, objectStamp: 0, metadataStamp: 0)
        }
        let records = (0..<100).map { record("r\($0)") }
        let rows = RowList(ContiguousArray(records))
        for count in [0, 1, 2, 8, 9, 50] {
            let wanted = Array(records.reversed().prefix(count))
            let others = (0..<3).map { record("r\($0)") }
            #expect(rows.positions(identicalTo: wanted) == Array(100 - count..<100))
            #expect(rows.positions(identicalTo: others + wanted) == Array(100 - count..<100))
        }
    }

    // The rows before were copied for each commit, in case that one of them changes.
    @Test func `A commit that changes no row costs no more with many rows`() async throws {
        /// Seconds for some commits, by the best of some runs.
        func seconds(_ count: Int) async throws -> Double {
            let database = try await database(count)
            let query = ChoreQuery(.chores, sortedBy: RecordSort(\.rank), limit: count / 2)
            var updates = database.updates(of: query).makeAsyncIterator()
            var snapshots = [database.snapshot]
            try await database.write { $0[.others]["a"] = Chore() }
            snapshots.append(database.snapshot)
            #expect(updates.advance(to: snapshots[0])?.rows.count == count / 2)
            var best = Double.infinity
            for _ in 0..<10 {
                let start = ThreadClock.seconds
                var found = 0
                for number in 1...200 where updates.advance(to: snapshots[number % 2]) != nil { found += 1 }
                best = min(best, ThreadClock.seconds - start)
                #expect(found == 0)
            }
            return best
        }
        let (few, many) = (try await seconds(1_000), try await seconds(64_000))
        #expect(many < few * 20 + 0.001, "\(few) s of 1,000 rows, \(many) s of 64,000")
    }

    // All records were looked at for a number that the collection knows.
    @Test func `A count without a condition costs no more with many records`() async throws {
        func seconds(_ count: Int) async throws -> Double {
            let snapshot = try await database(count).snapshot
            let query = ChoreQuery(.chores, sortedBy: RecordSort(\.rank))
            var best = Double.infinity
            for _ in 0..<10 {
                let start = ThreadClock.seconds
                for _ in 0..<200 { precondition(snapshot.count(of: query) == count) }
                best = min(best, ThreadClock.seconds - start)
            }
            #expect(snapshot.count(of: ChoreQuery(.chores, limit: 7)) == 7)
            let row = try #require(snapshot[query].first)
            #expect(snapshot.count(of: query.after(row)) == count - 1)
            return best
        }
        let (few, many) = (try await seconds(1_000), try await seconds(64_000))
        #expect(many < few * 20 + 0.001, "\(few) s of 1,000 records, \(many) s of 64,000")
    }
}
