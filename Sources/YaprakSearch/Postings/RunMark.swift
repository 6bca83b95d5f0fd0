/// A place between the documents of a run of two or more.
struct RunMark {
    /// How many documents are before it.
    private(set) var count: Int
    /// The last of them; of none, the first document of the run.
    private(set) var last: UInt32
    /// Where the next document is.
    private(set) var documents: UnsafePointer<UInt8>
    /// Where its positions are.
    private(set) var positions: UnsafePointer<UInt8>

    init(startOf run: PostingRun) {
        (count, last, documents, positions) = (0, run.first, run.documents, run.positions)
    }

    init(endOf run: PostingRun) {
        (count, last, documents, positions) = (run.count, run.last, run.documentsEnd, run.positionsEnd)
    }

    /// Moves over all documents before one.
    @inline(__always)
    mutating func pass(before document: UInt32, in run: PostingRun) { pass(in: run) { $0 >= document } }

    /// Moves on until so many documents are before it.
    @inline(__always)
    mutating func pass(_ documentCount: Int, in run: PostingRun) {
        var left = documentCount - count
        pass(in: run) { _ in
            left &-= 1
            return left < 0
        }
    }

    /// Moves over one document, if there is one.
    @inline(__always)
    mutating func next(in run: PostingRun) -> (number: UInt32, occurrences: UInt32)? {
        guard count < run.count else { return nil }
        var reader = ByteReader(documents)
        let difference = reader.number()
        let occurrences = difference & 1 == 0 ? 1 : reader.number()
        last &+= difference >> 1
        count &+= 1
        documents = reader.at
        skip(occurrences)
        return (last, occurrences)
    }

    /// Moves on until it is before a document that is the one sought, or at the end.
    @inline(__always)
    private mutating func pass(in run: PostingRun, until isSought: (UInt32) -> Bool) {
        var reader = ByteReader(documents)
        var passed: UInt32 = 0
        while count < run.count {
            let difference = reader.number()
            let occurrences = difference & 1 == 0 ? 1 : reader.number()
            let document = last &+ difference >> 1
            if isSought(document) { break }
            last = document
            passed &+= occurrences
            count &+= 1
            documents = reader.at
        }
        skip(passed)
    }

    @inline(__always)
    private mutating func skip(_ occurrences: UInt32) {
        var reader = ByteReader(positions)
        reader.skip(occurrences)
        positions = reader.at
    }
}
