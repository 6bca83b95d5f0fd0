package import YaprakCore
package import YaprakTrees

/// A view in one snapshot, without the types of its rows: what readers and differences use.
package struct ViewState: Sendable {
    package let snapshot: Snapshot
    package let root: ViewRoot

    package init(snapshot: Snapshot, root: ViewRoot) {
        self.snapshot = snapshot
        self.root = root
    }

    /// The tree of a group's rows; an empty one for an unknown group.
    package func rows(ofGroup name: String) -> TreeRoot { rows(ofNormalizedGroup: name.normalizedKey) }

    /// The same, of a name that is in NFC.
    func rows(ofNormalizedGroup name: String) -> TreeRoot {
        withExtendedLifetime(snapshot) { root.group(name)?.rows ?? TreeRoot() }
    }

    /// The placement at a position of a group.
    package func placement(inGroup name: String, at index: Int) -> Placement {
        withExtendedLifetime(snapshot) { unsafeDowncast(rows(ofGroup: name).row(at: index), to: Placement.self) }
    }

    /// Calls `body` with each placement of a group, in order. O(rows).
    package func forEachPlacement(ofGroup name: String, _ body: (Placement) -> Void) {
        withExtendedLifetime(snapshot) {
            rows(ofGroup: name).forEach { body(unsafeDowncast($0, to: Placement.self)) }
        }
    }

    /// The placements at some positions of a group. O(rows) where positions ascend, and stand close; else O(log *n*) each.
    package func placements(ofGroup name: String, at positions: ArraySlice<UInt32>) -> [Placement] {
        var placements: [Placement] = []
        placements.reserveCapacity(positions.count)
        withExtendedLifetime(snapshot) {
            rows(ofGroup: name).forEach(at: positions) { _, row in
                placements.append(unsafeDowncast(row.takeUnretainedValue(), to: Placement.self))
            }
        }
        return placements
    }

    /// The rows at some positions of a group, with their numbers among these. O(rows) where positions ascend, and stand close.
    package func forEachRow(
        inGroup name: String, at positions: ArraySlice<UInt32>, _ body: (Int, RowID) -> Void
    ) {
        withExtendedLifetime(snapshot) {
            rows(ofGroup: name).forEach(at: positions) { index, row in
                body(index, row._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Placement.self).row })
            }
        }
    }

    /// Where a record was put.
    package func placements(of row: RowID) -> [Placement] {
        withExtendedLifetime(snapshot) { root.place(of: row)?.all ?? [] }
    }

    /// Whether both have the same sorting: none was set between them.
    package func hasSameOrder(as other: ViewState) -> Bool {
        root.configuration.order === other.root.configuration.order
    }

    /// Whether both are states of one database, or of forks that have a state in common, and of views whose rows have the same
    /// identities. Those are views of the same collections; one may look at more of them, behind those of the other. A row is
    /// known by its group, too, in a view that may put it into several.
    package func isComparable(to other: ViewState) -> Bool {
        guard snapshot.isRelated(to: other.snapshot) else { return false }
        let (own, others) = (root.configuration, other.root.configuration)
        guard own.rowsHaveOnePlace == others.rowsHaveOnePlace else { return false }
        return zip(own.collectionNames, others.collectionNames).allSatisfy { $0 == $1 }
    }

    /// How many rows and groups came, changed or went between the two, of one history. O(1).
    package func rawChangeCount(since other: ViewState) -> Int { abs(root.rawOperations - other.root.rawOperations) }
}

extension ViewState: GroupedRows {
    package var groupNames: [String] {
        var names: [String] = []
        names.reserveCapacity(root.groups.count)
        withExtendedLifetime(snapshot) { root.groups.forEach { names.append($0.keyString) } }
        return names
    }

    package func count(ofGroup name: String) -> Int { rows(ofGroup: name).count }

    package func rowID(inGroup name: String, at index: Int) -> RowID { placement(inGroup: name, at: index).row }

    package func forEachRow(inGroup name: String, at positions: Range<Int>, _ body: (Int, RowID) -> Void) {
        withExtendedLifetime(snapshot) {
            var position = positions.lowerBound
            rows(ofGroup: name).forEach(in: positions) { row in
                body(position, unsafeDowncast(row, to: Placement.self).row)
                position += 1
            }
        }
    }

    package func place(of row: RowID) -> [(group: String, index: Int)] {
        placements(of: row).compactMap { placement in
            withExtendedLifetime(snapshot) { root.index(of: placement) }.map { (placement.group, $0) }
        }
    }
}
