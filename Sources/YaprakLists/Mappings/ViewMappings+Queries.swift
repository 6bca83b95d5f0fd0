import YaprakCore
import YaprakExtensions

extension ViewMappings {
    // MARK: Counts

    /// The number of sections. O(1).
    public var numberOfSections: Int { core.layout.sectionCount }

    /// The number of rows in a section; 0 if there is no such section. O(log *g*).
    public func numberOfItems(inSection section: Int) -> Int { core.layout.rowCount(inSection: section) ?? 0 }

    /// The number of rows shown of a group; 0 if it is not in the list. O(log *g*).
    public func numberOfItems(inGroup group: String) -> Int {
        core.layout.group(named: group.normalizedKey)?.window.count ?? 0
    }

    /// The number of rows in all sections. O(1).
    public var itemCount: Int { core.layout.rowCount }

    /// Whether no row is shown. O(1).
    public var isEmpty: Bool { core.layout.rowCount == 0 }

    /// Whether no row is shown of a group. O(log *g*).
    public func isEmpty(_ group: String) -> Bool { numberOfItems(inGroup: group) == 0 }

    // MARK: Groups and sections

    /// The groups in the list, in its order, those included whose section is hidden. O(number of groups).
    public var allGroups: [String] { core.groups }

    /// The names of the sections: of their groups, or of the one section that all rows are in. O(number of groups).
    public var visibleGroups: [String] { core.layout.sectionNames }

    /// Whether all rows are in one section, because there are few. O(1).
    public var isUsingConsolidatedGroup: Bool { core.layout.isConsolidated }

    /// The name of a section; `nil` if there is no such section. O(log *g*).
    public func group(forSection section: Int) -> String? {
        guard section >= 0 && section < core.layout.sectionCount else { return nil }
        return core.layout.consolidatedName ?? core.layout.group(inSection: section).name
    }

    /// The section that shows a group's rows; `nil` if there is none. O(log *g*).
    public func section(forGroup group: String) -> Int? {
        let group = group.normalizedKey
        if group == core.layout.consolidatedName { return 0 }
        return core.layout.index(of: group).flatMap { core.layout.section(ofGroupAt: $0) }
    }

    // MARK: Rows and places in the view

    /// The group and the index in it that a path shows; `nil` if there is no such row. O(log *g*).
    ///
    ///     if let place = sections.place(at: path) { database.snapshot[mail][place.group][place.index] }
    public func place(at path: ListPath) -> (group: String, index: Int)? {
        core.layout.place(at: path).map { place in
            let group = core.layout.groups[place.group].name
            return (group, index(ofListed: place.position, in: group))
        }
    }

    /// The path that shows an index of a group; `nil` if it is not shown. O(log *g*).
    public func path(forIndex index: Int, inGroup group: String) -> ListPath? {
        let layout = core.layout
        let group = group.normalizedKey
        guard let position = listed(index, in: group) else { return nil }
        return layout.index(of: group).flatMap { layout.path(ofPosition: position, inGroupAt: $0) }
    }

    /// The index in its group of the view of what the list has at a position of the group.
    private func index(ofListed position: Int, in group: String) -> Int {
        (choice?.chosen).map { $0.positions.position(at: position, inGroup: group) } ?? position
    }

    /// The position in the list's group of what has an index in that of the view; `nil` if it was not chosen.
    private func listed(_ index: Int, in group: String) -> Int? {
        (choice?.chosen).map { $0.positions.index(ofPosition: index, inGroup: group) } ?? index
    }

    /// The index in its group of what a row of a section shows; `nil` if there is no such row. O(log *g*).
    public func index(forRow row: Int, inSection section: Int) -> Int? {
        place(at: ListPath(section: section, row: row))?.index
    }

    /// The index in a group of the row that is shown as the `row`th of the group; `nil` if there is none. O(log *g*).
    public func index(forRow row: Int, inGroup group: String) -> Int? {
        guard let group = core.layout.group(named: group.normalizedKey), row >= 0, row < group.window.count else {
            return nil
        }
        return self.index(ofListed: group.position(ofRow: row), in: group.name)
    }

    /// The number, among the shown rows of a group, of what has an index in it; `nil` if it is not shown. O(log *g*).
    public func row(forIndex index: Int, inGroup group: String) -> Int? {
        let group = group.normalizedKey
        return listed(index, in: group).flatMap { core.layout.group(named: group)?.row(at: $0) }
    }

    // MARK: Selection

    /// The path nearest to a row that may be gone: for keeping a selection.
    ///
    ///     let path = sections.nearestPath(toRow: selected.row, inGroup: selectedGroup)
    ///
    /// In the same group if it shows rows, at most its last; else the last row of the nearest group before it; else the
    /// first row of the nearest group after it. `nil` if there is no row, or if the group is not in the list.
    /// - Parameters:
    ///   - row: the number of the row among the shown rows of its group.
    ///   - group: the group.
    /// - Complexity: O(number of groups).
    public func nearestPath(toRow row: Int, inGroup group: String) -> ListPath? {
        let layout = core.layout
        guard let home = layout.index(of: group.normalizedKey) else { return nil }
        func path(_ row: Int, _ index: Int) -> ListPath? {
            layout.path(ofPosition: layout.groups[index].position(ofRow: row), inGroupAt: index)
        }
        func count(_ index: Int) -> Int { layout.groups[index].window.count }
        if count(home) > 0 { return path(min(max(row, 0), count(home) - 1), home) }
        if let earlier = layout.groups[..<home].lastIndex(where: { !$0.window.isEmpty }) {
            return path(count(earlier) - 1, earlier)
        }
        return layout.groups[home...].firstIndex { !$0.window.isEmpty }.flatMap { path(0, $0) }
    }
}
