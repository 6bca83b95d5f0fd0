import Testing
import Yaprak

extension Scenario {
    /// Mappings with the scenario's options, set in its order.
    func sections<View: OrderedView>(of view: View) -> ViewMappings<View> {
        var sections = mappings.groups.names.map { ViewMappings(view, groups: $0) } ?? ViewMappings(view)
        sections.setDynamicForAllGroups(mappings.dynamicSections)
        for step in mappings.config {
            switch step.set {
            case "reversed": sections.setReversed(step.value!, for: step.group!)
            case "range": sections.setRange(step.range, for: step.group!)
            default: break
            }
        }
        for (group, offsets) in mappings.dependencies ?? [:] {
            sections.setDrawingDependencies(Set(offsets), for: group)
        }
        if let few = mappings.consolidate { sections.consolidate(below: few.threshold, into: few.name) }
        return sections
    }

    func shown<View: OrderedView>(_ sections: ViewMappings<View>, in snapshot: Snapshot) -> [Visible] {
        snapshot.sections(of: sections).map { Visible(group: $0.name, rows: $0.map(\.key)) }
    }

    func check<View: OrderedView>(_ queries: [Query], _ sections: ViewMappings<View>) throws {
        for query in queries {
            let group = try #require(query.group ?? query.section.flatMap(sections.group(forSection:)), "\(query)")
            let answer: Int? =
                switch query.q {
                case "visibleCount": sections.numberOfItems(inGroup: group)
                case "indexForRow":
                    query.section.map { sections.index(forRow: query.row!, inSection: $0) }
                        ?? sections.index(forRow: query.row!, inGroup: group)
                case "rowForIndex": sections.row(forIndex: query.index!, inGroup: group)
                case "rangePosition.length", "range.length": sections.rangePosition(of: group)?.length
                case "rangePosition.offsetFromBeginning": sections.storedOffsets(of: group)?.fromBeginning
                case "rangePosition.offsetFromEnd": sections.storedOffsets(of: group)?.fromEnd
                default: throw Refusal("nobody knows the query \(query.q)")
                }
            #expect(answer == query.value, "\(query)")
        }
    }
}

extension ViewMappings {
    /// Where the range of a group is in the group as it is stored; ours is as the list shows it.
    func storedOffsets(of group: String) -> (fromBeginning: Int, fromEnd: Int)? {
        guard let position = rangePosition(of: group) else { return nil }
        let offsets = (position.offsetFromBeginning, position.offsetFromEnd)
        return isReversed(group) ? (offsets.1, offsets.0) : offsets
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
