// What a run becomes with its edits.
extension PageEditor {
    /// Writes the run that was built, of the term of the next edit.
    private func emitRun(_ term: UnsafeBufferPointer<UInt8>) {
        builder.write(term.baseAddress.unsafelyUnwrapped, term.count, shared: shared, to: output)
        shared = term.count
        builder.removeAll()
    }

    private func add(_ edit: PostingEdit) {
        builder.begin(edit.document, occurrences: UInt32(edit.positions.count))
        builder.append(positions: UnsafeBufferPointer(rebasing: positions[edit.positions]))
    }

    /// Writes the postings of one term that the page does not have, and returns the edit behind them.
    func emitNew(_ edits: ArraySlice<PostingEdit>, _ start: Int) -> Int {
        builder.removeAll()
        let term = table[edits[start].term]
        var index = start
        while index < edits.endIndex, edits[index].term == edits[start].term {
            if !edits[index].isRemoval {
                if builder.isFull { emitRun(term) }
                add(edits[index])
            }
            index += 1
        }
        if builder.count > 0 { emitRun(term) }
        return index
    }

    /// Writes a run of two documents or more with one edit: what stands before and behind it is copied as it is. Of a full run
    /// that gets one more, both halves have room, unless the new one comes behind all others.
    private func emit(_ run: PostingRun, with edit: PostingEdit) {
        let term = table[edit.term]
        let (start, end) = (RunMark(startOf: run), RunMark(endOf: run))
        var mark = start
        mark.pass(before: edit.document, in: run)
        let cut = mark
        let isThere = mark.next(in: run)?.number == edit.document
        if !isThere { mark = cut }
        builder.removeAll()
        if edit.isRemoval || isThere || run.count < PostingRun.documentsMax {
            copy(run, start, cut)
            if !edit.isRemoval { add(edit) }
            copy(run, mark, end)
        } else if cut.count == run.count {
            copy(run, start, end)
            emitRun(term)
            add(edit)
        } else {
            let half = PostingRun.documentsMax / 2
            var middle = cut.count <= half ? cut : start
            middle.pass(half, in: run)
            if cut.count <= half {
                copy(run, start, cut)
                add(edit)
                copy(run, cut, middle)
                emitRun(term)
                copy(run, middle, end)
            } else {
                copy(run, start, middle)
                emitRun(term)
                copy(run, middle, cut)
                add(edit)
                copy(run, cut, end)
            }
        }
        emitRun(term)
    }

    /// Adds the documents between two marks of a run: only of the first of them, the difference to the one before may be another.
    private func copy(_ run: PostingRun, _ start: RunMark, _ end: RunMark) {
        var mark = start
        guard start.count < end.count, let first = mark.next(in: run) else { return }
        builder.begin(first.number, occurrences: first.occurrences)
        builder.append(encoded: start.positions, end.positions - start.positions)
        builder.append(
            documents: mark.documents, end.documents - mark.documents, end.count - mark.count, last: end.last)
    }

    /// Whether a run with its edits has more bytes than one should have, about.
    @inline(__always)
    private func isLong(_ run: PostingRun, with edits: ArraySlice<PostingEdit>) -> Bool {
        var size = run.positionsEnd - run.documents
        // A position is seldom longer than a byte.
        for edit in edits { size &+= edit.positions.count }
        return size > PostingPage.runBytesMax
    }

    /// Writes a run with its edits, and returns whether anything is left.
    func emit(_ run: PostingRun, with edits: ArraySlice<PostingEdit>) -> Bool {
        let isLong = isLong(run, with: edits)
        if edits.count == 1, run.count > 1, !isLong {
            emit(run, with: edits[edits.startIndex])
            return true
        }
        run.decode(numbers, occurrences)
        builder.removeAll()
        // The terms of the table are not moved while edits are applied.
        let term = table[edits[edits.startIndex].term]
        let count = run.count + edits.count
        // Documents that come behind all others fill the run; of others, both halves have room.
        let isAppended = edits[edits.startIndex].document > run.last
        let isSplit = count > PostingRun.documentsMax && !isAppended
        let limit = isSplit ? min((count + 1) / 2, PostingRun.documentsMax) : PostingRun.documentsMax
        // Places that take several bytes make one long that does not look so.
        let bytesLimit = isLong && !isAppended ? PostingPage.runBytesMax / 2 : PostingPage.runBytesMax
        var written = 0
        func roll() {
            if builder.count >= limit || builder.byteCount > bytesLimit {
                emitRun(term)
                written += 1
            }
        }
        var edit = edits.startIndex
        var reader = ByteReader(run.positions)
        func addEdits(before document: UInt32) {
            while edit < edits.endIndex, edits[edit].document < document {
                if !edits[edit].isRemoval {
                    roll()
                    add(edits[edit])
                }
                edit += 1
            }
        }
        for index in 0..<run.count {
            let encoded = reader.at
            reader.skip(occurrences[index])
            addEdits(before: numbers[index])
            if edit < edits.endIndex, edits[edit].document == numbers[index] {
                if !edits[edit].isRemoval {
                    roll()
                    add(edits[edit])
                }
                edit += 1
                continue
            }
            roll()
            builder.begin(numbers[index], occurrences: occurrences[index])
            builder.append(encoded: encoded, reader.at - encoded)
        }
        addEdits(before: .max)
        guard builder.count > 0 else { return written > 0 }
        emitRun(term)
        return true
    }
}
