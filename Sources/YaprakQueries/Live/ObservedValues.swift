public import YaprakCore

/// What a function makes of each snapshot, without repetitions. See `database.observe(_:)`.
public struct ObservedValues<Value: Sendable>: AsyncSequence, Sendable {
    /// What the function returns.
    public typealias Element = Value
    /// It never fails.
    public typealias Failure = Never

    let snapshots: SnapshotSequence
    /// Makes a function that may remember what it was given before: one for each iterator.
    private let makeValue: @Sendable () -> (Snapshot) -> Value
    let isSame: @Sendable (Value, Value) -> Bool

    init(
        snapshots: SnapshotSequence, makeValue: @escaping @Sendable () -> (Snapshot) -> Value,
        isSame: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.snapshots = snapshots
        self.makeValue = makeValue
        self.isSame = isSame
    }

    /// An iterator that knows its last value. O(1).
    public func makeAsyncIterator() -> Iterator {
        Iterator(snapshots: snapshots.makeAsyncIterator(), value: makeValue(), isSame: isSame)
    }

    /// Delivers values that differ from the one before.
    public struct Iterator: AsyncIteratorProtocol {
        private var snapshots: SnapshotSequence.Iterator
        private let value: (Snapshot) -> Value
        private let isSame: @Sendable (Value, Value) -> Bool
        private var last: Value?

        init(
            snapshots: SnapshotSequence.Iterator, value: @escaping (Snapshot) -> Value,
            isSame: @escaping @Sendable (Value, Value) -> Bool
        ) {
            self.snapshots = snapshots
            self.value = value
            self.isSame = isSame
        }

        /// The next value; waits until it is another one. `nil` when the database closes and when the task is cancelled.
        public mutating func next() async -> Value? {
            while let (value, _) = await nextOfAny() {
                if let last, isSame(last, value) { continue }
                last = .some(value)
                return value
            }
            return nil
        }

        /// The value of the next snapshot, and the snapshot, also where the value is the same as before.
        mutating func nextOfAny() async -> (value: Value, snapshot: Snapshot)? {
            guard let newest = await snapshots.next() else { return nil }
            return (value(newest), newest)
        }
    }
}

extension Database {
    /// What a function makes of the newest snapshot: at once, then whenever it is another value.
    ///
    ///     for await total in database.observe({ try? $0[stock].sum(ofColumn: 0) }) { show(total) }
    ///
    /// The function is called for each snapshot that the consumer is not too busy to see; make it cheap, as reads of an index
    /// or a view are.
    /// - Returns: a sequence that ends when the database closes and when its task is cancelled.
    public nonisolated func observe<Value: Equatable & Sendable>(
        _ value: @escaping @Sendable (Snapshot) -> Value
    ) -> ObservedValues<Value> {
        // What is not equal to itself, as NaN, does not become another value by that.
        ObservedValues(snapshots: snapshots, makeValue: { value }) { $0 == $1 || ($0 != $0 && $1 != $1) }
    }

    /// One record: at once, then whenever it was written, touched or removed; `nil` while there is none.
    ///
    ///     for await dune in database.updates(of: .books, key: "dune") { show(dune?.object.title ?? "gone") }
    ///
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: O(log *n*) for each commit.
    public nonisolated func updates<Object, Metadata>(
        of collection: RecordCollection<Object, Metadata>, key: String
    ) -> ObservedValues<Record<Object, Metadata>?> {
        ObservedValues(snapshots: snapshots, makeValue: { { $0[collection].row(for: key) } }) { a, b in
            switch (a, b) {
            case (nil, nil): true
            case (let a?, let b?): a.isIdentical(to: b)
            default: false
            }
        }
    }

    /// How many rows a query has: at once, then whenever it is another number.
    ///
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: the first as counting in a snapshot; each further one O(changed records of the collection), with or
    ///   without an index.
    public nonisolated func counts<Object, Metadata>(
        of query: RecordQuery<Object, Metadata>
    ) -> ObservedValues<Int> {
        ObservedValues(
            snapshots: snapshots,
            makeValue: {
                var live: LiveCount?
                return { snapshot in
                    if live == nil { live = LiveCount(query, in: snapshot) } else { live!.advance(to: snapshot) }
                    return live!.value
                }
            }, isSame: { $0 == $1 })
    }
}
