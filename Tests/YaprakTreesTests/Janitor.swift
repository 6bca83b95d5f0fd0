import YaprakLocks

@testable import YaprakTrees

/// Reclaims for the timelines it made, as a database's reclaimer does, but when the test says so.
final class Janitor: Sendable {
    private let due = Mutex<[Timeline]>([])

    /// A timeline that reports its garbage here.
    func makeTimeline(_ make: (@escaping @Sendable (Timeline) -> Void) -> Timeline) -> Timeline {
        make { [self] timeline in due.withLock { $0.append(timeline) } }
    }

    /// Reclaims until no timeline reports garbage any more: one that is freed may release the pin of another.
    func run(limit: Int = .max) {
        while let timeline = due.withLock({ $0.popLast() }) { timeline.reclaimAll(limit: limit) }
    }
}
