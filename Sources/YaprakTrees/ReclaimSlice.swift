/// One bounded slice of reclaiming: its budget, its input and its results.
struct ReclaimSlice {
    /// The remaining budget of things to handle.
    var budget: Int
    /// Rows to release once no lock is held.
    var rows: [RowRef] = []
    /// Garbage that the version still needs.
    var kept = DeadList()
    /// Garbage that exceeds the budget.
    var rest = DeadList()
    /// The stack of subtrees; empty between chunks.
    var walk: [DeadEntry] = []
    var freed = ArenaCounts()
    /// The change of the arena's counts.
    var report = ArenaCounts()
    /// Memory that is free now.
    var spares = TimelineSpares()
    /// Versions that a finished list kept alive. They are released with the slice, outside the locks.
    private var pins: [TreeVersion] = []

    /// Whether their release makes more to reclaim.
    var hasPins: Bool { !pins.isEmpty }

    init(budget: Int) { self.budget = budget }

    mutating func drop(pin: inout TreeVersion?) {
        if let pin { pins.append(pin) }
        pin = nil
    }

    /// Handles a chunk: what was born by `stamp` is kept for that version, or dropped if a base shows that it belongs to
    /// another timeline. The rest is freed.
    mutating func settle(_ chunk: DeadChunk, stamp: UInt64, isBase: Bool) {
        if chunk.header.pointee.youngest <= stamp {
            budget &-= 1
            if isBase { spares.keep(chunk) } else { kept.append(chunk) }
            return
        }
        var left = Int(chunk.header.pointee.count)
        let entries = chunk.entries
        while true {
            let entry: DeadEntry
            if let next = walk.popLast() {
                entry = next
            } else if left > 0 {
                left &-= 1
                entry = entries[left]
            } else {
                break
            }
            budget &-= 1
            let birth = entry.birth
            if birth > stamp {
                free(entry, stamp: stamp, isBase: isBase)
            } else if !isBase {
                kept.append(entry, birth: birth)
            }
            if budget <= 0, left > 0 || !walk.isEmpty {
                chunk.header.pointee.count = UInt32(left)
                postpone(chunk)
                return
            }
        }
        spares.keep(chunk)
    }

    /// Frees what is born later than the version, and goes on below it.
    @inline(__always)
    private mutating func free(_ entry: DeadEntry, stamp: UInt64, isBase: Bool) {
        if entry.isRow {
            if entry.isWhole { descend(below: entry.row) }
            rows.append(entry.row)
            freed.rows &-= 1
        } else {
            let node = entry.node
            if entry.isWhole { descend(below: node, stamp: stamp, isBase: isBase) }
            freed.nodes &-= 1
            freed.bytes &-= node.byteCount
            spares.keep(node)
        }
    }

    /// Adds what is below a node to the stack; keeps or drops at once what the version needs, which is most of what is below a
    /// copied path.
    private mutating func descend(below node: Node, stamp: UInt64, isBase: Bool) {
        let isLeaf = node.isLeaf
        for i in 0..<node.count {
            let entry: DeadEntry = isLeaf ? .rowTree(node.rows[i]) : .subtree(node.children[i])
            let birth = entry.birth
            if birth > stamp {
                walk.append(entry)
                continue
            }
            budget &-= 1
            if !isBase { kept.append(entry, birth: birth) }
        }
    }

    private mutating func descend(below row: RowRef) {
        if let root = row._withUnsafeGuaranteedRef({ $0.nestedTree }), let node = root.node {
            walk.append(.subtree(node))
        }
    }

    private mutating func postpone(_ chunk: DeadChunk) {
        if chunk.header.pointee.count > 0 { rest.append(chunk) } else { chunk.free() }
        for entry in walk { rest.append(entry, birth: entry.birth) }
        walk.removeAll(keepingCapacity: true)
    }
}
