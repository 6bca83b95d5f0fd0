import Logging
import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// Adds an extension; from then on it follows every commit.
    ///
    ///     try await database.register(salesRank)
    ///
    /// What is in the database already is put in first, a stretch at a time, while writes go on; a root that came with a
    /// checkpoint is adopted instead if its version tag is the same and it had seen all records that were there, and brought
    /// up to date with what changed since, however late it is registered. Registering makes no commit, unless it is a
    /// ``PrimaryExtension`` that takes steps for the records that are there: those are logged. Snapshots taken before
    /// don't have the extension.
    ///
    /// - Parameter progress: called while records are put in, on no thread in particular.
    /// - Returns: the actor that hosts the extension.
    /// - Throws: `nameTaken`, also where primary state of that name waits for its extension and this one is derived;
    ///   `missingExtension`, `invalidName`, `extensionFailed`, `readOnly`, `closed`; `uniqueViolation` for
    ///   a unique index if two records have the same values; where a primary extension takes steps for the records that are
    ///   there, what a write throws whose commit the log refuses; `CancellationError` if the task is cancelled while records are
    ///   put in. Nothing is registered then.
    /// - Complexity: O(number of records) the first time, O(changes) when a root is adopted.
    @discardableResult
    public func register(
        _ extension: some DatabaseExtension,
        progress: (@Sendable (PopulationProgress) -> Void)? = nil
    ) async throws -> ExtensionHost {
        let registration = TypedRegistration(`extension`)
        let host = ExtensionHost(registration, database: self)
        try admit(registration)
        hosts[registration.name] = host
        do {
            try await register(host, progress)
        } catch {
            if hosts[registration.name] === host { hosts[registration.name] = nil }
            await host.didUnregister()
            if error is DatabaseError || error is CancellationError { throw error }
            throw DatabaseError(
                .extensionFailed,
                "extension \"\(registration.name)\" threw while it was populated. It is not registered.",
                cause: error)
        }
        return host
    }

    /// Takes a new extension in.
    ///
    /// Work that grows with the number of records is done before the turn, in trees of the newcomer's own: putting the
    /// records in, sorting, decoding, and catching up with what was committed meanwhile, until little is left. The turn does
    /// the rest, and takes the trees over as they are.
    ///
    /// Two kinds are made in the turn: primary state, because its operations are logged in the order of the
    /// commits, and what reads other extensions, because only a commit records what it did to those.
    private func register(_ host: ExtensionHost, _ progress: (@Sendable (PopulationProgress) -> Void)?) async throws {
        let registration = host.registration
        let start = try await startingPoint(of: host, progress)
        if registration.isPrimary || !registration.dependencies.isEmpty {
            let origin = try await registerInTurn(registration, start)
            return await finishRegistering(host, origin)
        }
        let newcomer = try await prepare(host, start, progress)
        do {
            try await exclusively {
                try newcomer.finish(with: working)
            } _: { draft in
                draft.tree.takeOver(newcomer.trees)
                draft.append(newcomer.entry)
                if let adopted = newcomer.adopted {
                    shelf.noteAdopted(adopted.entry, draft.tree.freeze(), and: adopted.version)
                }
            }
        } catch {
            newcomer.discard()
            throw error
        }
        newcomer.handOver()
        await finishRegistering(host, newcomer.origin)
    }

    private func finishRegistering(_ host: ExtensionHost, _ origin: ExtensionHost.Origin) async {
        _ = shelf.take(host.name)
        await host.didRegister(at: working.number, origin: origin)
    }

    /// Makes the root outside any turn, and follows the commits until few are left.
    private func prepare(
        _ host: ExtensionHost, _ start: StartingPoint, _ progress: (@Sendable (PopulationProgress) -> Void)?
    ) async throws -> Newcomer {
        let newcomer: Newcomer
        do {
            newcomer = try await Newcomer.make(
                host.registration, start, timeline.arena, on: options.store.scheduler)
        } catch  where start.origin == .adopted {
            noteUndecodable(host.registration, error)
            return try await prepare(host, try await populated(host, progress), progress)
        }
        do {
            // Each round leaves what was committed while it ran; what faster writers leave after the last is for the turn.
            for _ in 0..<Newcomer.roundsMax {
                try Task.checkCancellation()
                let changes = try await newcomer.catchUp(with: publication.newest, on: options.store.scheduler)
                if changes <= Newcomer.changesMax { break }
            }
        } catch {
            newcomer.discard()
            throw error
        }
        return newcomer
    }

    private func noteUndecodable(_ registration: ExtensionRegistration, _ error: any Error) {
        options.logger.notice(
            "the root of \"\(registration.name)\" does not decode and is computed again: \(ErrorText.of(error))")
    }

    /// Makes the root in a turn.
    /// - Returns: where it came from.
    private func registerInTurn(
        _ registration: ExtensionRegistration, _ start: StartingPoint
    ) async throws -> ExtensionHost.Origin {
        var start = start
        try await exclusively { draft in
            for name in registration.dependencies where draft.extensions.index(of: name) == nil {
                throw missing(name, for: registration.name)
            }
            let present = draft.base
            func context(_ base: SnapshotState) -> ExtensionContext {
                ExtensionContext(before: base, after: present, draft: draft.tree, isRegistering: true)
            }
            var root: any Sendable
            do {
                if !registration.isPrimary, !start.base.hasParents(of: registration, as: present) {
                    throw OtherParent()
                }
                let made = try start.makeRoot(context(start.base))
                root = made.root
                start.operations += made.operations
                if start.origin == .adopted, !registration.isPrimary {
                    shelf.noteAdopted(ExtensionEntry(registration: registration, root: root), draft.tree.freeze())
                }
            } catch  where !registration.isPrimary && (start.origin == .adopted || error is OtherParent) {
                if !(error is OtherParent) { noteUndecodable(registration, error) }
                start = StartingPoint(makeRoot: start.makeRoot, base: present, origin: .populated)
                root = try populateNow(registration, present, context(present))
            }
            draft.primarySteps = start.operations.map { (registration.name, $0) }
            // What has changed since the starting point.
            let delta = ChangeBatch(from: start.base, to: present, names: registration.collectionNames)
            let update = try registration.update(root, for: NetChanges(batch: delta), in: context(start.base))
            draft.primarySteps += update.operations.map { (registration.name, $0) }
            var entry = ExtensionEntry(registration: registration, root: update.root)
            // Adopted from a checkpoint with nothing after it: readers of the files have the same root.
            entry.isInLog = start.origin == .adopted && start.base.number == present.number && delta.isEmpty
            if registration.isPrimary {
                _ = try encodePrimary(entry)
                draft.extensions.waiting[registration.name] = nil
            }
            draft.append(entry)
        }
        return start.origin
    }

    /// Populates within a turn: for a root that should have been adopted and does not decode, or one that was computed over
    /// another parent.
    private func populateNow(
        _ registration: ExtensionRegistration, _ state: SnapshotState, _ context: ExtensionContext
    ) throws -> any Sendable {
        var seed = registration.makeSeed()
        for chunk in PopulationChunks(state, registration) {
            seed = try registration.gather(chunk, into: seed, in: context).root
        }
        return try registration.build(seed, in: context)
    }

    private func startingPoint(
        of host: ExtensionHost, _ progress: (@Sendable (PopulationProgress) -> Void)?
    ) async throws -> StartingPoint {
        let registration = host.registration
        // What a derived extension has left under the name of a primary one is nothing to that.
        if let item = shelf.items[registration.name], item.isPrimary == registration.isPrimary {
            if registration.isPrimary {
                return StartingPoint(
                    makeRoot: { try self.primaryRoot(of: item, registration, $0) }, base: publication.newest,
                    origin: .adopted)
            }
            if let base = shelf.base, let bytes = item.bytes, !item.isForReaders,
                item.versionTag == registration.versionTag, shelf.isGood(for: registration),
                base.isBound(for: registration), publication.newest.isBound(for: registration),
                base.hasParents(of: registration, as: publication.newest)
            {
                return StartingPoint(
                    makeRoot: { .init(root: try registration.decode(bytes, in: $0)) }, base: base, origin: .adopted)
            }
        }
        return try await populated(host, progress)
    }

    private func populated(
        _ host: ExtensionHost, _ progress: (@Sendable (PopulationProgress) -> Void)?
    ) async throws -> StartingPoint {
        let registration = host.registration
        let state = publication.newest
        let seed = try await host.populate(over: state, progress)
        return StartingPoint(
            makeRoot: { .init(root: try registration.build(seed.root, in: $0)) }, operations: seed.operations,
            base: state,
            origin: .populated)
    }

    private nonisolated func primaryRoot(
        of item: ExtensionShelf.Item, _ registration: ExtensionRegistration, _ context: ExtensionContext
    ) throws -> ExtensionRegistration.Update {
        do {
            return try registration.replay(item, in: context)
        } catch let error as DatabaseError where error.code == .extensionFailed {
            throw error
        } catch {
            throw DatabaseError(
                .extensionFailed,
                """
                the state of "\(registration.name)", which is primary, does not decode. It stays in the files; \
                register the code it was written with.
                """,
                cause: error)
        }
    }

    private func admit(_ registration: ExtensionRegistration) throws {
        if isClosed { throw DatabaseError(.closed, "the database is closed. Open it again to register extensions.") }
        if let error = invalidName(registration.name, of: "extension") { throw error }
        if hosts[registration.name] != nil {
            throw DatabaseError(
                .nameTaken,
                "an extension called \"\(registration.name)\" is registered already. Unregister it first, or take another name."
            )
        }
        if !registration.isPrimary, shelf.items[registration.name]?.isPrimary ?? false {
            throw DatabaseError(
                .nameTaken,
                """
                primary state is kept under the name "\(registration.name)", for the extension it belongs to, and this one \
                recomputes its own. Take another name.
                """)
        }
        for name in registration.dependencies where working.entry(ofExtension: name) == nil {
            throw missing(name, for: registration.name)
        }
    }

    private func missing(_ parent: String, for name: String) -> DatabaseError {
        DatabaseError(
            .missingExtension,
            "extension \"\(name)\" reads \"\(parent)\", which is not registered. Register \"\(parent)\" first.")
    }

    /// Takes an extension out, and with it all that depend on it.
    ///
    /// Snapshots taken before still have it. The state of a primary extension is kept, in memory and in the files, for the
    /// next time it is registered; derived state is dropped.
    /// - Complexity: O(number of extensions), and what `encode` costs for primary ones.
    /// - Returns: the names of all that were taken out, dependants first; empty if there was none of that name.
    /// - Throws: `readOnly`, `closed`, `extensionFailed` if the state of a primary extension does not encode;
    ///   `CancellationError` before its turn.
    @discardableResult
    public func unregister(_ name: String) async throws -> [String] {
        var gone: [String] = []
        try await exclusively { draft in
            // Kept aside until nothing can fail any more.
            var shelf = shelf
            var doomed: Set<String> = [name]
            for entry in draft.extensions where !doomed.isDisjoint(with: entry.registration.dependencies) {
                doomed.insert(entry.registration.name)
            }
            for index in doomed.compactMap(draft.extensions.index).sorted(by: >) {
                let entry = draft.removeExtension(at: index)
                gone.append(entry.registration.name)
                for var tree in entry.registration.trees(of: entry.root) { draft.tree.clear(&tree) }
                if entry.registration.isPrimary {
                    let item = ExtensionShelf.Item(
                        versionTag: entry.registration.versionTag(of: entry.root), isPrimary: true,
                        bytes: try encodePrimary(entry))
                    shelf.items[entry.registration.name] = item
                    draft.extensions.waiting[entry.registration.name] = item
                }
            }
            self.shelf = shelf
        }
        // All at once: while a host is notified, others may register under the names of the rest.
        for host in gone.map({ hosts.removeValue(forKey: $0) }) { await host?.didUnregister() }
        return gone
    }

    /// The bytes of primary state, which must not get lost.
    private nonisolated func encodePrimary(_ entry: ExtensionEntry) throws -> [UInt8] {
        do {
            if let bytes = try entry.registration.encode(entry.root) { return bytes }
        } catch {
            throw DatabaseError(
                .extensionFailed, "the state of \"\(entry.registration.name)\" does not encode. It stays registered.",
                cause: error)
        }
        throw DatabaseError(
            .extensionFailed,
            """
            extension "\(entry.registration.name)" keeps primary state, and its encode(_:) returns nil. Implement \
            encode and decode.
            """
        )
    }

    /// The hosts of the registered extensions, parents before dependants. O(number of extensions).
    public var registeredExtensions: [ExtensionHost] {
        working.extensions.compactMap { hosts[$0.registration.name] }
    }

    /// Names of extensions that are not registered and whose state is kept for them, ascending: it came with the files, or it is
    /// primary and its extension was unregistered.
    public var unclaimedExtensionNames: [String] { shelf.items.keys.sorted() }
}

/// An extension that another one was computed over was replaced meanwhile.
private struct OtherParent: Error {}

extension SnapshotState {
    /// Whether the extensions that one depends on are here the very ones that they are in another state: what was computed over
    /// them holds.
    func hasParents(of registration: ExtensionRegistration, as other: SnapshotState) -> Bool {
        registration.dependencies.allSatisfy { name in
            guard let own = entry(ofExtension: name) else { return false }
            return own.registration === other.entry(ofExtension: name)?.registration
        }
    }
}
