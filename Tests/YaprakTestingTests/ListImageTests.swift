import TestSupport
import Testing
import Yaprak
import YaprakExtensions
import YaprakLists

@testable import YaprakTesting

@Suite(.bounded) struct ListImageTests {
    private func change(_ kind: RowChange.Kind, _ key: String) -> RowChange {
        RowChange(
            kind: kind, aspects: [], key: key,
            context: RowChange.Context(
                group: "a", oldGroup: "a", collection: 0, collectionName: "books", rowsHaveOnePlace: true))
    }

    private func path(_ row: Int) -> ListPath { ListPath(section: 0, row: row) }

    @Test func `The law of lists refuses changes that are out of their sequence`() async throws {
        let database = Database.inMemory()
        try await database.register(bySalesRank)
        try await database.write { transaction in
            for rank in 0..<3 {
                transaction[.books]["b\(rank)"] = Book(title: "t", genre: "a", salesRank: rank)
            }
        }
        var mappings = ViewMappings(bySalesRank)
        try mappings.update(to: database.snapshot)
        let image = ListImage(database.snapshot, mappings)
        let (first, last) = (change(.delete(path(0)), "b0"), change(.delete(path(2)), "b2"))
        let (one, two) = (change(.insert(path(1)), "n1"), change(.insert(path(2)), "n2"))
        let result = try image.applying(ListChanges(rowChanges: [last, first, one, two]))
        #expect(result.sections.map { $0.rows.map(\.key) } == [["b1", "n1", "n2"]])
        for wrong in [[first, last, one, two], [last, first, two, one], [one, last, first, two]] {
            #expect(throws: ListRefusal.self) { try image.applying(ListChanges(rowChanges: wrong)) }
        }
    }

    /// A row of a view of groups.
    private struct Genre: Codable, Sendable, Equatable {
        var books: Int
    }

    /// The list of a view before and after a commit, and what leads from the one to the other.
    private func step<View: OrderedView>(
        of view: View, _ before: Snapshot, _ after: Snapshot
    ) throws -> (shown: ListImage, list: ListImage, changes: ListChanges) {
        var mappings = ViewMappings(view)
        try mappings.update(to: before)
        let shown = ListImage(before, mappings)
        let changes = try mappings.advance(from: before, to: after)
        return (shown, ListImage(after, mappings), changes)
    }

    // Only keys were compared: changes that did not name the row passed.
    @Test func `A row that shows something else has to be drawn again`() async throws {
        let genres = AggregateView(
            "genres", of: bySalesRank, row: { Genre(books: $0.count) }, sortedBy: { $0.key })
        let database = Database.inMemory()
        try await database.register(bySalesRank)
        try await database.register(genres)
        try await database.write { $0[.books]["b1"] = Book(title: "t", genre: "a", salesRank: 1) }
        let before = database.snapshot
        try await database.write { transaction in
            transaction[.books]["b1"]?.title = "u"
            transaction[.books]["b2"] = Book(title: "t", genre: "a", salesRank: 2)
        }
        let groups = try step(of: genres, before, database.snapshot)
        #expect(groups.shown.lines == groups.list.lines && groups.shown != groups.list)
        #expect(try groups.shown.applying(groups.changes, reading: groups.list) == groups.list)
        let unchanged = try groups.shown.applying(ListChanges(), reading: groups.list)
        #expect(
            unchanged.firstDifference(from: groups.list)
                == #"row 0.0 (a) still shows {"books": 1}, and {"books": 2} in the list"#)

        let books = try step(of: bySalesRank, before, database.snapshot)
        #expect(try books.shown.applying(books.changes, reading: books.list) == books.list)
        let inserts = books.changes.rowChanges.filter { $0.source == nil }
        let stale = try books.shown.applying(ListChanges(rowChanges: inserts), reading: books.list)
        #expect(stale.lines == books.list.lines && stale != books.list)
        #expect(stale.firstDifference(from: books.list)?.hasPrefix("row 0.0 (b1) still shows") == true)
    }
}
