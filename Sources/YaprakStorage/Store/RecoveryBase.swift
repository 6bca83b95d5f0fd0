internal import SystemPackage
internal import YaprakModel

/// The starting point of recovery: the database's identity, the newest checkpoint that verifies, the first segment.
struct RecoveryBase {
    var listing: DatabaseDirectory.Listing
    var lineage: Lineage?
    var checkpoint: CheckpointReader?
    /// The newest commit that any checkpoint file proves to have been durable.
    var evidence: UInt64 = 0
    /// The first segment to read, an index into the listing; nil if there is none.
    var firstSegment: Int?
    var notes: [String] = []
    /// The mark of the last clean close.
    var closing: ClosingMark?

    /// The commit of the state before the log is replayed.
    var number: UInt64 { checkpoint?.number.rawValue ?? 0 }

    /// Reads the newest segment's header, then the checkpoints from the newest to the oldest.
    static func find(in directory: DatabaseDirectory) throws -> RecoveryBase {
        var base = RecoveryBase(listing: try directory.list())
        base.notes = base.listing.foreign.map { "\($0) is not a file of the database" }
        var newest: (name: FileName, header: FileHeader?)?
        if let name = base.listing.segments.last {
            let (file, result) = try DatabaseDirectory.open(name, .segment, in: directory.segments)
            try? file.close()
            let header = try LogError.proven(result, name)
            newest = (name, header)
            base.lineage = try directory.lineage(of: base.listing.segments, header.lineage)
        }
        try base.chooseCheckpoint(directory)
        base.closing = try ClosingMark.find(in: directory.root)
        if let closing = base.closing {
            base.evidence = max(base.evidence, closing.evidence(for: base.lineage, newest: newest))
        }
        try base.chooseSegment()
        return base
    }

    /// A checkpoint that is damaged, and has a header that verifies.
    private struct Damaged {
        let header: FileHeader
        let name: FileName
        let cause: DatabaseError
    }

    private mutating func chooseCheckpoint(_ directory: DatabaseDirectory) throws {
        var firstFailure: DatabaseError?
        var damaged: [Damaged] = []
        for name in listing.checkpoints.reversed() {
            let failure: DatabaseError
            do {
                let reader = try CheckpointProof.prove(name, in: directory.checkpoints, of: lineage, allowing: .derived)
                evidence = max(evidence, reader.number.rawValue)
                lineage = lineage ?? reader.header.lineage
                checkpoint = reader
                for section in reader.damagedSections {
                    notes.append(
                        "\(reader.fileName): what is kept of \(section.name.debugDescription) is damaged; it is recomputed"
                    )
                }
                try judge(damaged, reader.header)
                return
            } catch let error as CheckpointProof.Failure {
                failure = LogError.checkpoint(name, error)
                if error.isNewer { throw failure }
                notes.append(failure.message)
            } catch let error as DiskError where error.errno == .ioError || error.isAboutNoFile {
                failure = error.asDatabaseError(writing: false)
                notes.append("\(name.string(.checkpoint)) can't be read: \(error)")
            }
            firstFailure = firstFailure ?? failure
            if let header = try Self.header(name, directory) {
                damaged.append(Damaged(header: header, name: name, cause: failure))
            }
        }
        try judge(damaged, nil)
        if let firstFailure, listing.segments.first?.first != 1 {
            throw DatabaseError(
                .corruptCheckpoint,
                "No checkpoint verifies, and the log does not reach back to the first commit. Restore a backup.",
                place: firstFailure.place, cause: firstFailure)
        }
    }

    /// A damaged checkpoint with an intact header still proves up to which commit the log was durable.
    ///
    /// - Parameter found: the header of the newest that verifies.
    /// - Throws: `corruptCheckpoint` if there is no log that could have the commits up to there.
    private mutating func judge(_ damaged: [Damaged], _ found: FileHeader?) throws(DatabaseError) {
        for one in damaged {
            var isRelated = lineage?.accepts(one.header) ?? false
            if listing.segments.isEmpty, let found {
                // No segment says whose directory it is: the newer of two checkpoints may be that of a fork.
                isRelated = isRelated || one.header.lineage.accepts(found)
            }
            guard isRelated else { continue }
            evidence = max(evidence, one.header.first)
            guard listing.segments.isEmpty, let found, one.header.first > found.first else { continue }
            let lost = found.first + 1...one.header.first
            throw DatabaseError(
                .corruptCheckpoint,
                "\(one.name.path(.checkpoint)) is damaged, and no segment has what follows. "
                    + "\(lost.commitsSentence("was", "were")) durable. Restore the segments, or a backup.",
                place: .init(
                    file: one.name.path(.checkpoint), offset: one.cause.place.offset,
                    commits: CommitNumber(lost.lowerBound)...CommitNumber(lost.upperBound)),
                cause: one.cause)
        }
    }

    /// The header of a checkpoint; nil if it does not verify, or if the file says nothing.
    private static func header(_ name: FileName, _ directory: DatabaseDirectory) throws(DiskError) -> FileHeader? {
        let opened: (file: any File, header: Result<FileHeader, HeaderDamage>)
        do throws(DiskError) {
            opened = try DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints)
        } catch {
            guard error.saysNothing else { throw error }
            return nil
        }
        try? opened.file.close()
        return try? opened.header.get()
    }

    private mutating func chooseSegment() throws {
        firstSegment = listing.segments.lastIndex { $0.first <= number + 1 }
        if let first = listing.segments.first, firstSegment == nil {
            throw LogError.lost(
                number + 1...max(number + 1, first.first - 1), in: first, at: 0,
                "the segment with them is missing")
        }
        if let closing, listing.segments.isEmpty {
            let proven = closing.evidence(for: lineage, newest: nil)
            guard proven <= number else {
                throw LogError.lost(number + 1...proven, in: closing.segment, at: 0, "the segment is missing")
            }
        }
        if let missing = checkpoint?.header.missingSegment(listing.segments, of: lineage) {
            throw DatabaseError(
                .corruptLog,
                "The segments since checkpoint \(number) are missing. Restore them, or a backup.",
                place: .init(file: missing.path(.segment)))
        }
    }
}
