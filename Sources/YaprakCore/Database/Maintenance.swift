package import SystemPackage
package import YaprakModel
package import YaprakStorage
import YaprakTrees

/// Offline maintenance of a database directory: opened by the engine, its lock taken, without the program's types.
///
/// Records stay the bytes they are. Primary state of extensions is kept, with the operations that came after it. What
/// is kept of views follows from records, but only the program's code can say how: it is as of the checkpoint it was part of, and
/// a later checkpoint that is written here goes without.
package struct Maintenance {
    /// What was done, or would be.
    package struct Outcome: Sendable {
        /// The newest commit.
        package var number = CommitNumber.zero
        /// Whether a checkpoint of it was written; there may have been one.
        package var writesCheckpoint = false
        /// Extensions whose state is recomputed at the next launch.
        package var dropped: [String] = []
        package var pruned = PrunedFiles()
    }

    private let path: FilePath
    private let fileSystem: any FileSystem
    private let storeOptions: StoreOptions

    /// - Parameters:
    ///   - fileSystem: tests give a simulated one.
    ///   - storeOptions: sizes of files; what an operation decides itself is ignored.
    package init(
        _ path: FilePath, fileSystem: any FileSystem = PosixFileSystem(), storeOptions: StoreOptions = StoreOptions()
    ) {
        self.path = path
        self.fileSystem = fileSystem
        self.storeOptions = storeOptions
    }

    /// Opens, hands over, closes.
    private func opened<Result>(
        _ retention: Retention, _ body: (Store, SnapshotState, ExtensionShelf, RecoveryReport) throws -> Result
    ) throws -> Result {
        var options = storeOptions
        options.createsIfMissing = false
        options.retention = retention
        let timeline = Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        let recovered: Recovered
        do {
            recovered = try Recovered(path, options, [], timeline, fileSystem)
        } catch {
            timeline.close(roots: [])
            throw error
        }
        defer { timeline.close(roots: recovered.state.trees) }
        let result: Result
        do {
            result = try body(recovered.store, recovered.state, recovered.shelf, recovered.report)
        } catch {
            try? recovered.store.close()
            throw error
        }
        try recovered.store.close()
        return result
    }

    /// - Parameter again: whether a checkpoint of the newest commit is written where there is one.
    private func outcome(
        _ state: SnapshotState, _ shelf: ExtensionShelf, _ report: RecoveryReport, again: Bool = false
    ) -> Outcome {
        let isThere = report.checkpointCommitNumber == state.number && !again || state.number == .zero
        return Outcome(
            number: state.number, writesCheckpoint: !isThere,
            dropped: isThere ? [] : shelf.items.filter { !$0.value.isPrimary }.keys.sorted())
    }

    /// Writes a checkpoint of the newest commit, unless there is one, and removes nothing.
    package func checkpoint() throws -> Outcome {
        try opened(.all) { store, state, shelf, report in
            let outcome = self.outcome(state, shelf, report)
            if outcome.writesCheckpoint { try write(state, shelf, to: store) }
            return outcome
        }
    }

    /// Writes a checkpoint if there is none, or if the folder of the log is full, and removes what `retention` gives up.
    ///
    /// - Parameter isDryRun: only reports. Opening and closing may write to the log.
    package func compact(_ retention: Retention, isDryRun: Bool) throws -> Outcome {
        try opened(retention) { store, state, shelf, report in
            // Two checkpoints stay. If this is the only one, a full log is given up behind a second one.
            var outcome = self.outcome(state, shelf, report, again: try store.isLogFull())
            outcome.pruned = try store.prunable(withCheckpointAt: outcome.writesCheckpoint ? state.number : nil)
            if isDryRun { return outcome }
            // Writing a checkpoint prunes.
            if outcome.writesCheckpoint { try write(state, shelf, to: store) } else { store.pruneNow() }
            try checkRemoved(outcome.pruned, by: store)
            return outcome
        }
    }

    /// Pruning beside writers leaves what it can't remove to the next time. Its caller has to learn of that.
    private func checkRemoved(_ pruned: PrunedFiles, by store: Store) throws {
        let left = try store.prunable(withCheckpointAt: nil)
        let files = Set(left.checkpoints.map(\.file) + left.segments)
            .intersection(pruned.checkpoints.map(\.file) + pruned.segments).sorted()
        guard let first = files.first else { return }
        let names = files.count == 1 ? first : "\(files.count.grouped) files, \(first) among them,"
        throw DatabaseError(
            .writeFailed, "\(names) could not be removed. Make the directory writable, and compact again.",
            place: .init(file: first), cause: store.pruningError)
    }

    /// Removes the whole history, so that nothing is left of records that were deleted. Steps of primary extensions stay that no
    /// checkpoint of the program has added up.
    package func purge(isDryRun: Bool) throws -> Outcome {
        var outcome = try opened(.all) { store, state, shelf, report in
            var outcome = self.outcome(state, shelf, report)
            outcome.pruned = try store.purgeable(at: state.number)
            if !isDryRun, outcome.writesCheckpoint { try write(state, shelf, to: store) }
            return outcome
        }
        guard !isDryRun, outcome.number > .zero else { return outcome }
        outcome.pruned = try opened(.all) { store, state, _, _ in try store.purgeHistory(at: state.number) }
        return outcome
    }

    /// Writes the newest state of a directory into a new one: one checkpoint, no log, so that no value of a record that was
    /// deleted is in any file of it, at no time. Steps of primary extensions stay that no checkpoint of the program has added up.
    ///
    /// A program may be writing to the source. Of views what the checkpoint of the newest commit has is kept, if there is one.
    /// - Parameter tags: the content of the file of tags, for a state.
    /// - Throws: `alreadyExists`, `notFound` (the parent), `corruptLog`, `corruptCheckpoint`, `newerFormat`, `diskFull`,
    ///   `writeFailed`, `syncFailed`; what `tags` throws. There is no new directory then, unless the error says that it is
    ///   complete.
    /// - Complexity: O(bytes of the nearest checkpoint and of the log since then).
    package static func writeState(
        of reader: StoreReader, to path: FilePath, fileSystem: any FileSystem = PosixFileSystem(),
        tags: (CommitNumber) throws -> [UInt8]
    ) throws -> Outcome {
        try reader.reading(asOf: nil) { number in
            var outcome = Outcome(number: number, writesCheckpoint: true, pruned: PrunedFiles(oldestKept: number))
            let tags = try tags(number)
            func begin() throws -> CheckpointWriter {
                try reader.createStandalone(path, at: number, tags: tags, fileSystem: fileSystem)
            }
            if let checkpoint = try reader.checkpoint(atOrBefore: number), checkpoint.number == number {
                try copy(checkpoint, to: try begin())
                return outcome
            }
            var replay = try HistoryReader.replay(of: reader, at: number)
            let shelf = replay.shelf
            let state = replay.seal()
            defer { replay.timeline.close(roots: state.trees) }
            outcome.dropped = shelf.items.filter { !$0.value.isPrimary }.keys.sorted()
            _ = try CheckpointContents(state: state.keeping(shelf.primaryItems)).write(to: try begin())
            return outcome
        }
    }

    private static func copy(_ checkpoint: CheckpointReader, to writer: CheckpointWriter) throws {
        do {
            for section in checkpoint.sections {
                try writer.beginSection(kind: section.kind, name: section.name, info: section.info, asOf: section.asOf)
                try checkpoint.forEachChunk(of: section) { try writer.append($0) }
                try writer.endSection(count: section.count, digest: section.digest)
            }
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
    }

    private func write(_ state: SnapshotState, _ shelf: ExtensionShelf, to store: Store) throws {
        _ = try CheckpointContents(state: state.keeping(shelf.primaryItems))
            .write(to: try store.beginCheckpoint(at: state.number))
    }
}
