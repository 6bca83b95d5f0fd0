/// One bounded slice of reclaiming: its budget, its input and its results.
struct ReclaimSlice {
    /// The remaining budget of things to handle.
    var budget: Int
    /// Rows to release once no lock is held.
    var rows = ReclaimStack<RowRef>()
    /// Subtrees to go through; empty between chunks.
    var walk = ReclaimStack<DeadEntry>()
    /// Garbage that the version still needs.
    var kept = DeadList()
    /// Garbage that exceeds the budget.
    var rest = DeadList()
    var freed = ArenaCounts()
    /// The change of the arena's counts.
    var report = ArenaCounts()
    /// Memory that is free now.
    var spares = TimelineSpares()
    /// Versions that a finished list kept alive. They are released with the slice, outside the locks.
    private var pins = ReclaimStack<TreeVersion>()
    /// Whether one of them is a version of the timeline itself: its release makes more to reclaim.
    private(set) var hasOwnPins = false

    init(budget: Int) { self.budget = budget }

    mutating func drop(pin dropped: inout TreeVersion?, isOwn: Bool) {
        guard let last = dropped.take() else { return }
        if isOwn { hasOwnPins = true }
        pins.push(last)
    }

    /// The same for versions of other timelines.
    mutating func drop(pins dropped: [TreeVersion]) { for last in dropped { pins.push(last) } }

    /// Handles a chunk: what was born by `stamp` is kept for that version, or dropped if a base shows that it belongs to
    /// another timeline. The rest is freed.
    mutating func settle(_ chunk: DeadChunk, at version: VersionTraits) {
        let (stamp, isBase) = (version.stamp, version.isBase)
        if chunk.header.pointee.youngest <= stamp {
            budget &-= 1
            if isBase { spares.keep(chunk) } else { kept.append(chunk) }
            return
        }
        var left = Int(chunk.header.pointee.count)
        let entries = chunk.entries
        while true {
            let entry: DeadEntry
            if let next = walk.pop() {
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
                free(entry, at: version)
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
    private mutating func free(_ entry: DeadEntry, at version: VersionTraits) {
        if entry.isRow {
            if entry.isWhole { descend(below: entry.row) }
            rows.push(entry.row)
            freed.rows &-= 1
        } else {
            let node = entry.node
            if entry.isWhole { descend(below: node, at: version) }
            freed.nodes &-= 1
            freed.bytes &-= node.byteCount
            spares.keep(node)
        }
    }

    /// Adds what is below a node to the stack; keeps or drops at once what the version needs, which is most of what is below a
    /// copied path.
    private mutating func descend(below node: Node, at version: VersionTraits) {
        var indices = 0..<node.count
        // What such a node was copied from is as old as the base, with all below.
        if version.isBase, node.born == version.firstStamp, node.change != .unknown {
            let changed = node.change.entry ?? indices.upperBound
            assert(
                indices.allSatisfy { $0 == changed || node.below($0).birth <= version.stamp },
                "only what was noted differs")
            indices = changed < indices.upperBound ? changed..<changed &+ 1 : 0..<0
        }
        for i in indices {
            let entry = node.below(i)
            let birth = entry.birth
            if birth > version.stamp {
                walk.push(entry)
                continue
            }
            budget &-= 1
            if !version.isBase { kept.append(entry, birth: birth) }
        }
    }

    private mutating func descend(below row: RowRef) {
        if let root = row._withUnsafeGuaranteedRef({ $0.nestedTree }), let node = root.node {
            walk.push(.subtree(node))
        }
    }

    private mutating func postpone(_ chunk: DeadChunk) {
        if chunk.header.pointee.count > 0 { rest.append(chunk) } else { chunk.free() }
        while let entry = walk.pop() { rest.append(entry, birth: entry.birth) }
    }
}

extension Node {
    /// An entry of a leaf with its nested tree, or a child with all below.
    @inline(__always)
    fileprivate func below(_ i: Int) -> DeadEntry { isLeaf ? .rowTree(rows[i]) : .subtree(children[i]) }
}

/// A stack whose first entry needs no memory of its own: most commits retire one row, and most walks go down one way.
struct ReclaimStack<Element> {
    private var first: Element?
    /// `nil` until there are two: to let go of an empty array costs more than of none.
    private var more: [Element]?

    @inline(__always)
    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func push(_ element: Element) {
        if first == nil {
            first = element
        } else {
            if more == nil { more = [] }
            more?.append(element)
        }
    }

    @inline(__always)
    mutating func pop() -> Element? { more?.popLast() ?? first.take() }
}
