public import YaprakCore
public import YaprakTrees

/// The rows of one group of a view in one snapshot, in order.
///
///     let inbox = snapshot[mail]["inbox"]
///     inbox.count                             // O(1)
///     inbox[50..<100].map(\.object.subject)   // O(log n), then O(1) a row
///     inbox.reversed().first
///
/// A `RandomAccessCollection` of ``Record`` or ``MixedRecord``: any position is O(log *n*), the next one O(1) on average, nothing
/// is copied. Slices keep the positions of the group. It keeps its snapshot alive.
public struct ViewGroup<Element: ViewRow>: Sendable {
    /// The group's name, in NFC.
    public let name: String
    @usableFromInline let rows: PlacementRows
    @usableFromInline let bounds: Range<Int>

    init(_ state: ViewState, named name: String) {
        let name = name.normalizedKey
        self.name = name
        rows = PlacementRows(state, state.rows(ofNormalizedGroup: name))
        bounds = 0..<rows.root.count
    }

    @usableFromInline
    init(name: String, rows: PlacementRows, bounds: Range<Int>) {
        self.name = name
        self.rows = rows
        self.bounds = bounds
    }
}

extension ViewGroup: RandomAccessCollection {
    /// The position of the first row. O(1).
    @inlinable public var startIndex: Int { bounds.lowerBound }
    /// The position after the last row. O(1).
    @inlinable public var endIndex: Int { bounds.upperBound }
    /// The number of rows. O(1).
    @inlinable public var count: Int { bounds.count }

    /// The row at a position.
    /// - Precondition: the position is within `startIndex..<endIndex`.
    /// - Complexity: O(log *n*), no allocation.
    @inlinable
    public subscript(position: Int) -> Element {
        precondition(bounds.contains(position), "position \(position) is outside of \(bounds)")
        return Element(ViewRecord(rows.placement(at: position), rows.collections))
    }

    /// The rows at some positions, sharing the snapshot. O(1).
    @inlinable
    public subscript(positions: Range<Int>) -> Self {
        precondition(
            positions.lowerBound >= bounds.lowerBound && positions.upperBound <= bounds.upperBound,
            "positions \(positions) are outside of \(bounds)")
        return Self(name: name, rows: rows, bounds: positions)
    }

    /// Walks the rows in order; O(1) per row on average.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(rows, bounds) }

    /// Walks rows in the order of their group.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let rows: PlacementRows
        @usableFromInline var cursor: RowCursor

        @usableFromInline
        init(_ rows: PlacementRows, _ bounds: Range<Int>) {
            self.rows = rows
            cursor = RowCursor(rows.root, bounds)
        }

        /// The next row, or `nil` at the end. O(1) on average.
        @inlinable
        public mutating func next() -> Element? {
            guard let row = cursor.next() else { return nil }
            let placement = Unmanaged<Placement>.fromOpaque(row.toOpaque())
            return placement._withUnsafeGuaranteedRef { Element(ViewRecord($0, rows.collections)) }
        }
    }
}

/// A group's tree and the snapshot that keeps it, without the types of the rows.
@usableFromInline
struct PlacementRows: Sendable {
    let root: TreeRoot
    let state: ViewState
    @usableFromInline let collections: [CollectionName]

    init(_ state: ViewState, _ root: TreeRoot) {
        self.root = root
        self.state = state
        collections = state.root.configuration.rowCollections
    }

    @usableFromInline
    func placement(at position: Int) -> Placement {
        withExtendedLifetime(state.snapshot) { unsafeDowncast(root.row(at: position), to: Placement.self) }
    }

    /// The first position in `bounds` for which `isFurther` holds, if it holds for all after it.
    func partitioningIndex(in bounds: Range<Int>, where isFurther: (Placement) throws -> Bool) rethrows -> Int {
        var (lower, upper) = (bounds.lowerBound, bounds.upperBound)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if try isFurther(placement(at: middle)) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
