/// Something that can't happen in a history that is strictly serializable.
package struct Anomaly: Sendable, CustomStringConvertible {
    /// The names are those of Adya's thesis and of Elle.
    package enum Kind: String, Sendable, CaseIterable {
        /// A transaction does not see its own writes.
        case `internal`
        /// Somebody saw what a failed transaction wrote.
        case abortedRead = "G1a"
        /// Somebody saw a value that its writer replaced in the same transaction.
        case intermediateRead = "G1b"
        /// Somebody saw a value that nobody wrote.
        case garbageRead
        /// A list has a value twice.
        case duplicate
        /// Two reads of a list disagree about its order.
        case incompatibleOrder
        /// The writes of a register follow each other in a circle.
        case cyclicVersions
        /// Writes depend on each other in a circle.
        case dirtyWrite = "G0"
        /// A circle of writes and of reads of what they wrote.
        case circularInformation = "G1c"
        /// A circle with one read that missed a write: a lost update, a skewed read.
        case readSkew = "G-single"
        /// A circle with several reads that missed writes: a skewed write.
        case writeSkew = "G2"
        /// A circle that only the clock closes: somebody saw an old state after a newer one was acknowledged.
        case staleRead = "realtime"
    }

    package let kind: Kind
    /// Indices of the transactions, in the order of the circle if it is one.
    package let transactions: [Int]
    /// What happened, with keys and values.
    package let detail: String

    package var description: String { "\(kind.rawValue): \(detail) in transactions \(transactions)" }
}
