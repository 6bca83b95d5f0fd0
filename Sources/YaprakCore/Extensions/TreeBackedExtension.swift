package import YaprakTrees

/// An extension whose root holds trees of the database's own arena, so that they share nodes from commit to commit and are
/// reclaimed with the rest.
///
/// Such a root can be changed only in a writer's turn, where there is a draft (``ExtensionContext/draft``). What takes long,
/// the look at every record when the extension is registered, is gathered before, outside of the turn, as a value.
package protocol TreeBackedExtension: DatabaseExtension {
    /// What is gathered from the records while writers go on.
    associatedtype Seed: Sendable

    /// Nothing gathered yet.
    func makeSeed() -> Seed
    /// Adds records that are there already.
    func gather(_ changes: NetChanges, into seed: inout Seed) throws
    /// Makes the root of what was gathered, which is good for `context.before`; in a writer's turn.
    func build(_ seed: Seed, in context: ExtensionContext) throws -> Root
    /// The root that `encode` made bytes of, over the records of `context.before`; in a writer's turn.
    func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> Root
    /// Every tree that `root` owns.
    func trees(of root: Root) -> [TreeRoot]
    /// The tag of the code that made `root`, which may have been changed in a write.
    func versionTag(of root: Root) -> String
}

/// A primary extension whose steps need a draft, too.
package protocol TreeBackedPrimaryExtension: TreeBackedExtension, PrimaryExtension {
    /// Applies one step in a writer's turn. `apply(_:to:)` is not called then.
    func apply(_ operation: Operation, to root: inout Root, in context: ExtensionContext) throws -> Changes?
    /// The root that a persisted one and the steps logged after it lead to, over the records of `context.before`, and the steps
    /// that had to be taken so that it fits them: these have been applied to it, and are to be logged.
    /// - Parameter tag: what was stored with the bytes, ``versionTag(of:)`` of their root; empty if there are none. Earlier
    ///   builds may have stored another.
    func replay(
        _ bytes: [UInt8]?, tagged tag: String, _ steps: [Operation], in context: ExtensionContext
    ) throws -> (root: Root, operations: [Operation])
    /// The steps that follow from a commit that is read back and which nobody logged, as the extension was not registered.
    func unloggedSteps(following changes: NetChanges, root: Root, in context: ExtensionContext) throws -> [Operation]
    /// The changes that are reported to dependent extensions when `root` was built again from stored bytes and steps: all that
    /// was there went, and all that `root` has came. `nil` if no extension depends on changes of this kind.
    func replacementChanges(for root: Root) -> Changes?
}

extension TreeBackedPrimaryExtension {
    /// None.
    package func unloggedSteps(
        following changes: NetChanges, root: Root, in context: ExtensionContext
    ) throws -> [Operation] { [] }

    /// None.
    package func replacementChanges(for root: Root) -> Changes? { nil }
}
