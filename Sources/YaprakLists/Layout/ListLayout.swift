import YaprakExtensions

/// What a list shows: groups in their order, the part of each that is shown, and the sections they make.
///
///     groups      fantasy ─ 14 of 900    sci-fi ─ 0 of 0     horror ─ 3 of 3
///     sections    0 ──────────┘          (dynamic: hidden)   1 ────┘
///
/// Immutable, made once from the counts of the groups; every question is O(log groups), O(1) where there are few. The next one
/// is made of it by ``applying(_:rowCount:)`` and shares with it all groups but those around what differs (``GroupTree``). An
/// object, so that lists and updates, which have several, count one reference for each.
final class ListLayout: Sendable {
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

    let groups: GroupTree
    /// The name of the one section all rows are in; `nil` while every group has its own.
    let consolidatedName: String?
    /// The number of rows in all sections.
    let rowCount: Int
    /// While consolidated, for each group the number of rows shown in the groups before it, then the number of all.
    private let rowsBefore: [Int]
    /// Where each group is; empty if they ascend by the bytes of their names, and are searched.
    private let places: [String: Int]
    /// Whether its groups ascend by the bytes of their names, and always will.
    let isAscending: Bool

    init(groups: [Group], consolidation: ListSettings.Consolidation?, isAscending: Bool = false) {
        let tree = GroupTree(groups)
        self.groups = tree
        self.isAscending = isAscending
        let places =
            isAscending ? [:] : Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1.name, $0) })
        self.places = places
        rowCount = groups.reduce(0) { $0 + $1.window.count }
        // Where no group has a section, there is none to share.
        guard let consolidation, rowCount < consolidation.threshold, groups.contains(where: { $0.hasSection }),
            Self.index(of: consolidation.name, in: tree, places, isAscending) == nil
        else {
            consolidatedName = nil
            rowsBefore = []
            return
        }
        consolidatedName = consolidation.name
        var rowsBefore = [0]
        rowsBefore.reserveCapacity(groups.count + 1)
        for group in groups { rowsBefore.append(rowsBefore.last! + group.window.count) }
        self.rowsBefore = rowsBefore
    }

    private init(_ old: ListLayout, _ groups: GroupTree, _ rowCount: Int) {
        self.groups = groups
        self.rowCount = rowCount
        consolidatedName = nil
        rowsBefore = []
        places = old.places
        isAscending = old.isAscending
    }

    /// This layout, of which no group shares a section, with other counts and windows of some groups.
    ///
    /// - Parameters:
    ///   - edits: in the order of the layout. Groups come and go only where they ascend by name.
    ///   - rowCount: how many rows are shown then.
    /// - Complexity: O(*e* log *g*).
    func applying(_ edits: [GroupTree.Edit], rowCount: Int) -> ListLayout {
        assert(!isConsolidated, "rows of several groups are in one section")
        assert(
            isAscending || edits.allSatisfy { !$0.isInsertion && $0.group != nil },
            "groups come and go by themselves only where they ascend")
        return ListLayout(self, groups.applying(edits), rowCount)
    }

    private static func index(
        of name: String, in groups: GroupTree, _ places: [String: Int], _ isAscending: Bool
    ) -> Int? {
        guard isAscending else { return places[name] }
        let index = groups.lowerBound(of: name)
        return index < groups.count && groups[index].name == name ? index : nil
    }

    /// Nothing: mappings that have not seen a snapshot yet.
    static let empty = ListLayout(groups: [], consolidation: nil)

    var isConsolidated: Bool { consolidatedName != nil }
    var sectionCount: Int { isConsolidated ? 1 : groups.sectionCount }
    var sectionNames: [String] {
        consolidatedName.map { [$0] } ?? groups.compactMap { $0.hasSection ? $0.name : nil }
    }

    /// The index of a group among the mapped ones.
    func index(of group: String) -> Int? { Self.index(of: group, in: groups, places, isAscending) }

    func group(named name: String) -> Group? { index(of: name).map { groups[$0] } }

    /// The section that shows a group's rows.
    func section(ofGroupAt index: Int) -> Int? { isConsolidated ? 0 : groups.section(ofGroupAt: index) }

    /// The group that a section shows, where each has one of its own. The section must be there.
    func group(inSection section: Int) -> Group { groups[groups.place(ofSection: section)] }

    /// The first row of a group within its section.
    func firstRow(ofGroupAt index: Int) -> Int { isConsolidated ? rowsBefore[index] : 0 }

    func rowCount(inSection section: Int) -> Int? {
        guard section >= 0 && section < sectionCount else { return nil }
        return isConsolidated ? rowCount : group(inSection: section).window.count
    }

    /// Where the rows of a group are shown.
    struct GroupPlace {
        let group: Group
        /// `nil` if it has none.
        let section: Int?
        /// The first row of the group within its section.
        let firstRow: Int

        /// The path of what the group has at a position, if it is shown.
        @inline(__always)
        func path(ofPosition position: Int) -> ListPath? {
            guard let section, let row = group.row(at: position) else { return nil }
            return ListPath(section: section, row: firstRow + row)
        }
    }

    /// Where the rows of a group are shown; `nil` if it is not in the list. For the paths of many of them.
    func place(ofGroup name: String) -> GroupPlace? { index(of: name).map(place(ofGroupAt:)) }

    func place(ofGroupAt index: Int) -> GroupPlace {
        GroupPlace(
            group: groups[index], section: section(ofGroupAt: index), firstRow: firstRow(ofGroupAt: index))
    }

    /// The path of what a group has at a position, if it is shown.
    func path(ofPosition position: Int, inGroupAt index: Int) -> ListPath? {
        guard let section = section(ofGroupAt: index), let row = groups[index].row(at: position) else { return nil }
        return ListPath(section: section, row: firstRow(ofGroupAt: index) + row)
    }

    /// What a path shows.
    func place(at path: ListPath) -> (group: Int, position: Int)? {
        guard path.row >= 0, let count = rowCount(inSection: path.section), path.row < count else { return nil }
        guard isConsolidated else {
            let index = groups.place(ofSection: path.section)
            return (index, groups[index].position(ofRow: path.row))
        }
        // The last group that begins at or before the row, and is not empty.
        let index = prefixCount(groups.count) { rowsBefore[$0 + 1] <= path.row }
        return (index, groups[index].position(ofRow: path.row - rowsBefore[index]))
    }
}
