/// Encodes postings of one term, one after the other, into a run.
final class RunBuilder {
    private let documents = ByteBuffer(capacity: 1024)
    private let positions = ByteBuffer(capacity: 4096)
    @exclusivity(unchecked)
    private(set) var count = 0
    @exclusivity(unchecked)
    private var first: UInt32 = 0
    @exclusivity(unchecked)
    private var last: UInt32 = 0
    @exclusivity(unchecked)
    private var occurrencesOfFirst: UInt32 = 0

    func removeAll() {
        documents.removeAll()
        positions.removeAll()
        count = 0
    }

    /// Begins a document, greater than the last. Its positions follow.
    @inline(__always)
    func begin(_ document: UInt32, occurrences: UInt32) {
        if count == 0 {
            first = document
            last = document
            occurrencesOfFirst = occurrences
        }
        documents.append(number: (document &- last) << 1 | (occurrences > 1 ? 1 : 0))
        if occurrences > 1 { documents.append(number: occurrences) }
        last = document
        count &+= 1
    }

    /// Adds a position, as the difference to the one before in the same document.
    @inline(__always)
    func append(position difference: UInt32) { positions.append(number: difference) }

    /// Adds all positions of a document, ascending.
    @inline(__always)
    func append(positions sorted: UnsafeBufferPointer<UInt32>) {
        var last: UInt32 = 0
        for position in sorted {
            positions.append(number: position &- last)
            last = position
        }
    }

    /// Adds positions that are encoded already.
    @inline(__always)
    func append(encoded bytes: UnsafePointer<UInt8>, _ count: Int) { positions.append(bytes, count) }

    /// Adds documents that are encoded already, the first as the difference to the one that was begun last.
    @inline(__always)
    func append(documents bytes: UnsafePointer<UInt8>, _ byteCount: Int, _ documentCount: Int, last: UInt32) {
        assert(count > 0, "a run begins with a document that is begun")
        documents.append(bytes, byteCount)
        self.last = last
        count &+= documentCount
    }

    /// Writes the run behind those in `page`.
    ///
    /// - Parameter shared: how many bytes of the term the run before has as well.
    func write(_ term: UnsafePointer<UInt8>, _ termCount: Int, shared: Int, to page: ByteBuffer) {
        page.append(UInt8(truncatingIfNeeded: shared))
        page.append(UInt8(truncatingIfNeeded: termCount &- shared))
        page.append(term + shared, termCount &- shared)
        page.append(number: UInt32(count))
        page.append(number: first)
        if count == 1 {
            page.append(number: occurrencesOfFirst)
        } else {
            page.append(number: last &- first)
            page.append(number: UInt32(documents.count))
            page.append(number: UInt32(positions.count))
            page.append(UnsafePointer(documents.start), documents.count)
        }
        page.append(UnsafePointer(positions.start), positions.count)
    }

    /// The bytes of memory that it takes.
    var size: Int { documents.capacity + positions.capacity }

    /// The size of the run, about.
    var byteCount: Int { documents.count &+ positions.count &+ 8 }

    /// Whether the next document begins another run.
    @inline(__always)
    var isFull: Bool { count == PostingRun.documentsMax || byteCount > PostingPage.runBytesMax }

    /// The first document of the run at hand.
    var firstDocument: UInt32 { first }

    /// The last document of the run at hand.
    var lastDocument: UInt32 { last }
}
