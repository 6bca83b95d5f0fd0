internal import CPrefetch

extension Node {
    /// Fetches a node that is about to be searched: its cache lines at once, where a search would wait for the header and some
    /// words, then for the words in between, then for the rest when the node is copied.
    ///
    /// As many as a full leaf has, without asking how large the node is, which is in the first of them. Nothing is read: an
    /// address behind a small node does no harm.
    @inline(__always)
    func fetch() {
        for line in 0..<8 { cprefetch(raw + 64 &* line) }
    }
}

extension Unmanaged<TreeRow> {
    /// Fetches a row that is about to be read: its header and the fields up to its key, and those behind.
    @inline(__always)
    package func fetch() {
        let raw = UnsafeRawPointer(toOpaque())
        cprefetch(raw)
        cprefetch(raw + 56)
    }
}
