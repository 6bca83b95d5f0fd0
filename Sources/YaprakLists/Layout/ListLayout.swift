import YaprakExtensions

/// What a list shows: groups in their order, the part of each that is shown, and the sections they make.
///
///     groups      fantasy ─ 14 of 900    sci-fi ─ 0 of 0     horror ─ 3 of 3
///     sections    0 ──────────┘          (dynamic: hidden)   1 ────┘
///
/// A value made once from the counts of the groups; every question is O(1) or O(log groups).
struct ListLayout: Hashable, Sendable {
    /// One group in the order of the list.
    struct Group: Hashable, Sendable {
        let name: String
        /// How many rows the view has in it.
        let count: Int
        /// The positions that are shown, as stored.
        let window: Range<Int>
        let isReversed: Bool
        let isDynamic: Bool

        /// The row that shows `position`, counted from where the group begins in the list; `nil` if it is not shown.
        func row(at position: Int) -> Int? {
            guard window.contains(position) else { return nil }
            return isReversed ? window.upperBound - 1 - position : position - window.lowerBound
        }

        /// The position that `row` shows. `row` must be there.
        func position(ofRow row: Int) -> Int {
            isReversed ? window.upperBound - 1 - row : window.lowerBound + row
        }
    }

    let groups: [Group]
    /// The name of the one section all rows are in; `nil` while every group has its own.
    let consolidatedName: String?
    /// The groups that have a section, as indices; all of them while consolidated.
    let shown: [Int]
    /// For each group, the number of rows shown in the groups before it; then the number of all.
    private let rowsBefore: [Int]
    private let places: [String: Int]
    private let sections: [Int?]

    init(groups: [Group], consolidation: ListSettings.Consolidation?) {
        self.groups = groups
        places = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.name, $0) })
        var rowsBefore = [0]
        for group in groups { rowsBefore.append(rowsBefore.last! + group.window.count) }
        self.rowsBefore = rowsBefore
        var name: String?
        if let consolidation, rowsBefore.last! < consolidation.threshold, places[consolidation.name] == nil {
            name = groups.isEmpty ? nil : consolidation.name
        }
        consolidatedName = name
        var shown: [Int] = []
        var sections = [Int?](repeating: nil, count: groups.count)
        for (index, group) in groups.enumerated() where name != nil || !group.isDynamic || !group.window.isEmpty {
            sections[index] = name == nil ? shown.count : 0
            shown.append(index)
        }
        self.shown = shown
        self.sections = sections
    }

    /// Nothing: mappings that have not looked at a snapshot yet.
    static let empty = ListLayout(groups: [], consolidation: nil)

    var isConsolidated: Bool { consolidatedName != nil }
    var sectionCount: Int { isConsolidated ? 1 : shown.count }
    var rowCount: Int { rowsBefore.last! }
    var sectionNames: [String] { consolidatedName.map { [$0] } ?? shown.map { groups[$0].name } }

    /// The index of a group among the mapped ones.
    func index(of group: String) -> Int? { places[group] }

    func group(named name: String) -> Group? { places[name].map { groups[$0] } }

    /// The section that shows a group's rows.
    func section(ofGroupAt index: Int) -> Int? { sections[index] }

    /// The first row of a group within its section.
    func firstRow(ofGroupAt index: Int) -> Int { isConsolidated ? rowsBefore[index] : 0 }

    func rowCount(inSection section: Int) -> Int? {
        guard section >= 0 && section < sectionCount else { return nil }
        return isConsolidated ? rowCount : groups[shown[section]].window.count
    }

    /// The path of what a group has at a position, if it is shown.
    func path(ofPosition position: Int, inGroupAt index: Int) -> ListPath? {
        guard let section = sections[index], let row = groups[index].row(at: position) else { return nil }
        return ListPath(section: section, row: firstRow(ofGroupAt: index) + row)
    }

    /// What a path shows.
    func place(at path: ListPath) -> (group: Int, position: Int)? {
        guard path.row >= 0, let count = rowCount(inSection: path.section), path.row < count else { return nil }
        guard isConsolidated else {
            let index = shown[path.section]
            return (index, groups[index].position(ofRow: path.row))
        }
        // The last group that begins at or before the row, and is not empty.
        let index = prefixCount(groups.count) { rowsBefore[$0 + 1] <= path.row }
        return (index, groups[index].position(ofRow: path.row - rowsBefore[index]))
    }
}
