package import YaprakModel

/// Whether a store accepts commits, and if not, why.
package enum StoreStatus: Sendable {
    /// Recovery has not finished yet.
    case recovering
    /// Commits are accepted.
    case running
    /// A write failed and nothing durable was touched. `resume(after:)` continues.
    case suspended(DatabaseError)
    /// A sync failed, and what the device holds is unknown; or the files were removed. Nothing is ever appended again.
    case readOnly(DatabaseError)
    /// `close()` has run.
    case closed
}
