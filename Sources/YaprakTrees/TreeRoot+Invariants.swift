// The invariants of every tree. Under the trait `InvariantChecks` they are checked after every change.

extension TreeRoot {
    /// Checks the whole tree and describes the first violation; nil if there is none.
    ///
    /// - Parameter order: the comparator of the tree, to check the order, too. Without it only the shape is checked.
    package func firstViolation(order: RowOrder? = nil) -> String? {
        guard let node else { return count == 0 ? nil : "an empty tree counts \(count) rows" }
        var check = ShapeCheck(order: order)
        if node.total != count { return "the root counts \(count) rows, its node \(node.total)" }
        check.visit(node, isRoot: true)
        if check.rows != count { check.note("the root counts \(count) rows, there are \(check.rows)") }
        return check.violation
    }
}

private struct ShapeCheck {
    let order: RowOrder?
    var violation: String?
    var rows = 0
    private var last: RowRef?

    init(order: RowOrder?) { self.order = order }

    mutating func note(_ text: String) { violation = violation ?? text }

    mutating func visit(_ node: Node, isRoot: Bool) {
        guard violation == nil else { return }
        let n = node.count
        if n > node.capacity || node.capacity > Node.fanOut { note("\(n) entries in room for \(node.capacity)") }
        let minimum = isRoot ? (node.isLeaf ? 1 : 2) : Node.minimum
        if n < minimum { note("a node of level \(node.level) has \(n) entries") }
        checkWords(node)
        if node.isLeaf {
            visitRows(node)
            return
        }
        for i in 0..<n {
            let child = node.children[i]
            if child.level != node.level - 1 { return note("a child of level \(child.level) under \(node.level)") }
            if child.born > node.born { note("a child born \(child.born) under a node born \(node.born)") }
            if child.isOrdered != node.isOrdered { note("a tree of two kinds") }
            if Int(node.sizes[i]) != child.total { note("\(node.sizes[i]) rows counted below, \(child.total) there") }
            if !(node.rows[i] === child.rows[0]) { note("bound \(i) is not the first row below") }
            visit(child, isRoot: false)
        }
    }

    private mutating func visitRows(_ leaf: Node) {
        for i in 0..<leaf.count {
            let row = leaf.rows[i]
            rows += 1
            if row.birth == 0 || row.birth > leaf.born { note("a row born \(row.birth) in a leaf born \(leaf.born)") }
            if let last {
                if let order {
                    if order.compare(last.takeUnretainedValue(), row.takeUnretainedValue()) > 0 {
                        note("rows \(rows - 2) and \(rows - 1) are out of order")
                    }
                } else if !leaf.isOrdered, last.withKey({ a in row.withKey { KeyBytes.compare(a, $0) } }) >= 0 {
                    note("keys \(rows - 2) and \(rows - 1) don't ascend")
                }
            }
            last = row
        }
    }

    private mutating func checkWords(_ node: Node) {
        if node.isOrdered {
            for i in 0..<node.count where !node.isLeaf && node.words[i] != node.children[i].words[0] {
                note("hint \(i) is not that of the first row below")
            }
            return
        }
        let skip = node.skip
        for i in 0..<node.count {
            let (word, common) = node.rows[i].withKey { key in
                (KeyBytes.word(key, at: skip), node.rows[0].withKey { KeyBytes.commonPrefix(key, $0) })
            }
            if word != node.words[i] { note("word \(i) is not that of its key") }
            if common < skip { note("key \(i) lacks the common prefix of \(skip) bytes") }
        }
        guard node.count > 0, skip > 0 else { return }
        let first = node.rows[0].withKey { KeyBytes.word($0, at: 0) } & Node.mask(skip)
        let second = node.rows[0].withKey { KeyBytes.word($0, at: 8) } & Node.mask(skip - 8)
        if first != node.commonFirst || second != node.commonSecond { note("the header has another common prefix") }
    }
}
