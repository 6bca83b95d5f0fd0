import YaprakTrees

/// Reads the pages of one root: the runs of terms. Used by one thread at a time, while the snapshot is alive.
final class PostingReader {
    let pages: TreeRoot
    private let term: UnsafeMutablePointer<UInt8>
    /// Behind the term, in the same memory.
    private let key: UnsafeMutablePointer<UInt8>

    private let isCancelled: (() -> Bool)?

    /// - Parameter isCancelled: asked now and then; if it says so, nothing more is found.
    init(_ pages: TreeRoot, isCancelled: (() -> Bool)? = nil) {
        let termRoom = WordScanner.termBytesMax + 16
        term = .allocate(capacity: termRoom + PostingKey.bytesMax)
        key = term + termRoom
        self.pages = pages
        self.isCancelled = isCancelled
    }

    deinit { term.deallocate() }

    /// The page in which a term would begin.
    private func start(of term: UnsafeBufferPointer<UInt8>) -> Int {
        let count = term.baseAddress.map { PostingKey.write($0, term.count, 0, to: key) } ?? 0
        let rank = pages.rank(of: UnsafeBufferPointer(start: key, count: count))
        return rank.isFound ? rank.position : max(0, rank.position - 1)
    }

    /// The runs of one term.
    func runs(of wanted: [UInt8]) -> [PostingRun] {
        var found: [PostingRun] = []
        guard !pages.isEmpty, isCancelled?() != true else { return found }
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
        guard !pages.isEmpty, isCancelled?() != true else { return found }
        prefix.withUnsafeBufferPointer { prefix in
            let start = prefix.baseAddress.unsafelyUnwrapped
            var cursor = TreeCursor(pages, at: self.start(of: prefix))
            while let page = cursor.next() {
                var walker = page._withUnsafeGuaranteedRef {
                    RunWalker(unsafeDowncast($0, to: PostingPage.self), term: term)
                }
                while walker.next() {
                    let run = walker.run
                    let order = compareBytes(run.term, min(run.termCount, prefix.count), start, prefix.count)
                    if order > 0 { return }
                    if order == 0 { found.append(run) }
                }
            }
        }
        return found
    }

    /// Calls `body` with the runs of all terms close to a word, and their distance. Walks the beginnings of all terms.
    func forEachRun(
        near word: [UInt8], atMost distance: Int, _ body: (_ run: PostingRun, _ distance: Int) -> Void
    ) {
        let compare = EditDistance(to: word, atMost: distance)
        var isEnded = false
        pages.forEach { page in
            if isEnded { return }
            isEnded = isCancelled?() == true
            var walker = RunWalker(unsafeDowncast(page, to: PostingPage.self), term: term)
            while walker.next() {
                let bytes = UnsafeBufferPointer(start: walker.run.term, count: walker.run.termCount)
                if let distance = compare(bytes, shared: walker.shared) { body(walker.run, distance) }
            }
        }
    }
}
