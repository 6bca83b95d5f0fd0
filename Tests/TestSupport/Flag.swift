import Foundation
import Synchronization

/// Something that is either so or not yet, told between threads.
public final class Flag: Sendable {
    private let state = Atomic(false)
    /// Not yet.
    public init() {}
    /// Whether it is so.
    public var isSet: Bool { state.load(ordering: .acquiring) }
    /// Blocks the thread until it is so. Asleep, so that the pool sees that a thread is blocked, and starts another: with
    /// two for all tests, one that spins may keep away the very task that would set the flag.
    public func wait() { while !isSet { Thread.sleep(forTimeInterval: 0.0002) } }
    /// Makes it so.
    public func set() { state.store(true, ordering: .releasing) }
}
