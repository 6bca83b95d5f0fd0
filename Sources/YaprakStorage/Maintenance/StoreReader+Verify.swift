internal import SystemPackage
package import YaprakModel

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension StoreReader {
    /// Checks the directory. Level 0: names, headers, chain, gaps. Level 1: every sum, decompression, every item.
    ///
    /// Finds as much as possible: after damage it continues with the next frame that verifies. Changes by a writer are no
    /// findings: files that it removes are skipped, and what it appends may be checked or not.
    /// - Parameter progress: called now and then with the bytes checked, the bytes in total, and the commits.
    /// - Throws: `permissionDenied`, `ioFailed` if the directories can't be listed. Faults of files are findings.
    /// - Complexity: O(bytes of the directory).
    package func verify(
        level: Int, progress: @escaping (_ done: UInt64, _ total: UInt64, _ commits: Int) -> Void = { _, _, _ in }
    ) throws(DatabaseError) -> VerifyReport {
        // First the mark, then the names: if a writer is active in between, the mark must be the older of the two.
        let closing = ClosingMark.read(in: directory.root)
        let listing = try translatingDiskErrors(writing: false) { try directory.list() }
        var verifier = Verifier(
            directory: directory, listing: listing, closing: closing, level: level, progress: progress)
        verifier.run()
        return verifier.report
    }
}

/// The state of one check.
private struct Verifier {
    let directory: DatabaseDirectory
    let listing: DatabaseDirectory.Listing
    /// The mark of the last clean close.
    let closing: ClosingMark?
    let level: Int
    let progress: (UInt64, UInt64, Int) -> Void
    var report = VerifyReport()
    private var lineage: Lineage?
    private var oldestCheckpoint: UInt64?
    private var evidence: UInt64 = 0
    /// The bytes of the files that are done, and of all files.
    private var done: UInt64 = 0
    private var total: UInt64 = 0

    init(
        directory: DatabaseDirectory, listing: DatabaseDirectory.Listing, closing: ClosingMark?, level: Int,
        progress: @escaping (UInt64, UInt64, Int) -> Void
    ) {
        self.directory = directory
        self.listing = listing
        self.closing = closing
        self.level = level
        self.progress = progress
    }

    mutating func run() {
        for name in listing.foreign {
            add(.clean, name, nil, nil, "This is not a file of the database; it is left alone.")
        }
        lineage = directory.lineage(of: listing.segments)
        for name in listing.segments { total += size(name, .segment) }
        for name in listing.checkpoints { total += size(name, .checkpoint) }
        for name in listing.checkpoints {
            checkpoint(name)
            done += size(name, .checkpoint)
            progress(done, total, report.commits)
        }
        if lineage?.isSalvaged ?? false {
            add(
                .clean, "", nil, nil,
                "Commits were lost in a repair; empty ones with the origin \(SalvageMark.origin) stand in their places."
            )
        }
        log()
        // Only those that still exist: a writer makes and renames them all the time.
        let now = try? directory.list()
        let before = Set(listing.temporarySegments + listing.temporaryCheckpoints)
        for name in (now?.temporarySegments ?? []) + (now?.temporaryCheckpoints ?? []) where before.contains(name) {
            add(
                .clean, name, nil, nil,
                "In progress, or left over from something that did not finish; the next opening removes it.")
        }
    }

    private func size(_ name: FileName, _ kind: FileKind) -> UInt64 {
        let file = try? (kind == .segment ? directory.segments : directory.checkpoints).open(name.string(kind), .read)
        return (try? file?.size()) ?? 0
    }

    /// Whether a writer has removed the file since it was listed.
    private func isGone(_ error: any Error) -> Bool {
        (error as? DiskError)?.errno == .noSuchFileOrDirectory
    }

    private mutating func add(
        _ severity: VerifyReport.Severity, _ file: String, _ offset: UInt64?, _ commits: ClosedRange<UInt64>?,
        _ message: String
    ) {
        report.findings.append(
            .init(
                severity: severity, file: file, offset: offset,
                commits: commits.map { CommitNumber($0.lowerBound)...CommitNumber($0.upperBound) }, message: message))
    }

    // MARK: Checkpoints

    private mutating func checkpoint(_ name: FileName) {
        let file = name.path(.checkpoint)
        do {
            if level > 0 {
                let reader = try CheckpointProof.prove(
                    name, in: directory.checkpoints, of: lineage, decompresses: true, allowing: .derived)
                report.frames += reader.sections.reduce(1) { $0 + 2 + $1.chunks.count }
                for section in reader.damagedSections {
                    add(
                        .derived, file, section.offset, nil,
                        "What is kept of the extension \(section.name.debugDescription): \(section.what). "
                            + "It is recomputed when it is registered.")
                }
            } else {
                let (opened, header) = try DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints)
                try? opened.close()
                if case .failure(let damage) = header {
                    var failure = CheckpointProof.Failure(offset: 0, what: damage.sentence)
                    if case .newer = damage { failure.isNewer = true }
                    throw failure
                }
            }
            oldestCheckpoint = min(oldestCheckpoint ?? name.first, name.first)
            evidence = max(evidence, name.first)
            report.newest = max(report.newest, CommitNumber(name.first))
            report.checkpoints += 1
        } catch let failure as CheckpointProof.Failure {
            report.checkpoints += 1
            add(
                failure.isNewer ? .newer : .corrupt, file, failure.offset, nil,
                failure.isNewer
                    ? "\(failure.what). Use that version."
                    : "\(failure.what). Opening takes the checkpoint before it, if the log reaches back to that.")
        } catch {
            guard !isGone(error) else { return }
            report.checkpoints += 1
            add(.unreadable, file, nil, nil, "The file can't be read: \(error). Check the device.")
        }
    }

    // MARK: The log

    private mutating func log() {
        noteClosing()
        var previous: (name: FileName, reader: SegmentReader)?
        var isFirst = true
        for (index, name) in listing.segments.enumerated() {
            defer { progress(done, total, report.commits) }
            guard var reader = open(name, &isFirst) else {
                previous = nil
                continue
            }
            if previous == nil, isFirst { first(reader, name) }
            isFirst = false
            if let previous { link(previous.reader, previous.name, reader, name) }
            let nextHeader = index + 1 < listing.segments.count ? header(listing.segments[index + 1]) : nil
            walk(&reader, name, nextHeader, isLast: index + 1 == listing.segments.count)
            previous = (name, reader)
            done += reader.window.size
        }
    }

    /// The mark of the last clean close counts unless there is a later segment.
    private mutating func noteClosing() {
        guard let closing else { return }
        let newest = listing.segments.last.map { (name: $0, header: header($0)) }
        let proven = closing.evidence(for: lineage, newest: newest)
        guard listing.segments.isEmpty, proven > evidence else {
            evidence = max(evidence, proven)
            return
        }
        add(
            .corrupt, closing.segment.path(.segment), nil, evidence + 1...proven,
            "The segment is missing. Commits \(evidence + 1) to \(proven) were durable. Restore it, or a backup.")
    }

    /// Whether the last clean close proves that the log ends here.
    private func isClosedEnd(_ reader: SegmentReader) -> Bool {
        guard let closing else { return false }
        let name = FileName(first: reader.header.first, epoch: reader.header.epoch)
        return closing.names(name, reader.header) && closing.end == reader.offset && closing.chain == reader.chain
    }

    private func header(_ name: FileName) -> FileHeader? {
        try? DatabaseDirectory.open(name, .segment, in: directory.segments).header.get()
    }

    private mutating func open(_ name: FileName, _ isFirst: inout Bool) -> SegmentReader? {
        report.segments += 1
        do {
            let (file, header) = try DatabaseDirectory.open(name, .segment, in: directory.segments)
            let proven = try LogError.proven(header, name)
            guard lineage?.accepts(proven) ?? false else {
                throw LogError.corrupt(name, at: 0, "the segment belongs to another database")
            }
            var reader = SegmentReader(name: name.path(.segment), header: proven, window: try ReadWindow(file))
            reader.provesPayloads = level > 0
            return reader
        } catch let error as DatabaseError {
            isFirst = false
            add(error.code == .newerFormat ? .newer : .corrupt, name.path(.segment), 0, nil, error.message)
        } catch  where isGone(error) {
            // Pruned meanwhile, after every checkpoint that needed it: the log starts after it now.
            report.segments -= 1
            isFirst = true
            if let names = try? directory.list().checkpoints {
                oldestCheckpoint = names.first?.first
                evidence = max(evidence, names.last?.first ?? 0)
            }
        } catch {
            isFirst = false
            add(.unreadable, name.path(.segment), nil, nil, "The file can't be read: \(error). Check the device.")
        }
        return nil
    }

    private mutating func first(_ reader: SegmentReader, _ name: FileName) {
        let needed = (oldestCheckpoint ?? 0) + 1
        guard name.first > needed else { return }
        add(
            .corrupt, name.path(.segment), 0, needed...name.first - 1,
            "The log starts too late: the segments before it are missing. Restore them, or a backup.")
    }

    private mutating func link(
        _ before: SegmentReader, _ beforeName: FileName, _ after: SegmentReader, _ name: FileName
    ) {
        let header = after.header
        guard header.previousFirst == beforeName.first, header.previousEpoch == beforeName.epoch else {
            // Old segments are pruned in any order.
            let isOld = header.first <= (oldestCheckpoint ?? 0) + 1
            add(
                isOld ? .clean : .corrupt, name.path(.segment), 0, nil,
                "The segment before it is missing" + (isOld ? "; no checkpoint needs it." : ". Restore a backup."))
            return
        }
        guard before.offset == header.previousEnd, before.chain == header.previousChain, before.next == header.first
        else {
            add(.corrupt, name.path(.segment), 0, nil, "It does not follow the segment before it. Restore a backup.")
            return
        }
    }

    private mutating func walk(
        _ reader: inout SegmentReader, _ name: FileName, _ next: FileHeader?, isLast: Bool
    ) {
        var next = next
        var isLast = isLast
        var limit: UInt64 { next?.previousEnd ?? .max }
        do {
            // Evidence found from one damaged frame on serves later ones, too: one search for many.
            var behind: TailEvidence?
            while true {
                guard let end = try step(&reader, limit: limit) else { continue }
                if let found = behind, found.durable >= reader.next, case .damage = end {
                    guard try judge(&reader, name, end, limit, next, isLast, found) else { return }
                    continue
                }
                if isLast {
                    // A writer may be active: check again before reporting.
                    if let header = headerOfSuccessor(of: name) {
                        (next, isLast) = (header, false)
                        try reader.window.refresh()
                        continue
                    }
                    guard let found = try lookAgain(&reader, end) else { return }
                    behind = found
                    guard try judge(&reader, name, end, limit, next, true, found) else { return }
                    continue
                }
                guard try judge(&reader, name, end, limit, next, false, nil) else { return }
            }
        } catch {
            add(
                .unreadable, name.path(.segment), reader.offset, nil,
                "The file can't be read: \(error). Check the device.")
        }
    }

    /// Reads a frame; returns nil, or why there was none.
    private mutating func step(_ reader: inout SegmentReader, limit: UInt64) throws -> SegmentReader.End? {
        let before = reader.next
        let step = try reader.step(limit: limit) { _, _, _, _ in }
        if case .frame(let frame, let at) = step, level > 0 { try lookAtPayload(frame, at, reader) }
        guard case .end(let end) = step else {
            report.frames += 1
            report.commits += Int(clamping: reader.next - before)
            report.newest = max(report.newest, CommitNumber(reader.next - 1))
            if report.frames % 256 == 0 { progress(min(total, done + reader.offset), total, report.commits) }
            return nil
        }
        return end
    }

    /// Verifies the frames that reading commits skips: marks of checkpoints, and frames of later versions.
    private mutating func lookAtPayload(_ frame: FrameHeader, _ at: UInt64, _ reader: SegmentReader) throws {
        guard frame.type != FrameType.commitGroup.rawValue, frame.storedLength > 0,
            try reader.payload(of: frame, at: at) == nil
        else { return }
        add(
            .derived, reader.name, at, nil,
            "\(FrameDamage.payload.sentence), in a frame without commits. No commit is lost by it.")
    }

    /// Verifies the seal of a segment that has a successor. A crash may have prevented the seal.
    private mutating func lookAtSeal(_ reader: SegmentReader) throws {
        let at = reader.offset
        guard let bytes = try reader.window.bytes(at: at, count: Layout.frameHeaderBytes) else { return }
        typealias Field = Layout.FrameField
        let (stored, pad): (UInt32, UInt32) = (bytes.number(at: Field.storedLength), bytes.number(at: Field.pad))
        let length = UInt64(Layout.frameHeaderBytes) + UInt64(stored) + UInt64(pad)
        // A damaged seal is recognised by two of: the magic number, its type, a file that ends after it.
        let signs = [
            (bytes.number(at: Field.magic) as UInt32) == Layout.frameMagic,
            bytes[Field.type] == FrameType.seal.rawValue, at + length == reader.window.size,
        ]
        guard signs.count(where: { $0 }) >= 2, bytes.contains(where: { $0 != 0 }) else { return }
        guard signs[1] || !UnprovenFrameHeader(bytes: bytes).verifies(salt: reader.header.salt, offset: at) else {
            return
        }
        if let seal = try reader.seal(at: at), seal.last &+ 1 == reader.next, seal.chain == reader.chain { return }
        add(
            .torn, reader.name, at, nil,
            "The seal of the segment does not verify. No commit is lost by it: the segment after it says where it ends."
        )
    }

    /// The header of a segment that was made since the directory was listed.
    private func headerOfSuccessor(of name: FileName) -> FileHeader? {
        guard let next = try? directory.list().segments.first(where: { $0 > name }), let header = header(next),
            header.previousFirst == name.first, header.previousEpoch == name.epoch
        else { return nil }
        return header
    }

    /// Checks the apparent end of the newest segment again, where a writer may be active.
    ///
    /// - Returns: nil if it is no longer the end: everything before it was checked, and later frames are left to the next
    ///   check. Otherwise the evidence after it.
    private mutating func lookAgain(
        _ reader: inout SegmentReader, _ end: SegmentReader.End
    ) throws -> TailEvidence? {
        var found = TailEvidence()
        switch end {
        case .seal, .limit, .damage(.newer), .damage(.content): return found
        case .attest, .damage: break
        }
        for pause: UInt32 in [0, 2000, 20_000] {
            if pause > 0 { usleep(pause) }
            try reader.window.refresh()
            // First the evidence after the frame, then the frame: the second read sees everything that the first one saw.
            found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            try reader.window.refresh()
            if try step(&reader, limit: .max) == nil { return nil }
            if case .attest = end, found.durable < reader.next { return found }
            // Nothing there, or evidence that this commit was durable: it is damage, and no writer is active.
            if found.bytes == 0 || found.durable >= reader.next { return found }
        }
        return found
    }

    /// Records the meaning of an end; true if there is more to read after it.
    private mutating func judge(
        _ reader: inout SegmentReader, _ name: FileName, _ end: SegmentReader.End, _ limit: UInt64,
        _ next: FileHeader?, _ isLast: Bool, _ tail: TailEvidence?
    ) throws -> Bool {
        let file = name.path(.segment)
        switch end {
        case .limit:
            if level > 0 { try lookAtSeal(reader) }
            return false
        case .seal(let seal):
            guard isLast else { return false }
            guard seal.kind != Layout.sealClosed else {
                guard evidence >= reader.next else { return false }
                add(
                    .corrupt, file, reader.offset, reader.next...evidence,
                    "The segment ends too early, or one after it is missing. Commits \(reader.next) to \(evidence) were "
                        + "durable and can't be read. Restore a backup.")
                return false
            }
            add(.corrupt, file, reader.offset, nil, "The segment after this one is missing. Restore it, or a backup.")
            return false
        case .damage(.newer(let what)):
            add(.newer, file, reader.offset, nil, "\(what). Use that version.")
            return false
        case .attest, .damage:
            break
        }
        let outside = isLast ? evidence : next.map { $0.first - min(1, $0.first) } ?? 0
        var found = tail ?? TailEvidence()
        if tail == nil, max(reader.durable, outside) < reader.next {
            found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
        }
        let proven = max(reader.durable, found.durable, outside)
        var what = "the log ends too early"
        if case .damage(let damage) = end { what = damage.sentence }
        guard proven >= reader.next else {
            noteTail(reader, file, end, found, what, isLast)
            return false
        }
        let from = reader.offset
        let lost = reader.next
        let goesOn = try reader.resynchronize(before: limit)
        let upTo = goesOn ? max(lost, reader.next - min(1, reader.next)) : proven
        add(
            .corrupt, file, from, lost...upTo,
            "\(what). Commits \(lost) to \(upTo) were durable and can't be read. Restore a backup.")
        return goesOn
    }

    private mutating func noteTail(
        _ reader: SegmentReader, _ file: String, _ end: SegmentReader.End, _ found: TailEvidence, _ what: String,
        _ isLast: Bool
    ) {
        if case .attest = end { return }
        guard isLast else {
            add(.corrupt, file, reader.offset, nil, "\(what). No commit is lost by it.")
            return
        }
        if case .damage(.content) = end {
            add(.corrupt, file, reader.offset, nil, "\(what). Restore a backup.")
            return
        }
        if isClosedEnd(reader) {
            add(
                .derived, file, reader.offset, nil,
                "\(what): the seal of a log that was closed. No commit is lost by it.")
            return
        }
        let torn = found.bytes + (reader.offset - (reader.partialStart?.offset ?? reader.offset))
        guard torn > 0 else { return }
        add(
            .torn, file, reader.offset, nil,
            "\(what), \(torn) bytes. Never acknowledged: a crash, or a writer at work. Opening leaves it aside.")
    }
}
