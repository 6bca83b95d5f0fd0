/// A registered extension and its root, as a snapshot has them.
package struct ExtensionEntry: Sendable {
    let identity: ExtensionIdentity
    package var root: any Sendable
    /// Of an extension that logs what commits do to it: whether the log, or a checkpoint, has the root.
    var isInLog = false
    /// Whether the root has missed changes for good: of what began with a state that was ahead of its extensions.
    package var isBehind = false

    init(identity: ExtensionIdentity, root: any Sendable) {
        self.identity = identity
        self.root = root
    }

    /// The name.
    package var name: String { identity.name }
}

/// What a snapshot knows of a registered extension: its name, its version, what it reads. Not its code, which is the
/// subclass's, `ExtensionRegistration`.
package class ExtensionIdentity: @unchecked Sendable {
    // Subclasses hold only immutable Sendable state; that is the whole of the @unchecked.
    final let name: String
    final let versionTag: String
    final let dependencies: [String]
    final let collectionNames: Set<String>?
    /// The name, if `collectionNames` has one: nothing is hashed to compare it.
    final let onlyCollectionName: String?

    init(name: String, versionTag: String, dependencies: [String], collectionNames: [String]?) {
        self.name = name
        self.versionTag = versionTag
        self.dependencies = dependencies
        self.collectionNames = collectionNames.map { Set($0) }
        onlyCollectionName = collectionNames?.count == 1 ? collectionNames?.first : nil
    }
}
