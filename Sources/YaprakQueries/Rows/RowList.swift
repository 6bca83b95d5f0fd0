public import YaprakCore

/// The rows of a query: an array as long as nothing changes them, then a tree, of which a list that differs by one row shares
/// all but the branches on the way to it.
@usableFromInline
struct RowList: Sendable {
    private enum Content: Sendable {
        case array(ContiguousArray<RecordBox>)
        /// Not empty.
        case tree(RowBranch)
    }

    private var content: Content
    /// A snapshot that has all the rows. A tree needs one, because nothing else keeps its rows: a copy of a branch would count
    /// a reference to each of them.
    var snapshot: Snapshot?

    /// No rows.
    init() { content = .array([]) }

    /// Rows in their order. O(1).
    init(_ rows: ContiguousArray<RecordBox>) { content = .array(rows) }

    @usableFromInline var count: Int {
        switch content {
        case .array(let rows): rows.count
        case .tree(let root): root.count
        }
    }

    /// O(1) of rows that nothing changed, O(log *n*) of others.
    @usableFromInline
    subscript(position: Int) -> RecordBox {
        switch content {
        case .array(let rows): return rows[position]
        case .tree(let root):
            precondition(position >= 0 && position < root.count, "row \(position) is outside of 0..<\(root.count)")
            return withExtendedLifetime(snapshot) { root[position].takeUnretainedValue() }
        }
    }

    /// Calls `body` with each row, until it returns false.
    func forEach(_ body: (RecordBox) -> Bool) {
        switch content {
        case .array(let rows): _ = rows.allSatisfy(body)
        case .tree(let root):
            withExtendedLifetime(snapshot) { _ = root.forEach { $0._withUnsafeGuaranteedRef(body) } }
        }
    }

    /// Calls `body` with the identity of each row, until it returns false. Reads no row.
    func forEachIdentity(_ body: (ObjectIdentifier) -> Bool) {
        switch content {
        case .array(let rows):
            for position in rows.indices {
                if !body(ObjectIdentifier(rows[position])) { return }
            }
        case .tree(let root):
            _ = root.forEach { reference in
                let identity = reference._withUnsafeGuaranteedRef { ObjectIdentifier($0) }
                return body(identity)
            }
        }
    }

    /// The first position whose row does not come before `row`. O(log *n*).
    func position(of row: RecordBox, in order: RecordOrder) -> Int {
        switch content {
        case .array(let rows): rows.partitionPoint { order.compare($0, row) < 0 }
        case .tree(let root): root.position(of: row, in: order)
        }
    }

    // MARK: Changing

    // A caller that changes rows says which snapshot has them all before the last one that had them goes.

    /// The rows as a tree; `nil` if there are none. The first time O(*n*).
    private var tree: RowBranch? {
        switch content {
        case .array(let rows): RowBranch.make(ContiguousArray(rows.lazy.map { .passUnretained($0) }))
        case .tree(let root): root
        }
    }

    private mutating func take(_ root: RowBranch?) { content = root.map { .tree($0.lowered) } ?? .array([]) }

    /// O(log *n*), as `insert` and `replace`.
    mutating func remove(at position: Int) { take(tree?.removing(position)) }

    mutating func insert(_ row: RecordBox, at position: Int) {
        guard let root = tree else {
            content = .array([row])
            return
        }
        let (left, right) = root.inserting(.passUnretained(row), at: position)
        content = .tree(right.map { RowBranch(left, $0) } ?? left)
    }

    /// Exchanges a row for one that has its place in the order. O(log *n*), on one way down; the first change of an array O(*n*).
    /// - Returns: its position; `nil` if it is not there, and nothing is changed.
    mutating func exchange(_ old: RecordBox, for new: RecordBox, in order: RecordOrder) -> Int? {
        switch content {
        case .array(let rows):
            // Looked up first: most writes behind the rows of a limit would make a tree for nothing.
            let position = self.position(of: old, in: order)
            guard position < rows.count, rows[position] === old else { return nil }
            replace(at: position, with: new)
            return position
        case .tree(let root):
            guard let exchanged = root.exchanging(old, for: new, in: order) else { return nil }
            content = .tree(exchanged.branch)
            return exchanged.position
        }
    }

    /// Exchanges the row at a position for one that belongs there.
    mutating func replace(at position: Int, with row: RecordBox) {
        take(tree?.replacing(position, with: .passUnretained(row)))
    }

    /// O(log *n*) of rows that were changed before.
    mutating func truncate(to limit: Int) {
        guard count > limit else { return }
        switch content {
        case .array(let rows): content = .array(ContiguousArray(rows.prefix(limit)))
        case .tree(let root): take(limit > 0 ? root.prefix(limit) : nil)
        }
    }
}
