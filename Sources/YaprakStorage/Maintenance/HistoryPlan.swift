internal import SystemPackage
internal import YaprakModel

/// The files of a directory that hold the history up to a commit, and where a new file has to continue it.
///
///     segments   ├── whole ──┼── whole ──┼── part ┄┄┄┄┄┄┄
///     commits                                   ▲   ▲
///                               last whole group    the commit: the rest of the group goes into a new segment
struct HistoryPlan {
    /// A segment, whole or in part.
    struct Piece {
        let name: FileName
        /// Where it ends; nil if the whole file is used.
        let end: UInt64?
    }

    /// The last commit of the history.
    let number: UInt64
    /// The lineage of the directory.
    let lineage: Lineage
    /// The highest epoch of any file in it.
    let epoch: UInt64
    var checkpoints: [FileName] = []
    var segments: [Piece] = []
    /// The end of the pieces, and their last commit.
    var tail = LogTail()
    /// The commits after that, up to the last.
    var rest: [[UInt8]] = []

    /// Finds the files.
    ///
    /// - Throws: `commitOutOfReach`, `corruptLog`, `corruptCheckpoint`, `newerFormat`, `DiskError`.
    /// - Complexity: O(bytes of the nearest checkpoint and of the log since then).
    static func make(upTo number: UInt64, in directory: DatabaseDirectory, _ store: StoreReader) throws -> HistoryPlan {
        guard number < .max else { throw outOfReach(number, "No commit has the last number that there is.") }
        let listing = try directory.list()
        let lineage = try store.lineage(of: listing) ?? Lineage(id: DatabaseID(high: 0, low: 0))
        var plan = HistoryPlan(number: number, lineage: lineage, epoch: listing.epoch)
        let (base, failure) = try plan.takeCheckpoints(listing, directory)
        try plan.takeSegments(listing, directory, base: base, failure)
        return plan
    }

    // MARK: Checkpoints

    /// Selects those up to the commit. The state is rebuilt from the newest one that verifies.
    ///
    /// - Returns: the commit of that one, and why a newer one does not verify.
    private mutating func takeCheckpoints(
        _ listing: DatabaseDirectory.Listing, _ directory: DatabaseDirectory
    ) throws -> (base: UInt64, failure: DatabaseError?) {
        var base: UInt64?
        var failure: DatabaseError?
        for name in listing.checkpoints.reversed() where name.first <= number {
            do {
                if base == nil {
                    _ = try CheckpointProof.prove(name, in: directory.checkpoints, of: lineage, allowing: .derived)
                    base = name.first
                } else {
                    let header = try DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints).header
                    guard let proven = try? header.get(), lineage.accepts(proven) else { continue }
                }
                checkpoints.append(name)
            } catch let error as CheckpointProof.Failure {
                if error.isNewer { throw LogError.checkpoint(name, error) }
                if base == nil { failure = failure ?? LogError.checkpoint(name, error) }
            } catch let error as DiskError where error.errno == .ioError || error.isAboutNoFile {
                if base == nil { failure = failure ?? error.asDatabaseError(writing: false) }
            }
        }
        checkpoints.reverse()
        if let base { return (base, failure) }
        guard listing.segments.first.map({ $0.first <= 1 }) ?? (number == 0) else {
            throw failure ?? Self.outOfReach(number, "The log and the checkpoints begin later.")
        }
        return (0, failure)
    }

    // MARK: Segments

    /// - Parameter failure: why a checkpoint newer than the base is none.
    private mutating func takeSegments(
        _ listing: DatabaseDirectory.Listing, _ directory: DatabaseDirectory, base: UInt64, _ failure: DatabaseError?
    ) throws {
        tail.last = min(base, number)
        var names = listing.segments
        guard names.first.map({ $0.first <= base + 1 }) ?? false else {
            guard number == base else { throw failure ?? Self.outOfReach(number, "The log begins later.") }
            return
        }
        try dropBeforeGap(&names, directory, base: base)
        guard let first = names.first else { return }
        var header = try proven(first, directory)
        for (index, name) in names.enumerated() where name.first <= number {
            let next = index + 1 < names.count ? try proven(names[index + 1], directory) : nil
            if let next, next.previousFirst != name.first || next.previousEpoch != name.epoch {
                throw LogError.corrupt(names[index + 1], at: 0, "the segment before it is missing")
            }
            let endsInHole = next.map { $0.followsHole && $0.first == number + 1 } ?? false
            let isLast = next.map { $0.first > number } ?? true
            try take(name, header, next, directory, isLast: isLast && !endsInHole, base: base)
            if endsInHole { tail.endsInHole = true }
            if let next { header = next }
        }
        guard tail.last + UInt64(rest.count) == number else {
            throw Self.outOfReach(number, "The newest commit is \(max(base, tail.last + UInt64(rest.count))).")
        }
    }

    /// Drops the segments before a gap that the state does not need, as opening does, and the checkpoints before it. A file
    /// that can't be read is a gap, too.
    private mutating func dropBeforeGap(
        _ names: inout [FileName], _ directory: DatabaseDirectory, base: UInt64
    ) throws {
        guard var start = names.lastIndex(where: { $0.first <= base + 1 }) else { return }
        var header = try proven(names[start], directory)
        while start > 0, header.previousFirst == names[start - 1].first, header.previousEpoch == names[start - 1].epoch,
            let before = try provenIfReadable(names[start - 1], directory)
        {
            header = before
            start -= 1
        }
        guard start > 0 else { return }
        let first = names[start].first
        names.removeFirst(start)
        checkpoints.removeAll { $0.first + 1 < first }
    }

    /// The header of a segment that the state does not need; nil if it is no segment of this database that can be read.
    private func provenIfReadable(_ name: FileName, _ directory: DatabaseDirectory) throws -> FileHeader? {
        do {
            return try proven(name, directory)
        } catch is DatabaseError {
            return nil
        } catch let error as DiskError where error.errno == .ioError || error.isAboutNoFile {
            return nil
        }
    }

    private func proven(_ name: FileName, _ directory: DatabaseDirectory) throws -> FileHeader {
        let (file, result) = try DatabaseDirectory.open(name, .segment, in: directory.segments)
        try file.close()
        let header = try LogError.proven(result, name)
        guard lineage.accepts(header) else {
            throw LogError.corrupt(name, at: 0, "the segment belongs to another database")
        }
        return header
    }

    private mutating func take(
        _ name: FileName, _ header: FileHeader, _ next: FileHeader?, _ directory: DatabaseDirectory, isLast: Bool,
        base: UInt64
    ) throws {
        let (file, _) = try DatabaseDirectory.open(name, .segment, in: directory.segments)
        var reader = SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
        guard let next, !isLast, next.first <= base + 1 else {
            try walk(&reader, name, next, isLast: isLast)
            return
        }
        // Older than the state needs: it ends where the next one says so.
        reader.jump(to: next.previousEnd, chain: next.previousChain, next: next.first)
        note(name, &reader, chain: next.previousChain, last: next.first - 1, hasSuccessor: true)
    }

    /// Reads to the commit, or to the end of the segment.
    private mutating func walk(
        _ reader: inout SegmentReader, _ name: FileName, _ next: FileHeader?, isLast: Bool
    ) throws {
        let limit = next?.previousEnd ?? .max
        var cut = (offset: reader.offset, chain: reader.chain, last: reader.next - min(1, reader.next))
        var behind: [[UInt8]] = []
        var end: SegmentReader.End?
        while end == nil {
            let number = number
            switch try reader.step(
                limit: limit,
                { commit, item, _, _ in
                    if commit <= number { behind.append([UInt8](item)) }
                })
            {
            case .end(let found): end = found
            case .frame where reader.partialStart == nil && reader.next <= number + 1:
                // Also the frames without commits after the last one: they say nothing about later commits.
                cut = (reader.offset, reader.chain, reader.next - 1)
                behind = []
            case .frame:
                if reader.next > number + 1 { end = .limit }
            }
        }
        let reached = cut.last + UInt64(behind.count)
        if reached < number, case .damage(.newer(let what)) = end {
            throw LogError.newer(what, in: name.path(.segment), at: reader.offset)
        }
        if let next, reached < min(number, next.first - 1) {
            throw LogError.lost(
                reader.next...max(reader.next, next.first - 1), in: name, at: reader.offset,
                "the segment ends too early")
        }
        if next == nil, reached < number, case .damage? = end {
            let found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            let proven = max(found.durable, reader.durable)
            guard proven < reader.next else {
                throw LogError.lost(
                    reader.next...proven, in: name, at: reader.offset, "the frames before others are damaged")
            }
        }
        rest = behind
        guard cut.offset > UInt64(Layout.fileHeaderBytes) || !isLast else {
            // It has no whole group: the new segment follows the previous one.
            tail.last = max(tail.last, cut.last)
            tail.endsInHole = reader.header.followsHole
            return
        }
        let isWhole =
            behind.isEmpty && (next.map { $0.previousEnd == cut.offset } ?? false || isSealed(reader, end, cut.offset))
        if isWhole {
            note(name, &reader, chain: cut.chain, last: cut.last, hasSuccessor: next != nil)
        } else {
            segments.append(Piece(name: name, end: cut.offset))
        }
        tail = LogTail(segment: name, end: cut.offset, chain: cut.chain, last: cut.last)
    }

    private func isSealed(_ reader: SegmentReader, _ end: SegmentReader.End?, _ offset: UInt64) -> Bool {
        if case .seal? = end, reader.offset == offset { return true }
        return false
    }

    /// Selects a segment up to its logical end: the whole file if it will never be written again and nothing follows
    /// that end, otherwise a copy of the part.
    private mutating func note(
        _ name: FileName, _ reader: inout SegmentReader, chain: UInt64, last: UInt64, hasSuccessor: Bool
    ) {
        let end = reader.offset
        var isFinal = false
        if case .end(.seal(let seal))? = try? reader.step(limit: .max, { _, _, _, _ in }) {
            isFinal = seal.last == last
        } else if hasSuccessor, name.epoch < epoch {
            // From an opening that is over. Only allocated space may follow.
            isFinal = (try? TailEvidence.find(in: reader.window, of: reader.header, from: end).bytes == 0) ?? false
        }
        segments.append(Piece(name: name, end: isFinal ? nil : end))
        tail = LogTail(segment: name, end: end, chain: chain, last: last)
    }

    private static func outOfReach(_ number: UInt64, _ why: String) -> DatabaseError {
        DatabaseError(
            .commitOutOfReach, "Commit \(number) is not in these files. \(why)",
            place: .init(commits: CommitNumber(number)...CommitNumber(number)))
    }
}
