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
}
