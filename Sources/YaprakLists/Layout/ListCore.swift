import YaprakCore
package import YaprakExtensions

/// Mappings without the type of their view: which groups, what of them, and the layout that came of it.
package struct ListCore: Sendable {
    /// Where the groups come from.
    enum Source: Sendable {
        case fixed([String])
        case chosen(filter: @Sendable (String) -> Bool, order: @Sendable (String, String) -> Bool)

        func groups(in rows: any GroupedRows) -> [String] {
            switch self {
            case .fixed(let groups): groups
            case .chosen(let filter, let order): rows.groupNames.filter(filter).sorted(by: order)
            }
        }
    }

    let source: Source
    private(set) var settings = ListSettings()
    /// The windows of the groups that have a range.
    private(set) var windows: [String: GroupWindow] = [:]
    private(set) var layout = ListLayout.empty
    /// Whether it has ever looked at a snapshot.
    private(set) var isFitted = false

    package init(groups: [String]) {
        let groups = groups.map(\.normalizedKey)
        precondition(Set(groups).count == groups.count, "mappings name every group once")
        source = .fixed(groups)
    }

    package init(
        filter: @escaping @Sendable (String) -> Bool, order: @escaping @Sendable (String, String) -> Bool
    ) {
        source = .chosen(filter: filter, order: order)
    }

    /// Changes settings, and the layout at once, as far as counts are known.
    mutating func configure(_ change: (inout ListSettings) -> Void) {
        change(&settings)
        windows = windows.filter { settings.ranges[$0.key] == $0.value.asked }
        guard isFitted else { return }
        let counts = Dictionary(uniqueKeysWithValues: layout.groups.map { ($0.name, $0.count) })
        fit(layout.groups.map(\.name)) { counts[$0] ?? 0 }
    }

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

    /// Looks at a view anew.
    package mutating func refresh(to rows: any GroupedRows) {
        let names = source.groups(in: rows)
        if !windows.isEmpty {
            // A group that is not in the list any more begins anew when it comes back.
            let inList = Set(names)
            windows = windows.filter { inList.contains($0.key) }
        }
        fit(names, count: rows.count(ofGroup:))
    }

    /// Looks at groups anew, by their counts alone.
    mutating func fit(_ names: [String], count: (String) -> Int) {
        lay(names, count: count) { _ in true }
    }

    private mutating func lay(
        _ names: [String], count: (String) -> Int, refits: (String) -> Bool
    ) {
        var groups: [ListLayout.Group] = []
        groups.reserveCapacity(names.count)
        for name in names {
            let count = count(name)
            var positions = 0..<count
            if let range = settings.ranges[name] {
                var window = windows[name] ?? GroupWindow(range)
                if refits(name) { window.refit(count: count) }
                windows[name] = window
                positions = window.positions(count: count)
            }
            groups.append(
                ListLayout.Group(
                    name: name, count: count, window: positions, isReversed: settings.isReversed[name],
                    isDynamic: settings.isDynamic[name]))
        }
        layout = ListLayout(groups: groups, consolidation: settings.consolidation)
        isFitted = true
    }

    /// Follows the view to another moment: windows of flexible ranges stay with their rows.
    mutating func follow(
        to rows: any GroupedRows, groups: [String], alignments: [String: RowAlignment]
    ) {
        let before = layout
        // A group that is not in the list any more begins anew when it comes back.
        for group in before.groups where alignments[group.name] == nil { windows[group.name] = nil }
        for (name, alignment) in alignments {
            guard let group = before.group(named: name) else { continue }
            windows[name]?.follow(alignment, from: group.window)
        }
        lay(groups, count: rows.count(ofGroup:)) { alignments[$0] == nil }
    }
}
