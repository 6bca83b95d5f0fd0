import YaprakModel

/// The steps of a ``ReplayJourney``, one after the other.
///
///     for try await step in journey.backwards(to: 10) { print(step.commit.commitNumber, step.changes.count) }
///
/// The iterator blocks while it reads files, so that it serves a synchronous `while let step = try steps.next()` as well.
public struct ReplaySteps: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = ReplayStep

    let journey: ReplayJourney
    let isForwards: Bool
    let last: CommitNumber?

    /// An iterator that continues from where the journey stands. O(1).
    public func makeAsyncIterator() -> Iterator { Iterator(steps: self) }

    /// Takes the steps.
    public struct Iterator: AsyncIteratorProtocol {
        let steps: ReplaySteps

        /// The next step, or `nil` at the end.
        /// - Throws: as ``ReplayJourney/go(to:)``.
        public mutating func next() throws -> ReplayStep? {
            let number = steps.journey.commitNumber
            if steps.isForwards {
                if let last = steps.last, number >= last { return nil }
                return try steps.journey.next()
            }
            if let last = steps.last, number <= last { return nil }
            return try steps.journey.previous()
        }
    }
}
