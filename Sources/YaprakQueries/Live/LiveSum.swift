public import YaprakCore

/// The sum of a number over the rows of a query, kept up to date from what changes between two snapshots.
struct LiveSum: Sendable {
    private let scope: LiveScope
    private let number: @Sendable (RecordBox) -> Int
    private var snapshot: Snapshot
    private var sum: Int128 = 0
    /// The rows, where a limit decides which they are.
    private var rows: LiveRows?

    init<Object, Metadata>(
        _ query: RecordQuery<Object, Metadata>, in snapshot: Snapshot, _ number: @escaping @Sendable (Object) -> Int
    ) {
        scope = LiveScope(query)
        self.number = { $0.lendObject(to: number) }
        self.snapshot = snapshot
        if query.limit != nil {
            let rows = LiveRows(query, in: snapshot)
            self.rows = rows
            sum = total(of: rows)
        } else {
            // In any order.
            var sum: Int128 = 0
            query.execution(over: snapshot).forEachMatch { record in
                sum += Int128(record.lendObject(to: number))
                return true
            }
            self.sum = sum
        }
    }

    private func total(of rows: LiveRows) -> Int128 {
        var sum: Int128 = 0
        rows.rows.forEach { row in
            sum += Int128(number(row))
            return true
        }
        return sum
    }

    /// 64-bit numbers of any number of records fit in. A function that changes its mind about a record counts wrong.
    var value: Int128 { sum }

    /// Goes on to another snapshot of the same database. O(changed records of the collection), and of the rows if there is a
    /// limit.
    mutating func advance(to next: Snapshot) {
        defer { snapshot = next }
        if rows != nil {
            if rows!.advance(to: next).hasChanges { sum = total(of: rows!) }
            return
        }
        for entry in scope.changes(from: snapshot, to: next) {
            if let new = scope.match(entry.after) { sum += Int128(number(new)) }
            if let old = scope.match(entry.before) { sum -= Int128(number(old)) }
        }
    }
}

extension Database {
    /// The sum of a number over the rows of a query: at once, then whenever it is another one.
    ///
    ///     for await stock in database.sums(of: inPrint, { $0.stock }) { show(stock) }
    ///
    /// It is exact: 64-bit numbers of any number of records fit into 128 bits. For a sum of each group see ``AggregateView``.
    ///
    /// - Parameter number: what is added up; the same for the same record each time.
    /// - Precondition: the collection holds records of these types.
    /// - Complexity: the first as the query without sorting; each further one O(changed records of the collection), with or
    ///   without an index. Of a query with a limit as its updates, and the rows.
    public nonisolated func sums<Object, Metadata>(
        of query: RecordQuery<Object, Metadata>, _ number: @escaping @Sendable (_ object: Object) -> Int
    ) -> ObservedValues<Int128> {
        ObservedValues(
            snapshots: snapshots,
            makeValue: {
                var live: LiveSum?
                return { snapshot in
                    if live == nil { live = LiveSum(query, in: snapshot, number) } else { live!.advance(to: snapshot) }
                    return live!.value
                }
            }, isSame: { $0 == $1 })
    }
}
