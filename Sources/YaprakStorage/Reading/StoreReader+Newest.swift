internal import SystemPackage
package import YaprakModel

extension StoreReader {
    /// The newest complete commit now, in the log or else in a checkpoint.
    ///
    /// It is the one that opening the database would end with, unless it fails at a damaged checkpoint: the frames up to it
    /// verify, with their payloads where nothing calls them durable, and nothing proves that a later one was durable.
    ///
    /// - Throws: `corruptLog` if later commits were durable and can't be read, or if the newest segment has no header that
    ///   verifies; `newerFormat`, `ioFailed`.
    /// - Complexity: O(number of frames in the newest segment) the first time, then O(number of new ones). The bytes reserved
    ///   behind them are read each time.
    package func newest() throws(DatabaseError) -> CommitNumber {
        try translatingDiskErrors(writing: false) {
            var attempts = 0
            while true {
                attempts += 1
                // First the mark, then the names: a writer that closes in between makes a mark of segments that are not listed.
                let closing = ClosingMark.read(in: directory.root)
                let listing = try directory.list()
                let checkpoint = listing.checkpoints.last?.first ?? 0
                guard let name = listing.segments.last else {
                    let proven = try closing?.evidence(for: lineage(of: listing), newest: nil) ?? 0
                    guard proven > checkpoint, let segment = closing?.segment else { return CommitNumber(checkpoint) }
                    throw LogError.lost(checkpoint + 1...proven, in: segment, at: 0, "the segment is missing")
                }
                do {
                    return CommitNumber(try newest(in: name, of: listing, closing, checkpoint: checkpoint))
                } catch let error as DiskError
                    where error.errno == .noSuchFileOrDirectory
                    && attempts < Self.attemptsMax
                {
                    // A writer has made newer ones since, and pruned it.
                    continue
                }
            }
        }
    }

    private func newest(
        in name: FileName, of listing: DatabaseDirectory.Listing, _ closing: ClosingMark?, checkpoint: UInt64
    ) throws -> UInt64 {
        let (file, result) = try DatabaseDirectory.open(name, .segment, in: directory.segments)
        defer { try? file.close() }
        let header = try LogError.proven(result, name)
        let known = lastEnd.place(in: name, salt: header.salt)
        // Once for each segment: its header says the same each time.
        if known == nil { try checkLineage(of: header, name, in: listing) }
        var end = EndOfSegment(
            SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file)),
            from: known, or: indexes[name]?.place(for: .max))
        let claimed = closing?.evidence(for: header.lineage, newest: (name, header)) ?? 0
        var seen: UInt64?
        while true {
            let proven = max(try end.find(), claimed)
            lastEnd.keep(end.place, of: name, salt: header.salt)
            switch end.stop {
            case .damage(.newer(let what)): throw LogError.newer(what, in: name.path(.segment), at: end.offset)
            case .damage(.content(let what)): throw LogError.corrupt(name, at: end.offset, what)
            case .damage, .attest, .seal, .limit: break
            }
            let newest = max(checkpoint, end.last)
            guard proven > newest else { return newest }
            guard seen != end.last else {
                throw LogError.lost(newest + 1...proven, in: name, at: end.offset, "the log ends too early")
            }
            // A writer may have gone on since: what calls these durable was not there yet when the end was read.
            seen = end.last
            try end.refresh()
        }
    }

    /// Refuses a newest segment that opening would not get to, because what it has to start from is another database's.
    ///
    /// Opening starts from a checkpoint of the segment's own database, or from commit 1, and no segment on the way may
    /// belong to another one. O(1) files: the segment before, and the newest checkpoint.
    private func checkLineage(
        of header: FileHeader, _ name: FileName, in listing: DatabaseDirectory.Listing
    ) throws {
        guard header.first > 1 else { return }
        // nil if the file is gone or has no header that verifies: then it says nothing.
        func isRelated(_ name: FileName?, _ kind: FileKind) throws -> Bool? {
            guard let name, let other = try self.header(name, kind).header else { return nil }
            return header.lineage.accepts(other) || other.lineage.accepts(header)
        }
        let start = try isRelated(listing.checkpoints.last { $0.first >= header.first - 1 }, .checkpoint)
        if start == true { return }
        guard try isRelated(listing.segments.dropLast().last, .segment) ?? start ?? true else {
            throw LogError.corrupt(name, at: 0, "the segment belongs to another database")
        }
    }

    /// How often a newer commit is taken in place of one that was pruned.
    static let attemptsMax = 8

    /// Reads something as of a commit: the one that is asked for, or the newest there is.
    ///
    ///     try reader.reading(asOf: nil) { number in try state(at: number) }
    ///
    /// While the newest is read, a writer may commit and prune so much that the files no longer lead to it. Who asked for
    /// the newest then gets the one that is newest now.
    /// - Throws: what `body` throws; `commitOutOfReach` if a commit that was named can't be reached, or if the writer was
    ///   faster eight times in a row.
    package func reading<Result>(
        asOf number: CommitNumber?, _ body: (CommitNumber) throws -> Result
    ) throws -> Result {
        if let number { return try body(number) }
        var attempts = 0
        while true {
            attempts += 1
            let newest = try newest()
            do {
                return try body(newest)
            } catch let error as DatabaseError where attempts < Self.attemptsMax {
                let isPruned =
                    try error.code == .commitOutOfReach || error.code == .corruptCheckpoint || !leads(to: newest)
                guard isPruned, try self.newest() > newest else { throw error }
            }
        }
    }

    /// Whether there is a state to start from. Half of the files that led to a commit may look like anything.
    private func leads(to number: CommitNumber) throws -> Bool {
        try checkpoints().contains { $0.number <= number } || logReachesBackToFirst()
    }
}
