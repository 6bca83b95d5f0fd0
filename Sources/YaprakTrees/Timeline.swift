import YaprakLocks

/// The sequence of versions of a database, or of one of its forks.
///
///     let timeline = Timeline(arena: Arena()) { scheduleReclaiming(of: $0) }
///     let draft = timeline.beginDraft()
///     draft.insert(row, into: &root)
///     let version = draft.seal()
///     while timeline.reclaim(limit: 1_000) {}
///
/// One writer at a time: drafts don't overlap (a precondition). Everything else is safe from any thread.
///
/// *Who frees what.* A node or row that was born at *b* and retired at *r* is freed as soon as no live version *s* has
/// *b ≤ s < r*. Each live version has a list of what was retired after it and before the next one. When it is released,
/// the part that is as old as the version before moves there, and the rest is freed. One old pin among a million commits
/// therefore costs the pinned version and the live one, and none in between.
///
/// A timeline must be closed: until then it keeps its newest version alive.
package final class Timeline: @unchecked Sendable {
    package let arena: Arena
    private let onGarbage: @Sendable (Timeline) -> Void

    /// Protects all fields, except the contents of slots while a reclaimer has taken a chunk from them.
    private let lock = Mutex<Void>((), rank: .timeline)
    /// Held during one slice of reclaiming, and by calls that cut the list. Taken before `lock`.
    private let reclaimLock = Mutex<Void>((), rank: .reclaiming)

    /// The stamp of the version a fork started from, the largest if there are several; or 0.
    private let baseStamp: UInt64
    // The locks exclude the overlapping accesses that the runtime would check for.

    /// The version a fork started from, as long as it has no list.
    @exclusivity(unchecked)
    private var origin: TreeVersion?
    /// Other versions that a fork started from; kept as long as the first.
    @exclusivity(unchecked)
    var otherOrigins: [TreeVersion]?
    /// The versions; `nil` before a draft begins or a version is asked for.
    @exclusivity(unchecked)
    private var list: VersionList?
    /// The youngest live version in the list, which is there.
    var youngest: VersionSlot {
        get { list!.youngest }
        set { list!.youngest = newValue }
    }
    /// `nil` before the first is sealed or asked for, and after the end.
    var newestVersion: TreeVersion?
    /// Versions whose pin is gone but which are still in the list.
    @exclusivity(unchecked)
    var released: VersionSlot?
    /// Slots with unsettled garbage, and bases that may be done.
    @exclusivity(unchecked)
    var queue: VersionSlot?
    var isClosedUnderLock = false
    /// Whether a call of `reclaim` is owed: by the writer, or by the receiver of `onGarbage`.
    private var isReclaimOwed = false
    /// Whether a task reclaims; for the receiver of `onGarbage`.
    private var isReclaimTaskRunning = false
    private var isDraftOpen = false
    /// Versions that somebody holds.
    @exclusivity(unchecked)
    private var pinCount = 0
    /// One object for all drafts.
    private var draft: TreeDraft?
    /// What was made and freed since the last report to the arena.
    @exclusivity(unchecked)
    private var tally = ArenaCounts()
    /// The nodes and rows that it has made and not freed; more if trees of another timeline were adopted.
    @exclusivity(unchecked)
    private var ownCount = 0
    /// Memory of versions and garbage that are gone, for the next ones: a draft takes it along as it begins.
    @exclusivity(unchecked)
    var spares = TimelineSpares()

    /// A timeline of its own, whose newest version is empty.
    ///
    /// - Parameter onGarbage: called outside all locks when there is something to reclaim and no call of `reclaim` is owed
    ///   yet: a reader released a pin, or the timeline was closed and something was left. From then on, and from each
    ///   `beginDraft` on, `reclaim` is owed until it returns false. `onGarbage` schedules the call. It may call `reclaim` itself
    ///   only where it is not running already on this thread, because that may release the pin of another timeline, and so on
    ///   for all forks.
    package convenience init(arena: Arena, onGarbage: @escaping @Sendable (Timeline) -> Void) {
        self.init(arena: arena, origin: nil, otherOrigins: nil, stamp: 0, onGarbage: onGarbage)
    }

    private init(
        arena: Arena, origin: consuming TreeVersion?, otherOrigins: [TreeVersion]?, stamp: UInt64,
        onGarbage: @escaping @Sendable (Timeline) -> Void
    ) {
        self.arena = arena
        self.origin = consume origin
        self.otherOrigins = otherOrigins
        baseStamp = stamp
        self.onGarbage = onGarbage
    }

    /// A timeline that starts with what `version` holds. O(1), no node is copied; keeps `version` until it is closed and
    /// its own versions are gone.
    ///
    /// - Parameter others: versions of the same arena, older or younger, if some of the trees are theirs; kept as long.
    package static func fork(
        from version: TreeVersion, and others: [TreeVersion]? = nil, onGarbage: @escaping @Sendable (Timeline) -> Void
    ) -> Timeline {
        // Whatever is no younger than the youngest of them belongs to another timeline.
        let stamp = others?.reduce(version.stamp) { max($0, $1.stamp) } ?? version.stamp
        return Timeline(
            arena: version.timeline.arena, origin: version, otherOrigins: others, stamp: stamp, onGarbage: onGarbage)
    }

    deinit {
        // No version and no draft is left, and nothing else reclaims what they left.
        if released != nil || queue != nil || tally != ArenaCounts() { while reclaim(limit: .max) {} }
        list?.base.free()
        // The next fork that is written to goes on with the memory of this one.
        if spares.isEmpty { return }
        if let kept = arena.takeSpareDraft() {
            kept.spares.fill(from: &spares)
            arena.keep(kept)
        }
        spares.free()
    }

    /// The newest sealed version. The first is made when it is asked for: what a fork began with is kept by its base, also
    /// while a draft changes it.
    package var newest: TreeVersion { locked { newestOrFirst() } }

    /// Call with the lock held.
    private func newestOrFirst() -> TreeVersion {
        if let newestVersion { return newestVersion }
        precondition(!isClosedUnderLock, "the timeline is closed")
        makeListIfMissing()
        // Everything in it was there when the timeline began. Versions that a draft has frozen come after it.
        let slot = VersionSlot.make(stamp: baseStamp, isBase: false)
        insert(slot, after: list!.base)
        let first = TreeVersion(timeline: self, slot: slot)
        newestVersion = first
        pinCount &+= 1
        return first
    }

    /// Call with the lock held.
    /// - Returns: whether it was missing.
    @discardableResult
    private func makeListIfMissing() -> Bool {
        if list != nil { return false }
        let base = VersionSlot.make(stamp: baseStamp, isBase: true, pin: origin.take())
        list = VersionList(base: base, youngest: base)
        return true
    }

    @inline(__always)
    func locked<R>(_ body: () -> R) -> R {
        // No function of this module is async.
        lock.withLockInlined { _ in Carried(value: body()) }.value
    }

    /// How many versions are held, the newest among them, and the label of the oldest in the list. Before the first is sealed
    /// that is what the timeline began with.
    ///
    /// - Complexity: O(1), and O(versions that were released and not reclaimed yet).
    package var pins: (count: Int, oldest: VersionLabel?) {
        locked {
            var slot = list?.base.pointee.next
            while let next = slot, next.pointee.isReleased { slot = next.pointee.next }
            return (newestVersion == nil && !isClosedUnderLock ? pinCount + 1 : pinCount, slot?.pointee.label)
        }
    }

    /// The labels of the oldest versions that are held, oldest first; `nil` for one without a label.
    ///
    /// - Complexity: O(`most`), and O(versions that were released and not reclaimed yet).
    package func oldestPins(max most: Int) -> [VersionLabel?] {
        locked {
            var labels: [VersionLabel?] = [], slot = list?.base.pointee.next
            while let next = slot, labels.count < most {
                if !next.pointee.isReleased { labels.append(next.pointee.label) }
                slot = next.pointee.next
            }
            return labels
        }
    }

    /// Whether it takes no more drafts, and then whether it has so few nodes and rows of its own that they can be freed anywhere.
    package func closedState(small count: Int) -> (isClosed: Bool, isSmall: Bool) {
        locked { (isClosedUnderLock, ownCount <= count) }
    }

    /// Whether the caller has to start a task that reclaims; it calls ``endReclaimTask()`` when it ends.
    package func beginReclaimTask() -> Bool {
        locked {
            defer { isReclaimTaskRunning = true }
            return !isReclaimTaskRunning
        }
    }

    package func endReclaimTask() { locked { isReclaimTaskRunning = false } }

    func whileNobodyReclaims<R>(_ body: () -> R) -> R {
        reclaimLock.withLockInlined { _ in Carried(value: body()) }.value
    }
}

/// Carries a value out of a lock; the caller is responsible for what it refers to.
private struct Carried<Value>: @unchecked Sendable { let value: Value }

// MARK: Drafts

extension Timeline {
    /// Starts a draft from the newest sealed version, or from what the timeline began with. There is one at a time, and one
    /// object for all of them.
    package func beginDraft() -> TreeDraft {
        locked {
            precondition(!isDraftOpen, "one draft at a time")
            precondition(!isClosedUnderLock, "the timeline is closed")
            let stamp = arena.nextStamp()
            if makeListIfMissing() { list!.base.pointee.traits.firstStamp = stamp }
            isDraftOpen = true
            isReclaimOwed = true
            let draft = self.draft ?? makeDraft()
            draft.spares.fill(from: &spares)
            draft.begin(from: newestVersion, stamp: stamp)
            return draft
        }
    }

    /// Makes the object for the drafts, or takes one that a closed timeline has left. Call with the lock held.
    private func makeDraft() -> TreeDraft {
        let draft: TreeDraft
        if let kept = arena.takeSpareDraft() {
            kept.move(to: self)
            draft = kept
        } else {
            draft = TreeDraft(timeline: self)
        }
        self.draft = draft
        return draft
    }

    /// Takes what a draft retired, and makes the state before that the next version of the list.
    /// - Parameters:
    ///   - slot: where the version will be.
    ///   - isEnd: whether the draft ends here.
    func seal(
        slot: VersionSlot, dead: inout DeadList, made: ArenaCounts, isEnd: Bool, _ label: VersionLabel?
    ) -> TreeVersion {
        slot.pointee.label = label
        let version = TreeVersion(timeline: self, slot: slot)
        let old = locked {
            bury(&dead, under: youngest)
            insert(slot, after: youngest)
            pinCount &+= 1
            count(made)
            guard isEnd else { return nil as TreeVersion? }
            isDraftOpen = false
            defer { newestVersion = version }
            return newestVersion
        }
        _ = consume old
        return version
    }

    /// Ends a draft that changed nothing since `version`.
    func endDraft(with version: TreeVersion, _ label: VersionLabel?) {
        let old = locked {
            isDraftOpen = false
            if let label { version.slot.pointee.label = label }
            defer { newestVersion = version }
            return newestVersion
        }
        _ = consume old
    }

    /// A draft adopted trees, which are younger than the base: how much that is, nobody has counted.
    func noteTakeover() {
        locked {
            ownCount = .max / 2
            list?.base.pointee.traits.firstStamp = 0
        }
    }

    /// Ends a draft that changed nothing and makes no version.
    func endUnchangedDraft() { locked { endDraftWithoutVersion() } }

    /// Ends a draft that makes no version. Call with the lock held.
    func endDraftWithoutVersion() { isDraftOpen = false }
    var isDraftInProgress: Bool { isDraftOpen }

    /// Ends the timeline: takes no more drafts and retires the newest state. Pinned snapshots stay valid.
    ///
    /// Calls `onGarbage` where something is left, whose receiver reclaims what is retired now. It is called later for what
    /// snapshots release.
    /// - Parameter roots: all trees of the newest version.
    package func close(roots: [TreeRoot]) { close { visit in for root in roots { visit(root) } } }

    /// The same for trees that are in no array.
    /// - Parameter visitRoots: passes all trees of the newest version on.
    package func close(_ visitRoots: ((TreeRoot) -> Void) -> Void) {
        var dead = DeadList()
        // A tree that no draft of this timeline has changed belongs to its origin: nothing of it is freed here.
        visitRoots { dead.append(subtreeOf: $0, bornAfter: baseStamp) }
        let (newest, unused, pin, others, isOwed) = locked {
            precondition(!isDraftOpen, "a timeline is closed between drafts")
            isClosedUnderLock = true
            // A fork that nobody wrote to has nothing but the version it began with.
            guard let base = list?.base else {
                assert(dead.isEmpty, "what is retired was made by a draft, and that has a list")
                return (nil as TreeVersion?, nil as TreeDraft?, origin.take(), otherOrigins.take(), false)
            }
            bury(&dead, under: youngest)
            // Otherwise the last version brings it into the queue as it goes.
            if base.pointee.next == nil { enqueue(base) }
            isReclaimOwed = released != nil || queue != nil
            let isUnused = isKnownUniquelyReferenced(&draft)
            let unused = draft.take()
            defer { newestVersion = nil }
            return (newestVersion, isUnused ? unused : nil, nil, nil, isReclaimOwed)
        }
        if let unused, unused.isSmall { arena.keep(unused) }
        // Outside the lock: that of another timeline is taken as its version goes.
        _ = consume pin
        _ = consume others
        _ = consume newest
        if isOwed { onGarbage(self) }
    }
}

extension DeadList {
    /// Retires a whole tree, unless its root existed when the timeline began. O(1).
    mutating func append(subtreeOf root: TreeRoot, bornAfter stamp: UInt64 = 0) {
        if let node = root.node, node.born > stamp { append(.subtree(node), birth: node.born) }
    }
}

// MARK: The list (call with the lock held)

extension Timeline {
    /// Counts what was made or freed.
    @inline(__always)
    func count(_ change: ArenaCounts) {
        tally.add(change)
        ownCount &+= change.nodes &+ change.rows
    }

    /// What was counted since the last time.
    func takeTally() -> ArenaCounts {
        defer { tally = ArenaCounts() }
        return tally
    }

    private func insert(_ slot: VersionSlot, after previous: VersionSlot) {
        slot.pointee.previous = previous
        slot.pointee.next = previous.pointee.next
        previous.pointee.next?.pointee.previous = slot
        previous.pointee.next = slot
        if youngest == previous { youngest = slot }
    }

    /// Whether a list begins with this slot, and it is not one that was cut off.
    func isBase(_ slot: VersionSlot) -> Bool { slot == list?.base }

    /// Adds garbage that was retired while `slot` was the youngest version.
    func bury(_ dead: inout DeadList, under slot: VersionSlot) {
        while let chunk = dead.popFirst() {
            if chunk.header.pointee.youngest <= slot.pointee.stamp, !slot.pointee.isBase {
                slot.pointee.dead.append(chunk)
            } else {
                slot.pointee.unsettled.append(chunk)
                enqueue(slot)
            }
        }
    }

    func enqueue(_ slot: VersionSlot) {
        if slot.pointee.isQueued { return }
        slot.pointee.isQueued = true
        slot.pointee.nextQueued = queue
        queue = slot
    }

    /// Records that a pin was released.
    func noteRelease(of slot: VersionSlot) {
        let isOwed = locked {
            slot.pointee.isReleased = true
            pinCount &-= 1
            slot.pointee.nextReleased = released
            released = slot
            defer { isReclaimOwed = true }
            return isReclaimOwed
        }
        if !isOwed { onGarbage(self) }
    }

    /// Whether nothing is left to reclaim; then no call is owed.
    func settleDebt() -> Bool {
        let isDone = released == nil && queue == nil
        if isDone { isReclaimOwed = isDraftOpen }
        return isDone
    }
}
