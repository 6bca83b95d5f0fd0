import YaprakCBOR
import YaprakModel
import YaprakTrees

/// A registered extension with its type: calls its code.
final class TypedRegistration<Extension: DatabaseExtension>: ExtensionRegistration, @unchecked Sendable {
    let base: Extension

    private enum Kind { case derived, primary, treeBackedPrimary }
    private let kind: Kind

    // What a write asks for every time is found out once, without the types of the extension: looking those up, and casts to
    // protocols, are slow.
    override var judges: Bool { judging != nil }
    private let judging: Judging?
    private let selecting: Selecting?
    private let inPlace: InPlace?
    private let isReplayed: Bool
    private let rootType: Any.Type

    override var followsInPlace: Bool { inPlace != nil }
    override var isForReplay: Bool { isReplayed }
    override var isSelective: Bool { selecting != nil }
    override func isLeftAlone(by changes: NetChanges) -> Bool { selecting?.isLeftAlone(changes) ?? false }

    init(_ base: Extension) {
        self.base = base
        rootType = Extension.Root.self
        let judge = (base as? any JudgingExtension).flatMap { $0.judges ? $0 : nil }
        judging = judge.map { Judging($0) }
        selecting = (base as? any SelectiveExtension).flatMap { $0.isSelective ? Selecting($0) : nil }
        inPlace = (base as? any InPlaceExtension).map { InPlace($0) }
        isReplayed = base is any ReplayedExtension
        kind =
            base is any TreeBackedPrimaryExtension
            ? .treeBackedPrimary : base is any PrimaryExtension ? .primary : .derived
        super.init(base)
    }

    override var code: any DatabaseExtension { base }

    override var isPrimary: Bool { kind != .derived }

    override var followsAsides: Bool { kind == .treeBackedPrimary }

    override var logsHistory: Bool { (base as? any HistoryLogging)?.logsHistory ?? false }

    override func historyItem(from before: (any Sendable)?, to after: any Sendable) throws -> HistoryItem {
        guard let base = base as? any HistoryLogging else { return .unknown }
        func open<H: HistoryLogging>(_ base: H) throws -> HistoryItem {
            try base.historyItem(from: before as! H.Root?, to: after as! H.Root)
        }
        return try open(base)
    }

    /// A root as what it was made as. Every read and every write comes here, and a cast takes a large part of both.
    func root(_ root: any Sendable) -> Extension.Root {
        func open<Root>(_ root: Root) -> Extension.Root {
            // A root that is declared as a protocol is kept as what it is.
            Root.self == Extension.Root.self ? unsafeBitCast(root, to: Extension.Root.self) : root as! Extension.Root
        }
        return open(root)
    }

    override func judge(_ root: any Sendable, after changes: NetChanges) throws {
        guard let judging else { return }
        try withUnsafePointer(to: self.root(root)) { try judging.judge($0, changes) }
    }

    override func judge(_ root: any Sendable) throws {
        func open<J: JudgingExtension>(_ base: J) throws { try base.judge(root as! J.Root) }
        if let base = base as? any JudgingExtension { try open(base) }
    }

    override func makeRoot() -> any Sendable { base.makeRoot() }

    override func update(
        _ root: any Sendable, for changes: NetChanges, in context: ExtensionContext
    ) throws -> Update {
        var root = self.root(root)
        switch kind {
        case .derived: break
        case .primary:
            func open<P: PrimaryExtension>(_ primary: P) throws -> Update {
                try updatePrimary(primary, root as! P.Root, for: changes, in: context)
            }
            let primary = base as! any PrimaryExtension
            return try open(primary)
        case .treeBackedPrimary:
            // Boxes of changed records are exchanged first; then the steps that follow are taken.
            func open<P: TreeBackedPrimaryExtension>(_ primary: P) throws -> Update {
                var root = root as! P.Root
                let exchanged = try primary.update(&root, for: changes, in: context)
                var update = try updatePrimary(primary, root, for: changes, in: context)
                if let exchanged { update.changes.insert(exchanged, at: 0) }
                return update
            }
            let primary = base as! any TreeBackedPrimaryExtension
            return try open(primary)
        }
        var made: [any Sendable] = []
        if let changes = try base.update(&root, for: changes, in: context) { made.append(changes) }
        return Update(root: root, changes: made)
    }

    override func follow(
        _ root: inout any Sendable, for changes: NetChanges, in context: ExtensionContext
    ) throws -> (any Sendable)? {
        guard let inPlace else { preconditionFailure("\(name) is updated by the types of its root and its changes") }
        func open<Root>(_ root: inout Root) throws -> (any Sendable)? {
            precondition(Root.self == rootType, "a root is of the type of its extension")
            return try withUnsafeMutablePointer(to: &root) { try inPlace.follow($0, changes, context) }
        }
        return try open(&root)
    }

    private func updatePrimary<Primary: PrimaryExtension>(
        _ primary: Primary, _ root: Primary.Root, for changes: NetChanges, in context: ExtensionContext
    ) throws -> Update {
        var update = Update(root: root)
        let steps = try primary.operations(following: changes, root: root, in: context)
        // All are encoded before one is applied: what throws must not leave trees edited without their root.
        for step in steps { update.operations.append(try sharedEncoder.encodePart(step)) }
        for step in steps {
            let applied = try apply(step, to: update.root, in: context)
            update.root = applied.root
            if let changes = applied.changes { update.changes.append(changes) }
        }
        return update
    }

    override func encode(_ root: any Sendable) throws -> [UInt8]? { try base.encode(root as! Extension.Root) }

    override func encode(_ root: any Sendable, in state: SnapshotState) throws -> [UInt8]? {
        guard let base = base as? any SnapshotEncoding else { return try encode(root) }
        func open<S: SnapshotEncoding>(_ base: S) throws -> [UInt8]? {
            try base.encode(root as! S.Root, in: Snapshot(state))
        }
        return try open(base)
    }

    // MARK: Where roots come from

    override func makeSeed() -> any Sendable {
        guard let base = base as? any TreeBackedExtension else { return base.makeRoot() }
        func open<T: TreeBackedExtension>(_ base: T) -> any Sendable { base.makeSeed() }
        return open(base)
    }

    override func gather(
        _ changes: NetChanges, into seed: any Sendable, in context: ExtensionContext
    ) throws -> Update {
        guard let base = base as? any TreeBackedExtension else { return try update(seed, for: changes, in: context) }
        func open<T: TreeBackedExtension>(_ base: T) throws -> Update {
            var seed = seed as! T.Seed
            try base.gather(changes, into: &seed)
            return Update(root: seed)
        }
        return try open(base)
    }

    override func build(_ seed: any Sendable, in context: ExtensionContext) throws -> any Sendable {
        guard let base = base as? any TreeBackedExtension else { return seed }
        func open<T: TreeBackedExtension>(_ base: T) throws -> any Sendable {
            try base.build(seed as! T.Seed, in: context)
        }
        return try open(base)
    }

    override func decode(_ bytes: [UInt8], in context: ExtensionContext) throws -> any Sendable {
        guard let base = base as? any TreeBackedExtension else { return try base.decode(bytes) }
        func open<T: TreeBackedExtension>(_ base: T) throws -> any Sendable { try base.decode(bytes, in: context) }
        return try open(base)
    }

    override func replay(_ stored: StoredExtension, in context: ExtensionContext) throws -> Update {
        func decode<P: PrimaryExtension>(_ base: P) throws -> [P.Operation] {
            let decoder = CBORDecoder()
            return try stored.steps.map { try decoder.decode(P.Operation.self, from: $0) }
        }
        func openTreeBacked<P: TreeBackedPrimaryExtension>(_ base: P) throws -> Update {
            let (root, operations) = try base.replay(
                stored.bytes, tagged: stored.versionTag, try decode(base), in: context)
            return Update(root: root, operations: try operations.map { try sharedEncoder.encodePart($0) })
        }
        func open<P: PrimaryExtension>(_ base: P) throws -> Update {
            var root = try stored.bytes.map { try base.decode($0) } ?? base.makeRoot()
            for step in try decode(base) { _ = try base.apply(step, to: &root) }
            return Update(root: root)
        }
        if let base = base as? any TreeBackedPrimaryExtension { return try openTreeBacked(base) }
        guard let base = base as? any PrimaryExtension else { return Update(root: base.makeRoot()) }
        return try open(base)
    }

    override func follow(
        _ root: any Sendable, for changes: NetChanges, in context: ExtensionContext, _ steps: [[UInt8]],
        in stepping: ExtensionContext
    ) throws -> Update {
        func open<P: PrimaryExtension>(_ primary: P) throws -> Update {
            var update = Update(root: root)
            if primary is any TreeBackedPrimaryExtension {
                var exchanged = root as! P.Root
                if let changes = try primary.update(&exchanged, for: changes, in: context) {
                    update.changes.append(changes)
                }
                update.root = exchanged
            }
            let decoder = CBORDecoder()
            do {
                for step in steps {
                    let applied = try apply(
                        try decoder.decode(P.Operation.self, from: step), to: update.root, in: stepping)
                    update.root = applied.root
                    if let changes = applied.changes { update.changes.append(changes) }
                }
            } catch  where primary is any TreeBackedPrimaryExtension {
                // A record came, was placed and went again within the commit. What is left is what a launch makes of it.
                let stored = StoredExtension(
                    versionTag: versionTag(of: root), isPrimary: true, bytes: try encode(root), steps: steps)
                for var tree in trees(of: update.root) { stepping.draft.clear(&tree) }
                update = Update(root: try replay(stored, in: stepping).root)
                // Extensions that depend on it follow its changes, and those so far led to a root that is not used.
                func report<T: TreeBackedPrimaryExtension>(_ base: T) {
                    let changes = base.replacementChanges(for: update.root as! T.Root)
                    if let changes { update.changes = [changes] }
                }
                if let base = base as? any TreeBackedPrimaryExtension { report(base) }
            }
            func openTreeBacked<T: TreeBackedPrimaryExtension>(_ base: T) throws {
                let steps = try base.unloggedSteps(following: changes, root: update.root as! T.Root, in: context)
                for step in steps {
                    let applied = try apply(step, to: update.root, in: stepping)
                    update.root = applied.root
                    if let changes = applied.changes { update.changes.append(changes) }
                }
            }
            if let base = base as? any TreeBackedPrimaryExtension { try openTreeBacked(base) }
            return update
        }
        guard let primary = base as? any PrimaryExtension else { return Update(root: root) }
        return try open(primary)
    }

    /// Applies one step of a primary extension.
    func apply(
        _ operation: any Sendable, to root: any Sendable, in context: ExtensionContext
    ) throws -> (root: any Sendable, changes: (any Sendable)?) {
        func openTreeBacked<P: TreeBackedPrimaryExtension>(_ base: P) throws -> (any Sendable, (any Sendable)?) {
            var root = root as! P.Root
            let changes = try base.apply(operation as! P.Operation, to: &root, in: context)
            return (root, changes)
        }
        func open<P: PrimaryExtension>(_ base: P) throws -> (any Sendable, (any Sendable)?) {
            var root = root as! P.Root
            let changes = try base.apply(operation as! P.Operation, to: &root)
            return (root, changes)
        }
        if let base = base as? any TreeBackedPrimaryExtension { return try openTreeBacked(base) }
        guard let base = base as? any PrimaryExtension else { return (root, nil) }
        return try open(base)
    }

    override func versionTag(of root: any Sendable) -> String {
        guard let base = base as? any TreeBackedExtension else { return versionTag }
        func open<T: TreeBackedExtension>(_ base: T) -> String { base.versionTag(of: root as! T.Root) }
        return open(base)
    }

    override func trees(of root: any Sendable) -> [TreeRoot] {
        guard let base = base as? any TreeBackedExtension else { return [] }
        func open<T: TreeBackedExtension>(_ base: T) -> [TreeRoot] { base.trees(of: root as! T.Root) }
        return open(base)
    }
}

/// What judges a commit. The roots are those of its extension.
private struct Judging {
    let judge: (UnsafeRawPointer, NetChanges) throws -> Void

    init<J: JudgingExtension>(_ base: J) {
        judge = { try base.judge($0.assumingMemoryBound(to: J.Root.self).pointee, after: $1) }
    }
}

/// What leaves some changes alone.
private struct Selecting {
    let isLeftAlone: (NetChanges) -> Bool

    init<S: SelectiveExtension>(_ base: S) { isLeftAlone = { base.isLeftAlone(by: $0) } }
}

/// What is followed in place. The root is that of its extension.
private struct InPlace {
    let follow: (UnsafeMutableRawPointer, NetChanges, ExtensionContext) throws -> (any Sendable)?

    init<E: InPlaceExtension>(_ base: E) {
        follow = { try base.follow(&$0.assumingMemoryBound(to: E.Root.self).pointee, $1, in: $2) }
    }
}
