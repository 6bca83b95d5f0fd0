import TestSupport
import Testing
import Yaprak
import YaprakLocks

/// How often closures run, by name.
final class Calls: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
    /// What was counted since the last look.
    func take() -> [String: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }
}

/// A change that can't matter runs no closure; one that can runs it once.
@Suite(.bounded) struct ClosureTests {
    let database = Database.inMemory()
    let calls = Calls()

    @Test func `A closure runs only when something changed that it reads`() async throws {
        let calls = calls
        let view = AutoView(
            "view", of: .books,
            groupedBy: .byObject {
                calls.count("group")
                return $0.genre
            },
            sortedBy: .byMetadata {
                calls.count("sort")
                return $0?.room ?? ""
            })
        let filter = FilteredView(
            "filter", of: view,
            where: .byKey { _ in
                calls.count("filter")
                return true
            })
        try await database.register(view)
        try await database.register(filter)
        try await database.write { $0[.books].set(Book(), metadata: Shelf(room: "a"), for: "x") }
        #expect(calls.take() == ["group": 1, "sort": 1, "filter": 1])
        try await database.write { $0[.books]["x"]?.rank = 7 }
        #expect(calls.take() == ["group": 1])
        try await database.write { $0[.books].replaceMetadata(Shelf(room: "b"), for: "x") }
        #expect(calls.take() == ["sort": 1])
        try await database.write { $0[.books].touchMetadata(for: "x") }
        #expect(calls.take() == ["sort": 1])
        try await database.write { $0[.books].touchObject(for: "x") }
        #expect(calls.take() == ["group": 1])
        try await database.write { $0[.books]["x"]?.genre = "crime" }
        #expect(calls.take() == ["group": 1], "its sort value is kept when a row changes its group")
        try await database.write { $0[.movies]["x"] = Movie() }
        try await database.write { $0[.books].remove("x") }
        _ = database.snapshot[view]["crime"].count
        #expect(calls.take() == [:])
    }

    @Test func `A closure that reads the key runs once for each record`() async throws {
        let calls = calls
        let view = AutoView(
            "view", of: .books,
            groupedBy: .byKey {
                calls.count("group")
                return $0.hasPrefix("a") ? "a" : nil
            },
            sortedBy: .byKey)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.books]["a1"] = Book()
            transaction[.books]["b1"] = Book()
        }
        #expect(calls.take() == ["group": 2])
        try await database.write { transaction in
            transaction[.books]["a1"]?.rank = 5
            transaction[.books]["b1"]?.rank = 5
            transaction[.books].touchRow(for: "a1")
        }
        #expect(calls.take() == [:])
        #expect(database.snapshot[view]["a"][0].object.rank == 5)
        try await database.write { transaction in
            let book = transaction[.books]["a1"]!
            transaction[.books]["a1"] = nil
            transaction[.books]["a1"] = book
        }
        #expect(calls.take() == [:], "net the record has changed, its key has not")
    }

    @Test func `A sort value is taken once, also for several groups`() async throws {
        let calls = calls
        let view = AutoView(
            "view", of: .books, groupedBy: .byEachObject { $0.tags },
            sortedBy: .byObject {
                calls.count("sort")
                return $0.rank
            })
        try await database.write { transaction in
            for rank in 0..<100 { transaction[.books]["\(rank)"] = Book(rank: rank % 7, tags: ["x", "y", "z"]) }
        }
        try await database.register(view)
        #expect(calls.take() == ["sort": 100])
        try await database.write { $0[.books]["0"]?.tags = ["y", "w"] }
        #expect(calls.take() == ["sort": 1])
        let snapshot = database.snapshot
        #expect(snapshot[view].places(of: "50").count == 3 && snapshot[view]["w"].count == 1)
        #expect(snapshot[view]["x"].rows(by: \.object.rank, in: 2...3).count == 28)
        #expect(calls.take() == [:], "reading runs no closure of the view")
    }

    @Test func `Setting a sorting groups nothing again, and setting a grouping sorts nothing again`() async throws {
        let calls = calls
        @Sendable func grouping(_ length: Int) -> Grouping<Book, Shelf> {
            .byKey {
                calls.count("group")
                return String($0.suffix(length))
            }
        }
        @Sendable func sorting(_ sign: Int) -> Sorting<Book, Shelf, Int> {
            .byObject {
                calls.count("sort")
                return sign * $0.rank
            }
        }
        let view = AutoView("view", versionTag: "1", of: .books, groupedBy: grouping(1), sortedBy: sorting(1))
        try await database.register(view)
        try await database.write { transaction in
            for rank in 0..<100 { transaction[.books]["\(rank)"] = Book(rank: rank) }
        }
        _ = calls.take()
        try await database.write { try $0.setGrouping(of: view, groupedBy: grouping(2), versionTag: "2") }
        #expect(calls.take() == ["group": 100])
        #expect(database.snapshot[view].groupCount == 100)
        try await database.write { try $0.setGrouping(of: view, groupedBy: grouping(1), versionTag: "1") }
        _ = calls.take()
        try await database.write { try $0.setSorting(of: view, sortedBy: sorting(-1), versionTag: "3") }
        #expect(calls.take() == ["sort": 100])
        #expect(database.snapshot[view]["3"].first?.key == "93")
        let number = database.commitNumber
        try await database.write { try $0.setSorting(of: view, sortedBy: sorting(1), versionTag: "3") }
        #expect(calls.take() == [:] && database.commitNumber == number, "the same tag does nothing")
    }
}
