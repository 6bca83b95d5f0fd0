/// Memory that was used and is free again: a slot for a version, and a small chunk for what one retires.
///
/// One commit needs one of each, and the reclaiming after it brings one of each back: so a writer that keeps nothing alive
/// allocates neither. Its owner calls `free()` at the end.
struct TimelineSpares {
    /// The capacity of chunks that are kept: what most commits retire fits.
    static let chunkCapacity = 8

    private var slot: VersionSlot?
    private var chunk: DeadChunk?

    /// Takes over what is missing here.
    mutating func fill(from other: inout TimelineSpares) {
        if slot == nil { swap(&slot, &other.slot) }
        if chunk == nil { swap(&chunk, &other.chunk) }
    }

    /// Gives all it has to another one, which frees what it does not need.
    mutating func give(to other: inout TimelineSpares) {
        other.fill(from: &self)
        free()
    }

    /// Keeps a slot that is in no list any more, or frees it.
    mutating func keep(_ old: VersionSlot) {
        if slot != nil { return old.free() }
        old.deinitialize(count: 1)
        slot = old
    }

    /// Keeps a chunk whose entries were dealt with, or frees it.
    mutating func keep(_ old: DeadChunk) {
        if chunk != nil || old.header.pointee.capacity != UInt32(Self.chunkCapacity) { return old.free() }
        chunk = old
    }

    /// A slot for the version of a draft.
    mutating func makeSlot(stamp: UInt64) -> VersionSlot {
        guard let kept = slot else { return .make(stamp: stamp, isBase: false) }
        slot = nil
        kept.initialize(to: VersionState(stamp: stamp, isBase: false))
        return kept
    }

    /// A chunk with room for so many entries, or more; its count is for the caller to set.
    mutating func makeChunk(capacity: Int) -> DeadChunk {
        guard capacity <= Self.chunkCapacity else { return DeadChunk(capacity: capacity) }
        guard let kept = chunk else { return DeadChunk(capacity: Self.chunkCapacity) }
        chunk = nil
        return kept
    }

    mutating func free() {
        slot?.deallocate()
        chunk?.free()
        (slot, chunk) = (nil, nil)
    }
}
