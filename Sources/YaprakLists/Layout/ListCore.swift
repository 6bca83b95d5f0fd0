import HashTreeCollections
import YaprakCore
package import YaprakExtensions

/// Mappings without the type of their view: which groups, which part of each, and the resulting layout.
///
/// Few references: each update of a list copies it several times.
package struct ListCore: Sendable {
    /// Where the groups come from.
    enum Source: Sendable {
        case fixed([String])
        /// All groups of the view, as it has them: ascending by the bytes of their names.
        case all
        case chosen(filter: (@Sendable (String) -> Bool)?, order: (@Sendable (String, String) -> Bool)?)

        func groups(in rows: any GroupedRows) -> [String] {
            switch self {
            case .fixed(let groups): return groups
            case .all: return rows.groupNames
            case .chosen(let filter, let order):
                var names = rows.groupNames
                if let filter { names = names.filter(filter) }
                if let order { names.sort(by: order) }
                return names
            }
        }

        var isAll: Bool { if case .all = self { true } else { false } }
    }

    private var options: Options
    /// The windows of the groups that have a flexible range; a fixed one is where it is asked for. The mappings before share
    /// all but those that differ.
    private(set) var windows: TreeDictionary<String, GroupWindow> = [:]
    private(set) var layout = ListLayout.empty
    /// Whether it was ever laid out.
    private(set) var isFitted = false

    /// What was asked for. Changed only while one core has it; that is the whole of the @unchecked.
    private final class Options: @unchecked Sendable {
        let source: Source
        @exclusivity(unchecked) var settings: ListSettings

        init(_ source: Source, _ settings: ListSettings = ListSettings()) {
            self.source = source
            self.settings = settings
        }
    }

    var source: Source { options.source }
    var settings: ListSettings { options.settings }

    package init(groups: [String]) {
        let groups = groups.map(\.normalizedKey)
        precondition(Set(groups).count == groups.count, "mappings name every group once")
        options = Options(.fixed(groups))
    }

    package init(
        filter: (@Sendable (String) -> Bool)? = nil, order: (@Sendable (String, String) -> Bool)? = nil
    ) {
        options = Options(filter == nil && order == nil ? .all : .chosen(filter: filter, order: order))
    }

    /// Changes settings, and the layout at once, as far as counts are known.
    mutating func configure(_ change: (inout ListSettings) -> Void) {
        if !isKnownUniquelyReferenced(&options) { options = Options(source, settings) }
        change(&options.settings)
        windows = windows.filter { settings.ranges[$0.key] == $0.value.asked }
        guard isFitted else { return }
        // A window that lost rows stays as it is until another range is asked for.
        let known = windows
        lay(layout.groups.map(\.name), counts: layout.groups.map(\.count)) { known[$0] == nil }
    }

    /// Ranges begin again at what was asked for, when other rows are chosen.
    mutating func restartWindows() { windows = [:] }

    /// Puts the range of one group elsewhere.
    mutating func replaceWindow(_ window: GroupWindow, of group: String) {
        windows[group] = window
        configure { $0.replaceStoredRange(window.asked, of: group) }
    }

    /// The groups in the list, also before it was ever fitted if they are fixed.
    var groups: [String] {
        if case .fixed(let groups) = source { return groups }
        return layout.groups.map(\.name)
    }

    /// Lays out a view without knowing what changed in it.
    package mutating func refresh(to rows: any GroupedRows) {
        let names = source.groups(in: rows)
        if !windows.isEmpty {
            // A group that left the list starts again when it comes back.
            let inList = Set(names)
            windows = windows.filter { inList.contains($0.key) }
        }
        lay(names, counts: rows.counts(ofGroups: names)) { _ in true }
    }

    private mutating func lay(_ names: [String], counts: [Int], refits: (String) -> Bool) {
        var groups: [ListLayout.Group] = []
        groups.reserveCapacity(names.count)
        for (name, count) in zip(names, counts) { groups.append(group(name, count: count, refits: refits(name))) }
        layout = ListLayout(groups: groups, consolidation: settings.consolidation, isAscending: source.isAll)
        isFitted = true
    }

    /// A group with its settings, and the window that comes of them.
    private mutating func group(_ name: String, count: Int, refits: Bool) -> ListLayout.Group {
        var positions = 0..<count
        if let range = settings.ranges[name] {
            var window = (windows.isEmpty ? nil : windows[name]) ?? GroupWindow(range)
            if refits { window.refit(count: count) }
            if range.isFlexible { windows[name] = window }
            positions = window.positions(count: count)
        }
        return ListLayout.Group(
            name: name, count: count, window: positions, isReversed: settings.isReversed[name],
            isDynamic: settings.isDynamic[name])
    }

    /// Follows the view to another moment in a few groups; all others are what they were.
    ///
    /// - Parameter touched: groups of the list or of the view in the order of the list, and their places in it; `nil` for one
    ///   that is not in it.
    /// - Returns: the same groups, but for those that are in the list neither before nor after; `nil` if all rows are in one
    ///   section, before or after. Nothing has happened then.
    mutating func follow(
        _ view: any ViewDifference, in touched: [(name: String, index: Int?)]
    ) -> [TouchedGroup]? {
        if layout.isConsolidated { return nil }
        let rows = view.new
        let windowsBefore = windows
        var groups: [TouchedGroup] = []
        groups.reserveCapacity(touched.count)
        var edits: [GroupTree.Edit] = []
        edits.reserveCapacity(touched.count)
        var rowCount = layout.rowCount
        var isSameLayout = true
        for (name, index) in touched {
            let count = rows.count(ofGroup: name)
            let isInList = count > 0 || !source.isAll
            guard isInList || index != nil else { continue }
            var group = TouchedGroup(name: name, count: count, before: index.map(layout.place(ofGroupAt:)))
            if let before = group.before, isInList {
                let difference = view.difference(ofGroup: name)
                if !windows.isEmpty { windows[name]?.follow(difference, from: before.group.window) }
                group.difference = difference
            }
            let shown = isInList ? self.group(name, count: count, refits: group.before == nil) : nil
            if shown == nil { windows[name] = nil }
            rowCount += (shown?.window.count ?? 0) - (group.before?.group.window.count ?? 0)
            if shown != group.before?.group { isSameLayout = false }
            edits.append(
                GroupTree.Edit(
                    place: index ?? layout.groups.lowerBound(of: name), group: shown, isInsertion: index == nil))
            groups.append(group)
        }
        if let few = settings.consolidation, rowCount < few.threshold {
            windows = windowsBefore
            return nil
        }
        // Most rows that change stay in their group.
        if isSameLayout {
            for index in groups.indices { groups[index].after = groups[index].before }
            return groups
        }
        layout = layout.applying(edits, rowCount: rowCount)
        // Groups that come and go put others elsewhere.
        let areAllKept = edits.allSatisfy { !$0.isInsertion && $0.group != nil }
        for (number, edit) in edits.enumerated() where edit.group != nil {
            let place = areAllKept ? edit.place : layout.index(of: groups[number].name)
            groups[number].after = place.map(layout.place(ofGroupAt:))
        }
        return groups
    }

    /// Follows the view to another moment: windows of flexible ranges stay with their rows.
    mutating func follow(
        to rows: any GroupedRows, groups: [String], differences: [String: GroupDifference]
    ) {
        let before = layout
        // A group that left the list starts again when it comes back.
        for group in before.groups where differences[group.name] == nil { windows[group.name] = nil }
        for (name, difference) in differences {
            guard let group = before.group(named: name) else { continue }
            windows[name]?.follow(difference, from: group.window)
        }
        lay(groups, counts: rows.counts(ofGroups: groups)) { differences[$0] == nil }
    }
}

extension ListCore {
    /// Whether a group has not so many rows that its range begins.
    func isRangeBehindEnd(of name: String) -> Bool {
        guard let range = settings.ranges[name], let group = layout.group(named: name) else { return false }
        return range.length > 0 && (windows[name]?.isWaiting ?? (range.offset >= group.count))
    }

    /// Shows `count` more rows of a group at one end, as the list shows it. No effect on groups without a range.
    mutating func extend(_ group: String, by count: Int, at side: ListRange.Side) {
        precondition(count >= 0, "a range is extended by a number of rows, not less than 0")
        guard let range = settings.ranges[group] else { return }
        let stored = settings.isReversed[group] ? side.opposite : side
        guard var window = windows[group], let shown = layout.group(named: group) else {
            configure { $0.replaceStoredRange(range.extended(by: count, at: stored), of: group) }
            return
        }
        window.extend(by: count, at: stored, positions: shown.window, groupCount: shown.count)
        replaceWindow(window, of: group)
    }
}
