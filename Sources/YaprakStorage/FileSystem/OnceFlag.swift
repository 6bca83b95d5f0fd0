internal import Synchronization

/// Turns from off to on once.
final class OnceFlag: Sendable {
    private let isOn = Atomic<Bool>(false)

    /// Turns it on; false if it was on already.
    func set() -> Bool {
        isOn.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }
}
