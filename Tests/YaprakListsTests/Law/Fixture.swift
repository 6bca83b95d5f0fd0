import YaprakCore
import YaprakExtensions

@testable import YaprakLists

/// A list that is driven by hand: groups as strings of keys, one letter each; a capital letter is a changed row.
///
///     var list = Fixture(["a": "xyz"], ListCore(groups: ["a"]))
///     let changes = list.become(["a": "xZ"])          // y went, z changed
///
/// Rows that are in the same sequence on both sides as the longest common one are kept; others are taken out and put in.
struct Fixture {
    var core: ListCore
    private(set) var side: Side

    struct Side: GroupedRows {
        var groups: [String: [String]]
        var groupNames: [String] { groups.filter { !$0.value.isEmpty }.keys.sorted() }
        func count(ofGroup group: String) -> Int { groups[group]?.count ?? 0 }
        func rowID(inGroup group: String, at index: Int) -> RowID {
            RowID(collection: 0, key: groups[group]![index].lowercased())
        }
        func place(of row: RowID) -> [(group: String, index: Int)] { [] }
    }

    init(_ groups: [String: String], _ core: ListCore, _ configure: (inout ListSettings) -> Void = { _ in }) {
        side = Side(groups: groups.mapValues { $0.map { String($0) } })
        self.core = core
        self.core.configure(configure)
        self.core.refresh(to: side)
    }

    /// The rows each section shows.
    var shown: [String] {
        (0..<core.layout.sectionCount).map { section in
            (0..<core.layout.rowCount(inSection: section)!).map { row in
                let place = core.layout.place(at: ListPath(section: section, row: row))!
                return side.rowID(inGroup: core.layout.groups[place.group].name, at: place.position).key
            }.joined()
        }
    }

    /// Goes on to other contents. Rows in `taken` are taken out and put in, also where they could have stayed.
    @discardableResult
    mutating func become(
        _ groups: [String: String], taken: String = "", sortedAnew: Bool = false, rowsHaveOnePlace: Bool = true
    ) -> [String] {
        let next = Side(groups: groups.mapValues { $0.map { String($0) } })
        let view = ViewDifference(
            old: side, new: next, rowsHaveOnePlace: rowsHaveOnePlace,
            difference: { [side] in Self.difference(side, next, $0, taken: taken, sortedAnew: sortedAnew) },
            content: { row in
                next.groups.values.joined().contains { $0 != $0.lowercased() && $0.lowercased() == row.key }
                    ? .objectChanged : []
            })
        let changes = core.advance(over: view)
        side = Side(groups: next.groups.mapValues { $0.map { $0.lowercased() } })
        return changes.sectionChanges.map { "\($0)" } + changes.rowChanges.map { "\($0)" }
    }

    private static func difference(
        _ old: Side, _ new: Side, _ group: String, taken: String, sortedAnew: Bool
    ) -> RowDifference {
        let before = old.groups[group] ?? []
        let after = new.groups[group] ?? []
        let pairs = before.enumerated().compactMap { place, row in
            after.firstIndex { $0.lowercased() == row }.map { (old: place, new: $0) }
        }
        let free = sortedAnew ? [] : pairs.filter { !taken.contains(before[$0.old]) }
        let kept = longestIncreasingRun(free.map(\.new)).map { free[$0] }
        var result = RowDifference()
        for (place, row) in before.enumerated() where !kept.contains(where: { $0.old == place }) {
            result.removed.append(.init(place, RowID(collection: 0, key: row)))
        }
        for (place, row) in after.enumerated() where !kept.contains(where: { $0.new == place }) {
            result.inserted.append(.init(place, RowID(collection: 0, key: row.lowercased())))
        }
        for pair in kept where after[pair.new] != before[pair.old] {
            result.replaced.append((pair.old, pair.new, RowID(collection: 0, key: before[pair.old]), .objectChanged))
        }
        return result
    }
}
