/// The postings of a lane by term: document and place, those of each term one behind the other and ascending by document.
final class LanePostings: @unchecked Sendable {
    // Written before it is shared, but for places of a term, which are one thread's; that is the whole of the @unchecked.
    private let table: TermTable
    private let all: UnsafeMutablePointer<UInt64>
    private let starts: UnsafeMutablePointer<Int>
    private let sorted: UnsafeMutableBufferPointer<TermTable.Item>
    /// How many there are.
    let count: Int

    /// Takes terms in the order of their documents. A counting sort by term keeps that order.
    ///
    /// - Parameter documents: the number of each document, and where its terms end.
    init(_ table: TermTable, _ placed: [PlacedTerm], _ documents: [(number: UInt32, end: Int)]) {
        self.table = table
        count = placed.count
        sorted = table.sorted()
        all = .allocate(capacity: max(1, placed.count))
        starts = .allocate(capacity: table.count + 2)
        starts.initialize(repeating: 0, count: table.count + 2)
        // Two places further on: where a term's are put goes on to where the next begins.
        for item in placed { starts[Int(item.term) &+ 2] &+= 1 }
        for index in 0..<table.count { starts[index &+ 2] &+= starts[index &+ 1] }
        var index = 0
        placed.withUnsafeBufferPointer { placed in
            for document in documents {
                while index < document.end {
                    let item = placed[index]
                    all[starts[Int(item.term) &+ 1]] = UInt64(document.number) << 32 | UInt64(item.place)
                    starts[Int(item.term) &+ 1] &+= 1
                    index &+= 1
                }
            }
        }
    }

    deinit {
        all.deallocate()
        starts.deallocate()
        sorted.deallocate()
    }

    /// What it has, without references to count: valid as long as it is.
    struct View {
        /// The terms in their order.
        let terms: UnsafeMutableBufferPointer<TermTable.Item>
        fileprivate let texts: TermTable.Texts
        fileprivate let all: UnsafeMutablePointer<UInt64>
        fileprivate let starts: UnsafeMutablePointer<Int>

        /// The bytes of a term.
        @inline(__always)
        func text(_ number: Int) -> UnsafeBufferPointer<UInt8> { texts[number] }

        /// The postings of a term.
        @inline(__always)
        func postings(_ number: Int) -> UnsafeMutableBufferPointer<UInt64> {
            UnsafeMutableBufferPointer(start: all + starts[number], count: starts[number &+ 1] &- starts[number])
        }
    }

    var view: View { View(terms: sorted, texts: table.texts, all: all, starts: starts) }
}
