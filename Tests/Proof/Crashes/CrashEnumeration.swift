internal import SystemPackage
internal import Yaprak
internal import YaprakCore
internal import YaprakSimulator
internal import YaprakStorage

/// Interrupts an operation at every call that changes the disk, in every way, also while the next opening recovers; and lets
/// every call fail with every error.
package struct CrashEnumeration {
    package let operation: WritingOperation
    /// Images that were opened.
    package private(set) var images = 0
    /// Faults that came up.
    package private(set) var faults = 0
    /// What was broken first.
    package private(set) var failure: String?

    package init(_ operation: WritingOperation) { self.operation = operation }

    /// What came of one run.
    private struct Run {
        let disk: MemoryFileSystem
        let acknowledged: WritingOperation.Acknowledged
        let error: (any Error)?
        let isStuck: Bool
    }

    private func play(_ disk: MemoryFileSystem, seed: UInt64) -> Run {
        let scheduler = SeededScheduler(seed: seed)
        let progress = WritingOperation.Progress()
        let result = scheduler.run { [operation] () -> Result<Void, any Error> in
            do {
                try await operation.run(disk, WritingOperation.options(scheduler), progress)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case nil: return Run(disk: disk, acknowledged: progress.acknowledged, error: nil, isStuck: true)
        case .success:
            progress.acknowledged.state = operation.states.count - 1
            return Run(disk: disk, acknowledged: progress.acknowledged, error: nil, isStuck: false)
        case .failure(let error):
            return Run(disk: disk, acknowledged: progress.acknowledged, error: error, isStuck: false)
        }
    }

    private func copyOfBase() -> MemoryFileSystem { operation.base.afterKill() }

    /// Cuts the power at every change of the disk.
    ///
    /// - Parameters:
    ///   - stride: takes each *n*-th cut and torn prefix only.
    ///   - second: whether recovery is cut, too.
    package mutating func cut(seed: UInt64, stride: Int = 1, second: Bool = true) {
        let whole = play(copyOfBase(), seed: seed)
        guard whole.error == nil, !whole.isStuck else {
            failure = "\(operation.name): without a fault it throws \(String(describing: whole.error))"
            return
        }
        var cut = Int(seed) % stride
        while failure == nil {
            let disk = copyOfBase()
            let start = disk.changes
            disk.cut(afterChanges: start + cut)
            let run = play(disk, seed: seed)
            if run.isStuck { failure = "\(operation.name), cut \(cut): it hangs" }
            let isDone = !disk.isCut
            for remains in CrashRemains.all(disk, seed: seed &+ UInt64(cut), prefixStep: stride * 3 - 2)
            where failure == nil {
                let image = disk.crashed(keeping: remains.writes, names: remains.names)
                judge(image, run, "cut \(cut), \(remains)", retries: images % 7 == 0)
            }
            if second {
                for remains in CrashRemains.plain(disk) where failure == nil {
                    cutAgain(
                        disk.crashed(keeping: remains.writes, names: remains.names), run, "cut \(cut), \(remains)",
                        stride)
                }
            }
            // A kill instead: what was not synced is there as long as the power stays.
            if failure == nil { judge(disk.afterKill(), run, "killed at \(cut)", retries: true) }
            if isDone { return }
            cut += stride
        }
    }

    private mutating func cutAgain(_ image: MemoryFileSystem, _ run: Run, _ place: String, _ stride: Int) {
        var second = 0
        while failure == nil {
            let again = image.copy()
            again.cut(afterChanges: again.changes + second)
            let scheduler = SeededScheduler(seed: 1)
            _ = scheduler.run {
                try? await WritingOperation.open(again, WritingOperation.options(scheduler)).close()
            }
            for more in CrashRemains.plain(again) where failure == nil {
                judge(
                    again.crashed(keeping: more.writes, names: more.names), run, "\(place), then \(second), \(more)",
                    retries: false)
            }
            guard again.isCut else { return }
            second += stride
        }
    }

    /// The nine errors that a call of each kind fails with.
    private static let errnos: [Errno] = [
        .interrupted, .ioError, .noSpace, .diskQuotaExceeded, .fileTooLarge, .tooManyOpenFiles, .permissionDenied,
        .readOnlyFileSystem, .noMemory,
    ]

    /// Lets the *n*-th call of a kind fail, for every *n* until none comes up.
    private mutating func fail(
        _ call: DiskError.Operation, _ effect: MemoryFileSystem.FaultEffect, forever: Bool, stride: Int
    ) {
        var nth = 1
        while failure == nil {
            let disk = copyOfBase()
            disk.plan(call, nth: nth, effect, forever: forever)
            let run = play(disk, seed: UInt64(nth))
            let place = "\(call) \(nth) \(effect)\(forever ? " permanently" : "")"
            if run.isStuck { failure = "\(operation.name), \(place): it hangs" }
            if let error = run.error, !(error is DatabaseError) {
                failure = "\(operation.name), \(place): \(error) is not typed"
            }
            guard disk.faultsAreSpent else { return }
            faults += 1
            disk.healFaults()
            for remains in CrashRemains.plain(disk) where failure == nil {
                judge(
                    disk.crashed(keeping: remains.writes, names: remains.names), run, "\(place), \(remains)",
                    retries: false)
            }
            if failure == nil { judge(disk.afterKill(), run, place, retries: true) }
            nth += stride
        }
    }

    /// Lets every call fail with every error, once and permanently, before it does its work and behind it.
    /// - Parameter errorShare: of the errors each n-th is taken, from one that is drawn; 1 takes all.
    package mutating func failEveryCall(stride: Int = 1, errorShare: Int = 1) {
        for call in DiskError.Operation.allCases {
            let first = Int.random(in: 0..<errorShare)
            for index in Swift.stride(from: first, to: Self.errnos.count, by: errorShare) {
                let errno = Self.errnos[index]
                fail(call, .error(errno), forever: false, stride: stride)
                // A call that is always interrupted is made again forever.
                if errno != .interrupted { fail(call, .error(errno), forever: true, stride: stride) }
            }
            fail(call, .errorAfter(.ioError), forever: false, stride: stride)
        }
    }

    /// Opens what is left.
    private mutating func judge(_ image: MemoryFileSystem, _ run: Run, _ place: String, retries: Bool) {
        images += 1
        let scheduler = SeededScheduler(seed: 1)
        let text = scheduler.run { [operation] () -> String? in
            do {
                let database = try await WritingOperation.open(image, WritingOperation.options(scheduler))
                let records = SimulationModel.records(of: database.snapshot)
                try await database.close()
                if !operation.accepts(records, run.acknowledged) {
                    return "\(records.keys.sorted()) are there, behind \(run.acknowledged)"
                }
                if image.names("/").contains("copy"), let copy = operation.copy {
                    let other = try await WritingOperation.open(
                        image, WritingOperation.options(scheduler), at: WritingOperation.target)
                    let isSame = SimulationModel.records(of: other.snapshot) == copy
                    try await other.close()
                    if !isSame { return "the new directory holds something else" }
                } else if operation.copy != nil, run.error == nil {
                    return "the new directory is not there"
                }
                return nil
            } catch {
                return "it does not open: \(error)"
            }
        }
        if let text = text ?? "opening hangs" as String? { failure = "\(operation.name), \(place): \(text)" }
        guard retries, failure == nil, !image.names("/").contains("copy"), !image.names("/db").contains("tags.lock")
        else { return }
        let again = play(image, seed: 3)
        if again.isStuck || again.error != nil {
            failure = "\(operation.name), \(place): done again it throws \(String(describing: again.error))"
        } else if image.names("/").contains(where: { $0.contains(".tmp-") }) {
            failure = "\(operation.name), \(place): done again it leaves \(image.names("/"))"
        }
    }
}
