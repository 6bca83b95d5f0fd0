/// Makes pages of runs that come in order.
final class PageWriter {
    private let buffer = ByteBuffer(capacity: 2048)
    private let last = UnsafeMutablePointer<UInt8>.allocate(capacity: WordScanner.termBytesMax)
    @exclusivity(unchecked)
    private var lastCount = 0
    @exclusivity(unchecked)
    private var lastDocument: UInt32 = 0
    /// The key of the page at hand.
    @exclusivity(unchecked)
    private var key: String
    private let put: (PostingPage) -> Void

    /// - Parameters:
    ///   - key: the key of the first page.
    ///   - put: gets each page when it is full.
    init(firstKey key: String, _ put: @escaping (PostingPage) -> Void) {
        self.key = key
        self.put = put
    }

    deinit { last.deallocate() }

    /// Adds the run of a builder.
    func append(_ term: UnsafePointer<UInt8>, _ count: Int, _ builder: RunBuilder) {
        let shared = begin(term, count, builder.firstDocument, size: builder.byteCount)
        builder.write(term, count, shared: shared, to: buffer)
        note(term, count, from: shared, builder.lastDocument)
    }

    /// Adds a run of another page.
    func append(_ run: PostingRun) {
        let body = run.positionsEnd - run.documents
        let shared = begin(run.term, run.termCount, run.first, size: body)
        buffer.append(UInt8(truncatingIfNeeded: shared))
        buffer.append(UInt8(truncatingIfNeeded: run.termCount &- shared))
        buffer.append(run.term + shared, run.termCount &- shared)
        buffer.append(number: UInt32(run.count))
        buffer.append(number: run.first)
        if run.count > 1 {
            buffer.append(number: run.last &- run.first)
            buffer.append(number: UInt32(run.documentsEnd - run.documents))
            buffer.append(number: UInt32(run.positionsEnd - run.positions))
        }
        buffer.append(run.documents, body)
        note(run.term, run.termCount, from: shared, run.last)
    }

    /// Ends the last page.
    func finish() { flush() }

    /// Makes room, and returns how much of the term the run before has.
    private func begin(_ term: UnsafePointer<UInt8>, _ count: Int, _ document: UInt32, size: Int) -> Int {
        if buffer.count > 0, buffer.count + size + 24 > PostingPage.bytesTarget {
            flush()
            key = PostingKey.string(
                UnsafeBufferPointer(start: term, count: count), document,
                behind: UnsafeBufferPointer(start: last, count: lastCount), lastDocument)
        }
        return buffer.count == 0 ? 0 : commonPrefix(last, lastCount, term, count)
    }

    private func note(_ term: UnsafePointer<UInt8>, _ count: Int, from shared: Int, _ document: UInt32) {
        lastDocument = document
        (last + shared).update(from: term + shared, count: count - shared)
        lastCount = count
    }

    private func flush() {
        guard buffer.count > 0 else { return }
        put(PostingPage.make(.key(key), bytes: UnsafePointer(buffer.start), count: buffer.count))
        buffer.removeAll()
    }
}
