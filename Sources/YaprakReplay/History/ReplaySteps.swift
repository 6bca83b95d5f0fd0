import YaprakModel

/// The steps of a ``HistoryCursor``, one after the other.
///
///     for try await step in cursor.backwards(to: 10) { print(step.commit.commitNumber, step.changes.count) }
///
/// The iterator blocks while it reads files, so that it serves a synchronous `while let step = try steps.next()` as well.
public struct ReplaySteps: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = ReplayStep

    let cursor: HistoryCursor
    let isForwards: Bool
    let last: CommitNumber?

    /// An iterator that continues from where the cursor stands. O(1).
    public func makeAsyncIterator() -> Iterator { Iterator(steps: self) }

    /// Takes the steps.
    public struct Iterator: AsyncIteratorProtocol {
        let steps: ReplaySteps

        /// The next step, or `nil` at the end.
        /// - Throws: as ``HistoryCursor/seek(to:)``.
        public mutating func next() throws -> ReplayStep? {
            let number = steps.cursor.commitNumber
            if steps.isForwards {
                if let last = steps.last, number >= last { return nil }
                return try steps.cursor.next()
            }
            if let last = steps.last, number <= last { return nil }
            return try steps.cursor.previous()
        }
    }
}
