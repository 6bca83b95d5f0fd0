import Synchronization

/// Something that is either so or not yet, told between threads.
public final class Flag: Sendable {
    private let state = Atomic(false)
    /// Not yet.
    public init() {}
    /// Whether it is so.
    public var isSet: Bool { state.load(ordering: .acquiring) }
    /// Makes it so.
    public func set() { state.store(true, ordering: .releasing) }
}
