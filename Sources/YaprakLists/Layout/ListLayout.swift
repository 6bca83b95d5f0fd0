import YaprakExtensions

/// What a list shows: groups in their order, the part of each that is shown, and the sections they make.
///
///     groups      fantasy ─ 14 of 900    sci-fi ─ 0 of 0     horror ─ 3 of 3
///     sections    0 ──────────┘          (dynamic: hidden)   1 ────┘
///
/// A value made once from the counts of the groups; every question is O(1) or O(log groups). The next one is made of it by
/// ``replacing(_:)``: what most groups are the same in is shared, or copied as memory.
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

        /// Whether it has a section, where each group has one of its own.
        var hasSection: Bool { !isDynamic || !window.isEmpty }

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
    /// The number of rows in all sections.
    let rowCount: Int
    /// While consolidated, for each group the number of rows shown in the groups before it, then the number of all.
    private let rowsBefore: [Int]
    /// Where each group is; empty if they ascend by the bytes of their names, and are searched.
    private let places: [String: Int]
    private let isAscending: Bool
    private let sections: [Int?]

    /// - Parameter isAscending: the groups ascend by the bytes of their names, and always will.
    init(groups: [Group], consolidation: ListSettings.Consolidation?, isAscending: Bool = false) {
        self.groups = groups
        self.isAscending = isAscending
        places = isAscending ? [:] : Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.name, $0) })
        rowCount = groups.reduce(0) { $0 + $1.window.count }
        var name: String?
        if let consolidation, rowCount < consolidation.threshold, !groups.isEmpty,
            Self.index(of: consolidation.name, in: groups, places, isAscending) == nil
        {
            name = consolidation.name
        }
        consolidatedName = name
        if name == nil {
            rowsBefore = []
            (shown, sections) = Self.sections(of: groups)
        } else {
            var rowsBefore = [0]
            rowsBefore.reserveCapacity(groups.count + 1)
            for group in groups { rowsBefore.append(rowsBefore.last! + group.window.count) }
            self.rowsBefore = rowsBefore
            shown = Array(groups.indices)
            sections = Array(repeating: 0, count: groups.count)
        }
    }

    private static func sections(of groups: [Group]) -> (shown: [Int], sections: [Int?]) {
        var shown: [Int] = []
        var sections = [Int?](repeating: nil, count: groups.count)
        shown.reserveCapacity(groups.count)
        for (index, group) in groups.enumerated() where group.hasSection {
            sections[index] = shown.count
            shown.append(index)
        }
        return (shown, sections)
    }

    private init(
        _ old: ListLayout, _ groups: [Group], _ rowCount: Int, _ sections: (shown: [Int], sections: [Int?])
    ) {
        self.groups = groups
        self.rowCount = rowCount
        consolidatedName = nil
        rowsBefore = []
        places = old.places
        isAscending = old.isAscending
        (shown, self.sections) = sections
    }

    /// This layout, of which no group shares a section, with other counts and windows of some groups.
    ///
    /// - Parameter changes: groups in the order of the layout, no two with one name. Where groups ascend by name, others may
    ///   come, and go (`nil`).
    /// - Complexity: O(*c* log *g*), and a copy of the memory of the groups; the sections are numbered again
    ///   if one comes or goes.
    func replacing(_ changes: [(name: String, group: Group?)]) -> ListLayout {
        assert(!isConsolidated, "rows of several groups are in one section")
        var rowCount = rowCount
        var hasSameSections = true
        var groups = groups
        let places = changes.map { index(of: $0.name) }
        let hasSameGroups = zip(places, changes).allSatisfy { $0 != nil && $1.group != nil }
        for (place, change) in zip(places, changes) {
            let old = place.map { groups[$0] }
            rowCount += (change.group?.window.count ?? 0) - (old?.window.count ?? 0)
            if old?.hasSection != change.group?.hasSection { hasSameSections = false }
            if hasSameGroups, let place, let group = change.group { groups[place] = group }
        }
        if !hasSameGroups {
            assert(isAscending, "groups come and go by themselves only where they ascend")
            hasSameSections = false
            groups = merging(changes, places)
        }
        return ListLayout(
            self, groups, rowCount, hasSameSections ? (shown, sections) : Self.sections(of: groups))
    }

    private func merging(_ changes: [(name: String, group: Group?)], _ places: [Int?]) -> [Group] {
        var merged: [Group] = []
        merged.reserveCapacity(groups.count + changes.count)
        var next = 0
        for (place, change) in zip(places, changes) {
            let index = place ?? Self.lowerBound(of: change.name, in: groups)
            merged += groups[next..<index]
            if let group = change.group { merged.append(group) }
            next = place == nil ? index : index + 1
        }
        merged += groups[next...]
        return merged
    }

    private static func lowerBound(of name: String, in groups: [Group]) -> Int {
        prefixCount(groups.count) { groups[$0].name.utf8.lexicographicallyPrecedes(name.utf8) }
    }

    private static func index(
        of name: String, in groups: [Group], _ places: [String: Int], _ isAscending: Bool
    ) -> Int? {
        guard isAscending else { return places[name] }
        let index = lowerBound(of: name, in: groups)
        return index < groups.count && groups[index].name == name ? index : nil
    }

    /// Nothing: mappings that have not seen a snapshot yet.
    static let empty = ListLayout(groups: [], consolidation: nil)

    var isConsolidated: Bool { consolidatedName != nil }
    var sectionCount: Int { isConsolidated ? 1 : shown.count }
    var sectionNames: [String] { consolidatedName.map { [$0] } ?? shown.map { groups[$0].name } }

    /// The index of a group among the mapped ones.
    func index(of group: String) -> Int? { Self.index(of: group, in: groups, places, isAscending) }

    func group(named name: String) -> Group? { index(of: name).map { groups[$0] } }

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
