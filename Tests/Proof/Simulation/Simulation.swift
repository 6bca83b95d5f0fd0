internal import SystemPackage
internal import ToolSupport
internal import Yaprak
internal import YaprakCore
internal import YaprakLocks
internal import YaprakSimulator
internal import YaprakStorage

/// The whole engine on a simulated disk, under a seeded scheduler: one script is one history, byte for byte.
///
///     let outcome = Simulation(SimulationScript(seed: 7)).run()
///     if let failure = outcome.failure { print(failure, SimulationScript(seed: 7)) }
///
/// Each launch opens the database, compares it with the model, registers extensions, runs the tasks of the script and ends
/// in a close, a kill or a power cut. What is expected:
/// - The state is that of some commit that was issued, and of none before what was promised (R1, R2).
/// - Where the disk lied or a bit rotted, opening may also throw a typed error (R3, R4).
/// - A write that was refused stays away, unless the disk refused to take it back: then it may be there, and nothing else
///   differs.
/// - Every backup that was finished is there after the crash and opens as what was backed up.
/// - Every error is a `DatabaseError`, and nothing hangs. Where nothing is wrong with the disk, a step throws only what it
///   throws by itself.
package final class Simulation: @unchecked Sendable {
    /// What came of a history.
    package struct Outcome: Sendable, Equatable {
        /// What went wrong; nil if nothing did.
        package var failure: String?
        /// A digest of every call to the disk, with its bytes, and of every choice of the scheduler.
        package var digest: UInt64
        /// How many things were run.
        package var steps: Int
        package var commits: Int
        package var launches: Int
        /// How often the power went or the process was killed.
        package var crashes: Int
        /// How often opening refused what a disk at fault had left.
        package var refusals: Int
        /// How often a backup was opened and compared.
        package var backups: Int
        /// How often an opening found a commit whose sync had failed, or whose write had been refused.
        package var ghosts: Int
    }

    let script: SimulationScript
    let model = SimulationModel()
    var disk = MemoryFileSystem()
    private(set) var outcome = Outcome(
        failure: nil, digest: 0, steps: 0, commits: 0, launches: 0, crashes: 0, refusals: 0, backups: 0, ghosts: 0)
    /// Why the next opening may find less than was promised, or throw.
    private var doubts: [String] = []
    /// Whether the next opening may find a write that was refused: the disk did not let it be taken back.
    private var mayHaveGhosts = false
    /// Refused writes that have the records of what was opened: until the marks are there, any of them may have come back.
    private var lookalikes: [SimulationModel.State] = []
    /// Whether the files may be damaged where no opening has looked so far.
    private var mayBeDamaged = false
    /// Whether the last launch closed the database.
    private var wasClosed = false
    var backups = SimulatedBackups()
    private let planted: [Int: PlantedFault]

    /// - Parameter planted: faults behind a launch, by its index, which the simulation has to find.
    package init(_ script: SimulationScript, planted: [Int: PlantedFault] = [:]) {
        self.script = script
        self.planted = planted
    }

    /// Runs all launches, and one more that only looks.
    package func run() -> Outcome {
        let last = SimulationScript.Launch(tasks: [], mishaps: [], ending: .close, rottenBit: nil)
        for (index, launch) in (script.launches + [last]).enumerated() {
            if !run(launch, index) { break }
            if model.failure != nil { break }
        }
        outcome.failure = model.failure
        return outcome
    }

    /// - Returns: whether there can be a next launch.
    private func run(_ launch: SimulationScript.Launch, _ index: Int) -> Bool {
        let scheduler = SeededScheduler(seed: script.seed &* 31 &+ UInt64(index))
        outcome.launches += 1
        disk.setRenamesInTwoSteps(script.renamesInTwoSteps)
        plan(launch.mishaps)
        // A disk that a kill has left goes on with the counts of the launch before.
        let failuresBefore = disk.failures(.truncate)
        switch launch.ending {
        case .kill(let changes), .powerCut(let changes, _): disk.cut(afterChanges: disk.changes + changes)
        case .close: break
        }
        disk.observe { isChange in if isChange { scheduler.interrupt() } }
        let opened = scheduler.run { await self.play(launch, index, scheduler) }
        disk.observe(nil)
        outcome.steps += scheduler.steps
        outcome.digest = (outcome.digest ^ scheduler.digest) &* 0x100_0000_01B3 ^ disk.digest
        guard let opened else {
            model.fail("launch \(index): everybody waits, and nobody will be woken")
            return false
        }
        // What can't be overwritten is cut off. Only where that failed, too, a refused write may come back.
        if disk.failures(.truncate) > failuresBefore { mayHaveGhosts = true }
        end(launch)
        planted[index]?.apply(to: disk)
        if model.failure == nil { checkBackups(index) }
        return opened
    }

    private func plan(_ mishaps: [SimulationScript.Mishap]) {
        for mishap in mishaps {
            switch mishap {
            case .space(let bytes): disk.setCapacity(disk.usedBytes + bytes)
            case .fault(let call, let nth, let effect, let forever):
                disk.plan(DiskError.Operation(rawValue: call.rawValue), nth: nth, effect, forever: forever)
            }
        }
    }

    /// The process is gone; what it leaves.
    private func end(_ launch: SimulationScript.Launch) {
        if disk.lies > 0 {
            doubts.append("a sync was a lie")
            mayBeDamaged = true
            backups.forget()
        }
        wasClosed = wasClosed && !disk.isCut
        switch launch.ending {
        case .close:
            if disk.lies > 0 { disk = disk.crashed(keeping: .none, names: .none) } else { disk = disk.afterKill() }
        case .kill:
            outcome.crashes += 1
            disk = disk.afterKill()
        case .powerCut(_, let remains):
            outcome.crashes += 1
            let names: MemoryFileSystem.KeptNames = [.none, .all, .subset(remains)][Int(remains % 3)]
            let writes: MemoryFileSystem.KeptWrites = [
                .none, .all, .random(seed: remains), .random(seed: remains &+ 1), .sectors(remains),
            ][Int(remains / 3 % 5)]
            disk = disk.crashed(keeping: writes, names: names)
            if !wasClosed { model.promisedAfterKill = model.promisedAfterCut }
        }
        guard let bit = launch.rottenBit else { return }
        let files = ["/db/wal", "/db/ckpt"].flatMap { folder in
            disk.names(FilePath(folder)).map { FilePath(folder).appending($0) }
        }
        let sizes = files.map { disk.contents($0)?.count ?? 0 }
        let all = sizes.reduce(0, +) * 8
        guard all > 0 else { return }
        var at = bit % all
        for (file, size) in zip(files, sizes) {
            if at < size * 8, var bytes = disk.contents(file) {
                bytes[at / 8] ^= 1 << UInt8(at % 8)
                disk.setContents(file, bytes)
                doubts.append("bit \(at) of \(file) rotted")
                mayBeDamaged = true
                return
            }
            at -= size * 8
        }
    }

    // MARK: A launch

    private func options(_ index: Int, _ scheduler: SeededScheduler) -> DatabaseOptions {
        var options = DatabaseOptions()
        let random = Mutex(SplitMix64(seed: script.seed &+ UInt64(index) &* 7919))
        let bits = RandomBits(random)
        options.durability = script.durability
        options.retention = script.retention
        options.checkpoints = .manual
        options.clock = { Int64(scheduler.now()) }
        options.store.random = { bits.next() }
        options.store.segmentBytesMax = script.segmentBytes
        options.store.preallocationBytes = script.preallocationBytes
        options.store.chunkBytes = 512
        options.store.checkpointSyncBytes = 1500
        options.store.frameBytesMax = 2000
        if script.attestsAtOnce { options.store.attestAfter = .zero }
        options.store.scheduler = scheduler
        return options
    }

    private final class RandomBits: Sendable {
        private let random: Mutex<SplitMix64>
        init(_ random: consuming sending Mutex<SplitMix64>) { self.random = random }
        func next() -> UInt64 { random.withLock { $0.next() } }
    }

    /// - Returns: whether the database could be opened, or why not is no surprise.
    private func play(
        _ launch: SimulationScript.Launch, _ index: Int, _ scheduler: SeededScheduler
    ) async -> Bool {
        let database: Database
        do {
            database = try await Database.open(
                at: "/db", options: options(index, scheduler), fileSystem: disk,
                collections: SimulatedRecord.items, SimulatedRecord.others)
        } catch {
            wasClosed = false
            if !(error is DatabaseError) { model.fail("launch \(index): opening threw \(error)") }
            if disk.isCut || !launch.mishaps.isEmpty { return true }
            // What has rotted may be where the last opening had no need to look, as behind a checkpoint that a cut takes away.
            if doubts.isEmpty, !mayBeDamaged { model.fail("launch \(index): it does not open: \(error)") }
            outcome.refusals += 1
            return false
        }
        compare(database, index)
        guard model.failure == nil else { return false }
        wasClosed = false
        let isSound = launch.mishaps.isEmpty && !mayBeDamaged
        await register(database, index, isSound: isSound)
        let run = SimulatedTasks(self, database, launch: index, isSound: isSound)
        await run.play(launch.tasks)
        // A power cut or a kill that has not come up by now comes before the close.
        if case .close = launch.ending {} else { disk.cut(afterChanges: 0) }
        do {
            try await database.close()
            wasClosed = true
            model.promisedAfterCut = model.promisedAfterKill
        } catch {
            if !(error is DatabaseError) { model.fail("launch \(index): closing threw \(error)") }
            if !disk.isCut, launch.mishaps.isEmpty { model.fail("launch \(index): closing threw \(error)") }
        }
        await run.ended()
        return true
    }

    /// Holds what was opened against the model.
    private func compare(_ database: Database, _ index: Int) {
        let number = Int(database.commitNumber.rawValue)
        let place = "launch \(index), opened at \(number)"
        if doubts.isEmpty, number < model.promisedAfterKill {
            return model.fail("\(place): \(model.promisedAfterKill) was promised")
        }
        let records = SimulationModel.records(of: database.snapshot)
        let isIssued = number < model.issued.count && records == model.issued[number].records
        lookalikes = []
        if mayHaveGhosts || !doubts.isEmpty {
            lookalikes = model.failed.filter { $0.number == number && $0.state.records == records }.map(\.state)
        }
        if !isIssued {
            guard let ghost = lookalikes.last else {
                return model.fail("\(place): a state that never was; \(model.issued.count - 1) were issued")
            }
            model.comeBack(number, ghost)
            outcome.ghosts += 1
        } else if let unsynced = model.unsynced, number >= unsynced {
            outcome.ghosts += 1
        }
        outcome.commits += number
        model.opened(at: number)
        if disk.lies == 0 { doubts = [] }
        // What was readable was written again, or will be overwritten.
        mayHaveGhosts = false
    }

    /// - Parameter isSound: whether nothing is wrong with the disk, as long as it has power.
    private func register(_ database: Database, _ index: Int, isSound: Bool) async {
        do {
            try await database.register(Tally())
            try await database.register(Marks())
        } catch {
            if !(error is DatabaseError) || isSound && !disk.isCut {
                model.fail("launch \(index): registering threw \(error)")
            }
            return
        }
        let snapshot = database.snapshot
        let number = model.issued.count - 1
        if snapshot[Marks()] != model.issued[number].marks,
            let other = lookalikes.last(where: { $0.marks == snapshot[Marks()] })
        {
            model.comeBack(number, other)
        }
        let newest = model.issued[number]
        if snapshot[Tally()] != newest.tally { model.fail("launch \(index): the tally is \(snapshot[Tally()])") }
        if snapshot[Marks()] != newest.marks { model.fail("launch \(index): the marks are \(snapshot[Marks()])") }
    }

    // MARK: Backups

    private func checkBackups(_ index: Int) {
        let (opened, failure) = backups.open(on: disk) { scheduler in options(index, scheduler) }
        outcome.backups += opened
        if let failure { model.fail("launch \(index): \(failure)") }
    }
}
