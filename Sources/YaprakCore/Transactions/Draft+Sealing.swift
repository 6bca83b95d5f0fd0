import YaprakCBOR
import YaprakModel
import YaprakTrees

// The end of a transaction.
extension Draft {
    /// A commit that is made, and not yet seen by anybody. Nothing copies it: a dozen references would be counted.
    struct Sealed: ~Copyable {
        let state: SnapshotState
        let contents: CommitContents
        /// The commit as it goes to the log; `nil` without one.
        let item: [UInt8]?

        /// What the changeset keeps in memory, about; see ``DatabaseOptions/lagBytesLimit``.
        var retainedBytes: Int { contents.retainedBytes(encodedAs: item) }
    }

    /// Makes the next state and its changeset, and delivers them; does not if the transaction changed nothing. Either way the
    /// draft is over.
    ///
    /// - Parameter deliver: gets the commit where it was made: to return it would move it several times.
    /// - Returns: what `deliver` returns; `nil` if nothing was changed.
    /// - Throws: the failure that was put aside, what an extension threw, `uniqueViolation`, `encodingFailed`,
    ///   `valueTooLarge`. Everything is then as before the transaction. And what `deliver` throws.
    func seal<Delivery>(
        origin: String, deliver: (consuming Sealed) throws -> Delivery?
    ) throws -> Delivery? {
        let contents: CommitContents
        let item: [UInt8]?
        let state: SnapshotState
        do {
            if let failure { throw failure }
            // Most writes concern no extension: then there is nothing to follow, and nothing to add up.
            var batch = segments.isEmpty ? takeBatch() : ChangeBatch()
            if !segments.isEmpty || concernsExtensions(batch) {
                forgetFrozen()
                if segments.isEmpty, loggedSteps == nil, isForExtensions(batch) {
                    batch = try catchUp(with: consume batch)
                } else {
                    if !batch.isEmpty { segments.append(DraftSegment(batch: consume batch)) }
                    try catchUp()
                    batch =
                        segments.count == 1
                        ? segments[0].takeBatch() : ChangeBatch(sumOf: segments.map(\.batch)[...])
                }
                if let failure { throw failure }
                addGoneAsides(to: &batch)
                try judge(batch)
            } else if !goneAsides.isEmpty {
                addGoneAsides(to: &batch)
            }
            if batch.isEmpty && info == nil && primarySteps.isEmpty && !isModified {
                abort()
                return nil
            }
            contents = CommitContents(
                number: baseNumber.next(), origin: origin, nanoseconds: environment.clock(), info: info,
                batch: consume batch, extensionChanges: extensionChanges)
            item =
                environment.encodes ? try CommitEncoder(environment).encode(contents, primarySteps, histories()) : nil
            if !environment.encodes { try CommitEncoder.checkNesting(contents) }
            if environment.checksDecoding { try CommitEncoder.check(contents) }
            state = sealTrees(nanoseconds: contents.nanoseconds)
        } catch {
            abort()
            throw error
        }
        return try deliver(Sealed(state: state, contents: consume contents, item: item))
    }

    /// Whether the transaction did nothing but change records of one collection, which nobody follows but those who are given
    /// the changeset: then it can't fail, and ``sealPlain()`` ends it. Most are such where there is no log.
    var isPlain: Bool {
        guard let slot = recorders.onlySettledSlot, segments.isEmpty, failure == nil, info == nil, !clearedAll,
            !isModified,
            primarySteps.isEmpty, extensionChanges.isEmpty, goneAsides.isEmpty, loggedSteps == nil,
            !environment.encodes, !environment.checksDecoding
        else { return false }
        if Unmanaged.passUnretained(directory)._withUnsafeGuaranteedRef({ $0.mayNestTooDeep(slot) }) { return false }
        return extensions.isEmpty || !concernsExtensions(onlyIn: slot)
    }

    /// Whether any extension may have to follow changes of one collection.
    private func concernsExtensions(onlyIn slot: Int) -> Bool {
        let name = directory.bindings[slot].name
        return extensions.indices.contains { extensions.registration(at: $0).isConcerned(byCollectionNamed: name) }
    }

    /// Makes the next state of a transaction that is plain. The draft is over, and its notes stay until it ends: what it did can
    /// be asked of ``takeContents(origin:nanoseconds:)``.
    func sealPlain() -> (state: SnapshotState, nanoseconds: Int64) {
        let nanoseconds = environment.clock()
        return (sealTrees(nanoseconds: nanoseconds), nanoseconds)
    }

    /// Takes out what a transaction did that was plain and is sealed. No record is let go.
    func takeContents(origin: String, nanoseconds: Int64) -> CommitContents {
        CommitContents(
            number: baseNumber, origin: origin, nanoseconds: nanoseconds, info: nil, batch: takeBatch(),
            extensionChanges: [])
    }

    /// Asks the extensions that may refuse the commit.
    private func judge(_ batch: ChangeBatch) throws {
        guard isToBeJudged else { return }
        for index in extensions.indices {
            let registration = extensions.registration(at: index)
            guard registration.judges, isConcerned(registration, by: batch) else { continue }
            try registration.judge(extensions.root(at: index), after: NetChanges(batch: batch))
        }
    }

    /// Ends the draft as a new state of the commit `number`, without a changeset.
    /// - Parameter nanoseconds: the time of the commit, if it is one.
    func sealTrees(number: CommitNumber? = nil, nanoseconds: Int64? = nil) -> SnapshotState {
        let number = number ?? baseNumber.next()
        let version = sealTree(VersionLabel(number: number.rawValue, nanoseconds: nanoseconds))
        assert(
            extensions.allSatisfy { entry in entry.registration.trees(of: entry.root).allSatisfy { version.covers($0) }
            },
            "a version is younger than every node in it")
        let state = SnapshotState(
            number: number, directory: directory, roots: roots, extensions: extensions, reactions: reactions,
            version: version)
        settle(as: state)
        return state
    }

    /// Undoes everything. Snapshots that were frozen on the way stay what they are.
    /// - Complexity: O(what was changed), and the number of trees that extensions own.
    func abort() {
        tree.abort(roots: SnapshotState.trees(roots, notSharedWith: base.roots, extensions))
        noteAbort()
    }

    func setInfo(_ value: some Codable & Sendable) {
        guard environment.encodes || environment.checksDecoding else {
            info = .value(value, encoded: nil)
            return
        }
        do { info = .value(value, encoded: try sharedEncoder.encodePart(value)) } catch { fail(error) }
    }
}

extension SnapshotState {
    /// The trees of collections that may differ from those of a state before, and all that extensions own.
    static func trees(
        _ roots: RootVector, notSharedWith before: RootVector,
        _ extensions: ExtensionTable
    ) -> [TreeRoot] {
        roots.slots(notSharedWith: before).map { roots[$0] }
            + extensions.flatMap { $0.registration.trees(of: $0.root) }
    }

    /// Every tree of a state: those of the collections, and those that extensions own. O(number of collections).
    var trees: [TreeRoot] {
        var all: [TreeRoot] = []
        visitTrees { all.append($0) }
        return all
    }

    /// Passes the same trees on, one by one.
    func visitTrees(_ visit: (TreeRoot) -> Void) {
        // By slot, and only if there are extensions: an iterator copies the collection and counts all its references.
        for slot in 0..<roots.count { visit(roots[slot]) }
        if extensions.isEmpty { return }
        for entry in extensions { for root in entry.registration.trees(of: entry.root) { visit(root) } }
    }

    /// The trees that a later state may have given up or made, counted from an earlier one.
    func trees(since before: SnapshotState) -> [TreeRoot] {
        Self.trees(roots, notSharedWith: before.roots, extensions)
    }
}
