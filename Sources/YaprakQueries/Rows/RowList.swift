public import YaprakCore

/// The rows of a query in stretches, so that a list that differs by one row shares all other stretches.
///
///     rows    0 … 31 │ 32 … 65 │ 66 … 90        a change copies one of them, and the list of them
@usableFromInline
struct RowList: Sendable {
    /// Some rows, immutable.
    final class Stretch: Sendable {
        let rows: ContiguousArray<RecordBox>
        init(_ rows: ContiguousArray<RecordBox>) { self.rows = rows }
    }

    private var stretches: ContiguousArray<Stretch> = []
    @usableFromInline private(set) var count = 0

    /// Rows in a stretch that was split; twice as many are.
    private static let size = 32

    init() {}

    /// All rows in one stretch, for a list that does not change, or is split by its first changes.
    init(_ rows: ContiguousArray<RecordBox>) {
        if !rows.isEmpty { stretches = [Stretch(rows)] }
        count = rows.count
    }

    /// Where the row at a position is.
    private func place(_ position: Int) -> (stretch: Int, index: Int) {
        var index = position
        for (number, stretch) in stretches.enumerated() {
            if index < stretch.rows.count { return (number, index) }
            index -= stretch.rows.count
        }
        preconditionFailure("row \(position) is outside of \(0..<count)")
    }

    @usableFromInline
    subscript(position: Int) -> RecordBox {
        if stretches.count == 1 { return stretches[0].rows[position] }
        let place = place(position)
        return stretches[place.stretch].rows[place.index]
    }

    /// Calls `body` with each row, until it returns false.
    func forEach(_ body: (RecordBox) -> Bool) {
        for stretch in stretches { for row in stretch.rows { if !body(row) { return } } }
    }

    /// The first position whose row does not come before `row`.
    func position(of row: RecordBox, in order: RecordOrder) -> Int {
        // The stretch whose last row is the first not before it, then the row in it.
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            let rows = stretches[middle].rows
            if order.compare(rows[rows.count - 1], row) < 0 { low = middle + 1 } else { high = middle }
        }
        var before = 0
        for number in 0..<low { before += stretches[number].rows.count }
        guard low < stretches.count else { return before }
        let rows = stretches[low].rows
        var (first, last) = (0, rows.count)
        while first < last {
            let middle = (first + last) / 2
            if order.compare(rows[middle], row) < 0 { first = middle + 1 } else { last = middle }
        }
        return before + first
    }

    // MARK: Changing

    mutating func remove(at position: Int) {
        let place = place(position)
        var rows = stretches[place.stretch].rows
        rows.remove(at: place.index)
        put(rows, at: place.stretch)
        count -= 1
    }

    mutating func insert(_ row: RecordBox, at position: Int) {
        count += 1
        guard !stretches.isEmpty else {
            stretches = [Stretch([row])]
            return
        }
        // At the end, behind the last row.
        var place = (stretch: stretches.count - 1, index: stretches[stretches.count - 1].rows.count)
        if position < count - 1 { place = self.place(position) }
        var rows = stretches[place.stretch].rows
        rows.insert(row, at: place.index)
        put(rows, at: place.stretch)
    }

    /// Exchanges the row at a position for one that belongs there.
    mutating func replace(at position: Int, with row: RecordBox) {
        let place = place(position)
        var rows = stretches[place.stretch].rows
        rows[place.index] = row
        put(rows, at: place.stretch)
    }

    mutating func truncate(to limit: Int) {
        while count > limit, let last = stretches.last {
            let more = count - limit
            if last.rows.count <= more {
                stretches.removeLast()
                count -= last.rows.count
            } else {
                stretches[stretches.count - 1] = Stretch(ContiguousArray(last.rows.dropLast(more)))
                count = limit
            }
        }
    }

    private mutating func put(_ rows: ContiguousArray<RecordBox>, at number: Int) {
        if rows.isEmpty {
            stretches.remove(at: number)
        } else if rows.count <= 2 * Self.size {
            stretches[number] = Stretch(rows)
        } else {
            let parts = stride(from: 0, to: rows.count, by: Self.size).map { start in
                Stretch(ContiguousArray(rows[start..<min(start + Self.size, rows.count)]))
            }
            stretches.replaceSubrange(number...number, with: parts)
        }
    }
}
