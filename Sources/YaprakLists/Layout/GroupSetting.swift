/// A setting for all groups, which single groups override.
///
/// Setting it for all groups discards the overrides; setting it for one adds one. So the order of calls counts.
struct GroupSetting<Value: Sendable>: Sendable {
    private(set) var forAll: Value
    private(set) var overrides: [String: Value] = [:]

    init(_ forAll: Value) { self.forAll = forAll }

    /// The value for one group. O(1).
    subscript(group: String) -> Value {
        get { overrides[group] ?? forAll }
        set { overrides[group] = newValue }
    }

    /// Sets all groups, and those that come later.
    mutating func setForAll(_ value: Value) {
        forAll = value
        overrides = [:]
    }
}

extension GroupSetting<Set<Int>> {
    /// Whether it is anything but empty for any group.
    var isAnySet: Bool { !forAll.isEmpty || overrides.values.contains { !$0.isEmpty } }
}

extension GroupSetting<Bool> {
    /// Whether it is true for any group.
    var isAnySet: Bool { forAll || overrides.values.contains(true) }
}
