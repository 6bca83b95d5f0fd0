internal import Synchronization

/// A flag that is set once.
final class OnceFlag: Sendable {
    private let isOn = Atomic<Bool>(false)

    /// Sets the flag; false if it was set already.
    func set() -> Bool {
        isOn.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }
}
