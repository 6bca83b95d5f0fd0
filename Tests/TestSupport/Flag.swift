import Foundation
import Synchronization

/// Something that is set once, and passed between threads.
public final class Flag: Sendable {
    private let state = Atomic(false)
    /// Not yet.
    public init() {}
    /// Whether it is so.
    public var isSet: Bool { state.load(ordering: .acquiring) }
    /// Blocks the thread until it is so: for a closure that cannot suspend, on ``OwnThreads``. In the pool, which may have
    /// two threads and gets no others, it would keep away the very task that sets the flag.
    public func wait() {
        precondition(
            withUnsafeCurrentTask { $0 == nil || $0?.unownedTaskExecutor != nil },
            "who waits for a flag has a thread of its own: start the task on OwnThreads")
        while !isSet { Thread.sleep(forTimeInterval: 0.0002) }
    }
    /// Makes it so.
    public func set() { state.store(true, ordering: .releasing) }
}
