/// A setting that every group has, and some have another.
///
/// Setting it for all groups forgets what single groups had; setting it for one overrides. So the order of calls counts.
struct GroupSetting<Value: Sendable>: Sendable {
    private(set) var forAll: Value
    private(set) var overrides: [String: Value] = [:]

    init(_ forAll: Value) { self.forAll = forAll }

    /// The value for one group. O(1).
    subscript(group: String) -> Value {
        get { overrides[group] ?? forAll }
        set { overrides[group] = newValue }
    }

    /// The same for all groups, also for those that come later.
    mutating func setForAll(_ value: Value) {
        forAll = value
        overrides = [:]
    }
}
