import YaprakCBOR
import YaprakModel
import YaprakTrees

/// A registered extension without its type: the non-generic interface to its code.
package class ExtensionRegistration: ExtensionIdentity, @unchecked Sendable {
    /// What came of an update.
    struct Update {
        var root: any Sendable
        /// In the order in which they were made.
        var changes: [any Sendable] = []
        /// Primary steps that followed, encoded for the log.
        var operations: [[UInt8]] = []
    }

    /// The type of the extension.
    private let extensionType: any DatabaseExtension.Type

    init<Extension: DatabaseExtension>(_ extension: Extension) {
        extensionType = Extension.self
        super.init(
            name: `extension`.name, versionTag: `extension`.versionTag, dependencies: `extension`.dependencies,
            collectionNames: `extension`.collectionNames)
    }

    /// The registration with its type, if that is the type of the extension. Every read comes here: types are compared, because a
    /// cast to a generic class looks the class up, which takes a tenth of finding a group in a view.
    @inline(__always)
    final func typed<Extension: DatabaseExtension>(as type: Extension.Type) -> TypedRegistration<Extension>? {
        extensionType == type ? unsafeDowncast(self, to: TypedRegistration<Extension>.self) : nil
    }

    /// The extension itself.
    var code: any DatabaseExtension { fatalError("abstract") }
    /// Gathers what a tree-backed root is made of, or makes the root itself.
    func makeSeed() -> any Sendable { fatalError("abstract") }
    /// Adds records that are there already to a seed.
    func gather(_ changes: NetChanges, into seed: any Sendable, in context: ExtensionContext) throws -> Update {
        fatalError("abstract")
    }
    /// Makes a root of a seed; in a writer's turn.
    func build(_ seed: any Sendable, in context: ExtensionContext) throws -> any Sendable { fatalError("abstract") }
    /// Decodes a root; in a writer's turn.
    func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> any Sendable { fatalError("abstract") }
    /// The root that a persisted primary one and steps lead to, and the steps that follow; in a writer's turn.
    func replay(_ stored: StoredExtension, in context: ExtensionContext) throws -> Update { fatalError("abstract") }
    /// What a primary extension makes of a commit that is read back: its steps are those that were logged.
    /// - Parameter stepping: where the changes of records are made already.
    func follow(
        _ root: any Sendable, for changes: NetChanges, in context: ExtensionContext, _ steps: [[UInt8]],
        in stepping: ExtensionContext
    ) throws -> Update { fatalError("abstract") }
    /// The version tag of a root, which a write may have changed.
    func versionTag(of root: any Sendable) -> String { versionTag }
    func makeRoot() -> any Sendable { fatalError("abstract") }
    func update(_ root: any Sendable, for changes: NetChanges, in context: ExtensionContext) throws -> Update {
        fatalError("abstract")
    }
    func encode(_ root: any Sendable) throws -> [UInt8]? { fatalError("abstract") }
    /// The bytes of a root for a checkpoint of the state it is part of.
    func encode(_ root: any Sendable, in state: SnapshotState) throws -> [UInt8]? { try encode(root) }
    /// Whether the state is primary: kept and replayed without the extension's code.
    var isPrimary: Bool { fatalError("abstract") }
    /// The trees that a root owns in the database's own arena.
    func trees(of root: any Sendable) -> [TreeRoot] { [] }
    /// Whether it is called where nothing happened but that records went which were set aside: it keeps something for them.
    var followsAsides: Bool { false }
    /// Whether each commit logs what it did to the root.
    var logsHistory: Bool { false }
    /// What led from one root to another; from nothing if `before` is `nil`.
    func historyItem(from before: (any Sendable)?, to after: any Sendable) throws -> HistoryItem { .unknown }

    /// Whether ``follow(_:for:in:)`` takes the place of an update; see ``InPlaceExtension``.
    var followsInPlace: Bool { false }

    /// Brings a root up to date where it is.
    /// - Returns: its changes.
    func follow(
        _ root: inout any Sendable, for changes: NetChanges, in context: ExtensionContext
    ) throws -> (any Sendable)? {
        fatalError("abstract")
    }

    /// Whether only a replay keeps its root up to date; see ``ReplayedExtension``.
    var isForReplay: Bool { false }

    /// Whether it says which changes it leaves alone.
    var isSelective: Bool { false }
    /// Whether changes leave its root as it is; see ``SelectiveExtension``.
    func isLeftAlone(by changes: NetChanges) -> Bool { false }

    /// Whether it may refuse a commit; see ``JudgingExtension``.
    var judges: Bool { false }
    /// Refuses what a write did, if it has to.
    func judge(_ root: any Sendable, after changes: NetChanges) throws {}
    /// Refuses to be registered, if it has to.
    func judge(_ root: any Sendable) throws {}

    /// Whether any of the changes can matter to this extension.
    final func isConcerned(by batch: ChangeBatch) -> Bool {
        if batch.clearedAll { return true }
        if let onlyCollectionName { return batch.concerns(onlyCollectionName) }
        guard let collectionNames else { return true }
        return batch.concerns(anyOf: collectionNames)
    }

    /// Whether changes of the collection called `name` can matter to it, if nothing else has changed.
    final func isConcerned(byCollectionNamed name: String) -> Bool {
        if let onlyCollectionName { return onlyCollectionName == name }
        return collectionNames?.contains(name) ?? true
    }
}

extension ExtensionTable {
    /// The code of the extension at an index. Nothing of its root is copied.
    func registration(at index: Int) -> ExtensionRegistration {
        // As below.
        unsafeDowncast(identity(at: index), to: ExtensionRegistration.self)
    }
}

extension ExtensionEntry {
    /// An extension that was never registered: it is part of a replay without types.
    package init<Extension: DatabaseExtension>(_ extension: Extension, root: Extension.Root) {
        self.init(registration: TypedRegistration(`extension`), root: root)
    }

    /// The extension, if it is of that type.
    package func code<Extension: DatabaseExtension>(as type: Extension.Type) -> Extension? {
        registration.typed(as: type)?.base
    }

    /// The code of the extension.
    var registration: ExtensionRegistration {
        // Every identity that is made is a registration's.
        unsafeDowncast(identity, to: ExtensionRegistration.self)
    }

    init(registration: ExtensionRegistration, root: any Sendable) {
        self.init(identity: registration, root: root)
    }
}
