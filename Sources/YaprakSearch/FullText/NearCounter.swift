/// Counts the places of ``NearMatch`` while documents are walked: all places together, each looked at once.
struct NearCounter {
    private let lengths: [Int]
    private let distance: Int
    private let columnCount: Int
    /// Of each phrase, how far its places were read, and the last position that was.
    private var next: [Int]
    private var last: [Int]

    init(lengths: [Int], distance: Int, columnCount: Int) {
        self.lengths = lengths
        self.distance = min(distance, Int(UInt32.max))
        self.columnCount = columnCount
        next = lengths
        last = lengths
    }

    /// How many places of a column begin a phrase, with all others close before it.
    mutating func count(_ phrases: [PhraseCursor], inColumn column: Int) -> Int {
        for phrase in phrases.indices {
            next[phrase] = 0
            last[phrase] = .min / 4
        }
        var count = 0
        while true {
            var position = Int.max
            for phrase in phrases.indices {
                let starts = phrases[phrase].starts
                while next[phrase] < starts.count, Int(starts[next[phrase]]) % columnCount != column {
                    next[phrase] += 1
                }
                if next[phrase] < starts.count { position = min(position, Int(starts[next[phrase]]) / columnCount) }
            }
            if position == .max { return count }
            var areAllClose = true
            for phrase in phrases.indices {
                let starts = phrases[phrase].starts
                if next[phrase] < starts.count, Int(starts[next[phrase]]) == position * columnCount + column {
                    last[phrase] = position
                    next[phrase] += 1
                }
                if last[phrase] < position - lengths[phrase] - distance { areAllClose = false }
            }
            if areAllClose { count += 1 }
        }
    }
}
