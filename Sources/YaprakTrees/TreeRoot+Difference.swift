/// One step from a tree to another.
package enum TreeDifference {
    case removed(TreeRow)
    case inserted(TreeRow)
    /// A replaced row: the same key, or equal by the comparator.
    case replaced(old: TreeRow, new: TreeRow)
}

/// The work of finding a difference. It grows with the nodes that the two trees don't share.
package struct DifferenceCost: Sendable, Equatable {
    /// Nodes visited, of both trees.
    package var nodesVisited = 0
    /// Subtrees and rows skipped because both trees have them.
    package var subtreesShared = 0
    package var rowsShared = 0
}

extension TreeRoot {
    /// Reports the steps from one tree of keys to another, in ascending order. Each row is reported as the tree has it.
    ///
    /// Shared subtrees are skipped as a whole, from the top down. Works for any two trees of one arena, in either direction. For
    /// unrelated trees everything is compared, and the result is exact as well. Steps are reported some at a time, when their
    /// rows are in the cache: neither tree may change before it returns.
    /// - Complexity: O(d) for d nodes that aren't shared; d ≤ changes × depth.
    @discardableResult
    package static func difference(
        from old: TreeRoot, to new: TreeRoot, _ body: (TreeDifference) throws -> Void
    ) rethrows -> DifferenceCost {
        try difference(old, new, KeyComparison()) { step, _, _ in try body(step) }
    }

    /// Reports the steps from one tree to another, both ordered by `order`.
    ///
    /// Rows are matched by identity and by the comparator. With an inconsistent comparator a row may be reported as removed and
    /// inserted, but the steps, applied in order from the first position to the last, still lead to the other tree.
    @discardableResult
    package static func difference(
        from old: TreeRoot, to new: TreeRoot, order: RowOrder, _ body: (TreeDifference) throws -> Void
    ) rethrows -> DifferenceCost {
        try difference(old, new, OrderComparison(order: order)) { step, _, _ in try body(step) }
    }

    /// As `difference(from:to:order:_:)`, with positions: in the old tree of removed and replaced rows, in the new one of
    /// inserted and replacing rows. In the other tree it is the position where the row would be.
    @discardableResult
    package static func positionedDifference(
        from old: TreeRoot, to new: TreeRoot, order: RowOrder,
        _ body: (_ step: TreeDifference, _ oldPosition: Int, _ newPosition: Int) throws -> Void
    ) rethrows -> DifferenceCost {
        try difference(old, new, OrderComparison(order: order), body)
    }

    @inline(__always)
    private static func difference<Comparison: RowComparison>(
        _ old: TreeRoot, _ new: TreeRoot, _ comparison: Comparison, _ body: (TreeDifference, Int, Int) throws -> Void
    ) rethrows -> DifferenceCost {
        var cost = DifferenceCost()
        if old.raw == new.raw {
            cost.subtreesShared = old.raw == nil ? 0 : 1
            return cost
        }
        try withRoom { path, otherPath, steps in
            let (x, y, position) = differingSubtrees(old, new, &cost)
            var a = DifferenceSide(x, at: position, path: path)
            var b = DifferenceSide(y, at: position, path: otherPath)
            var underway = StepsUnderway(steps)
            while true {
                passShared(&a, &b, &cost)
                guard let x = a.row else {
                    try b.drain { try underway.add(nil, $0, a.position, $1, body) }
                    break
                }
                guard let y = b.row else {
                    try a.drain { try underway.add($0, nil, $1, b.position, body) }
                    break
                }
                let order = x === y ? 0 : a.compareWord(to: b) ?? comparison.compare(x, y)
                if order < 0 {
                    if a.level >= 0 {
                        a.descend()
                    } else {
                        try a.pass { try underway.add($0, nil, $1, b.position, body) }
                    }
                } else if order > 0 {
                    if b.level >= 0 {
                        b.descend()
                    } else {
                        try b.pass { try underway.add(nil, $0, a.position, $1, body) }
                    }
                } else if a.level >= 0 || b.level >= 0 {
                    let (m, n) = (a.level, b.level)
                    if m == n { fetchNext(a, b) }
                    if m >= n { a.descend() }
                    if n >= m { b.descend() }
                } else {
                    let (i, j) = (a.position, b.position)
                    a.advance()
                    b.advance()
                    try underway.add(x, y, i, j, body)
                }
            }
            try underway.report(body)
            cost.nodesVisited &+= a.visited &+ b.visited
        }
        return cost
    }

    /// Memory for the way into each of two trees and for steps. Each part fits into the stack: what is larger than a kilobyte is
    /// allocated.
    @inline(__always)
    private static func withRoom(
        _ body: (
            UnsafeMutablePointer<PathStep>, UnsafeMutablePointer<PathStep>, UnsafeMutablePointer<StepsUnderway.Step>
        ) throws -> Void
    ) rethrows {
        try withUnsafeTemporaryAllocation(of: PathStep.self, capacity: Node.depthMax + 1) { path in
            try withUnsafeTemporaryAllocation(of: PathStep.self, capacity: Node.depthMax + 1) { otherPath in
                try withUnsafeTemporaryAllocation(of: StepsUnderway.Step.self, capacity: StepsUnderway.most) { steps in
                    try body(
                        path.baseAddress.unsafelyUnwrapped, otherPath.baseAddress.unsafelyUnwrapped,
                        steps.baseAddress.unsafelyUnwrapped)
                }
            }
        }
    }

    /// The subtrees that have all differences of two trees, and the number of rows before them, which is the same in both.
    ///
    /// Most commits change one leaf: on the way to it the two trees have the same children but for one. That is found without
    /// keeping two positions.
    private static func differingSubtrees(
        _ old: TreeRoot, _ new: TreeRoot, _ cost: inout DifferenceCost
    ) -> (old: Node?, new: Node?, position: Int) {
        guard var x = old.node, var y = new.node, x.level == y.level else { return (old.node, new.node, 0) }
        var position = 0
        while !x.isLeaf, let index = x.onlyDifference(from: y) {
            cost.nodesVisited &+= 2
            cost.subtreesShared &+= x.count &- 1
            let sizes = x.sizes
            for i in 0..<index { position &+= Int(sizes[i]) }
            (x, y) = (x.children[index], y.children[index])
        }
        return (x, y, position)
    }

    /// Fetches the next children that have to be entered, before those that are after the positions are: if they stand side by
    /// side, and not far away.
    @inline(__always)
    private static func fetchNext(_ a: DifferenceSide, _ b: DifferenceSide) {
        guard let x = a.childrenBehindNext, let y = b.childrenBehindNext else { return }
        for i in 0..<min(x.count, y.count, 4) where x[i] != y[i] {
            x[i].fetch()
            y[i].fetch()
            return
        }
    }

    /// Advances while both sides are before the same child, or the same row.
    @inline(__always)
    private static func passShared(_ a: inout DifferenceSide, _ b: inout DifferenceSide, _ cost: inout DifferenceCost) {
        while !a.isAtEnd, !b.isAtEnd, a.level == b.level {
            let (x, y) = (a.top, b.top)
            let n = min(x.pointee.node.count - x.pointee.index, y.pointee.node.count - y.pointee.index)
            let same = sharedRun(x.pointee, y.pointee, n)
            if same == 0 { return }
            if a.level < 0 { cost.rowsShared &+= same } else { cost.subtreesShared &+= same }
            a.advance(by: same)
            b.advance(by: same)
        }
    }

    /// How many of the next `n` children, or rows, are the same.
    @inline(__always)
    private static func sharedRun(_ a: PathStep, _ b: PathStep, _ n: Int) -> Int {
        var i = 0
        if a.node.isLeaf {
            while i < n, a.node.rows[a.index &+ i] === b.node.rows[b.index &+ i] { i &+= 1 }
        } else {
            let (x, y) = (a.node.children + a.index, b.node.children + b.index)
            while i < n, x[i] == y[i] { i &+= 1 }
        }
        return i
    }
}

extension Node {
    /// The index of the only child that another inner node does not have in the same place; `nil` if there are several, if there
    /// is none, and if the two have not as many children.
    @inline(__always)
    fileprivate func onlyDifference(from other: Node) -> Int? {
        let n = count
        guard n == other.count else { return nil }
        let (x, y) = (children, other.children)
        var first = 0
        while first < n, x[first] == y[first] { first &+= 1 }
        var last = n &- 1
        while last > first, x[last] == y[last] { last &-= 1 }
        return first == last ? first : nil
    }
}

/// The position of the walk through one of two trees: before a child of a node, or before a row of a leaf.
private struct DifferenceSide {
    private let path: UnsafeMutablePointer<PathStep>
    private var depth = -1
    var visited = 0
    /// The number of rows before the position.
    var position = 0
    /// A subtree whose root was not visited yet.
    private var unopened: Node?

    /// Before all rows of `subtree`, which is `nil` in an empty tree, with so many rows before it.
    init(_ subtree: Node?, at position: Int, path: UnsafeMutablePointer<PathStep>) {
        self.path = path
        self.position = position
        unopened = subtree
    }

    var top: UnsafeMutablePointer<PathStep> { path + depth }
    @inline(__always)
    var isAtEnd: Bool { depth < 0 }
    /// The level of the node after the position; -1 for a row.
    @inline(__always)
    var level: Int {
        if let unopened { return unopened.level }
        return depth < 0 ? -1 : path[depth].node.level &- 1
    }
    /// The first row after the position; nil at the end.
    @inline(__always)
    var row: RowRef? {
        if let unopened { return unopened.rows[0] }
        return depth < 0 ? nil : path[depth].node.rows[path[depth].index]
    }

    /// The children after the one that is after the position, in the same node.
    @inline(__always)
    var childrenBehindNext: UnsafeBufferPointer<Node>? {
        if unopened != nil || depth < 0 { return nil }
        let (node, next) = (path[depth].node, path[depth].index &+ 1)
        return UnsafeBufferPointer(start: node.children + next, count: node.count &- next)
    }

    /// Compares the first rows after two positions by the words beside them: then no row is read, which is seldom in the cache.
    /// `nil` where they are equal, or can't be compared: they are behind different prefixes.
    @inline(__always)
    func compareWord(to other: DifferenceSide) -> Int? {
        let (x, i) = place
        let (y, j) = other.place
        let skip = x.skip
        if skip != y.skip { return nil }
        if skip != 0, skip > 16 || x.commonFirst != y.commonFirst || x.commonSecond != y.commonSecond { return nil }
        let (word, otherWord) = (x.words[i], y.words[j])
        return word == otherWord ? nil : word < otherWord ? -1 : 1
    }

    /// The node that has the first row after the position, or its bound, and the index there. Not at the end.
    @inline(__always)
    private var place: (Node, Int) {
        if let unopened { return (unopened, 0) }
        return (path[depth].node, path[depth].index)
    }

    /// Enters the node after the position.
    mutating func descend() {
        let node: Node
        if let root = unopened {
            node = root
            unopened = nil
        } else {
            node = path[depth].node.children[path[depth].index]
        }
        depth &+= 1
        visited &+= 1
        path[depth] = PathStep(node: node, index: 0)
    }

    @inline(__always)
    mutating func advance(by n: Int = 1) {
        let step = path[depth]
        if step.node.isLeaf {
            position &+= n
        } else {
            let sizes = step.node.sizes + step.index
            for i in 0..<n { position &+= Int(sizes[i]) }
        }
        path[depth].index &+= n
        while depth >= 0, path[depth].index == path[depth].node.count {
            depth &-= 1
            if depth >= 0 { path[depth].index &+= 1 }
        }
    }

    /// Moves over a row and passes it on with its position.
    @inline(__always)
    mutating func pass(_ body: (RowRef, Int) throws -> Void) rethrows {
        let row = path[depth].node.rows[path[depth].index]
        let at = position
        advance()
        try body(row, at)
    }

    /// Passes all remaining rows on.
    mutating func drain(_ body: (RowRef, Int) throws -> Void) rethrows {
        while row != nil {
            if level >= 0 { descend() } else { try pass(body) }
        }
    }
}

/// Steps that were found and are not reported yet: their rows, which are seldom in the cache, are fetched meanwhile.
private struct StepsUnderway {
    struct Step {
        let old: RowRef?
        let new: RowRef?
        let oldPosition: Int
        let newPosition: Int
    }

    static let most = 16
    private let steps: UnsafeMutablePointer<Step>
    private var count = 0

    init(_ steps: UnsafeMutablePointer<Step>) { self.steps = steps }

    @inline(__always)
    mutating func add(
        _ old: RowRef?, _ new: RowRef?, _ oldPosition: Int, _ newPosition: Int,
        _ body: (TreeDifference, Int, Int) throws -> Void
    ) rethrows {
        old?.fetch()
        new?.fetch()
        if count == Self.most { try report(body) }
        steps[count] = Step(old: old, new: new, oldPosition: oldPosition, newPosition: newPosition)
        count &+= 1
    }

    /// Reports all of them, in the order in which they were found.
    @inline(never)
    mutating func report(_ body: (TreeDifference, Int, Int) throws -> Void) rethrows {
        for index in 0..<count {
            let step = steps[index]
            let (i, j) = (step.oldPosition, step.newPosition)
            switch (step.old, step.new) {
            case (let old?, let new?):
                try body(.replaced(old: old.takeUnretainedValue(), new: new.takeUnretainedValue()), i, j)
            case (let old?, nil): try body(.removed(old.takeUnretainedValue()), i, j)
            case (nil, let new?): try body(.inserted(new.takeUnretainedValue()), i, j)
            case (nil, nil): preconditionFailure("a step has a row")
            }
        }
        count = 0
    }
}

/// How the rows of two trees are matched. Private, so that both kinds are specialised here, and neither is a call across
/// modules.
private protocol RowComparison {
    func compare(_ a: RowRef, _ b: RowRef) -> Int
}

private struct KeyComparison: RowComparison {
    @inline(__always)
    func compare(_ a: RowRef, _ b: RowRef) -> Int {
        a._withUnsafeGuaranteedRef { a in b._withUnsafeGuaranteedRef { a.compareKey(to: $0) } }
    }
}

private struct OrderComparison: RowComparison {
    let order: RowOrder

    @inline(__always)
    func compare(_ a: RowRef, _ b: RowRef) -> Int {
        a._withUnsafeGuaranteedRef { a in b._withUnsafeGuaranteedRef { order.compare(a, $0) } }
    }
}
