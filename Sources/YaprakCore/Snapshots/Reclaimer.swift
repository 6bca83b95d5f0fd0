import YaprakLocks
import YaprakStorage
import YaprakTrees

/// Frees what no snapshot needs any more, without making readers wait.
///
/// The writer frees a slice after each commit, about as much as it made. What readers release between writes, what is more
/// than a slice, and all that a closed database leaves behind, is freed by a task of low priority in slices of bounded
/// size; it first lets garbage gather for a millisecond. Values of users are released there and in the writer's slice, on
/// no lock of ours.
final class Reclaimer: Sendable {
    private struct State {
        /// Whose garbage it is. Unowned: the timeline holds this reclaimer, and the caller of `schedule` holds the timeline.
        /// (A weak reference would send each of the many retains of a timeline through a side table.)
        var timeline: Unmanaged<Timeline>?
        var isRunning = false
    }

    private let state = Mutex(State())
    /// Runs what would be a task, where a simulation decides the order.
    private let scheduler: (any WorkScheduler)?

    init(on scheduler: (any WorkScheduler)? = nil) { self.scheduler = scheduler }

    private static let isReclaiming = ThreadFlag()
    /// Nodes and rows that a writer frees after its commit.
    private static let writerSlice = 512
    /// Nodes and rows that a task frees before it lets others run.
    fileprivate static let taskSlice = 4096
    /// How long the task lets garbage gather. Who holds snapshots lets go of one after the other: a list lets go of one at
    /// each update, and waking a thread for each would cost more than the update.
    fileprivate static let patience = Duration.milliseconds(1)

    /// A timeline whose garbage this reclaimer takes care of.
    func makeTimeline(_ make: (@escaping @Sendable () -> Void) -> Timeline) -> Timeline {
        let timeline = make { [self] in schedule() }
        state.withLock { $0.timeline = Unmanaged.passUnretained(timeline) }
        return timeline
    }

    /// Frees a slice; the rest, if there is any, goes to the task.
    func reclaimSome(_ timeline: Timeline) {
        if timeline.reclaim(limit: Self.writerSlice) { schedule() }
    }

    private func schedule() {
        guard let timeline = state.withLock({ $0.timeline })?.takeUnretainedValue() else { return }
        if timeline.isClosed {
            // Most often nothing but the version itself is left. One that was the last to need a fork's origin releases that,
            // which is somebody else's version, and so on: what comes in between is for the task.
            var remains = true
            _ = Self.isReclaiming.unlessSet {
                // Once more after the pin of its origin is gone: a fork that wrote nothing ends here, and wakes no task.
                for _ in 0..<2 where remains { remains = timeline.reclaim(limit: 64, onlyVersions: true) }
            }
            if !remains { return }
            if let scheduler, scheduler.isDriven {
                scheduler.run { while timeline.reclaim(limit: Self.taskSlice) {} }
            } else {
                ClosedTimelines.shared.add(timeline)
            }
            return
        }
        guard start() else { return }
        if let scheduler, scheduler.isDriven {
            scheduler.run { [self] in
                state.withLock { $0.isRunning = false }
                while timeline.reclaim(limit: Self.taskSlice) {}
            }
            return
        }
        Task.detached(priority: .utility) { [self] in
            try? await Task.sleep(for: Self.patience)
            while true {
                if timeline.reclaim(limit: Self.taskSlice) {
                    await Task.yield()
                    continue
                }
                state.withLock { $0.isRunning = false }
                // What was let go of between the last look and the line above has called nobody: look once more.
                guard timeline.reclaim(limit: Self.taskSlice), start() else { return }
            }
        }
    }

    /// Whether the caller has to start the task.
    private func start() -> Bool {
        state.withLock { state in
            if state.isRunning { return false }
            state.isRunning = true
            return true
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
        guard starts else { return }
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
