import Testing
import YaprakCore
import YaprakExtensions

@testable import YaprakLists

extension Scenario {
    /// The engine with the scenario's options.
    func core() throws -> ListCore {
        var core = mappings.groups.names.map { ListCore(groups: $0) } ?? ListCore(filter: { _ in true }, order: <)
        core.configure { settings in
            settings.setDynamic(mappings.dynamicSections, for: nil)
            for step in mappings.config {
                switch step.set {
                case "reversed": settings.setReversed(step.value!, for: step.group!)
                case "range": settings.setRange(step.range, for: step.group!)
                default: break
                }
            }
            for (group, offsets) in mappings.dependencies ?? [:] { settings.setDependencies(Set(offsets), for: group) }
            settings.consolidation = mappings.consolidate.map { .init(threshold: $0.threshold, name: $0.name) }
        }
        return core
    }

    func shown(_ core: ListCore, _ contents: ScenarioSide) -> [Visible] {
        (0..<core.layout.sectionCount).map { section in
            let rows = (0..<core.layout.rowCount(inSection: section)!).map { row in
                let place = core.layout.place(at: ListPath(section: section, row: row))!
                return contents.rowID(inGroup: core.layout.groups[place.group].name, at: place.position).key
            }
            return Visible(group: core.layout.sectionNames[section], rows: rows)
        }
    }

    func check(_ queries: [Query], _ core: ListCore) throws {
        let layout = core.layout
        for query in queries {
            let index = query.group.flatMap(layout.index(of:)) ?? query.section.flatMap { layout.shown[$0] }
            let group = try #require(index.map { layout.groups[$0] }, "\(query)")
            let answer: Int? =
                switch query.q {
                case "visibleCount", "rangePosition.length", "range.length": group.window.count
                case "indexForRow":
                    (0..<group.window.count).contains(query.row!) ? group.position(ofRow: query.row!) : nil
                case "rowForIndex": group.row(at: query.index!)
                case "rangePosition.offsetFromBeginning": group.window.lowerBound
                case "rangePosition.offsetFromEnd": group.count - group.window.upperBound
                default: throw Refusal("nobody knows the query \(query.q)")
                }
            #expect(answer == query.value, "\(query)")
        }
    }
}

extension Scenario.Step {
    var range: ListRange {
        let pin: ListRange.Side = pin == "beginning" ? .beginning : .end
        if kind == "fixed" { return .fixed(length: length!, offset: offset!, from: pin) }
        let growth: ListRange.Growth = ["nonPinSide": .otherSide, "both": .bothSides][grow ?? ""] ?? .pinSide
        return .flexible(
            length: length!, offset: offset!, from: pin, minLength: minLength ?? 0, maxLength: maxLength ?? .max,
            growing: growth)
    }
}

/// One side of a scenario.
struct ScenarioSide: GroupedRows {
    /// Keys, each with a mark that is another where the row was taken out and put in.
    var groups: [String: [(key: String, mark: Int)]]

    var groupNames: [String] { groups.filter { !$0.value.isEmpty }.keys.sorted() }
    func count(ofGroup group: String) -> Int { groups[group]?.count ?? 0 }
    func rowID(inGroup group: String, at index: Int) -> RowID { RowID(collection: 0, key: groups[group]![index].key) }
    func place(of row: RowID) -> [(group: String, index: Int)] { [] }
}

/// The contents of a scenario before and after, and which rows were taken out, put in or changed on the way.
struct ScenarioContents {
    let old: ScenarioSide
    private(set) var new: ScenarioSide
    private var changed: [String: ChangeKinds] = [:]

    init(_ scenario: Scenario) {
        old = ScenarioSide(groups: scenario.initial!.mapValues { $0.map { ($0, 0) } })
        new = old
        var mark = 0
        for op in scenario.ops! {
            switch op.op {
            case "insert":
                mark += 1
                new.groups[op.group, default: []].insert((op.key!, mark), at: op.index!)
                changed[op.key!] = .objectChanged
            case "delete": new.groups[op.group]!.remove(at: op.index!)
            case "update": changed[op.key!] = .objectChanged
            case "resetGroup": new.groups[op.group] = []
            default: break
            }
        }
    }

    var view: ViewDifference {
        ViewDifference(
            old: old, new: new, rowsHaveOnePlace: true, difference: difference(_:),
            content: { changed[$0.key] ?? [] })
    }

    /// A row is where it was if it has the mark it had.
    private func difference(_ group: String) -> RowDifference {
        let before = old.groups[group] ?? []
        let after = new.groups[group] ?? []
        let kept = Set(after.filter { $0.mark == 0 }.map(\.key))
        var result = RowDifference()
        result.removed = before.enumerated().filter { !kept.contains($1.key) }.map {
            .init($0, RowID(collection: 0, key: $1.key))
        }
        result.inserted = after.enumerated().filter { $1.mark != 0 }.map {
            .init($0, RowID(collection: 0, key: $1.key))
        }
        for (index, row) in after.enumerated() where row.mark == 0 {
            guard let kinds = changed[row.key] else { continue }
            let place = before.firstIndex { $0.key == row.key }!
            result.replaced.append((place, index, RowID(collection: 0, key: row.key), kinds))
        }
        return result
    }
}

extension [Scenario.Visible] {
    /// Whether `changes` lead to `other`.
    func applying(_ changes: ListChanges, to other: [Scenario.Visible]) throws -> Bool {
        var numbers: [String: Int] = [:]
        func list(_ sections: [Scenario.Visible]) -> ShownList {
            ShownList(
                sections: sections.map { section in
                    ShownList.Section(
                        name: section.group,
                        rows: section.rows.map { key in
                            if numbers[key] == nil { numbers[key] = numbers.count }
                            return numbers[key]!
                        })
                })
        }
        let before = list(self)
        let after = list(other)
        return try before.applying(changes) { numbers[$0.key] } == after
    }
}
