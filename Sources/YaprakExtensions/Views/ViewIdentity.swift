import Synchronization

/// Which state of which view something is known of: a number that no other state has had, of whatever view, database or
/// fork of this process. Commit numbers don't tell: a fork has another commit under the same.
package struct ViewIdentity: Hashable, Sendable {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    /// One that was never used.
    static func next() -> Self { Self(number: last.add(1, ordering: .relaxed).newValue) }
}
