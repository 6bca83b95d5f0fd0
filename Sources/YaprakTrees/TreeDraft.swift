/// The mutable working copy of a timeline's trees, for its single writer.
///
/// A node that this draft made is changed in place; any other is copied and retired. Not `Sendable`. One object serves all
/// drafts of a timeline, and of the next one after that is closed, so don't keep it after ``seal()`` or ``abort(roots:)``: its
/// calls would trap.
///
/// No access to its fields lasts longer than a load or a store, so they need no exclusivity checks of the runtime.
package final class TreeDraft {
    /// The owner of this object. Unmanaged, because any other reference would be counted at each use.
    private var owner: Unmanaged<Timeline>
    private var timeline: Timeline { owner.takeUnretainedValue() }
    /// The stamp of everything made now. Increases with each freeze.
    @exclusivity(unchecked)
    private(set) var ownStamp: UInt64 = 0
    /// The same for other modules: to them the attribute of a field says nothing, and each access would be checked.
    package var stamp: UInt64 { @inline(never) get { ownStamp } }
    /// Whether the draft can be edited.
    @exclusivity(unchecked)
    package private(set) var isOpen = false
    /// Whether nothing has changed since it began or was last frozen.
    @exclusivity(unchecked)
    private var isUnchanged = true
    /// The latest frozen version while nothing has changed since.
    @exclusivity(unchecked)
    private var frozen: TreeVersion?
    /// Counts changes, so that an edit notices changes by its own closure.
    @exclusivity(unchecked)
    var changes: UInt64 = 0
    /// What was made and freed since the last report.
    @exclusivity(unchecked)
    var made = ArenaCounts()
    /// What was retired, and the latest of its births.
    @exclusivity(unchecked)
    var dead: UnsafeMutablePointer<DeadEntry>
    @exclusivity(unchecked)
    var deadCount = 0
    @exclusivity(unchecked)
    var deadCapacity = 64
    @exclusivity(unchecked)
    var youngestDead: UInt64 = 0
    /// How many nodes and rows the draft has retired until it was sealed or frozen last; a subtree counts as one.
    ///
    /// Once it is sealed, until the next draft begins: that is the same object.
    package var retiredCount: Int { @inline(never) get { ownRetiredCount } }
    @exclusivity(unchecked)
    private var ownRetiredCount = 0
    /// Memory for its next version and what that retires.
    @exclusivity(unchecked)
    var spares = TimelineSpares()
    /// Memory for the nodes it makes.
    @exclusivity(unchecked)
    private var rack = NodeRack()
    /// The way from the root to the place being edited.
    let path: UnsafeMutablePointer<PathStep>

    init(timeline: Timeline) {
        owner = .passUnretained(timeline)
        dead = .allocate(capacity: deadCapacity)
        path = .allocate(capacity: Node.depthMax)
    }

    deinit {
        dead.deallocate()
        path.deallocate()
        spares.free()
        rack.free()
    }

    /// The number of the draft, which distinguishes it from the next.
    private(set) var session: UInt64 = 0

    /// Begins from the newest version of the timeline, which stays that until the draft ends.
    func begin(stamp first: UInt64) {
        session &+= 1
        ownRetiredCount = 0
        isOpen = true
        isUnchanged = true
        ownStamp = first
        var nodes = spares.takeNodes()
        while let node = nodes.pop() { rack.keep(node) }
    }

    /// Whether its buffers are worth keeping: one large write has made them large.
    var isSmall: Bool { deadCapacity <= 1024 }

    /// Serves another timeline of the same arena from here on. Nothing else refers to the object.
    func move(to timeline: Timeline) {
        precondition(!isOpen, "a draft moves when it has ended")
        owner = .passUnretained(timeline)
    }

    /// Whether anything was changed since the draft began or was last frozen.
    package var hasChanges: Bool { !isUnchanged }

    /// Adopts trees that were made in another timeline of the same arena, which was sealed before this draft began and ended
    /// without retiring them. O(1).
    ///
    /// Nothing moves. The next version is a new one even if nothing else has changed, so that its stamp is greater than the
    /// birth of every node in the trees.
    package func takeOver(_ roots: [TreeRoot]) {
        for root in roots {
            precondition(
                root.node.map { $0.born < ownStamp } ?? true, "trees are made before the draft takes them over")
        }
        timeline.noteTakeover()
        touch()
    }

    private func noteFirstChange() {
        isUnchanged = false
        frozen = nil
    }

    /// Called first by each change.
    @inline(__always)
    func touch() {
        precondition(isOpen, "the draft has ended")
        changes &+= 1
        if isUnchanged { noteFirstChange() }
    }
}

// MARK: Ends

extension TreeDraft {
    /// The state of this moment as a version; later changes copy.
    ///
    /// For enumerations inside a write. The version can be read after the draft's end, even if it is aborted. As long as
    /// nothing changes, the same version is returned. O(1).
    package func freeze() -> TreeVersion {
        precondition(isOpen, "the draft has ended")
        if isUnchanged { return frozen ?? timeline.newest }
        let version = handOver(isEnd: false)
        frozen = version
        isUnchanged = true
        ownStamp = nextStamp()
        return version
    }

    private func nextStamp() -> UInt64 { owner._withUnsafeGuaranteedRef { $0.arena.nextStamp() } }

    /// Ends the draft. Its state becomes the newest version of the timeline. O(1).
    /// - Parameter label: what ``Timeline/pins`` says of the version.
    @discardableResult
    package func seal(label: VersionLabel? = nil) -> TreeVersion {
        precondition(isOpen, "the draft has ended")
        let version: TreeVersion
        if isUnchanged {
            version = frozen ?? timeline.newest
            timeline.endDraft(with: version, label)
        } else {
            version = handOver(isEnd: true, label)
        }
        close()
        return version
    }

    private func close() {
        isOpen = false
        frozen = nil
    }

    /// Ends the draft and discards its changes. Frozen versions can be read until they are released.
    ///
    /// - Parameter roots: all trees as they are now, the edited ones at least.
    package func abort(roots: [TreeRoot]) {
        precondition(isOpen, "the draft has ended")
        if isUnchanged, frozen == nil {
            timeline.endUnchangedDraft()
            return close()
        }
        let stays = timeline.newest
        var list = takeDead()
        for root in roots { list.append(subtreeOf: root) }
        close()
        timeline.cut(after: stays, dead: &list, made: takeMade(), endsDraft: true)
    }

    private func handOver(isEnd: Bool, _ label: VersionLabel? = nil) -> TreeVersion {
        var list = takeDead()
        let slot = spares.makeSlot(stamp: ownStamp)
        let made = takeMade()
        return owner._withUnsafeGuaranteedRef { $0.seal(slot: slot, dead: &list, made: made, isEnd: isEnd, label) }
    }

    private func takeMade() -> ArenaCounts {
        defer { made = ArenaCounts() }
        return made
    }
}

// MARK: Giving up

extension TreeDraft {
    @inline(__always)
    func giveUp(_ entry: DeadEntry, birth: UInt64) {
        if deadCount == deadCapacity { growDead() }
        dead[deadCount] = entry
        deadCount &+= 1
        youngestDead = max(youngestDead, birth)
    }

    private func growDead() {
        let grown = UnsafeMutablePointer<DeadEntry>.allocate(capacity: deadCapacity * 2)
        grown.update(from: dead, count: deadCount)
        dead.deallocate()
        dead = grown
        deadCapacity *= 2
    }

    /// What was retired, in chunks of the needed size.
    private func takeDead() -> DeadList {
        var list = DeadList()
        var start = 0
        while start < deadCount {
            let n = min(DeadChunk.capacityMax, deadCount - start)
            let chunk = spares.makeChunk(capacity: n)
            chunk.entries.update(from: dead + start, count: n)
            chunk.header.pointee.count = UInt32(n)
            chunk.header.pointee.youngest = youngestDead
            list.append(chunk)
            start += n
        }
        ownRetiredCount &+= deadCount
        deadCount = 0
        youngestDead = 0
        if deadCapacity > 65_536 {
            dead.deallocate()
            deadCapacity = 64
            dead = .allocate(capacity: deadCapacity)
        }
        return list
    }

    /// Retires a node: frees it at once if this draft made it, otherwise when no version needs it.
    @inline(__always)
    func discard(_ node: Node) {
        let born = node.born
        if born != ownStamp { return giveUp(.node(node), birth: born) }
        made.nodes &-= 1
        made.bytes &-= node.byteCount
        rack.keep(node)
    }

    /// Retires a row without its nested tree, which another row has adopted.
    @inline(__always)
    func discard(_ row: RowRef) {
        let birth = row.birth
        if birth != ownStamp { return giveUp(.row(row), birth: birth) }
        made.rows &-= 1
        row.release()
    }

    /// Retires a row and its nested tree.
    @inline(__always)
    func discardWhole(_ row: RowRef) {
        if row._withUnsafeGuaranteedRef({ $0.nestedTree?.raw }) == nil { return discard(row) }
        giveUp(.rowTree(row), birth: row.birth)
    }

    @inline(__always)
    func makeNode(level: Int, capacity: Int, ordered: Bool, change: CopyChange = .unknown) -> Node {
        made.nodes &+= 1
        made.bytes &+= Node.bytes(level: level, capacity: capacity)
        if let raw = rack.take(level: level, capacity: capacity) {
            return Node.make(
                in: raw, level: level, capacity: capacity, born: ownStamp, ordered: ordered, change: change)
        }
        return Node.make(level: level, capacity: capacity, born: ownStamp, ordered: ordered, change: change)
    }

    @inline(never)
    private static func checkShared(_ row: TreeRow, _ stamp: UInt64) {
        precondition(row.birth == stamp, "a row goes into the trees of one draft: make another box for it")
        precondition(row.nestedTree == nil, "a row with a tree goes into one tree: make another box for it")
    }

    /// Adds a row to the trees: one reference, one birth. A row of this draft may go into several trees, each of which
    /// gives up its own reference: the trees it is in need not be edited together later.
    @inline(__always)
    func adopt(_ row: TreeRow) -> RowRef {
        if row.birth == 0 { row.setBirth(ownStamp) } else { Self.checkShared(row, ownStamp) }
        made.rows &+= 1
        return RowRef.passRetained(row)
    }
}
