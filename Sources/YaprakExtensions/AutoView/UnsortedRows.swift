import YaprakCore
import YaprakTrees

/// The records of an automatic view, with their groups and what they are sorted by: gathered while writers go on.
///
/// Rows are made when all are there, in the order in which they will stand. So a reader of a page of a group finds them side by
/// side in memory; made in the order of the records' keys, each row of a large view would lie on a memory page of its own.
///
/// A class, because it grows by a stretch of records at a time and is never shared.
package final class UnsortedRows: @unchecked Sendable {
    // One population owns it, from its first record to the build; that is the whole of the @unchecked.
    private let order: PlacementOrder
    private let column: SortColumn
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    private var latest: (name: String, number: Int)?
    /// A row for each group that a record is in, those of one record one behind the other.
    private var rows: [Row] = []

    private struct Row {
        let record: RecordBox
        let collection: Int32
        let group: Int32
    }

    /// For rows in this order, which is that of the sortings that take their values.
    init(_ order: PlacementOrder) {
        self.order = order
        column = order.makeColumn()
    }

    /// Adds a record; those of a collection come in ascending order of their keys.
    func add(_ record: RecordBox, _ collection: Int, in groups: GroupNames, sortedBy sorting: SortingRules) {
        switch groups {
        case .none: return
        case .one(let name):
            sorting.take(record, column)
            append(record, collection, name)
        case .several(let names):
            sorting.take(record, column)
            for (index, name) in names.enumerated() {
                if index > 0 { column.repeatLast() }
                append(record, collection, name)
            }
        }
    }

    private func append(_ record: RecordBox, _ collection: Int, _ group: String) {
        rows.append(Row(record: record, collection: Int32(collection), group: Int32(number(of: group))))
    }

    private func number(of group: String) -> Int {
        if let latest, latest.name == group { return latest.number }
        let number = numbers[group] ?? names.count
        if number == names.count {
            names.append(group)
            numbers[group] = number
        }
        latest = (group, number)
        return number
    }

    /// The rows, made in the order of their groups.
    ///
    /// Records stand in memory in an order of their own, and keys apart from them: so they are fetched ahead.
    func sorted(collections: Int) -> ViewSeed {
        let seed = ViewSeed(collections: collections)
        // The seed owns them, so no reference is counted here.
        var placements: [Unmanaged<Placement>?] = Array(repeating: nil, count: rows.count)
        for (name, sequence) in zip(names, sequences()) {
            let group = sequence.indices.map { index in
                if index + FetchDistance.row < sequence.count { record(sequence[index + FetchDistance.row]).fetch() }
                if index + FetchDistance.key < sequence.count { record(sequence[index + FetchDistance.key]).fetchKey() }
                let number = sequence[index]
                let placement = column.place(
                    number, rows[number].record, collection: Int(rows[number].collection), group: name)
                placements[number] = .passUnretained(placement)
                return placement
            }
            seed.addGroup(name, group)
        }
        var start = 0
        while start < rows.count {
            let (first, collection) = (record(start), rows[start].collection)
            var end = start + 1
            while end < rows.count, record(end).toOpaque() == first.toOpaque(), rows[end].collection == collection {
                end += 1
            }
            if end + FetchDistance.row < rows.count { placements[end + FetchDistance.row]?.fetch() }
            // Every row is in a group, so there is a placement for each.
            seed.addPlaces(placements[start..<end].lazy.map { $0!.takeUnretainedValue() })
            start = end
        }
        return seed
    }

    /// The record of a row, without counting a reference to it.
    private func record(_ number: Int) -> Unmanaged<RecordBox> { .passUnretained(rows[number].record) }

    /// The numbers of the rows of each group in order. Compares words as long as they differ.
    private func sequences() -> [[Int]] {
        struct Item {
            let word: UInt64
            let number: Int
        }
        var groups: [[Item]] = Array(repeating: [], count: names.count)
        let hints = column.hints
        for (number, row) in rows.enumerated() {
            groups[Int(row.group)].append(Item(word: order.prefix(ofHint: hints[number]), number: number))
        }
        return groups.map { group in
            group.sorted { a, b in a.word != b.word ? a.word < b.word : isAscending(a.number, b.number) }.map(\.number)
        }
    }

    /// Whether a row comes before another with the same hint: as ``PlacementOrder/compare(_:_:)`` has it.
    private func isAscending(_ i: Int, _ j: Int) -> Bool {
        let order = column.compare(i, j) { rows[$0].record }
        if order != 0 { return (order < 0) != self.order.isDescending }
        let (a, b) = (rows[i], rows[j])
        if a.collection != b.collection { return a.collection < b.collection }
        return a.record.compareKey(to: b.record) < 0
    }
}
