/// A derived extension that may refuse a commit, once the whole of it is known: an index whose values are unique.
///
/// It judges when a write ends, and when it is registered. It does not judge what was committed already: what recovery,
/// replay and binding lead to stands.
package protocol JudgingExtension: DatabaseExtension {
    /// Whether it ever refuses. O(1).
    var judges: Bool { get }
    /// Refuses what a write did, by throwing a `DatabaseError`. Asked where an update has asked for it, by
    /// `ExtensionContext.askToJudge()`: where there is anything in the root that may be refused.
    func judge(_ root: Root, after changes: NetChanges) throws
    /// Refuses a database that it is registered in, by throwing a `DatabaseError`.
    func judge(_ root: Root) throws
}
