import YaprakCore

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

        /// The same with its key in the form that records have: a file can have any.
        var normalized: Member { Member(collection: collection, key: key.normalizedKey) }
    }

    let action: Action

    init(_ action: Action) { self.action = action }
}
