/// The last frame of a segment.
struct Seal: Equatable, Sendable {
    /// A place in a segment from which reading can start.
    struct Entry: Equatable, Sendable {
        var first: UInt64
        var offset: UInt64
    }

    /// Rotated: a successor must exist. Closed: the database was closed.
    var kind: UInt32
    var last: UInt64
    var chain: UInt64
    var firstNs: Int64
    var lastNs: Int64
    var index: [Entry]

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: kind)
        bytes.append(number: UInt32(index.count))
        bytes.append(number: last)
        bytes.append(number: chain)
        bytes.append(number: firstNs)
        bytes.append(number: lastNs)
        for entry in index {
            bytes.append(number: entry.first)
            bytes.append(number: entry.offset)
        }
        return bytes
    }

    init(kind: UInt32, last: UInt64, chain: UInt64, firstNs: Int64, lastNs: Int64, index: [Entry]) {
        self.kind = kind
        self.last = last
        self.chain = chain
        self.firstNs = firstNs
        self.lastNs = lastNs
        self.index = index
    }

    /// Reads a verified payload; nil if it is inconsistent.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Layout.sealFixedBytes else { return nil }
        let entries = Int(bytes.number(at: 4) as UInt32)
        guard entries <= Layout.sealIndexEntriesMax,
            bytes.count == Layout.sealFixedBytes + entries * Layout.sealIndexEntryBytes
        else { return nil }
        kind = bytes.number(at: 0)
        last = bytes.number(at: 8)
        chain = bytes.number(at: 16)
        firstNs = bytes.number(at: 24)
        lastNs = bytes.number(at: 32)
        index = (0..<entries).map { i in
            let at = Layout.sealFixedBytes + i * Layout.sealIndexEntryBytes
            return Entry(first: bytes.number(at: at), offset: bytes.number(at: at + 8))
        }
    }
}
