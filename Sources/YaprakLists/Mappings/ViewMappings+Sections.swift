import YaprakCore
import YaprakExtensions

extension ViewMappings {
    // MARK: Sections that hide

    /// Hides the section of a group while it shows no row, or shows it always (the default).
    ///
    ///     sections.setDynamic(true, for: "drafts")
    ///
    /// What counts is what the list shows, not what the group holds. O(number of groups).
    public mutating func setDynamic(_ isDynamic: Bool, for group: String) {
        core.configure { $0.setDynamic(isDynamic, for: group.normalizedKey) }
    }

    /// Hides or shows the empty sections of all groups, whatever was set for single ones. O(number of groups).
    public mutating func setDynamicForAllGroups(_ isDynamic: Bool) {
        core.configure { $0.setDynamic(isDynamic, for: nil) }
    }

    /// Whether the section of a group is hidden while it shows no row. O(1).
    public func isDynamic(_ group: String) -> Bool { core.settings.isDynamic[group.normalizedKey] }

    // MARK: Order

    /// Shows a group in reverse order, or as it is stored (the default).
    ///
    ///     sections.setReversed(true, for: "chat")
    ///     sections.setRange(.flexible(length: 50, from: .beginning), for: "chat")        // the newest fifty, on top
    ///
    /// Ranges and dependencies that are set *after* this are read as the list shows them; those set *before* it keep
    /// their rows, and are shown reversed. O(number of groups).
    public mutating func setReversed(_ isReversed: Bool, for group: String) {
        core.configure { $0.setReversed(isReversed, for: group.normalizedKey) }
    }

    /// Shows all groups in reverse order, or as they are stored. O(number of groups).
    public mutating func setReversedForAllGroups(_ isReversed: Bool) {
        core.configure { $0.setReversed(isReversed, for: nil) }
    }

    /// Whether a group is shown in reverse order. O(1).
    public func isReversed(_ group: String) -> Bool { core.settings.isReversed[group.normalizedKey] }

    // MARK: Few rows

    /// Shows all rows in one section while there are fewer than `threshold` of them.
    ///
    ///     sections.consolidate(below: 10, into: "all contacts")
    ///
    /// Crossing the threshold deletes all sections and inserts one, or the reverse; every row that stays moves.
    /// A threshold of 0 switches it off. While a group of that name is in the list, rows are not consolidated.
    /// While no row is shown and all groups hide when empty (``setDynamic(_:for:)``), there is no section.
    /// - Complexity: O(number of groups).
    public mutating func consolidate(below threshold: Int, into name: String) {
        precondition(threshold >= 0, "a threshold is a number of rows, not less than 0")
        let name = name.normalizedKey
        core.configure { $0.consolidation = threshold == 0 ? nil : .init(threshold: threshold, name: name) }
    }

    // MARK: Rows whose drawing depends on neighbours

    /// Sets which neighbours the drawing of a row depends on, as offsets from it.
    ///
    ///     sections.setDrawingDependencies([-1], for: "chat")       // a bubble joins the one above it
    ///
    /// When such a neighbour becomes another row, or its content changes, the row is reported as changed with
    /// ``RowAspects/dependency``. Offsets count in the group, not in what is shown of it.
    /// - Precondition: no offset is 0, and all are within ±1,000,000.
    /// - Complexity: O(number of groups). A change then costs a look at each shown row within reach of rows that came or went:
    ///   as many on both sides as the greatest offset, each once. Of a row that changed in place, one for each offset.
    public mutating func setDrawingDependencies(_ offsets: Set<Int>, for group: String) {
        core.configure { $0.setDependencies(offsets, for: group.normalizedKey) }
    }

    /// Sets which neighbours the drawing of a row depends on, in all groups. O(number of groups).
    /// - Precondition: no offset is 0, and all are within ±1,000,000.
    public mutating func setDrawingDependenciesForAllGroups(_ offsets: Set<Int>) {
        core.configure { $0.setDependencies(offsets, for: nil) }
    }

    /// The neighbours the drawing of a group's rows depends on, as the list shows them. O(1).
    public func drawingDependencies(of group: String) -> Set<Int> {
        core.settings.shownDependencies(of: group.normalizedKey)
    }
}
