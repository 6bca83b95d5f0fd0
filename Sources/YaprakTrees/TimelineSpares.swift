/// Memory that was used and is free again: a slot for a version, a small chunk for what one retires, and some nodes.
///
/// One commit needs one slot, one chunk and the nodes of a few paths, and the reclaiming after it brings as much back: so a
/// writer that keeps nothing alive allocates none of them. Its owner calls `free()` at the end.
struct TimelineSpares {
    /// The capacity of chunks that are kept: what most commits retire fits.
    static let chunkCapacity = 8

    private var slot: VersionSlot?
    private var chunk: DeadChunk?
    /// Nodes of all sizes, for the draft to sort.
    private var nodes = NodeStack()

    var isEmpty: Bool { slot == nil && chunk == nil && nodes.isEmpty }

    /// Takes over what is missing here.
    mutating func fill(from other: inout TimelineSpares) {
        if slot == nil { swap(&slot, &other.slot) }
        if chunk == nil { swap(&chunk, &other.chunk) }
        if nodes.isEmpty { swap(&nodes, &other.nodes) }
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

    /// Keeps a node that nothing refers to, or frees it.
    @inline(__always)
    mutating func keep(_ old: Node) {
        if !nodes.push(old) { old.raw.deallocate() }
    }

    /// Takes all nodes out.
    mutating func takeNodes() -> NodeStack {
        defer { nodes = NodeStack() }
        return nodes
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
        while let node = nodes.pop() { node.raw.deallocate() }
    }
}
