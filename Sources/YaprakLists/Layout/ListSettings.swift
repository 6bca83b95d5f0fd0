/// The options of a list, group by group. Ranges and dependencies are kept in the order the groups are stored in; what was set
/// for a reversed group is reversed on input and on output.
struct ListSettings: Sendable {
    private(set) var isDynamic = GroupSetting(false)
    private(set) var isReversed = GroupSetting(false)
    private(set) var ranges = GroupSetting<ListRange?>(nil)
    private(set) var dependencies = GroupSetting<Set<Int>>([])
    var consolidation: Consolidation?

    /// So far away is the farthest neighbour that the drawing of a row may depend on.
    static let dependencyMax = 1_000_000

    /// Few rows in one section.
    struct Consolidation: Hashable, Sendable {
        let threshold: Int
        let name: String
    }

    mutating func setDynamic(_ flag: Bool, for group: String?) {
        if let group { isDynamic[group] = flag } else { isDynamic.setForAll(flag) }
    }

    mutating func setReversed(_ flag: Bool, for group: String?) {
        if let group { isReversed[group] = flag } else { isReversed.setForAll(flag) }
    }

    mutating func setRange(_ range: ListRange?, for group: String?) {
        set(range, \.ranges, for: group) { $0?.reversed }
    }

    mutating func setDependencies(_ offsets: Set<Int>, for group: String?) {
        precondition(!offsets.contains(0), "a row does not depend on itself: offsets are not 0")
        precondition(
            offsets.allSatisfy { (-Self.dependencyMax...Self.dependencyMax).contains($0) },
            "a row depends on neighbours: offsets are within ±\(Self.dependencyMax)")
        set(offsets, \.dependencies, for: group) { Set($0.map { -$0 }) }
    }

    /// Sets an option that has an orientation, turned round where the group is already reversed.
    private mutating func set<Value>(
        _ value: Value, _ path: WritableKeyPath<Self, GroupSetting<Value>>, for group: String?,
        turned: (Value) -> Value
    ) {
        if let group {
            self[keyPath: path][group] = isReversed[group] ? turned(value) : value
            return
        }
        self[keyPath: path].setForAll(isReversed.forAll ? turned(value) : value)
        for (group, flag) in isReversed.overrides where flag != isReversed.forAll {
            self[keyPath: path][group] = flag ? turned(value) : value
        }
    }

    /// The range as the list shows it.
    func shownRange(of group: String) -> ListRange? { isReversed[group] ? ranges[group]?.reversed : ranges[group] }

    /// The dependencies as the list shows them.
    func shownDependencies(of group: String) -> Set<Int> {
        isReversed[group] ? Set(dependencies[group].map { -$0 }) : dependencies[group]
    }

    /// Sets a range in the stored order: one that was extended.
    mutating func replaceStoredRange(_ range: ListRange, of group: String) { ranges[group] = range }
}
