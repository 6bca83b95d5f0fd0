import YaprakCBOR
import YaprakModel
import YaprakTrees

extension Draft: FollowedWriter {
    var hasAsides: Bool { directory.hasAsides }
}

// How extensions follow a transaction.
//
// Changes are noted in segments. A segment ends when the transaction asks for an extension, or when it ends itself; each
// extension then processes the segments it has not seen, parents before dependants: they stand in the order in which
// they were registered, and a parent is always registered first.
extension Draft {
    /// Brings every extension up to date with what the transaction did so far.
    /// - Throws: `extensionFailed` with what the extension threw.
    func catchUp() throws {
        if let failure { throw failure }
        closeSegment()
        while caughtUpSegments < segments.count {
            let segment = segments[caughtUpSegments]
            try process(segment)
            caughtUpSegments += 1
            forgetFrozen()
        }
    }

    /// Brings every extension up to date at the end of a transaction that has asked for none: without a segment for what it did.
    /// - Returns: what was given.
    /// - Throws: as ``catchUp()``.
    func catchUp(with all: consuming ChangeBatch) throws -> ChangeBatch {
        isAtEnd = true
        // A copy would count a dozen references.
        let changes = NetChanges(batch: all)
        try process(changes, [])
        isAtEnd = false
        forgetFrozen()
        return changes.batch
    }

    /// Whether extensions may be given a batch as it is.
    func isForExtensions(_ batch: ChangeBatch) -> Bool { !directory.hasAsides && !batch.hasUntyped }

    /// Whether every extension has followed what the transaction did.
    var isCaughtUp: Bool { recorders.isEmpty && !clearedAll && caughtUpSegments == segments.count && !isAtEnd }

    /// Whether any extension has to follow what a batch did.
    func concernsExtensions(_ batch: ChangeBatch) -> Bool {
        if loggedSteps != nil { return true }
        if batch.isEmpty { return false }
        for index in extensions.indices where isConcerned(extensions.registration(at: index), by: batch) { return true }
        return false
    }

    /// Whether an extension has to look at a batch: it may concern it, and the extension does not say that it leaves it alone.
    func isConcerned(_ registration: ExtensionRegistration, by batch: ChangeBatch) -> Bool {
        guard registration.isConcerned(by: batch) else { return false }
        return !registration.isSelective || !registration.isLeftAlone(by: NetChanges(batch: batch))
    }

    /// Whether an extension is called for records that went and were set aside, of which it is given nothing.
    private func isConcerned(_ registration: ExtensionRegistration, byUntold segment: DraftSegment?) -> Bool {
        guard let segment, registration.followsAsides else { return false }
        return registration.isConcerned(by: segment.batch)
    }

    /// Ends the segment under way, if anything is in it.
    func closeSegment() {
        guard !recorders.isEmpty || clearedAll else { return }
        let batch = takeBatch()
        // A state from before says that extensions are behind.
        forgetFrozen()
        if !batch.isEmpty { segments.append(DraftSegment(batch: consume batch)) }
    }

    private func process(_ segment: DraftSegment) throws {
        guard !extensions.isEmpty else { return }
        if !isForExtensions(segment.batch) {
            return try process(NetChanges(batch: segment.batch.forExtensions), segment.stepped, untold: segment)
        }
        // Lent, and put back unless the transaction has failed: a copy would count a dozen references.
        let changes = NetChanges(batch: segment.takeBatch())
        try process(changes, segment.stepped)
        segment.putBack(changes.batch)
    }

    /// - Parameter untold: what happened, where that is more than extensions are given.
    private func process(
        _ changes: NetChanges, _ stepped: [(name: String, changes: (any Sendable)?)], untold: DraftSegment? = nil
    ) throws {
        // Nobody asks for the changes of those that no other depends on.
        let reported = extensions.parents.isEmpty ? nil : ReportedChanges()
        var updated: Set<String> = []
        for step in stepped {
            updated.insert(step.name)
            if let changes = step.changes { reported?.add(changes, of: step.name) }
        }
        var context: ExtensionContext?
        for index in extensions.indices {
            let registration = extensions.registration(at: index)
            guard
                !changes.isEmpty && registration.isConcerned(by: changes.batch)
                    && !registration.isLeftAlone(by: changes)
                    || !updated.isEmpty && registration.dependencies.contains(where: updated.contains)
                    || loggedSteps?[registration.name] != nil
                    || isConcerned(registration, byUntold: untold)
            else { continue }
            let given = context ?? self.context(parentChanges: reported)
            context = given
            let isParent = reported != nil && extensions.parents.contains(registration.name)
            if isParent { updated.insert(registration.name) }
            if registration.followsInPlace {
                var root = extensions.root(at: index)
                do {
                    if let changes = try registration.follow(&root, for: changes, in: given) {
                        if isParent { reported?.add(changes, of: registration.name) }
                        extensionChanges.append((registration.name, changes))
                    }
                } catch {
                    throw failed(error, in: registration)
                }
                replaceRoot(at: index, by: consume root, seenIn: given)
                continue
            }
            let update = try update(registration, extensions.root(at: index), for: changes, in: given)
            replaceRoot(at: index, by: update.root, seenIn: given)
            for changes in update.changes {
                if isParent { reported?.add(changes, of: registration.name) }
                extensionChanges.append((registration.name, changes))
            }
            for step in update.operations { primarySteps.append((registration.name, step)) }
        }
        if let context, context.isToBeJudged { isToBeJudged = true }
    }

    /// Takes what an extension has made of its root.
    private func replaceRoot(at index: Int, by root: consuming any Sendable, seenIn context: ExtensionContext) {
        // The state it may have looked at goes first: an entry that only this draft holds is changed in place, where copying
        // all entries for each of them would make a commit quadratic.
        context.forgetAfter()
        forgetFrozen()
        extensions[index].root = root
    }

    /// What an extension makes of changes. Nothing that it looked at through its context outlives the call.
    private func update(
        _ registration: ExtensionRegistration, _ root: any Sendable, for changes: NetChanges,
        in context: ExtensionContext
    ) throws -> ExtensionRegistration.Update {
        try wrap(registration) {
            guard let loggedSteps, registration.isPrimary else {
                return try registration.update(root, for: changes, in: context)
            }
            let after = freeze()
            return try registration.follow(
                root, for: changes, in: context, loggedSteps[registration.name] ?? [],
                in: ExtensionContext(before: after, after: after, draft: tree))
        }
    }

    /// Applies a step to a primary extension.
    func perform<Extension: PrimaryExtension>(_ operation: Extension.Operation, on extension: Extension) throws {
        try catchUp()
        lastCaughtUp = freeze()
        guard countOperation() else { throw failure! }
        guard let index = extensions.index(of: `extension`.name) else {
            throw DatabaseError.notRegistered(`extension`.name)
        }
        guard let registration = extensions[index].registration.typed(as: Extension.self) else {
            throw DatabaseError.otherExtension(`extension`.name, Extension.self)
        }
        let (applied, encoded) = try wrap(registration) {
            // Encoded before it is applied: what throws must not leave the trees of an extension edited without its root.
            let encoded = try sharedEncoder.encodePart(operation)
            return (try registration.apply(operation, to: extensions[index].root, in: context()), encoded)
        }
        primarySteps.append((registration.name, encoded))
        extensions[index].root = applied.root
        try step(registration.name, applied.changes)
    }

    /// Changes the root of an extension directly, without a step that is logged: the way its root is computed, for example.
    /// - Throws: `extensionNotRegistered`, `typeMismatch`, and what `body` throws.
    package func modify<Extension: DatabaseExtension>(
        _ extension: Extension,
        _ body: (inout Extension.Root, ExtensionContext) throws -> Extension.Changes?
    ) throws {
        try catchUp()
        lastCaughtUp = freeze()
        guard let index = extensions.index(of: `extension`.name) else {
            throw DatabaseError.notRegistered(`extension`.name)
        }
        guard var root = extensions[index].root as? Extension.Root else {
            throw DatabaseError.otherExtension(`extension`.name, Extension.self)
        }
        let changes = try wrap(extensions[index].registration) { try body(&root, context()) }
        extensions[index].root = root
        isModified = true
        try step(`extension`.name, changes)
    }

    private func step(_ name: String, _ changes: (any Sendable)?) throws {
        forgetFrozen()
        if let changes { extensionChanges.append((name, changes)) }
        // Dependants follow at once, so that no segment mixes a step with changes of records.
        segments.append(DraftSegment(batch: ChangeBatch(), stepped: [(name, changes)]))
        try catchUp()
        lastCaughtUp = freeze()
    }

    private func context(parentChanges: ReportedChanges? = nil) -> ExtensionContext {
        ExtensionContext(before: lastCaughtUp, following: self, draft: tree, parentChanges: parentChanges)
    }

    /// A snapshot in which records and extensions are both up to date.
    func currentSnapshot() throws -> Snapshot {
        try catchUp()
        let state = freeze()
        lastCaughtUp = state
        return Snapshot(state)
    }

    private func wrap<Result>(_ registration: ExtensionRegistration, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw failed(error, in: registration)
        }
    }

    /// What a write throws because an extension threw something. The draft has failed with it.
    private func failed(_ error: any Error, in registration: ExtensionRegistration) -> DatabaseError {
        let failure =
            error as? DatabaseError
            ?? DatabaseError(
                .extensionFailed,
                "extension \"\(registration.name)\" threw while it followed a write. Nothing of the write was kept.",
                cause: error)
        // Those before it have followed already, and its own trees may be half done: there is no way on from here,
        // whatever the closure makes of the error.
        fail(failure)
        return failure
    }
}
