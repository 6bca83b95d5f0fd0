#if Inspector
    import Yaprak
    import YaprakReplay

    /// The newest state without one commit: what it changed is undone, and nothing is written.
    ///
    /// Records that were changed since stay as they are, unless they are to be undone, too. In a running program a fork
    /// undoes it, with the program's own views, relationships and reactions, which follow as they would have. What reactions
    /// leave for after the commit is not done, and no instrument is notified: those are outside of the fork.
    struct UndoneCommit: Sendable {
        /// The newest state.
        let now: Snapshot
        /// What it would be; `nil` of files: their views can't be computed without the program.
        let then: Snapshot?
        /// What would be different, ordered by collection and key.
        let changes: [ReplayChange]
        /// What the commit changed and something else changed since.
        let conflicts: [ReplayRevert.Change]
        /// Why it may not be all.
        let note: String?

        /// - Throws: a refusal where there is no such commit, its values are out of reach, or the program's own rules refuse what
        ///   would be; errors of reading.
        init(
            _ number: CommitNumber, overwritingConflicts: Bool, in history: any InspectedHistory
        ) async throws {
            guard number > .zero, let step = try await history.step(to: number) else {
                throw Refusal(404, "commitOutOfReach", "There is no commit \(number).")
            }
            guard let undone = step.changes else {
                throw Refusal(404, "commitOutOfReach", step.note ?? "The values of commit \(number) are out of reach.")
            }
            let fork = history.fork()
            let now: Snapshot
            if let fork {
                now = fork.snapshot
            } else {
                now = try await history.snapshot(at: try await history.newest(), withViews: false)
            }
            let all = try await BlockingWork.run { cancellation in
                try ReplayRevert.changes(undoing: undone, in: now, checking: cancellation.check)
            }
            let chosen = all.filter { overwritingConflicts || !$0.isConflict }
            conflicts = all.filter(\.isConflict)
            note = step.note
            self.now = now
            guard let fork else {
                then = nil
                changes = chosen.map(\.change)
                return
            }
            do {
                try await fork.write(origin: "without commit \(number)") { transaction in
                    try transaction.undo(chosen)
                    // Reactions have run, and don't again.
                    transaction.dropCallbacks()
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw Refusal(refusedByProgram: error)
            }
            let after = fork.snapshot
            try await fork.close()
            then = after
            changes = try await BlockingWork.run { cancellation in
                Array(try ReplayChanges(from: now, to: after, checking: cancellation.check))
            }
        }
    }
#endif
