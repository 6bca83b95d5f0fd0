package import YaprakModel

/// Whether a store takes commits, and if not, why.
package enum StoreStatus: Sendable {
    /// Recovery has not run to its end yet.
    case recovering
    /// Commits are taken.
    case running
    /// A write failed, nothing durable was touched: `resume(after:)` makes it go on.
    case suspended(DatabaseError)
    /// A sync failed: what the device holds is unknown, nothing is ever appended again.
    case readOnly(DatabaseError)
    /// `close()` has run.
    case closed
}
