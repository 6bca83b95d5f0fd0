/// What to do with the row an edit found.
package enum TreeEdit {
    /// Leave everything as it is.
    case keep
    /// Insert or replace with this row. It has the key of the search.
    case put(TreeRow)
    /// Remove the row, if there is one, with its nested tree.
    case remove
}

extension TreeDraft {
    /// Looks up a key and applies the edit that `body` returns.
    ///
    ///     let old = draft.edit(&root, key: key) { old in old == nil ? .put(row) : .keep }
    ///
    /// One descent. Nothing is copied unless something changes. `body` may do anything except edit `root`.
    /// - Returns: the row that was there.
    @discardableResult
    package func edit(
        _ root: inout TreeRoot, key: UnsafeBufferPointer<UInt8>, _ body: (TreeRow?) throws -> TreeEdit
    ) rethrows -> TreeRow? {
        precondition(isOpen, "the draft has ended")
        let probe = KeyProbe(key)
        guard root.raw != nil else {
            if case .put(let row) = try body(nil) {
                Self.check(row, isFor: probe)
                plant(row, word: KeyBytes.word(key, at: 0), ordered: false, in: &root)
            }
            return nil
        }
        var (depth, isFound) = descend(root, to: probe)
        let old = isFound ? path[depth].node.rows[path[depth].index].takeUnretainedValue() : nil
        let before = changes
        let decision = try body(old)
        // The closure may have edited other trees with the same path, or frozen this one.
        if changes != before { (depth, isFound) = descend(root, to: probe) }
        switch decision {
        case .keep: break
        case .put(let row):
            if row === old { return old }
            Self.check(row, isFor: probe)
            if isFound {
                replaceRow(&root, depth: depth, with: row)
            } else {
                insertRow(&root, depth: depth, row: row, hint: 0)
            }
        case .remove:
            if isFound { removeRow(&root, depth: depth) }
        }
        return old
    }

    /// Puts a row under its key, in the place of one that is there. One descent; what was there is not handed out.
    package func put(_ row: TreeRow, key: UnsafeBufferPointer<UInt8>, into root: inout TreeRoot) {
        precondition(isOpen, "the draft has ended")
        let probe = KeyProbe(key)
        Self.check(row, isFor: probe)
        guard root.raw != nil else {
            return plant(row, word: KeyBytes.word(key, at: 0), ordered: false, in: &root)
        }
        let (depth, isFound) = descend(root, to: probe)
        if isFound {
            replaceRow(&root, depth: depth, with: row)
        } else {
            insertRow(&root, depth: depth, row: row, hint: 0)
        }
    }

    /// Puts the row that `make` returns under a key, in the place of the one that is there. One descent.
    ///
    /// Which row that is follows from the words of its leaf, nearly always: it is seldom in a cache, and is fetched while the
    /// nodes above it are copied. So they are copied also where nothing is put in the end.
    /// - Parameter make: gets the row that is there, valid during the call, and returns a new one with this key; `nil` leaves all
    ///   rows as they are. It edits no tree.
    /// - Returns: the row that was there, and the one in its place.
    package func put(
        key: UnsafeBufferPointer<UInt8>, into root: inout TreeRoot, by make: (Unmanaged<TreeRow>?) -> TreeRow?
    ) -> (old: TreeRow?, new: TreeRow?) {
        precondition(isOpen, "the draft has ended")
        guard root.raw != nil else {
            guard let row = make(nil) else { return (nil, nil) }
            plant(row, word: KeyBytes.word(key, at: 0), ordered: false, in: &root)
            return (nil, row)
        }
        let probe = KeyProbe(key)
        let depth = descendToLeaf(root, to: probe)
        let place = path[depth].node.placeByWords(of: probe)
        guard let index = place.flatMap({ $0.isFound ? $0.index : nil }) else {
            return put(&root, depth: depth, place ?? path[depth].node.place(of: probe), by: make)
        }
        path[depth].index = index
        let there = path[depth].node.rows[index]
        there.fetch()
        touch()
        ownPath(&root, depth: depth, slack: 0)
        guard probe.isKey(of: there, behind: path[depth].node.skip) else {
            return put(&root, depth: depth, path[depth].node.place(of: probe), by: make)
        }
        let before = changes
        guard let row = make(there) else { return (there.takeUnretainedValue(), nil) }
        precondition(changes == before, "what makes a row edits no tree")
        assert(row.compareKey(to: key) == 0, "a row is put under its own key")
        path[depth].node.rows[index] = adopt(row)
        path[depth].node.noteChange(at: index)
        fixBounds(depth: depth, isSameKey: true)
        // Here and not before: a reference that is counted waits for the row.
        let old = there.takeUnretainedValue()
        discard(there)
        checkShape(root)
        return (old, row)
    }

    /// The same at a place in the leaf that the path leads to.
    @inline(never)
    private func put(
        _ root: inout TreeRoot, depth: Int, _ place: NodePlace, by make: (Unmanaged<TreeRow>?) -> TreeRow?
    ) -> (old: TreeRow?, new: TreeRow?) {
        path[depth].index = place.index
        let old = place.isFound ? path[depth].node.rows[place.index].takeUnretainedValue() : nil
        let before = changes
        guard let row = make(old.map(Unmanaged.passUnretained)) else { return (old, nil) }
        precondition(changes == before, "what makes a row edits no tree")
        if place.isFound {
            replaceRow(&root, depth: depth, with: row)
        } else {
            insertRow(&root, depth: depth, row: row, hint: 0)
        }
        return (old, row)
    }

    /// Puts a row under its key, in the place of one that is there almost certainly. One descent, as ``put(_:key:into:)``.
    ///
    /// Which row that is follows from the words of its leaf. Whether it has the key is seen at the end: the row is seldom in a
    /// cache, and is fetched while the new one is made and the nodes above it are copied.
    /// - Parameter make: makes the row; it edits no tree.
    package func exchange(
        _ key: UnsafeBufferPointer<UInt8>, in root: inout TreeRoot, by make: (UnsafeBufferPointer<UInt8>) -> TreeRow
    ) {
        precondition(isOpen, "the draft has ended")
        guard root.raw != nil else { return put(make(key), key: key, into: &root) }
        let probe = KeyProbe(key)
        let depth = descendToLeaf(root, to: probe)
        assert(!path[depth].node.isOrdered, "a comparator's tree has no words of keys")
        guard let place = path[depth].node.placeByWords(of: probe), place.isFound else {
            return put(make(key), key: key, into: &root)
        }
        let index = place.index
        path[depth].index = index
        let old = path[depth].node.rows[index]
        old.fetch()
        let row = make(key)
        assert(row.compareKey(to: key) == 0, "a row is put under its own key")
        touch()
        ownPath(&root, depth: depth, slack: 0)
        guard probe.compare(to: old) == 0 else { return put(row, key: key, into: &root) }
        path[depth].node.rows[index] = adopt(row)
        path[depth].node.noteChange(at: index)
        fixBounds(depth: depth, isSameKey: true)
        discard(old)
        checkShape(root)
    }

    /// Puts another row in the place of the last one that doesn't come after a key. One descent.
    ///
    /// - Parameter make: gets that row and the one behind it, valid during the call, and returns one with the key of the first;
    ///   `nil` leaves the tree as it is. It edits no tree.
    /// - Returns: whether there is such a row.
    package func exchangeLast(
        notAfter key: UnsafeBufferPointer<UInt8>, in root: inout TreeRoot,
        by make: (_ row: Unmanaged<TreeRow>, _ next: Unmanaged<TreeRow>?) -> TreeRow?
    ) -> Bool {
        precondition(isOpen, "the draft has ended")
        guard root.raw != nil else { return false }
        let (depth, isFound) = descend(root, to: KeyProbe(key))
        assert(!path[depth].node.isOrdered, "a comparator's tree has no words of keys")
        if !isFound { path[depth].index &-= 1 }
        // A key before that of the first row leads into the first leaf.
        guard path[depth].index >= 0 else { return false }
        let old = path[depth].node.rows[path[depth].index]
        let next = rowBehindPath(depth: depth)
        old.fetch()
        next?.fetch()
        let before = changes
        guard let row = make(old, next) else { return true }
        precondition(changes == before, "what makes a row edits no tree")
        precondition(old._withUnsafeGuaranteedRef { row.hasKey(of: $0) }, "a row is put under its own key")
        replaceRow(&root, depth: depth, with: row)
        return true
    }

    /// Inserts a row, or replaces the one with its key.
    /// - Returns: the row that was there.
    @discardableResult
    package func insert(_ row: TreeRow, into root: inout TreeRoot) -> TreeRow? {
        row.withKey { edit(&root, key: $0) { _ in .put(row) } }
    }

    /// Removes the row with this key and its nested tree.
    @discardableResult
    package func remove(_ key: UnsafeBufferPointer<UInt8>, from root: inout TreeRoot) -> TreeRow? {
        edit(&root, key: key) { _ in .remove }
    }

    @discardableResult
    package func remove(_ key: String, from root: inout TreeRoot) -> TreeRow? {
        key.withKeyBytes { remove($0, from: &root) }
    }

    /// Empties a tree. O(1): it is retired as a whole.
    package func clear(_ root: inout TreeRoot) {
        guard let node = root.node else { return }
        touch()
        giveUp(.subtree(node), birth: node.born)
        root = TreeRoot()
    }

    @inline(__always)
    private static func check(_ row: TreeRow, isFor probe: KeyProbe) {
        precondition(row.compareKey(to: probe.bytes) == 0, "a row is put under its own key")
    }

    /// Replaces the row that the path leads to.
    @inline(__always)
    func replaceRow(_ root: inout TreeRoot, depth: Int, with row: TreeRow) {
        touch()
        let new = adopt(row)
        ownPath(&root, depth: depth, slack: 0)
        let leaf = path[depth].node
        let index = path[depth].index
        let old = leaf.rows[index]
        leaf.rows[index] = new
        leaf.noteChange(at: index)
        fixBounds(depth: depth, isSameKey: true)
        discard(old)
        checkShape(root)
    }

    /// Makes a tree of one row.
    func plant(_ row: TreeRow, word: UInt64, ordered: Bool, in root: inout TreeRoot) {
        touch()
        let leaf = makeNode(level: 0, capacity: Node.room(for: 1), ordered: ordered)
        leaf.rows[0] = adopt(row)
        leaf.words[0] = word
        leaf.count = 1
        root = TreeRoot(raw: leaf.raw, count: 1)
    }

    @inline(__always)
    func checkShape(_ root: TreeRoot) {
        #if InvariantChecks
            if let violation = root.firstViolation() { preconditionFailure(violation) }
        #endif
    }
}
