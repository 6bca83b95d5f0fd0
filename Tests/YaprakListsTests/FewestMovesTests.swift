import TestSupport
import Testing
import Yaprak

@testable import YaprakExtensions

/// As few rows of a group move as can, however the change came about.
@Suite(.bounded) struct FewestMovesTests {
    private func moves(_ changes: ListChanges) -> Int {
        changes.rowChanges.filter { if case .move = $0.kind { true } else { false } }.count
    }

    private func check(
        _ view: some OrderedView, _ old: Snapshot, _ new: Snapshot, _ place: @autoclosure () -> String
    ) throws {
        for (from, to) in [(old, new), (new, old)] {
            let before = from[view]["tr"].map(\.key)
            let after = to[view]["tr"].map(\.key)
            var sections = ViewMappings(view, groups: ["tr"])
            try sections.update(to: from)
            let changes = try sections.changes(from: from, to: to)
            let common = Set(before).intersection(after).count
            #expect(moves(changes) == common - longestCommon(before, after), "\(before) → \(after), \(place())")
            let list = { ShownList(sections: [.init(name: "tr", rows: $0)]) }
            let result = try list(before.map { Int($0.dropFirst())! }).applying(changes) { Int($0.key.dropFirst()) }
            #expect(result == list(after.map { Int($0.dropFirst())! }), "\(before) → \(after), \(place())")
        }
    }

    /// The row that kept its value stood still, and the other two moved past it.
    @Test func `Where two rows pass one, the one moves`() async throws {
        let database = try await Database.cities([
            "c1": City(people: 30), "c2": City(people: 20), "c3": City(people: 10),
        ])
        let old = database.snapshot
        try await database.put(["c2": City(people: 50), "c3": City(people: 40)])
        let changes = try ViewMappings(CityView.byCountry).changes(from: old, to: database.snapshot)
        #expect(
            changes.rowChanges.map { "\($0)" } == [
                "move 0.0 → 0.2 (c1)", "update 0.1 → 0.0 (c2)", "update 0.2 → 0.1 (c3)",
            ])
        #expect(changes.rowChanges[0].aspects.isEmpty)
    }

    @Test(arguments: [UInt64](1...4))
    func `As few rows move as lead from one order to the other`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let database = try await Database.cities()
        let manual = ManualView("manual", of: .cities)
        try await database.register(manual)
        var held: [Snapshot] = [database.snapshot]
        for step in 0..<150 {
            let seed2 = random.next()
            try await database.write { transaction in
                var random = SplitMix64(seed: seed2)
                let size = [4, 9, 30][random.below(3)]
                for _ in 0...random.below(size) {
                    let key = "c\(random.below(size))"
                    switch random.below(8) {
                    case 0: transaction[.cities][key] = nil
                    case 1: transaction[.cities][key]?.name += "x"
                    default: transaction[.cities][key] = City(people: random.below(2 * size))
                    }
                    guard transaction[.cities][key] != nil else { continue }
                    let place = random.below(size)
                    if try !transaction.move(key, to: place, of: "tr", in: manual) {
                        try transaction.insert(key, at: place, of: "tr", in: manual)
                    }
                }
                if random.chance(5) {
                    try transaction.setSorting(
                        of: CityView.byCountry, sortedBy: .byObject { $0.people % 7 }, versionTag: "\(seed2)")
                }
            }
            let place = "seed \(seed), step \(step)"
            let old = held[random.below(held.count)]
            try check(CityView.byCountry, old, database.snapshot, place)
            try check(manual, old, database.snapshot, place)
            held.append(database.snapshot)
        }
    }

    @Test func `All orders of five rows, whichever of them keep their value`() async throws {
        let database = try await Database.cities()
        func orders(_ rest: [Int]) -> [[Int]] {
            rest.isEmpty ? [[]] : rest.flatMap { row in orders(rest.filter { $0 != row }).map { [row] + $0 } }
        }
        try await database.write { transaction in
            for row in 0..<5 { transaction[.cities]["c\(row)"] = City(people: row * 100) }
        }
        let first = database.snapshot
        for order in orders(Array(0..<5)) {
            for kept in 0..<5 {
                // One row has the value it had; the others are put around it.
                let place = order.firstIndex(of: kept)!
                try await database.write { transaction in
                    for (index, row) in order.enumerated() {
                        transaction[.cities]["c\(row)"] = City(people: kept * 100 + index - place)
                    }
                }
                try check(CityView.byCountry, first, database.snapshot, "\(order), \(kept) kept")
            }
        }
    }

    private struct Placed: PositionedRow {
        let position: Int
        let row: RowID

        init(_ position: Int, _ key: String) {
            self.position = position
            row = RowID(collection: 0, key: key)
        }

        var fingerprint: UInt64 { UInt64(row.key.utf8.count) }

        func isSameRow(as other: Placed) -> Bool { row == other.row }
    }

    /// A walk over the rows that kept their value would not end.
    @Test func `What moves costs what differs, however many rows there are`() {
        let kept = 1_000_000_000_000
        // Two rows go before the first of those that kept their value: it moves instead.
        let removed = [Placed(1, "b"), Placed(2, "c"), Placed(kept + 2, "y"), Placed(kept + 3, "z")]
        let inserted = [Placed(0, "b"), Placed(1, "c"), Placed(5, "z"), Placed(kept + 3, "y")]
        let fewest = FewestMoves(
            RowPairs(removed: removed, inserted: inserted), removed: removed, inserted: inserted, keptCount: kept)
        #expect(fewest.staying.map(\.removed) == [0, 1, 2] && fewest.moving == [0..<1])
    }
}
