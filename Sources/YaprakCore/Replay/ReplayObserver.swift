package import YaprakModel
package import YaprakStorage
package import YaprakTrees

/// Keeps, in a replay without types, what the files hold of extensions.
///
/// A checkpoint has a root as a whole; a commit has primary operations, and what it did to derived extensions that
/// log their history. Nothing here can fail a replay of records: what makes no sense is not followed any further.
package protocol ReplayObserver: AnyObject {
    /// Whether a checkpoint on the way would help it.
    var wantsCheckpoint: Bool { get }

    /// A checkpoint of the moment the replay stands at has these roots.
    func adopt(_ items: [String: ExtensionShelf.Item], in state: inout ReplayObserverState)

    /// The replay has applied what a commit did to records: by collection, one entry for each.
    func follow(_ commit: LoggedCommit, _ changes: [String: [ChangeEntry]], in state: inout ReplayObserverState)
}

/// A replay as its observer sees it: records to look at, extensions to change.
package struct ReplayObserverState {
    package let draft: TreeDraft
    private let directory: CollectionDirectory
    private let roots: RootVector
    /// The roots that are part of the replay's states. Their trees belong to `draft`.
    package var extensions: ExtensionTable

    init(
        draft: TreeDraft, directory: CollectionDirectory, roots: RootVector,
        extensions: ExtensionTable
    ) {
        self.draft = draft
        self.directory = directory
        self.roots = roots
        self.extensions = extensions
    }

    /// The record under `key`, in its normal form. O(log *n*).
    package func record(_ key: String, in collection: String) -> RawRecord? {
        guard let slot = directory.slot(of: collection) else { return nil }
        return roots[slot].lookup(key) as? RawRecord
    }

    /// The number of records of a collection. O(1).
    package func count(of collection: String) -> Int { directory.slot(of: collection).map { roots[$0].count } ?? 0 }
}

extension HistoryReader {
    /// The database as of some commits, without types, in one timeline: the nodes they share are recognized.
    ///
    /// - Parameters:
    ///   - numbers: the commits.
    ///   - limit: the checkpoint to start from is as of this commit or an earlier one.
    ///   - observer: sees every checkpoint and commit on the way.
    /// - Throws: `commitOutOfReach` if neither a checkpoint nor the log leads there, errors of reading.
    package static func states(
        at numbers: Set<CommitNumber>, of reader: StoreReader, startingAtOrBefore limit: CommitNumber,
        _ observer: any ReplayObserver
    ) throws -> [CommitNumber: SnapshotState] {
        let timeline = Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        var replay = RawReplay(timeline: timeline)
        replay.observer = observer
        do {
            guard let last = numbers.max() else { preconditionFailure("some commits are asked for") }
            var states: [CommitNumber: SnapshotState] = [:]
            if let checkpoint = try reader.checkpoint(atOrBefore: limit) { try replay.load(checkpoint) }
            if numbers.contains(replay.number) { states[replay.number] = replay.freeze() }
            if replay.number < last {
                let passed = Dictionary(
                    try reader.checkpoints().map { ($0.number, $0) },
                    uniquingKeysWith: { $0.epoch > $1.epoch ? $0 : $1 })
                var commits = try reader.commits(from: replay.number.next(), through: last)
                while let commit = try commits.next() {
                    try replay.apply(LoggedCommit(commit.item[...]))
                    if observer.wantsCheckpoint, let checkpoint = passed[replay.number],
                        let opened = try? reader.open(checkpoint)
                    {
                        // Damage here is derived: what the log has is as good.
                        try? replay.adoptExtensions(of: opened)
                    }
                    if numbers.contains(replay.number) { states[replay.number] = replay.freeze() }
                }
            }
            guard replay.number == last, states.count == numbers.count else {
                let missing = numbers.subtracting(states.keys).min() ?? last
                throw DatabaseError(
                    .commitOutOfReach,
                    "commit \(missing) is not in these files; the newest there is is \(replay.number).",
                    place: .init(commits: missing...missing))
            }
            let end = replay.seal()
            timeline.close(roots: end.trees)
            return states
        } catch {
            let reached = replay.number
            replay.discard()
            throw reader.reason(for: error, at: numbers.filter { $0 > reached }.min() ?? limit, after: reached)
        }
    }
}
