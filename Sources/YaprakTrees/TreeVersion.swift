/// A pin: while it is alive, every root of this version can be read on any thread.
///
/// Releasing it costs the same on any thread and frees nothing: it is recorded, and ``Timeline/reclaim(limit:)`` frees
/// later. Of a closed timeline with little of its own, the owner may call that at once.
package final class TreeVersion: @unchecked Sendable {
    package let timeline: Timeline
    /// The stamp of the draft that made it; of a first version that no draft has made, that of what the timeline began with.
    /// Versions behind it in its list have larger ones.
    package let stamp: UInt64
    let slot: VersionSlot

    init(timeline: Timeline, slot: VersionSlot) {
        self.timeline = timeline
        self.slot = slot
        stamp = slot.pointee.stamp
    }

    // The field keeps it until this is over: no reference more is counted.
    deinit { Unmanaged.passUnretained(timeline)._withUnsafeGuaranteedRef { $0.noteRelease(of: slot) } }

    /// Whether a tree may be part of this version: a node younger than the version would be freed before it.
    package func covers(_ root: TreeRoot) -> Bool { root.node.map { $0.born <= stamp } ?? true }
}

/// What the owner of a timeline wants to know of a version that lives: its number, and when it was made.
package struct VersionLabel: Sendable, Hashable {
    package var number: UInt64
    /// Nanoseconds since 1970, if that is known.
    package var nanoseconds: Int64?

    package init(number: UInt64, nanoseconds: Int64?) {
        self.number = number
        self.nanoseconds = nanoseconds
    }
}

typealias VersionSlot = UnsafeMutablePointer<VersionState>

/// A live version in its timeline: a link in the list from the oldest to the youngest.
///
/// `dead` was retired after this version and before the next live one, and was made no later than this version: it is
/// needed here and by no younger version. `unsettled` was retired in the same interval; its births were not checked yet.
/// The head of a list is not a version but its base: what is as old as the base belongs to another timeline.
struct VersionState {
    var traits: VersionTraits
    var stamp: UInt64 { traits.stamp }
    var isBase: Bool { traits.isBase }
    var previous: VersionSlot?
    var next: VersionSlot?
    var dead = DeadList()
    var unsettled = DeadList()
    var nextQueued: VersionSlot?
    var nextReleased: VersionSlot?
    /// A base keeps alive what its list inherited.
    var pin: TreeVersion?
    var label: VersionLabel?
    // Side by side, for the room they take.
    /// Whether its pin is gone.
    var isReleased = false
    var isUnlinked = false
    var isQueued = false

    @inline(__always)
    init(stamp: UInt64, isBase: Bool) {
        traits = VersionTraits(stamp: stamp, firstStamp: 0, isBase: isBase)
    }
}

/// What a version says of the garbage behind it.
struct VersionTraits {
    /// What is no younger was there already.
    let stamp: UInt64
    /// Of the base of a list: the stamp of the first draft, if all it began with is as old as the base; or 0. A node with this
    /// stamp whose change is known was copied, at first, from one that the base has.
    var firstStamp: UInt64
    /// Whether it is no version, but the head of a list.
    let isBase: Bool
}

/// The versions of a timeline that live, from what it began with to the youngest.
struct VersionList {
    /// The head: not a version, but what a fork started from.
    let base: VersionSlot
    /// The base, if no version lives.
    var youngest: VersionSlot
}

extension VersionSlot {
    static func make(stamp: UInt64, isBase: Bool, pin: consuming TreeVersion? = nil) -> VersionSlot {
        let slot = VersionSlot.allocate(capacity: 1)
        slot.initialize(to: VersionState(stamp: stamp, isBase: isBase))
        slot.pointee.pin = consume pin
        return slot
    }

    func free() {
        deinitialize(count: 1)
        deallocate()
    }
}
