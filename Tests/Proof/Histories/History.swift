/// What clients saw of a database: transactions with what they wrote and read, and when.
///
/// Values are unique within a key, so that a read names the write it saw. A time is a count of events: a transaction that
/// ended before another began has the smaller end. Operations of all transactions are in one array, and so are the lists
/// that were read: a history of a million transactions is a few arrays.
package struct History: Sendable {
    /// What became of a transaction.
    package enum Outcome: UInt8, Sendable {
        case committed
        /// It was undone: nobody may see it.
        case failed
        /// Nobody knows: it counts as committed if somebody saw it.
        case unknown
    }

    package enum Kind: UInt8, Sendable {
        /// Puts `value` at the end of the list at `key`.
        case append
        /// Saw the list `lists[list]`.
        case readList
        /// Sets the register at `key` to `value`.
        case write
        /// Saw `value` in the register; 0 if there was none.
        case read
    }

    package struct Operation: Sendable {
        package var kind: Kind
        package var key: Int32
        package var value: Int32
        package var list: Range<Int>

        package static func append(_ key: Int32, _ value: Int32) -> Self {
            Self(kind: .append, key: key, value: value, list: 0..<0)
        }
        package static func write(_ key: Int32, _ value: Int32) -> Self {
            Self(kind: .write, key: key, value: value, list: 0..<0)
        }
        package static func read(_ key: Int32, _ value: Int32) -> Self {
            Self(kind: .read, key: key, value: value, list: 0..<0)
        }
    }

    package struct Transaction: Sendable {
        package var outcome: Outcome
        package var start: Int
        /// `Int.max` if it never ended.
        package var end: Int
        package var operations: Range<Int>
        /// The number of the commit it made or read; -1 if it is not known.
        package var commit: Int
        package var isUpdate: Bool
    }

    package private(set) var transactions: [Transaction] = []
    package private(set) var operations: [Operation] = []
    package private(set) var lists: [Int32] = []

    package init() {}

    /// A list that was read, for an operation of the next `add`.
    package mutating func readList(_ key: Int32, _ values: some Sequence<Int32>) -> Operation {
        let first = lists.count
        lists.append(contentsOf: values)
        return Operation(
            kind: .readList, key: key, value: lists.count > first ? lists[lists.count - 1] : 0,
            list: first..<lists.count)
    }

    /// Adds a transaction.
    package mutating func add(
        _ operations: [Operation], _ outcome: Outcome = .committed, from start: Int, to end: Int, commit: Int = -1
    ) {
        let first = self.operations.count
        self.operations += operations
        transactions.append(
            Transaction(
                outcome: outcome, start: start, end: outcome == .unknown ? .max : end,
                operations: first..<self.operations.count, commit: commit,
                isUpdate: operations.contains { $0.kind == .append || $0.kind == .write }))
    }
}
