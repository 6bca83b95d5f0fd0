// The pairs of a map are put into the order of their keys when it ends.
extension EncodingState {
    /// Ends a map: sorts its pairs and writes its head.
    func finishMap() {
        let base = frame.entriesBase
        let own = UnsafeMutableBufferPointer(start: entries.base + base, count: entries.count - base)
        var isSorted = true, end = writer.count
        for index in stride(from: own.count &- 1, through: 0, by: -1) {
            own[index].end = end
            end = own[index].key
            // Equal prefixes count as unsorted: the longer comparison is made there.
            if index > 0, own[index].prefix <= own[index &- 1].prefix { isSorted = false }
        }
        if isSorted {
            writer.closeHead(at: frame.start, Major.map, own.count)
        } else {
            sort(own)
            rearrange(own)
        }
        entries.cut(to: base)
    }

    private func sort(_ entries: UnsafeMutableBufferPointer<Entry>) {
        let bytes = UnsafeRawPointer(writer.base)
        var own = entries
        guard own.count <= 24 else { return own.sort { EncodingState.precedes($0, $1, bytes) } }
        for index in 1..<own.count {
            let entry = own[index]
            var hole = index
            while hole > 0, EncodingState.precedes(entry, own[hole &- 1], bytes) {
                own[hole] = own[hole &- 1]
                hole &-= 1
            }
            own[hole] = entry
        }
    }

    /// Bytewise order of the encoded keys; equal keys stay in the order they were written in.
    @inline(__always)
    private static func precedes(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Bool {
        if a.prefix != b.prefix { return a.prefix < b.prefix }
        let order = compare(a, b, bytes)
        return order == 0 ? a.key < b.key : order < 0
    }

    @inline(never)
    private static func compare(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Int {
        orderBytewise(
            UnsafeRawBufferPointer(start: bytes + a.key, count: a.value - a.key),
            UnsafeRawBufferPointer(start: bytes + b.key, count: b.value - b.key))
    }

    /// Moves the pairs into the order of the entries; of equal keys the last one stays.
    private func rearrange(_ own: UnsafeMutableBufferPointer<Entry>) {
        let start = frame.start, end = writer.count, length = end - start - 1
        // The old order is copied behind the content and then back over it, pair by pair.
        writer.reserve(length)
        let bytes = writer.base, copy = UnsafeRawPointer(bytes + end) - (start + 1)
        (bytes + end).copyMemory(from: bytes + start + 1, byteCount: length)
        var to = start + 1, kept = 0
        for index in 0..<own.count {
            let entry = own[index]
            if index + 1 < own.count, own[index + 1].prefix == entry.prefix, isSame(entry, own[index + 1], copy) {
                continue
            }
            (bytes + to).copyMemory(from: copy + entry.key, byteCount: entry.end &- entry.key)
            to &+= entry.end &- entry.key
            kept &+= 1
        }
        writer.truncate(to: to)
        writer.closeHead(at: start, Major.map, kept)
    }

    /// Whether two entries have the same key.
    func isSame(_ a: Entry, _ b: Entry, _ bytes: UnsafeRawPointer) -> Bool {
        EncodingState.compare(a, b, bytes) == 0
    }
}

/// Bytewise lexicographic order (RFC 8949 §4.2.1): negative, zero or positive.
func orderBytewise(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    for index in 0..<shared where a[index] != b[index] { return Int(a[index]) - Int(b[index]) }
    return a.count - b.count
}
