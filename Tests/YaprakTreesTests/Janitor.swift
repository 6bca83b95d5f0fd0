import YaprakLocks

@testable import YaprakTrees

/// Reclaims for the timelines it made, as a database's reclaimer does, but when the test says so.
final class Janitor: Sendable {
    private struct Owner: @unchecked Sendable {
        // Set once, before the timeline can have garbage; the reporter of garbage holds the timeline.
        var timeline: Unmanaged<Timeline>?
    }

    private let due = Mutex<[Timeline]>([])

    /// A timeline that reports its garbage here.
    func makeTimeline(_ make: (@escaping @Sendable () -> Void) -> Timeline) -> Timeline {
        final class Shared: Sendable {
            let owner = YaprakLocks.Mutex(Owner())
        }
        let shared = Shared()
        let timeline = make { [self] in
            guard let timeline = shared.owner.withLock({ $0 }).timeline?.takeUnretainedValue() else { return }
            due.withLock { $0.append(timeline) }
        }
        shared.owner.withLock { $0.timeline = Unmanaged.passUnretained(timeline) }
        return timeline
    }

    /// Reclaims until no timeline reports garbage any more: one that is freed may release the pin of another.
    func run(limit: Int = .max) {
        while let timeline = due.withLock({ $0.popLast() }) { timeline.reclaimAll(limit: limit) }
    }
}
