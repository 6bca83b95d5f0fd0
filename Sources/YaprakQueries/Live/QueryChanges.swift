/// What leads from the rows of a query in one snapshot to those in another.
///
///     for position in changes.removes { shown.remove(at: position) }              // descending
///
/// Taking the rows at ``removes`` and the sources of ``moves`` out of the old rows, and putting rows at ``inserts`` and at the
/// targets of ``moves`` into the rest, in ascending order, gives the new rows. Rows that were not written are never moved.
public struct QueryChanges: Sendable, Hashable {
    /// A row that is in both, by its positions.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The position before.
        public let from: Int
        /// The position after.
        public let to: Int
        /// `3 → 5`.
        public var description: String { "\(from) → \(to)" }
    }

    /// Positions before, of rows that are not there any more; descending.
    public internal(set) var removes: [Int] = []
    /// Positions after, of rows that were not there; ascending.
    public internal(set) var inserts: [Int] = []
    /// Rows that passed others; by their positions after, ascending. They were written, too.
    public internal(set) var moves: [Step] = []
    /// Rows that were written, or touched, and passed none of the rows that stay; by their positions after, ascending.
    public internal(set) var updates: [Step] = []
    /// Whether there were no rows before: this is the first update.
    public internal(set) var isReload = false
    /// Whether the query was run again, or a part of it, without an index to read the rows behind a limit from: an index in the
    /// order of the query makes such updates cheaper. In the order of keys none is needed.
    public internal(set) var wasRerun = false

    /// Whether there is anything to be done. O(1).
    public var hasChanges: Bool {
        isReload || !(removes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty)
    }
}
