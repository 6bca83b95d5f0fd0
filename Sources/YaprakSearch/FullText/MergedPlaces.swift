/// The places of any of several terms. Cursors over the same places share them.
final class MergedPlaces: PlaceCursor {
    /// Document and place in one number each, ascending.
    private let postings: [UInt64]
    @exclusivity(unchecked)
    private var index = 0

    /// - Parameter postings: as ``merge(_:in:for:)`` gives them.
    init(_ postings: [UInt64]) {
        self.postings = postings
        super.init(count: postings.count)
        seek(0)
    }

    /// The places in some documents.
    /// - Parameter reader: knows whether anybody waits for them. If nobody does any more, there are none.
    /// - Complexity: O(postings + *k* log *k*) and 8 bytes for each of *k* places in the documents.
    static func merge(_ runs: [PostingRun], in documents: DocumentSet, for reader: PostingReader) -> [UInt64] {
        let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: 2 * PostingRun.documentsMax)
        defer { numbers.deallocate() }
        let occurrences = numbers + PostingRun.documentsMax
        var postings: [UInt64] = []
        var cancellation = CancellationCheck(reader.asksIfCancelled)
        for run in runs {
            if cancellation.passAndAsk(run.count) { return [] }
            run.decode(numbers, occurrences)
            var reader = ByteReader(run.positions)
            var passed: UInt32 = 0
            for index in 0..<run.count {
                guard documents.contains(numbers[index]) else {
                    passed &+= occurrences[index]
                    continue
                }
                reader.skip(passed)
                passed = 0
                var place: UInt32 = 0
                for _ in 0..<occurrences[index] {
                    place &+= reader.number()
                    postings.append(UInt64(numbers[index]) << 32 | UInt64(place))
                }
            }
        }
        // Sorting takes the longest, and does not ask.
        if reader.isCancelled { return [] }
        postings.sort()
        return postings
    }

    override func seek(_ target: UInt32) {
        let wanted = UInt64(target) << 32
        // Targets ascend: steps that double from where it is, and halves of the last one.
        var step = 1
        while index &+ step < postings.count, postings[index &+ step] < wanted {
            index &+= step
            step &*= 2
        }
        var end = min(index &+ step, postings.count)
        while index < end {
            let middle = (index &+ end) / 2
            if postings[middle] < wanted { index = middle &+ 1 } else { end = middle }
        }
        document = index < postings.count ? UInt32(truncatingIfNeeded: postings[index] >> 32) : Self.end
    }

    override func readPlaces(into places: PlaceList) {
        var at = index
        while at < postings.count, UInt32(truncatingIfNeeded: postings[at] >> 32) == document {
            let place = UInt32(truncatingIfNeeded: postings[at])
            if places.count == 0 || places[places.count - 1] != place { places.append(place) }
            at += 1
        }
    }
}
