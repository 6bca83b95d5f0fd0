import YaprakModel
import YaprakTrees

extension Database {
    /// Binds collections to their types, so that they can be read and written.
    ///
    ///     try await database.bind(.books, .authors)
    ///
    /// Records that came from disk are decoded here, on all cores, and migrated where their version is older. In memory,
    /// and for collections that are new, binding is free and may be left out. It makes no commit; snapshots taken before
    /// don't see it. Binding again with the same types changes the coder, the checks and the migrations from then on; what the
    /// former coder wrote stays in the log, so the next launch names it among ``CollectionConfiguration/earlierCoders``.
    ///
    /// - Throws: `undecodableRecord` with the first keys (nothing is lost, and nothing is bound then), `migrationFailed`,
    ///   `invalidName`, `overLimit`, `extensionFailed` if an extension can't follow records that it now gets to see,
    ///   `uniqueViolation` if a unique index finds equal values in them (nothing is bound then, either), `readOnly`,
    ///   `closed`; where a primary extension takes steps for those records, what a write throws whose commit the log refuses;
    ///   `CancellationError` if the task is cancelled before its turn.
    /// - Precondition: no collection is bound to other types already.
    /// - Complexity: O(number of records that are decoded).
    public func bind<each Object, each Metadata>(
        _ collections: repeat RecordCollection<each Object, each Metadata>
    ) async throws {
        var bindings: [CollectionBinding] = []
        repeat bindings.append(TypedBinding(each collections))
        try await bind(bindings)
    }

    func bind(_ bindings: [CollectionBinding]) async throws {
        for binding in bindings {
            if let error = invalidName(binding.name, of: "collection") { throw error }
        }
        try await exclusively { draft in
            var shelf = shelf
            for binding in bindings { try draft.bind(binding, &shelf) }
            self.shelf = shelf
        }
    }

    /// Changes the shape of the database without a commit, unless primary extensions took steps: in a turn of its own, when
    /// the log has caught up.
    ///
    /// - Parameter prepare: runs in the turn, before the draft begins; `working` is what the draft will start from.
    func exclusively(_ prepare: () throws -> Void = {}, _ body: (Draft) throws -> Void) async throws {
        try await turns.take()
        defer { passTurn() }
        await waitForLog()
        try checkWritable()
        try prepare()
        let (base, remade) = (shelf.base, shelf.remadeCollections)
        do {
            try await changeShape(body)
        } catch {
            // The base has types that were not bound after all, or a root that was not adopted: the next try would read the
            // values of the one as bytes.
            shelf.goBack(to: base, remade)
            throw error
        }
    }

    private func changeShape(_ body: (Draft) throws -> Void) async throws {
        let draft = try beginDraft()
        do {
            try body(draft)
        } catch {
            draft.abort()
            draft.end(at: working)
            reclaimer.reclaimSome(timeline)
            throw error
        }
        defer { draft.end(at: working) }
        if !draft.primarySteps.isEmpty {
            // Primary state followed, and can't be recomputed: that is logged like any other of its operations.
            defer { reclaimer.reclaimSome(timeline) }
            try await finish(draft, origin: "")?.wait()
            return
        }
        working = draft.sealTrees(number: working.number)
        publication.publish(working)
        reclaimer.reclaimSome(timeline)
    }
}
