import YaprakCore

/// A row that a snapshot keeps: nothing counts references to it here.
typealias RowReference = Unmanaged<RecordBox>

/// A branch of the tree that a changed `RowList` is: rows, or branches of one height. Immutable; a change copies the branches
/// on its way and shares all others.
///
/// It does not keep its rows: the list that it is a part of has a snapshot that does.
final class RowBranch: Sendable {
    /// A branch, and what is asked for without looking at it.
    struct Child: Sendable {
        let branch: RowBranch
        let count: Int
        /// The last row. No branch is empty.
        let last: RowReference

        init(_ branch: RowBranch) {
            self.branch = branch
            count = branch.count
            last = branch.last
        }
    }

    /// Of the lowest branches; empty in the others.
    let rows: ContiguousArray<RowReference>
    let children: ContiguousArray<Child>
    let count: Int
    let last: RowReference

    /// The most rows of a branch: copying them copies words.
    private static let rowsMax = 128
    /// The most children: copying them counts a reference to each, so few are fast.
    private static let childrenMax = 16

    private init(rows: ContiguousArray<RowReference>) {
        self.rows = rows
        children = []
        count = rows.count
        last = rows[rows.count - 1]
    }

    private init(children: ContiguousArray<Child>) {
        rows = []
        self.children = children
        count = children.reduce(0) { $0 + $1.count }
        last = children[children.count - 1].branch.last
    }

    private init(rows: ContiguousArray<RowReference>, children: ContiguousArray<Child>, count: Int, last: RowReference)
    {
        self.rows = rows
        self.children = children
        self.count = count
        self.last = last
    }

    /// The tree of some rows. O(*n*).
    static func make(_ rows: ContiguousArray<RowReference>) -> RowBranch? {
        // Some room, so that the first changes split few.
        var width = rowsMax * 3 / 4
        var level = stride(from: 0, to: rows.count, by: width).map { start in
            RowBranch(rows: ContiguousArray(rows[start..<min(start + width, rows.count)]))
        }
        width = childrenMax * 3 / 4
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: width).map { start in
                RowBranch(
                    children: ContiguousArray(level[start..<min(start + width, level.count)].lazy.map { Child($0) }))
            }
        }
        return level.first
    }

    /// Two branches of one height as one tree.
    convenience init(_ left: RowBranch, _ right: RowBranch) { self.init(children: [Child(left), Child(right)]) }

    private var isLowest: Bool { children.isEmpty }
    private var isNarrow: Bool { isLowest ? rows.count < Self.rowsMax / 4 : children.count < Self.childrenMax / 4 }

    // MARK: Finding

    subscript(position: Int) -> RowReference {
        var branch = self
        var position = position
        while !branch.isLowest { branch = branch.descend(to: &position).branch }
        return branch.rows[position]
    }

    /// The child that has the row at a position, which becomes the position in it. One behind the last row is in the last child.
    private func descend(to position: inout Int) -> (index: Int, branch: RowBranch) {
        var index = 0
        while index < children.count - 1, position >= children[index].count {
            position -= children[index].count
            index += 1
        }
        return (index, children[index].branch)
    }

    /// The first position whose row does not come before `row`.
    func position(of row: RecordBox, in order: RecordOrder) -> Int {
        var branch = self
        var before = 0
        while !branch.isLowest {
            let index = branch.children.partitionPoint { $0.last.isBefore(row, order) }
            guard index < branch.children.count else { return before + branch.count }
            for child in branch.children[..<index] { before += child.count }
            branch = branch.children[index].branch
        }
        return before + branch.rows.partitionPoint { $0.isBefore(row, order) }
    }

    /// Calls `body` with each row, until it returns false.
    /// - Returns: whether it never did.
    func forEach(_ body: (RowReference) -> Bool) -> Bool {
        rows.allSatisfy(body) && children.allSatisfy { $0.branch.forEach(body) }
    }

    // MARK: Changing

    /// With another row at a position.
    func replacing(_ position: Int, with row: RowReference) -> RowBranch {
        if isLowest {
            var rows = rows
            rows[position] = row
            return RowBranch(rows: rows)
        }
        var position = position
        let (index, branch) = descend(to: &position)
        var children = children
        children[index] = Child(branch.replacing(position, with: row))
        return RowBranch(children: children)
    }

    /// With another row in the place of one, which it has in the order, too; `nil` if that is not there. One way down.
    func exchanging(_ old: RecordBox, for new: RecordBox, in order: RecordOrder) -> (branch: RowBranch, position: Int)?
    {
        let last = last.isTo(old) ? RowReference.passUnretained(new) : last
        if isLowest {
            // By its address: asking the order would read six rows, which are seldom in a cache.
            guard let place = rows.firstIndex(where: { $0.isTo(old) }) else { return nil }
            var rows = rows
            rows[place] = .passUnretained(new)
            return (RowBranch(rows: rows, children: [], count: count, last: last), place)
        }
        let index = children.partitionPoint { $0.last.isBefore(old, order) }
        guard index < children.count, let below = children[index].branch.exchanging(old, for: new, in: order) else {
            return nil
        }
        var children = children
        children[index] = Child(below.branch)
        var place = below.position
        for child in children[..<index] { place += child.count }
        return (RowBranch(rows: [], children: children, count: count, last: last), place)
    }

    /// With one more row before a position, or at the end; in two branches where one has no room.
    func inserting(_ row: RowReference, at position: Int) -> (RowBranch, RowBranch?) {
        if isLowest {
            var rows = rows
            rows.insert(row, at: position)
            if rows.count <= Self.rowsMax { return (RowBranch(rows: rows), nil) }
            let middle = rows.count / 2
            return (
                RowBranch(rows: ContiguousArray(rows[..<middle])), RowBranch(rows: ContiguousArray(rows[middle...]))
            )
        }
        var position = position
        let (index, branch) = descend(to: &position)
        let (left, right) = branch.inserting(row, at: position)
        var children = children
        children[index] = Child(left)
        if let right { children.insert(Child(right), at: index + 1) }
        if children.count <= Self.childrenMax { return (RowBranch(children: children), nil) }
        let middle = children.count / 2
        return (
            RowBranch(children: ContiguousArray(children[..<middle])),
            RowBranch(children: ContiguousArray(children[middle...]))
        )
    }

    /// Without the row at a position; `nil` if it was the only one.
    func removing(_ position: Int) -> RowBranch? {
        if isLowest {
            var rows = rows
            rows.remove(at: position)
            return rows.isEmpty ? nil : RowBranch(rows: rows)
        }
        var position = position
        let (index, branch) = descend(to: &position)
        var children = children
        if let rest = branch.removing(position) {
            children[index] = Child(rest)
            if rest.isNarrow { Self.merge(&children, at: index) }
        } else {
            children.remove(at: index)
        }
        return children.isEmpty ? nil : RowBranch(children: children)
    }

    /// Puts a narrow child and one beside it together, if they fit into one.
    private static func merge(_ children: inout ContiguousArray<Child>, at index: Int) {
        let first = index > 0 ? index - 1 : index
        guard first + 1 < children.count else { return }
        let (left, right) = (children[first].branch, children[first + 1].branch)
        let merged: RowBranch
        if left.isLowest {
            guard left.count + right.count <= rowsMax else { return }
            merged = RowBranch(rows: left.rows + right.rows)
        } else {
            guard left.children.count + right.children.count <= childrenMax else { return }
            merged = RowBranch(children: left.children + right.children)
        }
        children.replaceSubrange(first...first + 1, with: CollectionOfOne(Child(merged)))
    }

    /// The first rows, at least one and fewer than there are.
    func prefix(_ length: Int) -> RowBranch {
        if isLowest { return RowBranch(rows: ContiguousArray(rows[..<length])) }
        var rest = length
        var kept: ContiguousArray<Child> = []
        for child in children where rest > 0 {
            kept.append(child.count <= rest ? child : Child(child.branch.prefix(rest)))
            rest -= min(rest, child.count)
        }
        return RowBranch(children: kept)
    }

    /// The same rows without branches above that have one child only.
    var lowered: RowBranch {
        var branch = self
        while branch.children.count == 1 { branch = branch.children[0].branch }
        return branch
    }
}

extension RowReference {
    @inline(__always)
    func isTo(_ row: RecordBox) -> Bool { toOpaque() == Unmanaged.passUnretained(row).toOpaque() }

    @inline(__always)
    func isBefore(_ row: RecordBox, _ order: RecordOrder) -> Bool {
        _withUnsafeGuaranteedRef { order.compare($0, row) < 0 }
    }
}

extension ContiguousArray {
    /// The number of elements at the beginning for which `isBefore` holds; for those behind it does not.
    func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
