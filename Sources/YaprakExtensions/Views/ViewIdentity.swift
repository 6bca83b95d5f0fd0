import Synchronization

/// Identifies one state of one view, or one index: a number that no other has had, of any view, database or fork of this
/// process. Commit numbers don't identify it: a fork has another commit under the same number.
package struct ViewIdentity: Hashable, Sendable {
    private let number: UInt64
    private static let last = Atomic<UInt64>(0)

    /// A number that was never used.
    static func next() -> Self { Self(number: last.add(1, ordering: .relaxed).newValue) }
}
