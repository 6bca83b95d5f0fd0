import YaprakLocks
package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// Walks through the commits of a directory, replaying them, so that each is reported with its values before and after.
///
/// Reads without the lock of the directory, also while a writer is at work. One thread at a time; another waits.
package final class HistoryReader: Sendable {
    private final class Place {
        var replay: RawReplay
        var commits: StoreReader.Commits
        /// The commit that was read and is to be replayed; kept if `check` ends that before it began.
        var next: StoreReader.Commit?

        init(_ replay: RawReplay, _ commits: StoreReader.Commits) {
            self.replay = replay
            self.commits = commits
        }

        // The last reference may go with a stream, on its consumer's thread.
        deinit { replay.discard(inBackground: true) }
    }

    // Not a lock: typed records are decoded by code of users.
    private let place: Exclusive<Place>

    /// Goes to `number`: from the nearest checkpoint at or before it, then forwards.
    ///
    /// - Parameter check: called with each section and each commit that is read; what it throws ends it.
    /// - Throws: `commitOutOfReach` if neither a checkpoint nor the log leads there; `corruptCheckpoint` if one would and does
    ///   not verify; other errors of reading; what `check` throws.
    package init(
        _ reader: StoreReader, at number: CommitNumber, checking check: @Sendable () throws -> Void = {}
    ) throws {
        var replay = try Self.replay(of: reader, at: number, checking: check)
        do {
            let commits = try reader.commits(from: number.next())
            place = Exclusive(Place(replay, commits))
        } catch {
            replay.discard()
            throw error
        }
    }

    /// The commit it stands at.
    package var number: CommitNumber { place.use { $0.replay.number } }

    /// The next commit, with the records of bound collections as values; `nil` at the end of the log.
    ///
    /// - Parameter check: called now and then where all records of a collection are decoded; what it throws ends it, and the next
    ///   call begins with the same commit.
    /// - Throws: errors of reading, after which nothing more can be read; `undecodableRecord`, after which the next call goes on
    ///   behind the commit; what `check` throws.
    package func next(
        typedBy directory: CollectionDirectory, checking check: () throws -> Void = {}
    ) throws -> Changeset? {
        try place.use { place in
            if place.next == nil { place.next = try place.commits.next() }
            guard let stored = place.next else { return nil }
            let logged = try LoggedCommit(stored.item[...])
            var entries: [String: ContiguousArray<ChangeEntry>] = [:]
            let cleared = try Self.cleared(by: logged, place.replay, directory, check)
            place.next = nil
            try place.replay.apply(logged) { name, entry in entries[name, default: []].append(entry) }
            return Changeset(try Self.contents(logged, entries, cleared, directory))
        }
    }

    /// What a commit takes away from the collections in which it removes everything.
    private static func cleared(
        by logged: LoggedCommit, _ replay: RawReplay, _ directory: CollectionDirectory, _ check: () throws -> Void
    ) throws -> [String: RecordCounts] {
        var cleared: [String: RecordCounts] = [:]
        for collection in logged.collections
        where (collection.isCleared || logged.clearedAll) && cleared[collection.name] == nil {
            let counts = try replay.counts(of: collection.name, as: binding(of: collection.name, directory), check)
            // One that had nothing when everything was removed was not cleared.
            if collection.isCleared || counts.records + counts.asides > 0 { cleared[collection.name] = counts }
        }
        return cleared
    }

    private static func binding(of name: String, _ directory: CollectionDirectory) -> CollectionBinding {
        directory.slot(of: name).map { directory.bindings[$0] } ?? RawBinding(name: name)
    }

    private static func contents(
        _ logged: LoggedCommit, _ entries: [String: ContiguousArray<ChangeEntry>], _ cleared: [String: RecordCounts],
        _ directory: CollectionDirectory
    ) throws -> CommitContents {
        let decoder = RecordDecoder()
        var batch = ChangeBatch()
        batch.clearedAll = logged.clearedAll
        var seen: Set<String> = []
        var collections: ContiguousArray<CollectionChanges> = []
        for name in logged.collections.map(\.name) where seen.insert(name).inserted {
            let binding = binding(of: name, directory)
            let typed = try (entries[name] ?? []).map { entry in
                // What the writer set aside may decode today, and the other way round.
                ChangeEntry(
                    before: try entry.before.map { try decode($0, binding, decoder) },
                    after: try entry.after.map { try decode($0, binding, decoder) }, kinds: entry.kinds
                ).withKindsOfBoxes
            }
            collections.append(
                CollectionChanges(
                    binding: binding, clearedCount: cleared[name]?.records,
                    clearedAsides: cleared[name]?.asides ?? 0, entries: OneOrMany(typed)))
        }
        batch.collections = OneOrMany(collections)
        return CommitContents(
            number: logged.number, origin: logged.origin, nanoseconds: logged.nanoseconds,
            info: logged.info.map { .encoded($0) }, batch: batch, extensionChanges: nil)
    }

    private static func decode(
        _ box: RecordBox, _ binding: CollectionBinding, _ decoder: RecordDecoder
    ) throws -> RecordBox {
        let raw = unsafeDowncast(box, to: RawRecord.self)
        do {
            return try binding.decode(raw, into: decoder)
        } catch {
            if case .setAside = binding.undecodable { return raw.setAside() }
            throw DatabaseError(
                .undecodableRecord,
                """
                the record \(raw.key.debugDescription) of "\(binding.name)" in the log does not decode. Bind the \
                type it was written with, or set such records aside.
                """,
                place: .init(collectionName: binding.name, key: raw.key), cause: error)
        }
    }

    // MARK: States

    /// The database as of a commit, without types; the newest there is if `number` is `nil`.
    package static func state(
        at number: CommitNumber?, of reader: StoreReader, checking check: @Sendable () throws -> Void = {}
    ) throws -> SnapshotState {
        var replay = try reader.reading(asOf: number) { try Self.replay(of: reader, at: $0, checking: check) }
        let state = replay.seal()
        replay.timeline.close(roots: state.trees)
        return state
    }

    static func replay(
        of reader: StoreReader, at number: CommitNumber, _ timeline: Timeline? = nil,
        checking check: @Sendable () throws -> Void = {}
    ) throws -> RawReplay {
        let timeline = timeline ?? Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        var replay = RawReplay(timeline: timeline)
        do {
            if let checkpoint = try reader.checkpoint(atOrBefore: number) {
                try replay.load(checkpoint, checking: check)
            }
            if replay.number < number {
                var commits = try reader.commits(from: replay.number.next(), through: number)
                while let commit = try commits.next() {
                    try check()
                    try replay.apply(LoggedCommit(commit.item[...]))
                }
            }
            guard replay.number == number else {
                throw DatabaseError(
                    .commitOutOfReach,
                    "commit \(number) is not in these files; the newest there is is \(replay.number).",
                    place: .init(commits: min(number, replay.number)...max(number, replay.number)))
            }
            return replay
        } catch {
            let reached = replay.number
            replay.discard()
            throw reader.reason(for: error, at: number, after: reached)
        }
    }
}

/// How many records a collection has, and how many are set aside in it.
private struct RecordCounts {
    var records = 0
    var asides = 0
}

extension RawReplay {
    /// Counts the records of a collection as a database does that has given it types.
    ///
    /// - Complexity: O(1), or as decoding all of them if what does not decode is set aside: the log does not say what was.
    fileprivate func counts(
        of name: String, as binding: CollectionBinding, _ check: () throws -> Void
    ) throws -> RecordCounts {
        guard let slot = directory.slot(of: name) else { return RecordCounts() }
        var counts = RecordCounts(records: roots[slot].count)
        guard case .setAside = binding.undecodable else { return counts }
        let decoder = RecordDecoder()
        var seen = 0
        try roots[slot].forEach { row in
            if seen % 1024 == 0 { try check() }
            seen += 1
            let raw = unsafeDowncast(row, to: RawRecord.self)
            if (try? binding.decode(raw, into: decoder)) == nil { counts.asides += 1 }
        }
        counts.records -= counts.asides
        return counts
    }
}
