/// One node of a descent, and the entry taken there.
struct PathStep {
    var node: Node
    var index: Int
}

extension TreeDraft {
    /// Descends to the place of a key and records the way in `path`. The tree is not empty.
    /// - Returns: the leaf's place on the path, and whether the key is there.
    @inline(__always)
    func descend(_ root: TreeRoot, to probe: KeyProbe) -> (depth: Int, isFound: Bool) {
        let depth = descendToLeaf(root, to: probe)
        let place = path[depth].node.place(of: probe)
        path[depth].index = place.index
        return (depth, place.isFound)
    }

    /// Descends to the leaf where a key is or would be, and searches all nodes but this. The tree is not empty.
    @inline(__always)
    func descendToLeaf(_ root: TreeRoot, to probe: KeyProbe) -> Int {
        var node = Node(root.raw.unsafelyUnwrapped)
        var depth = 0
        while !node.isLeaf {
            let i = node.child(for: probe)
            path[depth] = PathStep(node: node, index: i)
            node = node.children[i]
            node.fetch()
            depth &+= 1
        }
        path[depth] = PathStep(node: node, index: 0)
        return depth
    }

    /// Descends to the row at a position.
    func descend(_ root: TreeRoot, toPosition position: Int) -> Int {
        var node = Node(root.raw.unsafelyUnwrapped)
        var depth = 0
        var rest = position
        while !node.isLeaf {
            let (i, before) = node.childContaining(rest)
            rest &-= before
            path[depth] = PathStep(node: node, index: i)
            node = node.children[i]
            node.fetch()
            depth &+= 1
        }
        path[depth] = PathStep(node: node, index: rest)
        return depth
    }

    /// The row behind the one that the path leads to, unretained. O(1) within a leaf, else O(log n).
    @inline(__always)
    func rowBehindPath(depth: Int) -> Unmanaged<TreeRow>? {
        let step = path[depth]
        if step.index &+ 1 < step.node.count { return step.node.rows[step.index &+ 1] }
        var level = depth
        while level > 0 {
            level &-= 1
            let step = path[level]
            // An inner node has the first row below each child.
            if step.index &+ 1 < step.node.count { return step.node.rows[step.index &+ 1] }
        }
        return nil
    }

    /// Copies the nodes of the path that this draft did not make. A copy has room for its entries, and `slack` more in the leaf.
    @inline(__always)
    func ownPath(_ root: inout TreeRoot, depth: Int, slack: Int) {
        for level in 0...depth {
            let node = path[level].node
            if node.born != ownStamp {
                let isLeaf = level == depth
                // Below a node that is copied all are: the child at its place is next.
                replaceNode(
                    &root, at: level, capacity: Node.room(for: node.count &+ (isLeaf ? slack : 0)),
                    change: isLeaf ? .nothing : .entry(path[level].index))
            }
        }
    }

    /// Replaces a node of the path with a copy, and retires the old one.
    /// - Parameter change: what the copy will have that the old one has not.
    func replaceNode(_ root: inout TreeRoot, at level: Int, capacity: Int, change: CopyChange) {
        let node = path[level].node
        let copy = copy(node, capacity: capacity, change: change)
        path[level].node = copy
        if level == 0 {
            root.raw = copy.raw
        } else {
            let (parent, index) = (path[level &- 1].node, path[level &- 1].index)
            parent.children[index] = copy
            parent.noteChange(at: index)
        }
        discard(node)
    }

    func copy(_ node: Node, capacity: Int, change: CopyChange) -> Node {
        let copy = makeNode(level: node.level, capacity: capacity, ordered: node.isOrdered, change: change)
        node.copy(into: copy)
        return copy
    }

    /// Makes room for one more entry in a node of the path. The node belongs to this draft and is below the maximum size.
    @inline(__always)
    func makeRoom(_ root: inout TreeRoot, at level: Int) -> Node {
        let node = path[level].node
        if node.count == node.capacity {
            replaceNode(&root, at: level, capacity: Node.room(for: node.count + 1), change: node.change)
        }
        return path[level].node
    }

    /// Updates the bounds along the path after the first row of the leaf at `depth` changed, as far up as it is the first.
    @inline(__always)
    func fixBounds(depth: Int, isSameKey: Bool) {
        guard path[depth].index == 0 else { return }
        let row = path[depth].node.rows[0]
        var level = depth
        while level > 0 {
            level &-= 1
            let step = path[level]
            if isSameKey {
                step.node.rows[step.index] = row
            } else {
                step.node.setBound(at: step.index)
            }
            if step.index != 0 { return }
        }
    }
}
