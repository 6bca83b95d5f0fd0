internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator

/// The tasks of one launch of a simulation.
final class SimulatedTasks: @unchecked Sendable {
    private let simulation: Simulation
    private let model: SimulationModel
    private let database: Database
    private let launch: Int
    private let isAlways: Bool
    /// Whether nothing is wrong with the disk, as long as it has power.
    private let isSound: Bool

    private struct Away: Error {}

    init(_ simulation: Simulation, _ database: Database, launch: Int, isSound: Bool) {
        self.simulation = simulation
        model = simulation.model
        self.database = database
        self.launch = launch
        self.isSound = isSound
        isAlways = simulation.script.durability == .always
    }

    /// Runs the tasks side by side until all are done.
    func play(_ tasks: [[SimulationScript.Step]]) async {
        await withTaskGroup(of: Void.self) { group in
            for steps in tasks { group.addTask { await self.play(steps) } }
        }
    }

    /// Behind the close.
    func ended() async {
        do {
            try await database.write { $0[SimulatedRecord.items]["closed"] = SimulatedRecord(number: 1, text: "") }
            model.fail("launch \(launch): a write behind the close succeeded")
        } catch {
            if (error as? DatabaseError)?.code != .closed { model.fail("launch \(launch): behind the close: \(error)") }
        }
    }

    private func play(_ steps: [SimulationScript.Step]) async {
        var held: [(Int, Snapshot)] = []
        for step in steps {
            guard model.failure == nil else { return }
            do {
                switch step {
                case .write(let edits, let mark, let throwing): try await write(edits, mark, throwing)
                case .checkpoint: try await database.checkpoint()
                case .flush:
                    let number = model.promisedAfterKill
                    try await database.flush()
                    model.promisedAfterCut = max(model.promisedAfterCut, number)
                case .hold: held.append((look(), database.snapshot))
                case .unregister: try await database.unregister("tally")
                case .register: try await database.register(Tally())
                case .fork(let edits): try await fork(edits)
                case .backup(let index): try await backup("backup-\(launch)-\(index)")
                case .follow(let count): try await follow(count)
                }
            } catch is Away {
            } catch {
                let code = (error as? DatabaseError)?.code
                let isFaultOfDisk = code != nil && (!isSound || simulation.disk.isCut)
                if !isFaultOfDisk, code.map(step.codes.contains) != true {
                    model.fail("launch \(launch): \(step) threw \(error)")
                }
            }
        }
        for (number, snapshot) in held where model.failure == nil {
            // A number is used again only if nobody has seen it.
            if SimulationModel.records(of: snapshot) != model.issued[number].records {
                model.fail("launch \(launch): the snapshot of commit \(number) has changed")
            }
        }
    }

    /// The newest snapshot is a state that was issued, extensions included.
    /// - Returns: its number.
    private func look() -> Int {
        let snapshot = database.snapshot
        let number = Int(snapshot.commitNumber.rawValue)
        guard number < model.issued.count else {
            model.fail("launch \(launch): readers see commit \(number), which was not issued")
            return 0
        }
        let state = model.issued[number]
        if SimulationModel.records(of: snapshot) != state.records {
            model.fail("launch \(launch): readers see commit \(number) with other records")
        }
        if let tally = try? snapshot.reader(of: Tally()), tally != state.tally {
            model.fail("launch \(launch): commit \(number) has the tally \(tally), not \(state.tally)")
        }
        if let marks = try? snapshot.reader(of: Marks()), marks != state.marks {
            model.fail("launch \(launch): commit \(number) has the marks \(marks), not \(state.marks)")
        }
        return number
    }

    private func write(_ edits: [SimulationScript.Edit], _ mark: Int?, _ throwing: Bool) async throws {
        let claim = Claim()
        do {
            try await database.write { [model, disk = simulation.disk] transaction in
                let number = Int(transaction.commitNumber.rawValue)
                guard number <= model.issued.count else {
                    // Behind a cut numbers are given to commits that the model does not count.
                    if disk.isCut { return }
                    return model.fail("a transaction has number \(number), and \(model.issued.count) is the next")
                }
                let before = model.issued[number - 1]
                var state = before
                for edit in edits {
                    edit.apply(to: &transaction)
                    edit.apply(to: &state)
                }
                if let mark {
                    try transaction.perform(.toggle(mark), on: Marks())
                    _ = Marks().apply(.toggle(mark), to: &state.marks)
                }
                if throwing { throw Away() }
                // One that changes nothing makes no commit; one that sets what is there does.
                // A process that is gone issues nothing.
                if disk.isCut { return }
                claim.number = number
                claim.owner = model.issue(number, state)
            }
        } catch {
            let code = (error as? DatabaseError)?.code
            // After these the commit is not there, and will not be. A failed sync leaves it open.
            let refusals: [DatabaseError.Code] = [
                .diskFull, .writeFailed, .permissionDenied, .abandoned, .readOnly, .closed, .extensionFailed,
                .transactionTooLarge,
            ]
            let isKnown = code.map(refusals.contains) ?? false
            // Behind a cut the process is gone: what it is answered then promises nothing.
            if isKnown, claim.owner > 0, !simulation.disk.isCut { model.refuse(claim.number, claim.owner) }
            if code == .syncFailed, claim.owner > 0, !simulation.disk.isCut {
                model.unsynced = min(model.unsynced ?? claim.number, claim.number)
            }
            throw error
        }
        // No commit was made of what changed nothing, and the number may be somebody else's by now.
        guard claim.owner > 0, Int(database.commitNumber.rawValue) >= claim.number else { return }
        if model.owner(of: claim.number) == claim.owner {
            model.acknowledge(claim.number, claim.owner, isDurable: isAlways)
        }
        _ = look()
    }

    private final class Claim: @unchecked Sendable {
        var number = 0
        var owner = 0
    }

    private func fork(_ edits: [SimulationScript.Edit]) async throws {
        let number = look()
        var state = model.issued[number]
        let fork = database.fork()
        guard fork.commitNumber.rawValue >= UInt64(number) else { return model.fail("a fork is older than its origin") }
        if Int(fork.commitNumber.rawValue) != number { state = model.issued[Int(fork.commitNumber.rawValue)] }
        for edit in edits { edit.apply(to: &state) }
        try await fork.write { transaction in for edit in edits { edit.apply(to: &transaction) } }
        if SimulationModel.records(of: fork.snapshot) != state.records {
            model.fail("launch \(launch): a fork differs")
        }
        try await fork.close()
    }

    private func backup(_ name: String) async throws {
        let snapshot = database.snapshot
        let number = Int(snapshot.commitNumber.rawValue)
        guard simulation.backups.begin(name, number, model.issued[number], isSound: isSound) else { return }
        try await database.backup(snapshot, to: FilePath("/\(name)"), fileSystem: simulation.disk)
        simulation.backups.finish(name)
    }

    /// Changesets come in order, without a gap, and say what was before and after.
    private func follow(_ count: Int) async throws {
        let start = look()
        var records = model.issued[start].records
        var last = start
        var iterator = database.changesets(after: CommitNumber(UInt64(start))).makeAsyncIterator()
        for _ in 0..<count {
            // Nobody else may write again: what is there is followed, and no more.
            guard last < Int(database.commitNumber.rawValue), let changeset = try await iterator.next() else { return }
            last += 1
            guard Int(changeset.commitNumber.rawValue) == last else {
                return model.fail("launch \(launch): a stream skips to \(changeset.commitNumber) from \(last - 1)")
            }
            apply(changeset, to: &records)
            if records != model.issued[last].records {
                return model.fail("launch \(launch): the changes of commit \(last) lead elsewhere")
            }
        }
    }

    private func apply(_ changeset: Changeset, to records: inout [String: SimulationModel.Value]) {
        let items = changeset.changes(in: SimulatedRecord.items)
        if items.didRemoveAll { records = records.filter { !$0.key.hasPrefix("items/") } }
        for change in items {
            records["items/\(change.key)"] = change.after.map { .init(record: $0.object, metadata: nil) }
        }
        let others = changeset.changes(in: SimulatedRecord.others)
        if others.didRemoveAll { records = records.filter { !$0.key.hasPrefix("others/") } }
        for change in others {
            records["others/\(change.key)"] = change.after.map { .init(record: $0.object, metadata: $0.metadata) }
        }
    }
}

extension SimulationScript.Step {
    /// What it may throw although nothing is wrong with the disk. The database is open until the last task has ended, nobody
    /// cancels, and a stream begins at the newest commit, so that it never needs the log.
    fileprivate var codes: Set<DatabaseError.Code> {
        switch self {
        // It is registered from the start of a launch on, until a task unregisters it.
        case .register: [.nameTaken]
        case .write, .checkpoint, .flush, .hold, .unregister, .fork, .backup, .follow: []
        }
    }
}
