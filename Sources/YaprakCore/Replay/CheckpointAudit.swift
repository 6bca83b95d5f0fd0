package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// Replays the log from its beginning and compares the state with every checkpoint on the way: what only a replay can find.
///
/// Checksums prove that the bytes are those that were written. This proves that what was written belongs together. Recovery
/// starts at the newest checkpoint; this starts at the oldest commit the files lead to, so that each checkpoint proves the log
/// before it, and the log each checkpoint. One state is in memory at a time, and the keys of a collection that differs.
///
///     var audit = CheckpointAudit(store)
///     try audit.run { done, total in … }                 // everything that is wrong
///     for finding in audit.findings { … }
///
///     let replay = try audit.replay(upTo: 1000)          // the state, or the first error
package struct CheckpointAudit {
    /// What was found.
    package struct Finding: Sendable {
        package let severity: VerifyReport.Severity
        package let file: String?
        package var commits: ClosedRange<CommitNumber>?
        package var collection: String?
        package var key: String?
        package let message: String
    }

    private let store: StoreReader
    /// Whether the first fault is thrown. If not, all are collected.
    private var isStrict = false
    /// Everything found, in the order of the commits.
    package private(set) var findings: [Finding] = []
    /// Checkpoints that were compared with a replay, or that one started from.
    package private(set) var compared = 0
    /// Records of the newest checkpoint that were set aside, by collection and key; the first thousand.
    package internal(set) var setAside: [(collection: String, key: String)] = []
    /// How many there are of those.
    package internal(set) var setAsideCount = 0
    /// The newest commit that was replayed.
    package private(set) var newest = CommitNumber.zero
    /// Frees what the replayed trees give up.
    private(set) var reclaimer = Reclaimer()

    package init(_ store: StoreReader) { self.store = store }

    /// Collects everything that is wrong up to the commit that is the newest when it begins.
    ///
    /// Stretches that can't be read are skipped: that they can't is a finding of the lower levels.
    /// - Throws: `ioFailed` and the like if the directory can't be read.
    package mutating func run(progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }) throws(DatabaseError) {
        isStrict = false
        do {
            let end = try (try? store.newest()) ?? store.checkpoints().last?.number ?? .zero
            var replay = try walk(to: end, progress)
            if let replay { newest = max(newest, replay.number) }
            replay?.discard()
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(.ioFailed, "An unexpected error came up.", cause: error)
        }
    }

    /// Replays up to a commit, or to the newest. Behind a gap in the log it starts once more, from the next checkpoint that
    /// verifies.
    ///
    /// - Returns: the state without types, and what is known of extensions. ``reclaimer`` frees what it gives up.
    /// - Throws: `stateDiffers` for a checkpoint that is not what the log leads to; `commitOutOfReach`, `corruptLog`,
    ///   `corruptCheckpoint`, `newerFormat`, `ioFailed`.
    /// - Complexity: O(bytes of the log, and records of each checkpoint).
    mutating func replay(upTo last: CommitNumber? = nil) throws -> RawReplay {
        isStrict = true
        let last = try last ?? store.newest()
        do {
            guard let replay = try walk(to: last, { _, _ in }) else { throw outOfReach(last, .zero) }
            return replay
        } catch {
            throw store.reason(for: error, at: last, after: newest)
        }
    }

    private func outOfReach(_ wanted: CommitNumber, _ reached: CommitNumber) -> DatabaseError {
        DatabaseError(
            .commitOutOfReach, "commit \(wanted) is not in these files; they lead to commit \(reached).",
            place: .init(commits: min(wanted, reached)...max(wanted, reached)))
    }

    // MARK: Replaying

    /// From checkpoint to checkpoint, and on to a commit.
    /// - Returns: the replay, if there is a way there.
    private mutating func walk(to end: CommitNumber, _ progress: (UInt64, UInt64) -> Void) throws -> RawReplay? {
        var replay: RawReplay?
        do {
            var start: UInt64?
            var good = CommitNumber.zero
            if try store.logReachesBackToFirst() {
                replay = makeReplay()
                start = 0
            }
            var last: CommitNumber?
            for checkpoint in try store.checkpoints() where checkpoint.number <= end {
                if isStrict, checkpoint.number == last { continue }
                last = checkpoint.number
                guard let reader = try open(checkpoint) else { continue }
                start = start ?? checkpoint.number.rawValue
                let begin = start ?? 0
                var epochStart: UInt64?
                if replay != nil {
                    do {
                        epochStart = try advance(
                            &replay, to: checkpoint.number, epoch: checkpoint.epoch, skippingHoles: true
                        ) {
                            progress($0 - min($0, begin), end.rawValue - begin)
                        }
                    } catch let error as DatabaseError where error.code == .commitOutOfReach {
                        // The log does not lead here: a part of it is gone, or a repair could not read it. This checkpoint leads
                        // on, and is loaded.
                    }
                }
                if !isStrict { inspect(reader, checkpoint) }
                let agrees = try replay.map { try compare($0, reader, checkpoint, epochStart, after: good) } ?? false
                compared += 1
                newest = checkpoint.number
                good = checkpoint.number
                guard !agrees else { continue }
                replay?.discard()
                replay = nil
                replay = try load(reader, checkpoint)
            }
            let begin = start ?? 0, total = end.rawValue - min(end.rawValue, begin)
            _ = try advance(&replay, to: end, epoch: 0, skippingHoles: false) {
                progress($0 - min($0, begin), total)
            }
            return replay
        } catch {
            replay?.discard()
            throw error
        }
    }

    private mutating func makeReplay() -> RawReplay {
        reclaimer = Reclaimer()
        return RawReplay(timeline: reclaimer.makeTimeline { Timeline(arena: Arena(), onGarbage: $0) })
    }

    /// A checkpoint, if it verifies: the lower levels report one that does not. If there are several of one commit, a replay
    /// takes the newest.
    private func open(_ checkpoint: StoreReader.Checkpoint) throws -> CheckpointReader? {
        do {
            return try isStrict ? store.openCheckpoint(checkpoint.number) : store.open(checkpoint)
        } catch {
            if isStrict, error.code != .corruptCheckpoint, error.code != .notFound { throw error }
            return nil
        }
    }

    private mutating func load(_ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint) throws -> RawReplay? {
        var replay = makeReplay()
        do {
            try replay.load(reader)
            return replay
        } catch {
            replay.discard()
            if isStrict { throw error }
            add(.corrupt, checkpoint.file, "It verifies and does not load: \(Self.sentence(error))")
            return nil
        }
    }

    /// Replays up to a commit; without a way there, the replay is given up, also where that throws.
    ///
    /// - Parameter skippingHoles: whether a hole that a repair left is `commitOutOfReach`, as any other gap. If not, it is
    ///   `corruptLog`, with the commits that are missing.
    /// - Returns: the stamp from which on records were written by the opening `epoch`; nil if none were.
    private mutating func advance(
        _ replay: inout RawReplay?, to number: CommitNumber, epoch: UInt64, skippingHoles: Bool,
        _ progress: (UInt64) -> Void
    ) throws -> UInt64? {
        guard var current = replay, current.number < number else { return nil }
        replay = nil
        var epochStart: UInt64?
        do {
            var commits = try store.commits(
                from: current.number.next(), through: number, skippingHoles: skippingHoles)
            while let stored = try commits.next() {
                guard stored.number == current.number.next() else { throw outOfReach(number, current.number) }
                if stored.epoch == epoch, epochStart == nil {
                    // Stamps move on with a freeze: this distinguishes rows written from here on from those before.
                    _ = current.freeze()
                    epochStart = current.stamp
                }
                guard try apply(stored, to: &current) else {
                    current.discard()
                    return nil
                }
                if stored.number.rawValue % 512 == 0 { progress(stored.number.rawValue) }
            }
            guard current.number == number else { throw outOfReach(number, current.number) }
        } catch {
            current.discard()
            if isStrict { throw error }
            // Pruned meanwhile, or damaged: the lower levels report it.
            return nil
        }
        progress(number.rawValue)
        replay = current
        return epochStart
    }

    private mutating func apply(_ stored: StoreReader.Commit, to replay: inout RawReplay) throws -> Bool {
        do {
            try replay.apply(LoggedCommit(stored.item[...]))
            return true
        } catch {
            if isStrict { throw error }
            findings.append(
                Finding(
                    severity: .corrupt, file: stored.file, commits: stored.number...stored.number,
                    message: "The commit can't be replayed: \(Self.sentence(error))"))
            return false
        }
    }

    // MARK: Comparing

    /// Whether the checkpoint holds the state that the replay has come to.
    private mutating func compare(
        _ replay: RawReplay, _ reader: CheckpointReader, _ checkpoint: StoreReader.Checkpoint, _ epochStart: UInt64?,
        after good: CommitNumber
    ) throws -> Bool {
        var agrees = true
        for (name, sections) in replay.collections(comparedWith: reader) {
            let difference: CollectionDifference?
            do {
                difference = try replay.difference(of: name, to: sections, of: reader, epochStart: epochStart)
            } catch {
                if isStrict { throw error }
                add(.corrupt, checkpoint.file, "The records can't be read: \(Self.sentence(error))", collection: name)
                return false
            }
            guard let difference else { continue }
            if isStrict {
                let commits = min(good.next(), checkpoint.number)...checkpoint.number
                if let error = difference.error(in: reader.fileName, commits) { throw error }
            } else {
                agrees = false
                note(difference, checkpoint)
            }
        }
        return agrees
    }

    private mutating func note(_ difference: CollectionDifference, _ checkpoint: StoreReader.Checkpoint) {
        let name = difference.name
        for (keys, what) in [
            (difference.changed, "not what the log leads to"),
            (difference.surplus, "in the checkpoint and not where the log leads"),
            (difference.missing, "where the log leads and not in the checkpoint"),
        ] where keys.count > 0 {
            let shown = keys.first.map(\.debugDescription).joined(separator: ", ")
            let more = keys.count > keys.first.count ? ", …" : ""
            findings.append(
                Finding(
                    severity: .corrupt, file: checkpoint.file, commits: checkpoint.number...checkpoint.number,
                    collection: name, key: keys.first.first,
                    message:
                        "\(keys.count.counted("record")) of \(name.debugDescription) \(keys.count.word("is", "are")) "
                        + "\(what) (\(shown)\(more)). Keep the files, and restore a backup."))
        }
        let rewritten = difference.rewritten.count
        if rewritten > 0 {
            add(
                .clean, checkpoint.file,
                "\(rewritten.counted("record")) of \(name.debugDescription) \(rewritten.word("stands", "stand")) here in "
                    + "another form than in the log: a program with other types, or a migration, has rewritten "
                    + rewritten.word("it. Its key agrees.", "them. Their keys agree."),
                collection: name)
        }
    }

    // MARK: Findings

    mutating func add(
        _ severity: VerifyReport.Severity, _ file: String, _ message: String, collection: String? = nil
    ) {
        findings.append(Finding(severity: severity, file: file, collection: collection, message: message))
    }

    static func sentence(_ error: any Error) -> String {
        (error as? DatabaseError)?.message ?? ErrorText.of(error)
    }
}

extension CollectionDifference {
    /// The difference as an error; `nil` if all that differs are records that were migrated.
    fileprivate func error(in file: String, _ commits: ClosedRange<CommitNumber>) -> DatabaseError? {
        guard let key = [missing, surplus, unmigrated].compactMap(\.least).min() else { return nil }
        let counts = [
            (missing.count, "missing"), (surplus.count, "too many"), (unmigrated.count, "other than in the log"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return DatabaseError(
            .stateDiffers,
            """
            \(file) is not what \(commits.commitsText("leads", "lead")) to: of the records of \
            \(name.debugDescription) \(parts), the first is \(key.debugDescription). Unless a program with other \
            Codable types wrote the checkpoint, the file or the log was changed: restore a backup.
            """,
            place: .init(file: file, commits: commits, collectionName: name, key: key))
    }
}
