import YaprakTrees

/// Room for a term and for a key of a page, used again and again. Of one thread at a time.
final class TermRoom {
    fileprivate let term: UnsafeMutablePointer<UInt8>
    /// Behind the term, in the same memory.
    fileprivate let key: UnsafeMutablePointer<UInt8>

    init() {
        let termRoom = WordScanner.termBytesMax + 16
        term = .allocate(capacity: termRoom + PostingKey.bytesMax)
        key = term + termRoom
    }

    deinit { term.deallocate() }
}

/// Reads the pages of one root: the runs of terms. Used by one thread at a time, while the snapshot is alive.
struct PostingReader {
    let pages: TreeRoot
    private let room: TermRoom
    let asksIfCancelled: (() -> Bool)?

    /// Whether nobody waits for what is found.
    var isCancelled: Bool { asksIfCancelled?() == true }

    private var term: UnsafeMutablePointer<UInt8> { room.term }

    /// - Parameter isCancelled: asked now and then; if it says so, nothing more is found.
    init(_ pages: TreeRoot, _ room: TermRoom = TermRoom(), isCancelled: (() -> Bool)? = nil) {
        self.pages = pages
        self.room = room
        asksIfCancelled = isCancelled
    }

    /// The page in which a term would begin.
    private func start(of term: UnsafeBufferPointer<UInt8>) -> Int {
        let count = term.baseAddress.map { PostingKey.write($0, term.count, 0, to: room.key) } ?? 0
        let rank = pages.rank(of: UnsafeBufferPointer(start: room.key, count: count))
        return rank.isFound ? rank.position : max(0, rank.position - 1)
    }

    /// The runs of one term.
    func runs(of wanted: [UInt8]) -> [PostingRun] {
        var found: [PostingRun] = []
        guard !pages.isEmpty, !isCancelled else { return found }
        // Most terms have no more.
        found.reserveCapacity(4)
        wanted.withUnsafeBufferPointer { wanted in
            var cursor = TreeCursor(pages, at: start(of: wanted))
            while let page = cursor.next() {
                var walker = page._withUnsafeGuaranteedRef {
                    RunWalker(unsafeDowncast($0, to: PostingPage.self), term: term)
                }
                var matched = 0
                while let order = walker.next(comparedWith: wanted, &matched) {
                    if order == .behind { return }
                    if order == .same { found.append(walker.run) }
                }
            }
        }
        return found
    }

    /// The runs of all terms with a beginning.
    func runs(withPrefix prefix: [UInt8]) -> [PostingRun] {
        var found: [PostingRun] = []
        forEachRun(withPrefix: prefix) { found.append($0) }
        return found
    }

    /// Calls `body` with the runs of all terms with a beginning. They do not say their terms.
    @inline(__always)
    func forEachRun(withPrefix prefix: [UInt8], _ body: (PostingRun) -> Void) {
        guard !pages.isEmpty, !isCancelled else { return }
        prefix.withUnsafeBufferPointer { prefix in
            var cursor = TreeCursor(pages, at: start(of: prefix))
            while let page = cursor.next() {
                var walker = page._withUnsafeGuaranteedRef {
                    RunWalker(unsafeDowncast($0, to: PostingPage.self), term: term)
                }
                var matched = 0
                while let order = walker.next(withPrefix: prefix, &matched) {
                    if order == .behind { return }
                    if order == .same { body(walker.run) }
                }
            }
        }
    }

    /// Calls `body` with the runs of all terms close to a word, and their distance. Walks the beginnings of all terms.
    func forEachRun(
        near word: [UInt8], atMost distance: Int, _ body: (_ run: PostingRun, _ distance: Int) -> Void
    ) {
        let compare = EditDistance(to: word, atMost: distance)
        var isEnded = false
        pages.forEach { page in
            if isEnded { return }
            isEnded = isCancelled
            var walker = RunWalker(unsafeDowncast(page, to: PostingPage.self), term: term)
            while walker.next() {
                let bytes = UnsafeBufferPointer(start: walker.run.term, count: walker.run.termCount)
                if let distance = compare(bytes, shared: walker.shared) { body(walker.run, distance) }
            }
        }
    }
}
