import Foundation
import TestSupport
import Testing
import Yaprak

/// The rows of a query in sections, as a list shows them.
@Suite(.bounded) struct QuerySectionsTests {
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(4, soak: 200)))

    /// A list that takes changes as a list view does: by their paths, sections first.
    private struct ShownList: Equatable {
        struct Section: Equatable {
            var name: String
            var rows: [String]
        }
        var sections: [Section]

        init(_ sections: QuerySections<Goods, String>) {
            self.sections = sections.map { Section(name: $0.name, rows: $0.rows.map(\.key)) }
        }

        /// - Returns: what does not fit; `nil` if all does.
        mutating func apply(_ changes: ListChanges) -> String? {
            var paths: Set<ListPath> = []
            // What leaves its place, by its path before.
            let leavingRows: [RowChange] = changes.rowChanges.filter { change in
                if case .update = change.kind { return false }
                return change.source != nil
            }
            for path in leavingRows.map({ $0.source! }).sorted(by: >) {
                guard paths.insert(path).inserted, sections.indices.contains(path.section),
                    sections[path.section].rows.indices.contains(path.row)
                else { return "nothing at \(path)" }
                sections[path.section].rows.remove(at: path.row)
            }
            let leaving = Set(changes.sectionChanges.compactMap(\.source))
            for number in leaving {
                guard sections.indices.contains(number) else { return "no section \(number)" }
                let isGone = changes.sectionChanges.contains { $0.kind == .delete(number) }
                if isGone, !sections[number].rows.isEmpty { return "section \(number) goes with rows in it" }
            }
            var left = sections.enumerated().filter { !leaving.contains($0.offset) }.map(\.element)
            for change in changes.sectionChanges.filter({ $0.target != nil }).sorted(by: { $0.target! < $1.target! }) {
                guard change.target! <= left.count else { return "no room for \(change)" }
                left.insert(
                    change.source.map { sections[$0] } ?? Section(name: change.group, rows: []), at: change.target!)
            }
            for change in changes.rowChanges.filter({ $0.target != nil }).sorted(by: { $0.target! < $1.target! }) {
                guard let path = change.target, left.indices.contains(path.section) else {
                    return "no section for \(change)"
                }
                if case .update = change.kind {
                    continue
                }
                guard path.row <= left[path.section].rows.count else { return "no room for \(change)" }
                left[path.section].rows.insert(change.key, at: path.row)
            }
            sections = left
            return nil
        }
    }

    @Test(arguments: seeds) func `Changes of sections and rows, applied to the list as it was, give the list as it is`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        var writes = GoodsWrites(seed: seed)
        for _ in 0..<60 { try await writes.write(to: database) }
        let names: [@Sendable (GoodsRecord) -> String] = [
            { _ in "" }, { $0.object.genre }, { "\($0.object.rank / 5)" }, { $0.metadata ?? "none" },
        ]
        var lists:
            [(
                query: RecordQuery<Goods, String>, name: @Sendable (GoodsRecord) -> String,
                shown: QuerySections<Goods, String>
            )] = []
        for number in 0..<16 {
            let sort = RandomSort(&writes.random)
            let limit = writes.random.chance(50) ? 1 + writes.random.below(20) : nil
            let query = RecordQuery<Goods, String>(.goods, sortedBy: sort.sort, limit: limit)
            let name = names[number % names.count]
            lists.append((query, name, QuerySections(database.snapshot[query], by: name)))
        }
        for step in 0..<Soak.volume(40, soak: 200) {
            try await writes.write(to: database)
            for index in lists.indices {
                let old = lists[index].shown
                let new = QuerySections(database.snapshot[lists[index].query], by: lists[index].name)
                let changes = new.changes(since: old)
                let comment: Comment = "seed \(seed), step \(step), list \(index): \(changes)"
                var list = ShownList(old)
                let fault = list.apply(changes)
                try #require(fault == nil, comment)
                try #require(list == ShownList(new), comment)
                try check(changes, old, new, comment)
                // What a list view takes.
                _ = BatchUpdates(changes)
                lists[index].shown = new
            }
        }
    }

    /// No row is named without a reason, and every written row is.
    private func check(
        _ changes: ListChanges, _ old: QuerySections<Goods, String>, _ new: QuerySections<Goods, String>,
        _ comment: Comment
    ) throws {
        for change in changes.rowChanges {
            let (before, after) = (change.source.flatMap { old.row(at: $0) }, change.target.flatMap { new.row(at: $0) })
            try #require((before ?? after)?.key == change.key && (after ?? before)?.key == change.key, comment)
            if case .update = change.kind {
                try #require(before.map { !$0.isIdentical(to: after!) } == true && !change.aspects.isEmpty, comment)
            }
            if case .move = change.kind {
                // Only what was written moves.
                try #require(before.map { !$0.isIdentical(to: after!) } == true, comment)
            }
        }
        let before = Dictionary(uniqueKeysWithValues: old.lazy.flatMap(\.rows).map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.lazy.flatMap(\.rows).map { ($0.key, $0) })
        let gone = before.keys.filter { after[$0] == nil }.count
        let changed = after.values.filter { row in !(before[row.key]?.isIdentical(to: row) ?? false) }.count
        try #require(changes.rawChangeCount == gone + changed, comment)
        let named = Set(changes.rowChanges.map(\.key))
        for section in new {
            for row in section.rows where !named.contains(row.key) {
                try #require(before[row.key]?.isIdentical(to: row) == true, comment)
            }
        }
    }

    @Test func `A window of the newest rows goes over all sections`() async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: 3)
        let goods = (0..<20).map { number in
            var goods = Goods.random(&random)
            goods.rank = number
            return goods
        }
        try await database.write { [goods] in
            for (number, goods) in goods.enumerated() { $0[.goods]["g\(number)"] = goods }
        }
        let newest = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank, .descending), limit: 5)
        let name: (GoodsRecord) -> String = { "decade \($0.object.rank / 3)" }
        let shown = QuerySections(database.snapshot[newest], by: name)
        #expect(
            shown.map(\.name) == ["decade 6", "decade 5"]
                && shown.map { $0.rows.map(\.object.rank) } == [[19, 18], [17, 16, 15]])
        try await database.write { [goods] in
            var new = goods[0]
            new.rank = 21
            $0[.goods]["new"] = new
        }
        let next = QuerySections(database.snapshot[newest], by: name)
        let changes = next.changes(since: shown)
        #expect(changes.sectionChanges.map(\.description) == ["insert 0 (decade 7)"])
        #expect(changes.rowChanges.map(\.description) == ["delete 1.2 (g15)", "insert 0.0 (new)"])
        #expect(
            next.row(at: ListPath(section: 0, row: 0))?.key == "new"
                && next.row(at: ListPath(section: 3, row: 0)) == nil)
    }
}
