package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// A stretch of history: a state, and logged commits applied to it one after the other, each under its own number, time
/// and origin.
///
///     let line = try HistoryLine(of: reader, at: 42, types)
///     while let commit = try commits.next() { try line.apply(LoggedCommit(commit.item[...])) }
///     let branch = HistoryLine(from: someStateOfIt, types)        // goes another way, or the same once more
///
/// Records of bound collections become values as they are applied, and extensions follow each commit as they did when it
/// was written. Every state a line has been at can be kept; it costs what later states don't share with it. One user at
/// a time.
package final class HistoryLine {
    /// Makes what follows a state's extensions.
    package typealias ObserverMaker = @Sendable (_ extensions: ExtensionTable) -> any ReplayObserver

    let types: ReplayTypes
    let timeline: Timeline
    let reclaimer: Reclaimer
    let decoder = RecordDecoder()
    /// Keeps what the files hold of extensions, where there are no types; made for each step, from what the state has.
    let makeObserver: ObserverMaker?
    /// Where the line is.
    package internal(set) var state: SnapshotState

    /// A line that starts at a commit: from the nearest checkpoint at or before it, and the log from there.
    ///
    /// - Throws: `commitOutOfReach` if neither a checkpoint nor the log leads there; `corruptLog`, `corruptCheckpoint`,
    ///   `newerFormat`, `ioFailed`; `undecodableRecord`, `migrationFailed`, `extensionFailed`.
    /// - Complexity: O(bytes of the checkpoint and of the log after it).
    package convenience init(of reader: StoreReader, at number: CommitNumber, _ types: ReplayTypes) throws {
        let reclaimer = Reclaimer()
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        var replay = try HistoryReader.replay(of: reader, at: number, timeline)
        let shelf = replay.shelf
        try self.init(types, timeline, reclaimer, replay.seal(), shelf, nil)
    }

    /// A line that starts at the nearest checkpoint at or before a commit; at the empty database if there is none and the
    /// log goes on from there.
    ///
    /// - Parameter makeObserver: what keeps extensions up to date in a line without types.
    /// - Throws: as above.
    /// - Complexity: O(bytes of the checkpoint).
    package convenience init(
        of reader: StoreReader, atOrBefore number: CommitNumber, _ types: ReplayTypes,
        makeObserver: ObserverMaker? = nil
    ) throws {
        let makeObserver = types.isEmpty ? makeObserver : nil
        let reclaimer = Reclaimer()
        let timeline = reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        var replay = RawReplay(timeline: timeline)
        replay.observer = makeObserver?([])
        do {
            if let checkpoint = try reader.checkpoint(atOrBefore: number) {
                try replay.load(checkpoint)
            } else if try reader.hasLog() ? !reader.logReachesBackToFirst() : !reader.checkpoints().isEmpty {
                let error = DatabaseError(
                    .commitOutOfReach, "the files don't lead to commit \(number). Ask for a later one.",
                    place: .init(commits: number...number))
                throw reader.reason(for: error, at: number)
            }
        } catch {
            replay.discard()
            throw error
        }
        let shelf = replay.shelf
        try self.init(types, timeline, reclaimer, replay.seal(), shelf, makeObserver)
    }

    /// A line that starts at a state that another line was at. O(1); the two share what they have in common.
    package init(from state: SnapshotState, _ types: ReplayTypes, makeObserver: ObserverMaker? = nil) {
        self.types = types
        self.makeObserver = types.isEmpty ? makeObserver : nil
        let reclaimer = Reclaimer()
        self.reclaimer = reclaimer
        timeline = state.makeForkedTimeline(reclaimer)
        self.state = SnapshotState.forForks(state)
    }

    private init(
        _ types: ReplayTypes, _ timeline: Timeline, _ reclaimer: Reclaimer, _ raw: SnapshotState,
        _ shelf: ExtensionShelf, _ makeObserver: ObserverMaker?
    ) throws {
        self.types = types
        self.makeObserver = makeObserver
        self.timeline = timeline
        self.reclaimer = reclaimer
        state = raw
        // Without types the state is what it has to be.
        if types.isEmpty { return }
        try giveTypes(shelf)
    }

    /// The rows of the state, those of extensions included. O(number of collections).
    package var rowCount: Int { state.trees.reduce(0) { $0 + $1.count } }

    /// The rows that are in memory: also those of other states of the line that are kept, and of lines that began at one.
    package var rowCountInAll: Int { timeline.arena.counts.rows }

    deinit {
        timeline.close(roots: state.trees)
        reclaimer.reclaimSome(timeline)
    }

    // MARK: Types

    private func giveTypes(_ shelf: ExtensionShelf) throws {
        let draft = beginDraft()
        do {
            var shelf = shelf
            shelf.base = nil
            for binding in types.bindings {
                draft.keepOlderForms(of: binding)
                try draft.bind(binding, &shelf)
            }
            for registration in types.registrations { try register(registration, shelf.items, draft) }
        } catch {
            draft.abort()
            throw error
        }
        state = draft.sealTrees(number: state.number)
        // The records without types, and the bytes they are in, are not needed any more.
        reclaimer.reclaimSome(timeline)
    }

    /// Adds an extension: with its primary state, or computed from the records.
    private func register(
        _ registration: ExtensionRegistration, _ items: [String: ExtensionShelf.Item], _ draft: Draft
    ) throws {
        let present = draft.freeze()
        let context = ExtensionContext(before: present, after: present, draft: draft.tree, isRegistering: true)
        var root: any Sendable
        do {
            if registration.isPrimary, let item = items[registration.name], item.isPrimary {
                root = try registration.replay(item, in: context).root
            } else {
                root = registration.makeSeed()
                for chunk in PopulationChunks(present, registration) {
                    root = try registration.gather(chunk, into: root, in: context).root
                }
                root = try registration.build(root, in: context)
            }
        } catch {
            if error is DatabaseError { throw error }
            throw DatabaseError(
                .extensionFailed,
                "extension \"\(registration.name)\" threw while it was given the records of commit \(state.number).",
                place: .init(commits: state.number...state.number), cause: error)
        }
        // With the reaction that it needs: no replay runs that, a fork of one of its snapshots does.
        draft.append(ExtensionEntry(registration: registration, root: root))
        draft.forgetFrozen()
    }

    /// What was written was within the limits of its time.
    private static let environment: DraftEnvironment = {
        var limits = DatabaseLimits()
        limits.keyBytesMax = .max
        return DraftEnvironment(limits: limits, clock: { 0 })
    }()

    func beginDraft() -> Draft {
        let draft = Draft(base: state, tree: timeline.beginDraft(), environment: Self.environment)
        draft.isUnlimited = true
        return draft
    }
}
