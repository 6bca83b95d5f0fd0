/// A run of postings as it lies in memory: the documents of one term, or a part of them.
struct PostingRun {
    /// The term, valid until the walker moves on; of a run that was found for its term, not the term.
    var term: UnsafePointer<UInt8>
    var termCount: Int
    /// Documents, 1 to ``documentsMax``.
    var count: Int
    var first: UInt32
    var last: UInt32
    /// Documents and occurrences; for one document, its occurrences only.
    var documents: UnsafePointer<UInt8>
    var documentsEnd: UnsafePointer<UInt8>
    var positions: UnsafePointer<UInt8>
    var positionsEnd: UnsafePointer<UInt8>

    static let documentsMax = 128
    /// Places are 31 bits: what stands behind is in no text that fits into memory with its index.
    static let placeMax = UInt32(Int32.max)

    /// Writes all documents and how often the term stands in each.
    @inline(__always)
    func decode(_ numbers: UnsafeMutablePointer<UInt32>, _ occurrences: UnsafeMutablePointer<UInt32>) {
        var reader = ByteReader(documents)
        if count == 1 {
            numbers[0] = first
            occurrences[0] = reader.number()
            return
        }
        var number = first
        for index in 0..<count {
            let difference = reader.number()
            number &+= difference >> 1
            numbers[index] = number
            occurrences[index] = difference & 1 == 0 ? 1 : reader.number()
        }
    }
}

extension PostingRun {
    /// Calls `body` with all documents, ascending.
    @inline(__always)
    func forEachDocument(_ body: (UInt32) -> Void) {
        if count == 1 { return body(first) }
        var reader = ByteReader(documents)
        var number = first
        for _ in 0..<count {
            let difference = reader.number()
            number &+= difference >> 1
            if difference & 1 == 1 { _ = reader.number() }
            body(number)
        }
    }
}

/// Walks the runs of a page.
struct RunWalker {
    /// Behind the run at hand.
    private(set) var at: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    /// How many bytes the term at hand shares with the one before.
    private(set) var shared = 0
    private(set) var run: PostingRun
    private let term: UnsafeMutablePointer<UInt8>

    /// - Parameter term: room for a term; the walker's while it walks.
    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>, _ count: Int, term: UnsafeMutablePointer<UInt8>) {
        at = bytes
        end = bytes + count
        self.term = term
        run = PostingRun(
            term: UnsafePointer(term), termCount: 0, count: 0, first: 0, last: 0, documents: bytes,
            documentsEnd: bytes, positions: bytes, positionsEnd: bytes)
    }

    @inline(__always)
    init(_ page: PostingPage, term: UnsafeMutablePointer<UInt8>) { self.init(page.bytes, page.count, term: term) }

    /// Goes to the next run; false at the end.
    @inline(__always)
    mutating func next() -> Bool {
        guard at < end else { return false }
        shared = Int(at[0])
        let rest = Int(at[1])
        (term + shared).update(from: at + 2, count: rest)
        run.termCount = shared &+ rest
        readPostings(at + 2 + rest)
        return true
    }

    @inline(__always)
    private mutating func readPostings(_ start: UnsafePointer<UInt8>) {
        var reader = ByteReader(start)
        run.count = Int(reader.number())
        run.first = reader.number()
        if run.count == 1 {
            run.last = run.first
            run.documents = reader.at
            let occurrences = reader.number()
            run.documentsEnd = reader.at
            run.positions = reader.at
            reader.skip(occurrences)
            run.positionsEnd = reader.at
        } else {
            run.last = run.first &+ reader.number()
            let documents = Int(reader.number())
            let positions = Int(reader.number())
            run.documents = reader.at
            run.documentsEnd = reader.at + documents
            run.positions = run.documentsEnd
            run.positionsEnd = run.positions + positions
        }
        at = run.positionsEnd
    }

    /// How the run at hand stands to the term that is sought.
    enum Order {
        case before
        case same
        case behind
    }

    /// Goes to the next run and compares its term with another, without a copy of it: the run does not say the term. `nil` at
    /// the end. Where it is behind the wanted one, the walk ends.
    ///
    /// Terms ascend, and each says how many bytes it shares with the one before, which is not behind the wanted one, or the
    /// walk would have ended. So bytes are compared only where a term shares as many with it as that does with the wanted one.
    /// - Parameter matched: 0 before the first run of a page; then how many bytes the run at hand shares with `wanted`.
    @inline(__always)
    mutating func next(comparedWith wanted: UnsafeBufferPointer<UInt8>, _ matched: inout Int) -> Order? {
        next(wanted, &matched, isBeginning: false)
    }

    /// The same, for a term that begins as another: it is not behind that one, however long it is.
    @inline(__always)
    mutating func next(withPrefix wanted: UnsafeBufferPointer<UInt8>, _ matched: inout Int) -> Order? {
        next(wanted, &matched, isBeginning: true)
    }

    @inline(__always)
    private mutating func next(
        _ wanted: UnsafeBufferPointer<UInt8>, _ matched: inout Int, isBeginning: Bool
    ) -> Order? {
        guard at < end else { return nil }
        shared = Int(at[0])
        let rest = Int(at[1])
        let bytes = at + 2
        run.termCount = shared &+ rest
        if shared < matched { return .behind }
        if shared == matched {
            var index = 0
            while index < rest, matched < wanted.count, bytes[index] == wanted[matched] {
                index &+= 1
                matched &+= 1
            }
            // What follows on all that is wanted is behind it, unless it only has to begin so.
            if index < rest, matched == wanted.count ? !isBeginning : bytes[index] > wanted[matched] { return .behind }
        }
        readPostings(bytes + rest)
        return matched == wanted.count ? .same : .before
    }

    /// The first document of the next run, if it is of the same term.
    @inline(__always)
    var firstOfNextOfSameTerm: UInt32? {
        guard at < end, Int(at[0]) == run.termCount, at[1] == 0 else { return nil }
        var reader = ByteReader(at + 2)
        _ = reader.number()
        return reader.number()
    }
}
