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
    let onGarbage: @Sendable (Timeline) -> Void

    /// Protects all fields, except the contents of slots while a reclaimer has taken a chunk from them. Those that are not
    /// private are for the extensions of this type, which are in files of their own, and for nobody else.
    private let lock = Mutex<Void>((), rank: .timeline)
    /// Held during one slice of reclaiming, and by calls that cut the list. Taken before `lock`.
    private let reclaimLock = Mutex<Void>((), rank: .reclaiming)

    /// The stamp of the version a fork started from, the largest if there are several; or 0.
    let baseStamp: UInt64
    // The locks exclude the overlapping accesses that the runtime would check for.

    /// The version a fork started from, as long as it has no list.
    @exclusivity(unchecked)
    var origin: TreeVersion?
    /// Other versions that a fork started from; kept as long as the first.
    @exclusivity(unchecked)
    var otherOrigins: [TreeVersion]?
    /// The versions; `nil` before a draft begins or a version is asked for.
    @exclusivity(unchecked)
    var list: VersionList?
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
    var isReclaimOwed = false
    /// Whether a task reclaims; for the receiver of `onGarbage`.
    private var isReclaimTaskRunning = false
    var isDraftOpen = false
    /// Versions that somebody holds.
    @exclusivity(unchecked)
    var pinCount = 0
    /// One object for all drafts.
    var draft: TreeDraft?
    /// What was made and freed since the last report to the arena.
    @exclusivity(unchecked)
    var tally = ArenaCounts()
    /// The nodes and rows that it has made and not freed; more if trees of another timeline were adopted.
    @exclusivity(unchecked)
    var ownCount = 0
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
    func makeListIfMissing() -> Bool {
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
