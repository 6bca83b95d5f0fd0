import YaprakLocks
import YaprakStorage
import YaprakTrees

/// Frees what no snapshot needs any more, without making readers wait.
///
/// The writer frees a slice after each commit, as much as it retired, up to a bound: on another thread each piece would wait for
/// the lock of the allocator, as the writer would, which goes on making pieces. Who lets go of the last of a closed database or
/// fork frees it, if it has made at most 256 nodes and rows. What readers release between writes, what is more than a slice, and
/// what larger databases leave behind, is freed by a task of low priority in slices of bounded size; it first lets garbage
/// gather for a millisecond. Values of users are released there and in those slices, on no lock of ours.
struct Reclaimer: Sendable {
    /// Runs what would be a task, where a simulation decides the order.
    private let scheduler: (any WorkScheduler)?

    init(on scheduler: (any WorkScheduler)? = nil) { self.scheduler = scheduler }

    private static let isReclaiming = ThreadFlag()
    /// Nodes and rows that a writer frees after its commit, and who lets go of a small database.
    private static let writerSlice = 512
    /// The most that a writer frees after a commit that has retired more: its caller may be the main actor.
    private static let largestWriterSlice = 16_384
    /// The nodes and rows of a small one.
    private static let smallCount = 256
    /// Nodes and rows that a task frees before it lets others run.
    fileprivate static let taskSlice = 4096
    /// How long the task lets garbage gather. Who holds snapshots lets go of one after the other: a list lets go of one at
    /// each update, and waking a thread for each would cost more than the update.
    fileprivate static let patience = Duration.milliseconds(1)

    /// A timeline whose garbage this reclaimer takes care of.
    func makeTimeline(_ make: (@escaping @Sendable (Timeline) -> Void) -> Timeline) -> Timeline {
        // Without a scheduler, nothing is captured and nothing allocated.
        guard let scheduler else { return make { Self.schedule($0, on: nil) } }
        return make { Self.schedule($0, on: scheduler) }
    }

    /// Frees a slice; the rest, if there is any, goes to the task.
    ///
    /// - Parameter retired: how many nodes and rows the commit retired that is over now.
    func reclaimSome(_ timeline: Timeline, retired: Int = 0) {
        // The version that is let go of counts, too.
        let limit = max(Self.writerSlice, min(retired &+ 16, Self.largestWriterSlice))
        if timeline.reclaim(limit: limit) { Self.schedule(timeline, on: scheduler) }
    }

    private static func schedule(_ timeline: Timeline, on scheduler: (any WorkScheduler)?) {
        let (isClosed, isSmall) = timeline.closedState(small: smallCount)
        if isClosed {
            // A fork with a few writes is freed here: the task would free on another thread what this one made. One that was
            // the last to need its origin releases that, which is somebody else's version, and so on: what comes in between is
            // for the task, as is what is large.
            var remains = true
            if isSmall {
                _ = isReclaiming.unlessSet {
                    // Once more where a version of its own was the pin of another list.
                    for _ in 0..<2 where remains { remains = timeline.reclaim(limit: writerSlice) }
                }
            }
            if !remains { return }
            if let scheduler, scheduler.isDriven {
                scheduler.run { while timeline.reclaim(limit: taskSlice) {} }
            } else {
                ClosedTimelines.shared.add(timeline)
            }
            return
        }
        guard timeline.beginReclaimTask() else { return }
        if let scheduler, scheduler.isDriven {
            scheduler.run {
                timeline.endReclaimTask()
                while timeline.reclaim(limit: taskSlice) {}
            }
            return
        }
        Task.detached(priority: .utility) {
            try? await Task.sleep(for: patience)
            while true {
                if timeline.reclaim(limit: taskSlice) {
                    await Task.yield()
                    continue
                }
                timeline.endReclaimTask()
                // What was let go of between the last look and the line above has called nobody: look once more.
                guard timeline.reclaim(limit: taskSlice), timeline.beginReclaimTask() else { return }
            }
        }
    }
}

/// What closed databases and forks leave behind: one task frees it for all of them, so that dropping a fork starts none.
///
/// Freeing one timeline may release the pin of the one it was forked from; that is added to the line, so a chain of forks is
/// freed one after the other, on no deep stack.
private final class ClosedTimelines: Sendable {
    static let shared = ClosedTimelines()

    private struct State {
        var line: [Timeline] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    func add(_ timeline: Timeline) {
        let starts = state.withLock { state in
            state.line.append(timeline)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { start() }
    }

    @inline(never)
    private func start() {
        Task.detached(priority: .utility) { [self] in
            try? await Task.sleep(for: Reclaimer.patience)
            while let timelines = takeLine() {
                for timeline in timelines {
                    while timeline.reclaim(limit: Reclaimer.taskSlice) { await Task.yield() }
                }
                await Task.yield()
            }
        }
    }

    /// Those that wait; `nil` ends the task.
    private func takeLine() -> [Timeline]? {
        state.withLock { state in
            if state.line.isEmpty {
                state.isRunning = false
                return nil
            }
            defer { state.line = [] }
            return state.line
        }
    }
}
