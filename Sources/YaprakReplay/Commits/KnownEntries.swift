import YaprakModel

/// Entries of a ``CommitIndex`` that were read, in blocks of consecutive commits; origins stand once.
struct KnownEntries {
    /// A stretch of consecutive commits within one block.
    private struct Block {
        var first: UInt64
        var times: [Int64] = []
        var origins: [UInt32] = []
        var changes: [UInt32] = []
        var bytes: [UInt32] = []
    }

    private static let blockCount: UInt64 = 1024
    private var blocks: [UInt64: Block] = [:]
    private var origins: [String] = []
    private var originNumbers: [String: UInt32] = [:]

    /// The last commit of the block that a commit is in.
    static func lastOfBlock(of number: CommitNumber) -> CommitNumber {
        CommitNumber(number.rawValue / blockCount * blockCount + blockCount - 1)
    }

    /// The entries that are known from a commit on, within its block; `nil` if it is not among them.
    func block(from number: CommitNumber, through last: CommitNumber) -> [CommitIndex.Entry]? {
        guard let block = blocks[number.rawValue / Self.blockCount], number.rawValue >= block.first,
            number.rawValue - block.first < UInt64(block.times.count)
        else { return nil }
        let start = Int(number.rawValue - block.first)
        let end = min(block.times.count, start + Int(clamping: last.rawValue - number.rawValue + 1))
        return (start..<end).map { index in
            CommitIndex.Entry(
                number: CommitNumber(block.first + UInt64(index)), nanosecondsSince1970: block.times[index],
                origin: origins[Int(block.origins[index])], changeCount: Int(block.changes[index]),
                byteCount: Int(block.bytes[index]))
        }
    }

    /// Keeps entries of one block, where they follow what is known of it or begin before.
    mutating func keep(_ entries: [CommitIndex.Entry]) {
        guard let first = entries.first?.number.rawValue else { return }
        let place = first / Self.blockCount
        var block = blocks[place] ?? Block(first: first)
        if block.first + UInt64(block.times.count) != first { block = Block(first: first) }
        for entry in entries {
            block.times.append(entry.nanosecondsSince1970)
            block.origins.append(number(of: entry.origin))
            block.changes.append(UInt32(clamping: entry.changeCount))
            block.bytes.append(UInt32(clamping: entry.byteCount))
        }
        blocks[place] = block
    }

    private mutating func number(of origin: String) -> UInt32 {
        if let number = originNumbers[origin] { return number }
        let number = UInt32(origins.count)
        origins.append(origin)
        originNumbers[origin] = number
        return number
    }
}
