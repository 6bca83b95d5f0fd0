import Synchronization

/// The arena of the trees of a database and all its forks: one counter of stamps, and counts of nodes and rows.
///
/// Outlives every timeline that uses it. Stamps are never reused, unlike commit numbers.
package final class Arena: Sendable {
    private let lastStamp = Atomic<UInt64>(0)
    private let nodes = Atomic<Int>(0)
    private let rows = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    /// A retained draft that no timeline has, or 0.
    private let spareDraft = Atomic<UInt>(0)

    private static let live = Atomic<Int>(0)

    /// The number of live arenas: databases with their forks that something still retains. For tests of releasing memory.
    package static var liveCount: Int { live.load(ordering: .relaxed) }

    package init() { Self.live.wrappingAdd(1, ordering: .relaxed) }

    deinit {
        Self.live.wrappingSubtract(1, ordering: .relaxed)
        _ = takeSpareDraft()
    }

    func nextStamp() -> UInt64 { lastStamp.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The counts of the arena. Timelines report at the end of a slice of reclaiming, not per node or commit.
    package var counts: ArenaCounts {
        ArenaCounts(
            nodes: nodes.load(ordering: .relaxed), rows: rows.load(ordering: .relaxed),
            bytes: bytes.load(ordering: .relaxed))
    }

    /// Takes the draft that is kept, if there is one.
    func takeSpareDraft() -> TreeDraft? {
        // Mostly there is none: a look costs less than an exchange.
        if spareDraft.load(ordering: .relaxed) == 0 { return nil }
        let kept = spareDraft.exchange(0, ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: kept).map { Unmanaged<TreeDraft>.fromOpaque($0).takeRetainedValue() }
    }

    /// Keeps a draft that nothing else refers to for the next fork that is written to, instead of one it has already.
    func keep(_ draft: consuming TreeDraft) {
        let new = UInt(bitPattern: Unmanaged.passRetained(draft).toOpaque())
        let old = spareDraft.exchange(new, ordering: .acquiringAndReleasing)
        if let old = UnsafeRawPointer(bitPattern: old) { Unmanaged<TreeDraft>.fromOpaque(old).release() }
    }

    func add(_ change: ArenaCounts) {
        if change.nodes != 0 { nodes.wrappingAdd(change.nodes, ordering: .relaxed) }
        if change.rows != 0 { rows.wrappingAdd(change.rows, ordering: .relaxed) }
        if change.bytes != 0 { bytes.wrappingAdd(change.bytes, ordering: .relaxed) }
    }
}

/// The numbers of nodes and rows in trees, and the nodes' bytes.
package struct ArenaCounts: Sendable, Equatable {
    package var nodes = 0
    package var rows = 0
    package var bytes = 0

    @inline(__always)
    mutating func add(_ change: ArenaCounts) {
        nodes &+= change.nodes
        rows &+= change.rows
        bytes &+= change.bytes
    }
}
