// What a page becomes with its edits.
extension PageEditor {
    /// How the next run of a page follows on the output where the run before it is another one now.
    private enum Gap {
        /// It is the same one.
        case none
        /// A new term came in between. The next one shares so many bytes with it.
        case filled(shared: Int)
        /// The term before the next one is gone. It shared so many bytes with the last one that is left.
        case removed(UnsafeBufferPointer<UInt8>, shared: Int)
    }

    /// Writes what a page becomes into the output.
    ///
    /// Terms are sorted, so what two share follows from what both share with one in between: the term of a run is not put
    /// together, and its bytes are compared only where it may be the one of the next edit.
    func merge(_ page: PostingPage?, _ edits: ArraySlice<PostingEdit>) {
        output.removeAll()
        shared = 0
        let bytes = page?.bytes ?? UnsafePointer(output.start)
        var walker = RunWalker(bytes, page?.count ?? 0, term: walkerTerm)
        // What lies from here on is copied as it is.
        var copied = bytes
        var gap = Gap.none
        var edit = edits.startIndex
        var term = table[edits[edit].term]
        // How many bytes the term of the edit shares with the last run that was passed.
        var matched = 0
        func go(to next: Int) {
            let last = edits[edit].term
            edit = next
            if next == edits.endIndex || edits[next].term == last { return }
            let other = table[edits[next].term]
            let common = commonPrefix(
                term.baseAddress.unsafelyUnwrapped, term.count, other.baseAddress.unsafelyUnwrapped, other.count)
            (matched, shared, term) = (min(matched, common), min(shared, common), other)
        }
        while edit < edits.endIndex {
            let start = walker.at
            let matchedBefore = matched
            let order = walker.next(comparedWith: term, &matched)
            var end = edit
            if order == .same {
                let limit = walker.firstOfNextOfSameTerm
                while end < edits.endIndex, edits[end].term == edits[edit].term,
                    limit.map({ edits[end].document < $0 }) ?? true
                {
                    end += 1
                }
            }
            if end > edit {
                output.append(copied, start - copied)
                copied = walker.at
                let sharedBefore = shared
                gap = emit(walker.run, with: edits[edit..<end]) ? .none : .removed(term, shared: sharedBefore)
                go(to: end)
            } else if order == .before || order == .same {
                copied = close(&gap, at: start, from: copied)
                shared = matched
            } else if edits[edit].isRemoval {
                matched = matchedBefore
                go(to: edit + 1)
            } else {
                output.append(copied, start - copied)
                copied = start
                end = emitNew(edits, edit)
                // What was compared of the run behind is what it shares with the term, unless that is less than what the term
                // shares with the run before.
                gap = .filled(shared: walker.shared < matchedBefore ? walker.shared : matched)
                matched = matchedBefore
                go(to: end)
            }
        }
        if walker.at < walker.end { copied = close(&gap, at: walker.at, from: copied) }
        output.append(copied, bytes + (page?.count ?? 0) - copied)
    }

    /// Copies what lies before a run, and writes how its term begins.
    /// - Returns: from where the run is copied as it is.
    @inline(__always)
    private func close(
        _ gap: inout Gap, at run: UnsafePointer<UInt8>, from copied: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        if case .none = gap { return copied }
        defer { gap = .none }
        let (sharedBefore, rest) = (Int(run[0]), Int(run[1]))
        func begin(_ shared: Int) {
            output.append(copied, run - copied)
            output.append(UInt8(truncatingIfNeeded: shared))
            output.append(UInt8(truncatingIfNeeded: sharedBefore &+ rest &- shared))
        }
        switch gap {
        case .filled(let shared) where shared > sharedBefore:
            begin(shared)
            return run + 2 + (shared &- sharedBefore)
        case .removed(let term, let shared) where shared < sharedBefore:
            begin(shared)
            output.append(term.baseAddress.unsafelyUnwrapped + shared, sharedBefore &- shared)
            return run + 2
        default: return copied
        }
    }
}
