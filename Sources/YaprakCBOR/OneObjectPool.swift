import YaprakLocks

/// What a pool keeps.
protocol Pooled: AnyObject {
    /// How many bytes its buffers have, used or not.
    var bytesReserved: Int { get }
}

/// A one-element object pool.
///
/// It never makes a thread wait: a caller that finds the pool empty, or in use by another thread, makes an object of its own.
final class OneObjectPool<State: Pooled>: Sendable {
    // The state is reachable from the slot alone while it is there, and from one call alone while it is not.
    private struct Slot: @unchecked Sendable { var state: State? }
    private let slot = Mutex(Slot(state: nil))

    /// The object, if there is one.
    func take() -> State? {
        let taken = slot.withLockIfAvailable { slot in
            let state = slot.state
            slot.state = nil
            return Slot(state: state)
        }
        return taken?.state
    }

    /// What one large record has grown goes with it. Buffers double, and maps that are put into order take room for another: one
    /// of a megabyte has grown four.
    private static var bytesMax: Int { 4 << 20 }

    /// Keeps the object for the next caller, unless something else still refers to it, or it has grown beyond 4 MiB.
    func put(_ state: inout State) {
        guard state.bytesReserved <= Self.bytesMax, isKnownUniquelyReferenced(&state) else { return }
        let full = Slot(state: state)
        let old = slot.withLockIfAvailable { slot in
            defer { slot = full }
            return slot
        }
        withExtendedLifetime(old) {}
    }
}
