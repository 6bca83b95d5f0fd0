/// Something a draft retired: a node, a row, or everything below a node or a row. One word.
struct DeadEntry {
    let bits: UInt

    private static let rowTag: UInt = 1
    private static let subtreeTag: UInt = 2
    private static let rowTreeTag: UInt = 3

    /// A node alone: a copy keeps its children.
    @inline(__always)
    static func node(_ node: Node) -> DeadEntry { DeadEntry(bits: UInt(bitPattern: node.raw)) }
    /// A row alone: its successor has adopted its nested tree.
    @inline(__always)
    static func row(_ row: RowRef) -> DeadEntry { DeadEntry(bits: UInt(bitPattern: row.toOpaque()) | rowTag) }
    /// A node and all below it.
    @inline(__always)
    static func subtree(_ node: Node) -> DeadEntry { DeadEntry(bits: UInt(bitPattern: node.raw) | subtreeTag) }
    /// A row and its nested tree.
    @inline(__always)
    static func rowTree(_ row: RowRef) -> DeadEntry { DeadEntry(bits: UInt(bitPattern: row.toOpaque()) | rowTreeTag) }

    private var pointer: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: bits & ~3).unsafelyUnwrapped
    }
    @inline(__always)
    var isRow: Bool { bits & 1 != 0 }
    @inline(__always)
    var isWhole: Bool { bits & 2 != 0 }
    @inline(__always)
    var node: Node { Node(pointer) }
    @inline(__always)
    var row: RowRef { RowRef.fromOpaque(pointer) }
    /// The stamp of its birth.
    @inline(__always)
    var birth: UInt64 { isRow ? row.birth : node.born }
}

/// Some dead entries and the latest of their births, so that often all of them can be kept at once.
///
///     ┌ next │ youngest birth │ count 4 │ capacity 4 ┐
///     │ entries, 8 × capacity                        │
struct DeadChunk {
    struct Header {
        var next: DeadChunk?
        var youngest: UInt64
        var count: UInt32
        var capacity: UInt32
    }
    static let capacityMax = 510

    let header: UnsafeMutablePointer<Header>

    init(capacity: Int) {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Header>.size + capacity * 8, alignment: 8)
        header = raw.bindMemory(to: Header.self, capacity: 1)
        header.initialize(
            to: Header(next: nil, youngest: 0, count: 0, capacity: UInt32(capacity)))
    }

    @inline(__always)
    var entries: UnsafeMutablePointer<DeadEntry> {
        UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: DeadEntry.self)
    }

    @inline(__always)
    func append(_ entry: DeadEntry, birth: UInt64) {
        entries[Int(header.pointee.count)] = entry
        header.pointee.count &+= 1
        header.pointee.youngest = max(header.pointee.youngest, birth)
    }

    @inline(__always)
    var isFull: Bool { header.pointee.count == header.pointee.capacity }

    func free() { UnsafeMutableRawPointer(header).deallocate() }
}

/// A linked list of chunks. A plain value: code that drops it has moved or freed the chunks.
struct DeadList {
    var first: DeadChunk?
    private var last: DeadChunk?

    var isEmpty: Bool { first == nil }

    mutating func append(_ chunk: DeadChunk) {
        chunk.header.pointee.next = nil
        if let last { last.header.pointee.next = chunk } else { first = chunk }
        last = chunk
    }

    /// Moves all chunks of another list to the end. O(1).
    mutating func append(contentsOf other: inout DeadList) {
        guard let otherFirst = other.first else { return }
        if let last { last.header.pointee.next = otherFirst } else { first = otherFirst }
        last = other.last
        other = DeadList()
    }

    /// Moves the entries of another list to the end. Small chunks are emptied into larger ones, so that many small lists don't
    /// cost a chunk each.
    mutating func absorb(_ other: inout DeadList) {
        while let chunk = other.popFirst() {
            let n = Int(chunk.header.pointee.count)
            if n > DeadChunk.capacityMax / 4 {
                append(chunk)
                continue
            }
            for i in 0..<n { append(chunk.entries[i], birth: chunk.header.pointee.youngest) }
            chunk.free()
        }
    }

    mutating func popFirst() -> DeadChunk? {
        guard let chunk = first else { return nil }
        first = chunk.header.pointee.next
        if first == nil { last = nil }
        return chunk
    }

    /// Adds one entry to the last chunk, or to a new one twice its size.
    mutating func append(_ entry: DeadEntry, birth: UInt64) {
        if last.map({ $0.isFull }) ?? true {
            let grown = last.map { Int($0.header.pointee.capacity) * 2 + 2 } ?? 6
            append(DeadChunk(capacity: min(DeadChunk.capacityMax, grown)))
        }
        last.unsafelyUnwrapped.append(entry, birth: birth)
    }
}
