/// A part of a transaction, between two moments at which its extensions were asked for.
struct DraftSegment {
    var batch: ChangeBatch
    /// Primary extensions that were changed explicitly, and what that changed in them.
    var stepped: [(name: String, changes: (any Sendable)?)] = []
}
