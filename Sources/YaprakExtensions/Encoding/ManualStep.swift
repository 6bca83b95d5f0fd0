/// One explicit step of a ``ManualView``, as it stands in the log.
public struct ManualStep: Codable, Sendable {
    enum Action: Codable, Sendable {
        case insert(Member, group: String, index: Int)
        case remove([Member])
        case removeGroup(String)
    }

    /// A row by the names that last: of its collection, and its key.
    struct Member: Codable, Sendable, Hashable {
        var collection: String
        var key: String
    }

    let action: Action

    init(_ action: Action) { self.action = action }
}
