/// A part of a transaction, between two moments at which its extensions were asked for.
final class DraftSegment {
    private(set) var batch: ChangeBatch
    /// Primary extensions that were changed explicitly, and what that changed in them.
    let stepped: [(name: String, changes: (any Sendable)?)]

    init(batch: consuming ChangeBatch, stepped: [(name: String, changes: (any Sendable)?)] = []) {
        self.batch = batch
        self.stepped = stepped
    }

    /// Takes the changes out, until they are put back or nobody looks at the segment any more.
    func takeBatch() -> ChangeBatch {
        var taken = ChangeBatch()
        swap(&taken, &batch)
        return taken
    }

    /// Puts changes back that were taken out.
    func putBack(_ taken: consuming ChangeBatch) { batch = taken }
}
