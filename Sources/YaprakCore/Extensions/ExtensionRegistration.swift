import YaprakCBOR
package import YaprakTrees
import YaprakStorage

/// A registered extension and its root, as a snapshot has them.
package struct ExtensionEntry: Sendable {
    let registration: ExtensionRegistration
    var root: any Sendable
}

/// A registered extension without its type: the non-generic door to its code.
package class ExtensionRegistration: @unchecked Sendable {
    // Subclasses hold only immutable Sendable state; that is the whole of the @unchecked.
    final let name: String
    final let versionTag: String
    final let dependencies: [String]
    final let collectionNames: Set<String>?

    init(name: String, versionTag: String, dependencies: [String], collectionNames: [String]?) {
        self.name = name
        self.versionTag = versionTag
        self.dependencies = dependencies
        self.collectionNames = collectionNames.map { Set($0) }
    }

    /// What came of an update.
    struct Update {
        var root: any Sendable
        var changes: (any Sendable)?
        /// Primary steps that followed, encoded for the log.
        var operations: [[UInt8]] = []
    }

    func makeRoot() -> any Sendable { fatalError("abstract") }
    func update(_ root: any Sendable, for changes: NetChanges, in context: ExtensionContext) throws -> Update {
        fatalError("abstract")
    }
    func encode(_ root: any Sendable) throws -> [UInt8]? { fatalError("abstract") }
    func decode(_ bytes: [UInt8]) throws -> any Sendable { fatalError("abstract") }
    /// Whether the state is primary: kept and replayed without the extension's code.
    var isPrimary: Bool { fatalError("abstract") }
    /// Applies one logged step.
    func replay(_ operation: [UInt8], on root: any Sendable) throws -> any Sendable { fatalError("abstract") }
    /// The trees that a root owns in the database's own arena.
    func trees(of root: any Sendable) -> [TreeRoot] { [] }

    /// Whether any of the changes can matter to this extension.
    final func isConcerned(by batch: ChangeBatch) -> Bool {
        guard let collectionNames else { return true }
        return batch.clearedAll || batch.collections.contains { collectionNames.contains($0.binding.name) }
    }
}

/// An extension whose root holds trees of the database's own arena, so that they are reclaimed with the rest.
package protocol TreeBackedExtension: DatabaseExtension {
    /// Every tree that `root` owns.
    func trees(of root: Root) -> [TreeRoot]
}

final class TypedRegistration<Extension: DatabaseExtension>: ExtensionRegistration, @unchecked Sendable {
    let base: Extension

    init(_ base: Extension) {
        self.base = base
        super.init(
            name: base.name, versionTag: base.versionTag, dependencies: base.dependencies,
            collectionNames: base.collectionNames)
    }

    override var isPrimary: Bool { base is any PrimaryExtension }

    override func makeRoot() -> any Sendable { base.makeRoot() }

    override func update(
        _ root: any Sendable, for changes: NetChanges, in context: ExtensionContext
    ) throws -> Update {
        var root = root as! Extension.Root
        if let primary = base as? any PrimaryExtension {
            return try updatePrimary(primary, root, for: changes, in: context)
        }
        let changes = try base.update(&root, for: changes, in: context)
        return Update(root: root, changes: changes)
    }

    private func updatePrimary<Primary: PrimaryExtension>(
        _ primary: Primary, _ root: any Sendable, for changes: NetChanges, in context: ExtensionContext
    ) throws -> Update {
        var root = root as! Primary.Root
        let steps = try primary.operations(following: changes, root: root, in: context)
        var update = Update(root: root)
        for step in steps {
            update.changes = try primary.apply(step, to: &root) ?? update.changes
            update.operations.append(try CBOREncoder().encode(step))
        }
        update.root = root
        return update
    }

    override func encode(_ root: any Sendable) throws -> [UInt8]? { try base.encode(root as! Extension.Root) }
    override func decode(_ bytes: [UInt8]) throws -> any Sendable { try base.decode(bytes) }

    override func replay(_ operation: [UInt8], on root: any Sendable) throws -> any Sendable {
        guard let primary = base as? any PrimaryExtension else { return root }
        return try replay(primary, operation, root)
    }

    private func replay<Primary: PrimaryExtension>(
        _ primary: Primary, _ operation: [UInt8], _ root: any Sendable
    ) throws -> any Sendable {
        var root = root as! Primary.Root
        _ = try primary.apply(try CBORDecoder().decode(Primary.Operation.self, from: operation), to: &root)
        return root
    }

    override func trees(of root: any Sendable) -> [TreeRoot] {
        guard let base = base as? any TreeBackedExtension else { return [] }
        func open<T: TreeBackedExtension>(_ base: T) -> [TreeRoot] { base.trees(of: root as! T.Root) }
        return open(base)
    }
}
