import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// Changes as values: what they have in common is an object, and it must not show.
@Suite(.bounded) struct RowChangeTests {
    private func change(
        _ kind: RowChange.Kind = .insert(ListPath(section: 0, row: 1)), aspects: RowAspects = [], key: String = "k",
        group: String = "g", from oldGroup: String = "g", collection: Int = 0, named name: String = "books",
        rowsHaveOnePlace: Bool = true
    ) -> RowChange {
        RowChange(
            kind: kind, aspects: aspects, key: key,
            context: RowChange.Context(
                group: group, oldGroup: oldGroup, collection: collection, collectionName: name,
                rowsHaveOnePlace: rowsHaveOnePlace))
    }

    @Test func `Changes are equal if all that they say is, whichever objects they share`() {
        let all = [
            change(), change(.delete(ListPath(section: 0, row: 1))), change(.insert(ListPath(section: 1, row: 1))),
            change(aspects: .object), change(key: "l"), change(group: "h"), change(from: "h"), change(collection: 1),
            change(named: "films"), change(rowsHaveOnePlace: false),
        ]
        #expect(Set(all).count == all.count)
        for (index, one) in all.enumerated() {
            for (other, two) in all.enumerated() { #expect((one == two) == (index == other), "\(one), \(two)") }
        }
        #expect(change() == change())
        #expect(change().hashValue == change().hashValue)
        #expect(change().key == "k" && change().group == "g" && change().collectionName == "books")
    }

    @Test func `The same changes found twice are equal`() async throws {
        let database = try await Database.cities()
        let empty = database.snapshot
        try await database.put(["c1": City(name: "Ankara"), "c2": City(country: "de"), "c3": City(name: "Van")])
        var (one, two) = (ViewMappings(CityView.byCountry), ViewMappings(CityView.byCountry))
        let first = try one.advance(from: empty, to: database.snapshot).rowChanges
        let second = try two.advance(from: empty, to: database.snapshot).rowChanges
        #expect(first == second && first.count == 3)
        #expect(Set(first + second).count == 3)
    }
}
