/// Which changes are to be shown.
struct ChangeFilter {
    var collection: String?
    var key: String?

    var passesAll: Bool { collection == nil && key == nil }

    /// Whether a change of a record is to be shown.
    func passes(_ collection: String, _ key: String) -> Bool {
        (self.collection ?? collection) == collection && (self.key ?? key) == key
    }
}
