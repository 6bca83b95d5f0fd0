extension Node {
    /// Fills an empty node of this level with what this one has. The rows' references belong to the entries, not to the copy,
    /// so no reference counts change.
    @inline(__always)
    func copy(into copy: Node) {
        let n = count
        copy.count = n
        copy.adoptPrefix(of: self)
        copy.entries.copyMemory(from: entries, byteCount: n &* 16)
        if !isLeaf {
            copy.children.update(from: children, count: n)
            copy.sizes.update(from: sizes, count: n)
        }
    }

    /// Moves the entries from `middle` on into an empty node of this level.
    func split(at middle: Int, into right: Node) {
        let n = count - middle
        right.adoptPrefix(of: self)
        right.take(n, from: self, at: middle, to: 0)
        right.count = n
        count = middle
        (change, right.change) = (.unknown, .unknown)
        tightenIfTied()
        right.tightenIfTied()
    }

    @inline(__always)
    func adoptPrefix(of other: Node) {
        skip = other.skip
        commonFirst = other.commonFirst
        commonSecond = other.commonSecond
    }

    /// Copies entries with their words over others. Within one node the ranges may overlap. What differs from another node is
    /// for the caller to note.
    @inline(__always)
    func take(_ n: Int, from source: Node, at start: Int, to target: Int) {
        guard n > 0 else { return }
        (entries + target &* 16).copyMemory(from: source.entries + start &* 16, byteCount: n &* 16)
        if !isLeaf {
            (children + target).update(from: source.children + start, count: n)
            (sizes + target).update(from: source.sizes + start, count: n)
        }
    }

    /// Makes room for an entry at `i`; the caller fills it.
    @inline(__always)
    func openGap(at i: Int) {
        take(count &- i, from: self, at: i, to: i &+ 1)
        count &+= 1
        noteInsertion(at: i)
    }

    @inline(__always)
    func closeGap(at i: Int) {
        take(count &- i &- 1, from: self, at: i &+ 1, to: i)
        count &-= 1
        noteRemoval(at: i)
    }

    /// Inserts `child` at `i`. The node has room.
    func insertChild(_ child: Node, at i: Int) {
        openGap(at: i)
        children[i] = child
        sizes[i] = UInt32(truncatingIfNeeded: child.total)
        setBound(at: i)
    }

    /// Updates the first row of child `i`.
    func setBound(at i: Int) {
        let child = children[i]
        rows[i] = child.rows[0]
        settleWord(at: i, hint: child.words[0])
    }
}
