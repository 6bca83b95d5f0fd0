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

    /// Whether the row before one has the same word.
    @inline(__always)
    func isTied(_ place: Int) -> Bool { place > 0 && words[place &- 1] == words[place] }

    /// Fetches the rows that will be read to find one: that at a place, the one behind it, and those before it with the same
    /// word.
    @inline(__always)
    func fetchRows(around place: Int) {
        rows[place].fetch()
        if place &+ 1 < count { rows[place &+ 1].fetch() }
        var at = place
        while isTied(at) {
            at &-= 1
            rows[at].fetch()
        }
    }
}

extension Unmanaged where Instance: TreeRow {
    /// Fetches a row that is about to be read: its header and the fields up to its key, and those behind. Unmanaged, because a
    /// reference that is counted waits for the row.
    @inline(__always)
    package func fetch() {
        let raw = UnsafeRawPointer(toOpaque())
        cprefetch(raw)
        cprefetch(raw + 56)
    }
}

extension Unmanaged where Instance: KeyedRow {
    /// Fetches what a reference to the key's string counts, and its first bytes. Reads the row.
    package func fetchKey() {
        _withUnsafeGuaranteedRef { row in
            // The bytes of a native string are behind the header of its object. Of a short one, which is no object, this is on
            // the stack: an address that is not worth fetching does no harm.
            row.key.utf8.withContiguousStorageIfAvailable { bytes in
                guard let start = bytes.baseAddress else { return }
                cprefetch(UnsafeRawPointer(start) - 32)
            }
        }
    }
}

/// How far ahead rows are fetched by what reads one after the other, wherever in memory they stand: rows first, then their keys,
/// which only a row that has come leads to.
package enum FetchDistance {
    package static var row: Int { 12 }
    package static var key: Int { 6 }
}
