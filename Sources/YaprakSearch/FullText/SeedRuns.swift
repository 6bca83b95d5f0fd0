/// The postings of all lanes by term, of which threads make pages.
struct SeedRuns: @unchecked Sendable {
    // The views are valid as long as the owners, and each term is one thread's; that is the whole of the @unchecked.
    private let owners: [LanePostings]
    private let lanes: [LanePostings.View]
    /// The number of each term in each lane, `absent` if it is not there; the terms in their order.
    private var numbers: [UInt32] = []

    private static let absent = UInt32.max

    /// Merges the terms of some lanes. O(different terms × lanes).
    init(_ owners: [LanePostings]) {
        self.owners = owners
        lanes = owners.map(\.view)
        numbers.reserveCapacity(lanes.count * (lanes.map(\.terms.count).max() ?? 0))
        var next = [Int](repeating: 0, count: lanes.count)
        while let least = least(next) {
            for lane in lanes.indices {
                guard lane == least || next[lane] < lanes[lane].terms.count && compare(lane, least, next) == 0 else {
                    numbers.append(Self.absent)
                    continue
                }
                numbers.append(UInt32(lanes[lane].terms[next[lane]].number))
            }
            for lane in lanes.indices where numbers[numbers.count - lanes.count + lane] != Self.absent {
                next[lane] += 1
            }
        }
    }

    /// The lane with the first of the terms that are next in each; `nil` at the end.
    private func least(_ next: [Int]) -> Int? {
        var least: Int?
        for lane in lanes.indices where next[lane] < lanes[lane].terms.count {
            if let other = least, compare(lane, other, next) >= 0 { continue }
            least = lane
        }
        return least
    }

    @inline(__always)
    private func compare(_ a: Int, _ b: Int, _ next: [Int]) -> Int {
        let (x, y) = (lanes[a].terms[next[a]], lanes[b].terms[next[b]])
        if x.word != y.word { return x.word < y.word ? -1 : 1 }
        let (s, t) = (lanes[a].text(x.number), lanes[b].text(y.number))
        return compareBytes(s.baseAddress.unsafelyUnwrapped, s.count, t.baseAddress.unsafelyUnwrapped, t.count)
    }

    /// The number of different terms.
    private var count: Int { lanes.isEmpty ? 0 : numbers.count / lanes.count }

    /// Calls `body` with each lane that has a term.
    @inline(__always)
    private func forEachLane(of term: Int, _ body: (LanePostings.View, _ number: Int) -> Void) {
        for lane in lanes.indices {
            let number = numbers[term &* lanes.count &+ lane]
            if number != Self.absent { body(lanes[lane], Int(number)) }
        }
    }

    /// Divides the terms into stretches of about as many postings each: at most `count`.
    func parts(_ count: Int) -> [Range<Int>] {
        let postingCount = owners.reduce(0) { $0 + $1.count }
        var parts: [Range<Int>] = []
        var begin = 0
        var size = 0
        for term in 0..<self.count {
            forEachLane(of: term) { size += $0.postings($1).count }
            if size * count >= postingCount || term == self.count - 1 {
                parts.append(begin..<term + 1)
                (begin, size) = (term + 1, 0)
            }
        }
        return parts
    }

    /// The pages of a stretch of terms. The key of the first of all is empty.
    func pages(of part: Range<Int>) -> [PostingPage] {
        var pages: [PostingPage] = []
        let writer = PageWriter(firstKey: part.lowerBound == 0 ? "" : firstKey(of: part.lowerBound)) {
            pages.append($0)
        }
        let builder = RunBuilder()
        var rest: [UnsafeMutableBufferPointer<UInt64>] = []
        for term in part {
            var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            rest.removeAll(keepingCapacity: true)
            forEachLane(of: term) { lane, number in
                bytes = lane.text(number)
                rest.append(lane.postings(number))
            }
            let text = bytes.baseAddress.unsafelyUnwrapped
            builder.removeAll()
            while let postings = Self.takeDocument(&rest) {
                if builder.isFull {
                    writer.append(text, bytes.count, builder)
                    builder.removeAll()
                }
                builder.begin(UInt32(postings[0] >> 32), occurrences: UInt32(postings.count))
                var last: UInt32 = 0
                for item in postings {
                    let place = UInt32(truncatingIfNeeded: item)
                    builder.append(position: place &- last)
                    last = place
                }
            }
            writer.append(text, bytes.count, builder)
        }
        writer.finish()
        return pages
    }

    /// Takes the postings of the first document out of those of some lanes; its places ascend.
    @inline(__always)
    private static func takeDocument(
        _ rest: inout [UnsafeMutableBufferPointer<UInt64>]
    ) -> UnsafeMutableBufferPointer<UInt64>? {
        var first = -1
        for lane in rest.indices where !rest[lane].isEmpty {
            if first < 0 || rest[lane][0] < rest[first][0] { first = lane }
        }
        guard first >= 0, let start = rest[first].baseAddress else { return nil }
        let count = rest[first].count
        var end = 1
        while end < count, start[end] >> 32 == start[0] >> 32 { end &+= 1 }
        rest[first] = UnsafeMutableBufferPointer(start: start + end, count: count &- end)
        var postings = UnsafeMutableBufferPointer(start: start, count: end)
        // A second column's places come behind those of the first.
        if end > 1, !postings.isAscending { postings.sort() }
        return postings
    }

    /// The key of a page that begins with a term, not the first one.
    private func firstKey(of term: Int) -> String {
        PostingKey.string(text(of: term), 0, behind: text(of: term - 1), 0)
    }

    private func text(of term: Int) -> UnsafeBufferPointer<UInt8> {
        var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        forEachLane(of: term) { lane, number in bytes = lane.text(number) }
        return bytes
    }
}

extension UnsafeMutableBufferPointer<UInt64> {
    fileprivate var isAscending: Bool {
        var index = 1
        while index < count {
            if self[index &- 1] >= self[index] { return false }
            index &+= 1
        }
        return true
    }
}
