import YaprakModel
import YaprakStorage
import YaprakTrees

extension Database {
    /// Changes the database: all of it, or nothing.
    ///
    ///     let rank = try await database.write { transaction in
    ///         transaction[.books]["abc"]?.salesRank += 1
    ///         return transaction[.books]["abc"]?.salesRank
    ///     }
    ///
    /// Waits for its turn, in order of arrival among tasks of equal priority; a task that is cancelled while it waits gets
    /// `CancellationError`.
    /// The closure runs synchronously. When it returns, extensions have followed, records are encoded, and the commit is
    /// published as soon as the log has it as ``DatabaseOptions/durability`` demands; then `write` returns the closure's
    /// result. A closure that changes nothing makes no commit and writes nothing; it waits only where it has read a commit that
    /// the log does not have yet. So does a write that throws.
    ///
    /// - Parameter origin: who writes; travels in the ``Changeset``.
    /// - Throws: what the closure throws, unchanged. ``DatabaseError``: `closed`, `readOnly`, `invalidName`, `notConfigured`,
    ///   `keyTooLong`, `valueTooLarge`, `transactionTooLarge`, `encodingFailed`, `undecodableRecord` (only where coding is
    ///   checked), `extensionFailed`, `uniqueViolation`, `removalRestricted`, `danglingReference`, `reactionsUnsettled`,
    ///   `overLimit`, `diskFull`, `writeFailed`, `permissionDenied`, `syncFailed`, `abandoned`. In place of any other error
    ///   `abandoned` or `readOnly`, if the log refuses a commit that the write has read: what it threw for was never there.
    ///   Whatever it throws, nothing of the transaction was kept. Only after `syncFailed` a crash may bring it back, and
    ///   after `diskFull` or `writeFailed` where the file system refused to take the failed write back, too.
    /// - Complexity: O(log *n*) for each change; one sync, shared by all commits that wait for the log.
    @inlinable @discardableResult
    public nonisolated(nonsending) func write<Result: Sendable>(
        origin: String = "", _ body: @Sendable (inout WriteTransaction) throws -> Result
    ) async throws -> Result {
        // Written by the closure below, once, before `commit` returns: nobody else has it.
        nonisolated(unsafe) var result: Result?
        try await commit(origin) { result = try body(&$0) }
        return result!
    }

    /// A write without a result, so that only its closure knows of types.
    @usableFromInline
    nonisolated(nonsending) func commit(
        _ origin: String, _ body: @Sendable (inout WriteTransaction) throws -> Void
    ) async throws {
        if let instruments = settings.instruments {
            return try await commit(origin, observedBy: instruments, body)
        }
        let done: Done
        do {
            done = try await performInTurn(origin, body)
        } catch let failure as EarlyFailure {
            throw await settle(failure)
        }
        if let ticket = done.ticket { try await waitForLog(ticket, isOwnCommit: done.isOwnCommit) }
        finish(done)
    }

    /// Waits until the log has a commit.
    private nonisolated(nonsending) func waitForLog(_ ticket: CommitTicket, isOwnCommit: Bool) async throws {
        do {
            try await ticket.wait()
        } catch {
            reclaimer.reclaimSome(timeline)
            throw isOwnCommit ? error : Self.readOfRefused(error)
        }
    }

    /// Waits until the log has what a write has read that threw.
    /// - Returns: what that write throws: its own error, or that it has read what was never there.
    private nonisolated(nonsending) func settle(_ failure: EarlyFailure) async -> any Error {
        do {
            try await waitForLog(failure.ticket, isOwnCommit: false)
            return failure.error
        } catch {
            return error
        }
    }

    /// Does what comes after a commit.
    @inline(never)
    private nonisolated func finish(_ done: Done) {
        // Here, where the draft and the state before it are let go: what is reclaimed now calls for no task.
        reclaimer.reclaimSome(timeline, retired: done.retiredCount)
        if done.isOwnCommit { files?.checkpointIfDue(self) }
        if let callbacks = done.callbacks { for callback in callbacks { callback() } }
    }

    /// A write that instruments observe.
    private nonisolated(nonsending) func commit(
        _ origin: String, observedBy instruments: [any WriteInstrument],
        _ body: @Sendable (inout WriteTransaction) throws -> Void
    ) async throws {
        var stopwatch = WriteStopwatch()
        let ends = instruments.map { $0.beginWrite(origin: origin) }
        // Written in the turn of this write, and read after it.
        nonisolated(unsafe) var turnBegan: ContinuousClock.Instant?
        var commitNumber: CommitNumber?
        var failure: (any Error)?
        do {
            let done: Done
            do {
                defer { stopwatch.endTurn(begunAt: turnBegan) }
                done = try await performInTurn(origin) {
                    turnBegan = turnBegan ?? .now
                    try body(&$0)
                }
            }
            do {
                defer { stopwatch.endLog() }
                if let ticket = done.ticket { try await waitForLog(ticket, isOwnCommit: done.isOwnCommit) }
            }
            finish(done)
            commitNumber = done.commitNumber
        } catch let early as EarlyFailure {
            failure = await settle(early)
            stopwatch.endLog()
        } catch {
            failure = error
        }
        let report = stopwatch.report(origin, commitNumber, failure)
        for end in ends { end(report) }
        if let failure { throw failure }
    }

    private struct Done: Sendable {
        /// What to wait for: the commit that was made, or the newest that a transaction without changes has seen.
        var ticket: CommitTicket?
        /// Whether the ticket is that of its own commit.
        var isOwnCommit: Bool
        /// The commit that was made; in memory there is no ticket for it.
        var commitNumber: CommitNumber?
        /// `nil` for none.
        var callbacks: [@Sendable () -> Void]?
        /// Nodes and rows that it retired.
        var retiredCount: Int
    }

    /// What a write has thrown that has read a commit which the log does not have yet.
    private struct EarlyFailure: Error {
        let error: any Error
        /// Where to wait for that commit.
        let ticket: CommitTicket
    }

    /// Waits for a turn, on the caller's executor, and runs a transaction in it, on the actor.
    /// - Throws: `EarlyFailure` where what it throws may be because of a commit that the log then refuses.
    @inline(__always)
    private nonisolated(nonsending) func performInTurn(
        _ origin: String, _ body: @Sendable (inout WriteTransaction) throws -> Void
    ) async throws -> Done {
        var (ticket, isOffered) = turns.enter()
        while true {
            if !isOffered { try await turns.wait(ticket) }
            if let done = try await perform(ticket, origin, body) { return done }
            isOffered = false
        }
    }

    /// Gives the turn back, and offers it to the next in line.
    nonisolated func passTurn() {
        if let favored = turns.pass() { reconsider(favored) }
    }

    /// Offers the turn to another one if one that was favored does not claim it for a while.
    @inline(never)
    private nonisolated func reconsider(_ favored: WriteTurns.Favored) {
        if let scheduler = settings.scheduler, scheduler.isDriven {
            // A seed says when, and no clock.
            return scheduler.run { [self] in turns.reconsider(favored) }
        }
        // Once in 64 turns, where writers of several priorities wait. The task has the priority of the one that waits: it
        // gets a thread if that one does.
        Task.detached(priority: favored.priorityOfFirst) { [self] in
            try? await Task.sleep(for: WriteTurns.patience)
            turns.reconsider(favored)
        }
    }

    /// Runs a transaction in the turn that was offered; `nil` if a writer of higher priority has taken it meanwhile.
    ///
    /// The turn is taken here and not before, so that it never belongs to a task that waits for a thread.
    private func perform(
        _ turn: WriteTurns.Ticket, _ origin: String, _ body: @Sendable (inout WriteTransaction) throws -> Void
    ) throws -> Done? {
        guard turns.claim(turn) else { return nil }
        defer { passTurn() }
        let draft = try beginDraft()
        do {
            return try perform(draft, origin, body)
        } catch {
            guard let ticket = unpublishedTicket else { throw error }
            throw EarlyFailure(error: error, ticket: ticket)
        }
    }

    /// Runs a transaction in a draft that has begun, and ends that.
    private func perform(
        _ draft: Draft, _ origin: String, _ body: @Sendable (inout WriteTransaction) throws -> Void
    ) throws -> Done {
        let before = draft.baseNumber
        do {
            var transaction = WriteTransaction(draft)
            try body(&transaction)
            try draft.runReactions(in: &transaction)
        } catch {
            draft.abort()
            draft.end(at: working)
            reclaimer.reclaimSome(timeline)
            throw error
        }
        defer { draft.end(at: working) }
        if let ticket = try finish(draft, origin: origin) {
            return Done(
                ticket: ticket, isOwnCommit: true, commitNumber: draft.baseNumber, callbacks: draft.ownCallbacks,
                retiredCount: draft.retiredCount)
        }
        // In memory all is done. With a log there was nothing to commit.
        return Done(
            ticket: unpublishedTicket, isOwnCommit: false,
            commitNumber: draft.baseNumber == before ? nil : draft.baseNumber, callbacks: draft.ownCallbacks,
            retiredCount: draft.retiredCount)
    }

    /// Where to wait for the newest sealed commit, if the log does not have it yet: it may be taken back, and then it was never
    /// there.
    private var unpublishedTicket: CommitTicket? {
        files == nil || working === publication.newest ? nil : lastTicket
    }

    private static func readOfRefused(_ error: any Error) -> DatabaseError {
        let cause = error as? DatabaseError
        let isForGood = [.syncFailed, .readOnly].contains(cause?.code)
        return DatabaseError(
            isForGood ? .readOnly : .abandoned, "A commit that this write has read could not be written. Try again.",
            place: cause?.place ?? .init(), cause: error)
    }

    /// Makes sure that `working` is what the next draft starts from.
    /// - Throws: `closed`, `readOnly`.
    func checkWritable() throws {
        if isClosed { throw DatabaseError(.closed, "the database is closed. Open it again to write.") }
        if let files, files.health.failure != nil { try rollBackToPublished(files) }
    }

    /// Starts a draft on the newest sealed state, after whatever the log may have taken back.
    /// - Throws: `closed`, `readOnly`.
    func beginDraft() throws -> Draft {
        settings.scheduler?.noteUse()
        try checkWritable()
        let tree = timeline.beginDraft()
        // An extension may have kept its context, which has the draft: that one is not used again.
        if isKnownUniquelyReferenced(&draft), let draft {
            draft.begin(from: working, tree)
            return draft
        }
        draft?.letGo()
        let made = Draft(base: working, tree: tree, environment: settings.environment)
        draft = made
        return made
    }

    /// Seals a draft and sends it on its way: to the log, or straight to the readers.
    /// - Returns: where to wait for the log; `nil` in memory, or if there was nothing to commit.
    func finish(_ draft: Draft, origin: String) throws -> CommitTicket? {
        if draft.isPlain {
            assert(files == nil, "what goes to a log is encoded")
            let (state, nanoseconds) = draft.sealPlain()
            working = state
            publication.publish(state, of: draft, origin: origin, nanoseconds: nanoseconds)
            return nil
        }
        do {
            return try draft.seal(origin: origin) { sealed in
                if let files { return try append(sealed, to: files) }
                working = sealed.state
                publication.publish(sealed)
                return nil
            }
        } catch {
            reclaimer.reclaimSome(timeline)
            throw error
        }
    }

    /// Sends a commit to the log, which publishes it when it is there.
    private func append(_ sealed: consuming Draft.Sealed, to files: DatabaseFiles) throws -> CommitTicket {
        let state = sealed.state
        let item = sealed.item!
        let bytes = sealed.retainedBytes
        let changeset = Changeset(sealed.contents)
        let ticket = CommitTicket()
        let health = files.health
        let era = health.era
        do {
            try files.store.append(number: state.number, item: item) { [publication] result in
                switch result {
                case .success: publication.publish(state, changeset, bytes: bytes)
                case .failure(let error): health.note(error, era: era)
                }
                ticket.resolve(result)
            }
        } catch {
            timeline.abandon(after: working.version, roots: state.trees(since: working))
            // A commit too large, or behind the last number, is the writer's failure, not the log's: those that wait there are
            // well, and are not to be taken back.
            if ![.transactionTooLarge, .overLimit].contains(error.code) { health.note(error, era: era) }
            throw error
        }
        // The log may have published it already: then what was there before goes with the last line.
        let before = working
        working = state
        lastTicket = ticket
        withExtendedLifetime(before) {}
        return ticket
    }

    /// Goes back to what readers see: commits behind it were sealed, and the log could not take them.
    /// - Throws: `readOnly` if the log takes no more.
    private func rollBackToPublished(_ files: DatabaseFiles) throws {
        let published = publication.newest
        if working !== published {
            timeline.abandon(after: published.version, roots: working.trees(since: published))
            working = published
            draft?.letGo()
            reclaimer.reclaimSome(timeline)
        }
        try files.store.resume(after: published.number)
        files.health.clearFailure()
    }
}
