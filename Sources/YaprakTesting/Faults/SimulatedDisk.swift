internal import Foundation
internal import SystemPackage
internal import ToolSupport
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// A disk in memory for databases with files: its calls can fail, its power can go, a process on it can be killed.
///
///     let disk = SimulatedDisk()
///     let database = try await Database.open(at: "/shop", on: disk, collections: .books)
///     disk.plan(.syncFails())
///     await #expect(throws: DatabaseError.self) { try await database.write { $0[.books].removeAll() } }
///
///     let after = disk.afterPowerCut()
///     let again = try await Database.open(at: "/shop", on: after, collections: .books)
///
/// What was written and what is durable are two things, as on a real disk: a power cut loses what was not synced, a kill
/// loses nothing that was written. The engine on it is the one of production, with its log, checkpoints and recovery. A
/// database in memory is put on one, to let it meet the same faults, with `Database.fork(at:on:options:)`.
///
/// Without a seed (``explore(seeds:from:sourceLocation:_:)``) no timer writes, so that a planned fault always meets the same
/// call: the log's note of how far it is synced, which elsewhere follows a commit after 20 ms, comes later or not at all.
///
/// The root directory `/` is there, and no other; the last component of a path is made by opening. Its parents are not, as on
/// a real disk: `/data/shop` throws `notFound`. `backup(_:to:)`, `restore(from:)` and `revert` of such a database read and
/// write the machine's own disk.
public final class SimulatedDisk: Sendable {
    let files: MemoryFileSystem
    /// Whose clock a slow call moves; the thread sleeps without one.
    private let scheduler: SeededScheduler?

    private let encodings = EncodingFaults()

    /// An empty disk without faults.
    public convenience init() { self.init(MemoryFileSystem(), nil) }

    init(_ files: MemoryFileSystem, _ scheduler: SeededScheduler?) {
        self.files = files
        self.scheduler = scheduler
        if let scheduler { files.observe { isChange in if isChange { scheduler.interrupt() } } }
    }

    // MARK: Faults

    /// Lets something go wrong from now on, in addition to what was planned before.
    public func plan(_ fault: Fault) {
        switch fault.kind {
        case .call(let operation, let nth, let effect, let forever):
            files.plan(operation, nth: nth, effect, forever: forever)
        case .space(let bytes): files.lowerCapacity(to: files.usedBytes.plus(bytes))
        case .power(let changes): files.cut(noLaterThan: files.changes.plus(changes))
        case .delay(let duration):
            let nanoseconds = UInt64(clamping: duration.attoseconds / 1_000_000_000)
            files.delayCalls { [scheduler] in
                if let scheduler {
                    scheduler.pass(nanoseconds)
                } else {
                    Thread.sleep(forTimeInterval: Double(nanoseconds) / 1e9)
                }
            }
        case .encoding(let collection, let key, let nth, let forever):
            encodings.plan(in: collection, key: key, nth: nth, forever: forever)
        }
    }

    /// Plans one to three faults that follow from a seed, and returns them for the failure text.
    ///
    ///     let faults = disk.planFaults(seed: run.seed)
    ///
    /// Writes that fail or are short, syncs that fail, space that runs out, records that don't encode. What lies or loses power
    /// is not among them: ask for that.
    @discardableResult
    public func planFaults(seed: UInt64) -> [Fault] {
        var random = SplitMix64(seed: seed)
        let faults = (0...random.below(3)).map { _ -> Fault in
            let nth = 1 + random.below(12)
            return switch random.below(5) {
            case 0: .writeFails(nth: nth, forever: random.chance(20))
            case 1: .writeIsShort(nth: nth)
            case 2: .syncFails(nth: nth, forever: random.chance(50))
            case 3: .diskFull(afterBytes: random.below(20_000))
            default: .encodingFails(nth: nth, forever: random.chance(10))
            }
        }
        for fault in faults { plan(fault) }
        return faults
    }

    /// Takes back all that was planned. A database that is read-only stays so until it is opened again, and power that is off
    /// stays off.
    public func heal() {
        files.healFaults()
        files.setCapacity(nil)
        files.delayCalls(nil)
        encodings.heal()
    }

    /// How many calls changed the disk so far: what ``Fault/powerCut(afterChanges:)`` counts.
    public var changeCount: Int { files.changes }

    /// How many bytes all files together have.
    public var usedBytes: Int { files.usedBytes }

    /// A number that says what was done with the disk: all calls, with their names and bytes, in order.
    ///
    /// Two runs of one seed have the same; see ``explore(seeds:from:sourceLocation:_:)``.
    public var digest: UInt64 { files.digest }

    // MARK: Losses

    /// What a power cut leaves of the writes that were not synced.
    public enum Remains: Sendable, Hashable {
        /// Nothing: what was synced, and no more.
        case synced
        /// Everything, though nobody could know.
        case everything
        /// All but the newest write, and so many bytes of that: a torn tail.
        case torn(bytes: Int)
        /// Some sectors and names, others not, garbage at the end: what follows from a seed.
        case random(seed: UInt64)
    }

    /// The disk as the next process finds it when this one was killed now (`kill -9`): what was written is there.
    ///
    /// The faults are gone. The database that is open goes on with the old disk, and nobody sees what it does.
    public func afterKill() -> SimulatedDisk { SimulatedDisk(files.afterKill(), scheduler) }

    /// The disk as the next process finds it when the power went off now, or when ``Fault/powerCut(afterChanges:)`` said.
    public func afterPowerCut(_ remains: Remains = .synced) -> SimulatedDisk {
        let left =
            switch remains {
            case .synced: files.crashed(keeping: .none, names: .none)
            case .everything: files.crashed(keeping: .all, names: .all)
            case .torn(let bytes): files.crashed(keeping: .prefix(max(0, bytes)), names: .all)
            case .random(let seed): files.crashed(keeping: .random(seed: seed), names: .random(seed: seed))
            }
        return SimulatedDisk(left, scheduler)
    }

    // MARK: Use

    /// The options of a database on this disk.
    func applied(to options: DatabaseOptions) -> DatabaseOptions {
        var options = options
        // Without a seed, time would decide where the log notes how far it is synced, and which call is the third.
        if let scheduler { options.store.scheduler = scheduler } else { options.store.attestAfter = .seconds(86_400) }
        // Not the disk: a database may outlive it.
        options.store.encodingFault = { [encodings] in encodings.fault(of: $0, $1) }
        return options
    }
}

extension Int {
    /// The sum, or the end of the numbers if it is beyond it.
    fileprivate func plus(_ other: Int) -> Int { Int(clamping: Int128(self) + Int128(other)) }
}
