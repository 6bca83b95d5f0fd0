import YaprakModel

/// Entries of a ``CommitIndex`` that were read, in blocks of commit numbers; origins stand once.
struct KnownEntries {
    /// What is known of the numbers from `first` to below `end`, within one block. A hole in the log leaves numbers out.
    private struct Block {
        var first: UInt64
        var end: UInt64
        /// The numbers of the commits, counted from the beginning of the block.
        var offsets: [UInt16] = []
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

    /// The entries that are known from a commit on, within its block, and the first number that is not answered by them;
    /// `nil` if nothing is known of the commit.
    func entries(
        from number: CommitNumber, through last: CommitNumber
    ) -> (entries: [CommitIndex.Entry], next: CommitNumber)? {
        let place = number.rawValue / Self.blockCount, base = place * Self.blockCount
        guard let block = blocks[place], (block.first..<block.end).contains(number.rawValue) else { return nil }
        let end = min(block.end - 1, last.rawValue)
        var start = 0, behind = block.offsets.count
        while start < behind {
            let middle = (start + behind) / 2
            if base + UInt64(block.offsets[middle]) < number.rawValue { start = middle + 1 } else { behind = middle }
        }
        let found = block.offsets[start...].prefix { base + UInt64($0) <= end }.indices.map { index in
            CommitIndex.Entry(
                number: CommitNumber(base + UInt64(block.offsets[index])), nanosecondsSince1970: block.times[index],
                origin: origins[Int(block.origins[index])], changeCount: Int(block.changes[index]),
                byteCount: Int(block.bytes[index]))
        }
        return (found, CommitNumber(end + 1))
    }

    /// Keeps all entries that there are of some numbers of one block, where they follow what is known of it.
    mutating func keep(_ entries: [CommitIndex.Entry], of numbers: ClosedRange<CommitNumber>) {
        let first = numbers.lowerBound.rawValue, place = first / Self.blockCount
        var block = blocks[place] ?? Block(first: first, end: first)
        if block.end != first { block = Block(first: first, end: first) }
        block.end = numbers.upperBound.rawValue + 1
        for entry in entries {
            block.offsets.append(UInt16(entry.number.rawValue % Self.blockCount))
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
