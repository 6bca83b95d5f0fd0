/// A derived extension that may refuse a commit, once the whole of it is known: an index whose values are unique.
///
/// It judges when a write ends, and when it is registered. It does not judge what was committed already: what recovery,
/// replay and binding lead to stands.
package protocol JudgingExtension: DatabaseExtension {
    /// Whether it ever refuses. O(1).
    var judges: Bool { get }
    /// Whether there is anything in a root that may be refused. O(1).
    func mayRefuse(_ root: Root) -> Bool
    /// Refuses what a write did, by throwing a `DatabaseError`. Asked where `mayRefuse(_:)` was true after an update.
    func judge(_ root: Root, after changes: NetChanges) throws
    /// Refuses a database that it is registered in, by throwing a `DatabaseError`.
    func judge(_ root: Root) throws
}
