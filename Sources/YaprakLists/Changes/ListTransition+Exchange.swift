import YaprakExtensions

extension ListTransition {
    /// Where other rows of one state of a view are chosen, in their sequence: none moves and none is redrawn, so what is shown on
    /// one side only comes or goes. Other rows are not looked at.
    ///
    /// - Precondition: each group has a section of its own, and no row depends on its neighbours.
    /// - Complexity: O(changes + rows of the view / 64 + *g*).
    func changes(
        exchanging old: (positions: RowPositions, bits: RowBits), by new: (positions: RowPositions, bits: RowBits),
        of table: RowTable
    ) -> ListChanges {
        let was = ShownRows(before, old.positions, old.bits, table)
        let now = ShownRows(after, new.positions, new.bits, table)
        let gone = was.rows(notAmong: now)
        let come = now.rows(notAmong: was)
        var changes: [RowChange] = []
        changes.reserveCapacity(gone.count + come.count)
        add(gone.reversed(), of: was, table, to: &changes) { .delete($0) }
        add(come, of: now, table, to: &changes) { .insert($0) }
        return ListChanges(sectionChanges: sectionChanges(), rowChanges: changes)
    }

    /// Adds a change for each of some rows.
    @inline(__always)
    private func add(
        _ rows: some Sequence<ShownRows.Row>, of shown: ShownRows, _ table: RowTable, to changes: inout [RowChange],
        _ kind: (ListPath) -> RowChange.Kind
    ) {
        var section = 0
        var latest = UInt32.max
        var contexts = [RowChange.Context?](repeating: nil, count: collectionNames.count)
        table.keys.withUnsafeBufferPointer { keys in
            for row in rows {
                if row.group != latest {
                    latest = row.group
                    let group = shown.groups[Int(latest)]
                    section = group.section
                    for collection in contexts.indices { contexts[collection] = nil }
                    contexts[0] = table.context(ofGroup: group.number)
                }
                let collection = table.collection(ofRowAt: Int(row.place))
                if contexts[collection] == nil {
                    let name = table.groupNames[shown.groups[Int(latest)].number]
                    contexts[collection] = RowChange.Context(
                        group: name, oldGroup: name, collection: collection,
                        collectionName: collectionNames[collection],
                        rowsHaveOnePlace: rowsHaveOnePlace)
                }
                changes.append(
                    RowChange(
                        kind: kind(ListPath(section: section, row: Int(row.number))), aspects: [],
                        key: keys[Int(row.place)], context: contexts[collection].unsafelyUnwrapped))
            }
        }
    }
}

/// The rows that a layout shows of a choice.
private struct ShownRows {
    struct Group {
        /// Its number among the view's groups.
        let number: Int
        let section: Int
        let isReversed: Bool
        /// How many rows it shows.
        let count: Int
        /// The places from its first shown row to its last.
        let places: Range<Int>
    }

    struct Row {
        let place: UInt32
        /// Which of the groups.
        let group: UInt32
        /// Its number in the section.
        let number: UInt32
    }

    /// Those that show any, in the order of the layout.
    let groups: [Group]
    private let bits: RowBits

    /// O(groups + rows of the view / 64).
    init(_ layout: ListLayout, _ positions: RowPositions, _ chosen: RowBits, _ table: RowTable) {
        var groups: [Group] = []
        groups.reserveCapacity(layout.groups.count)
        var bits = RowBits(count: table.count)
        var section = 0
        var next = 0
        for group in layout.groups where group.hasSection {
            if !group.window.isEmpty, let place = positions.place(ofGroup: group.name, near: next) {
                next = place + 1
                let number = positions.numbers[place]
                let start = table.starts[number]
                let first = positions.range(place).lowerBound
                let (low, high) = (first + group.window.lowerBound, first + group.window.upperBound - 1)
                let places = start + Int(positions.all[low])..<start + Int(positions.all[high]) + 1
                bits.formUnion(chosen, in: places)
                groups.append(
                    Group(
                        number: number, section: section, isReversed: group.isReversed, count: group.window.count,
                        places: places))
            }
            section += 1
        }
        self.groups = groups
        self.bits = bits
    }

    /// The rows that others do not show, in the order of their paths.
    func rows(notAmong others: ShownRows) -> ContiguousArray<Row> {
        var rows: ContiguousArray<Row> = []
        rows.reserveCapacity(groups.reduce(0) { $0 + $1.count })
        for (number, group) in groups.enumerated() {
            let start = rows.count
            var before = 0
            for index in group.places.lowerBound >> 6...(group.places.upperBound - 1) >> 6 {
                let own = bits.words[index] & RowBits.mask(ofWord: index, in: group.places)
                var rest = own & ~others.bits.words[index]
                // Mostly the others show nothing here, or the same: then there is no need to count the bits before each.
                var shown = before
                let isAll = rest == own
                while rest != 0 {
                    let bit = rest.trailingZeroBitCount
                    rest &= rest &- 1
                    if !isAll { shown = before &+ (own & ((1 << UInt64(bit)) &- 1)).nonzeroBitCount }
                    rows.append(
                        Row(
                            place: UInt32(index << 6 | bit), group: UInt32(number),
                            number: UInt32(group.isReversed ? group.count - 1 - shown : shown)))
                    shown &+= 1
                }
                before = isAll ? shown : before &+ own.nonzeroBitCount
            }
            if group.isReversed { rows[start...].reverse() }
        }
        return rows
    }
}
