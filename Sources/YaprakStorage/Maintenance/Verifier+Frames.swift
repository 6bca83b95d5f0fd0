internal import SystemPackage
internal import YaprakModel

/// The frames of one segment.
extension Verifier {
    mutating func walk(
        _ reader: inout SegmentReader, _ name: FileName, _ next: FileHeader?, isLast: Bool
    ) {
        var next = next
        var isLast = isLast
        var limit: UInt64 { next?.previousEnd ?? .max }
        (looks, hasGoneOn, damagedPlaces) = (0, false, 0)
        defer { noteFurtherDamage(name) }
        do {
            // Evidence found from one damaged frame on serves later ones, too: one search for many.
            var behind: TailEvidence?
            while true {
                guard let end = try step(&reader, limit: limit) else { continue }
                if behind?.durable ?? 0 >= reader.next, case .damage = end {
                    guard try judge(&reader, name, end, limit, next, isLast, &behind) else { return }
                    continue
                }
                if isLast, looks < Self.looksMax {
                    looks += 1
                    // A writer may be active: check again before reporting.
                    if let header = headerOfSuccessor(of: name) {
                        // Opened after a crash within a commit: the successor has its first parts again, which were read here.
                        if header.previousEnd < reader.offset { return }
                        (next, isLast, behind) = (header, false, nil)
                        try reader.window.refresh()
                        continue
                    }
                    var end = end
                    guard let found = try lookAgain(&reader, &end) else { return }
                    if found.isSearched { behind = found }
                    var tail: TailEvidence? = found
                    // Last, so that it is newer than everything else that is known.
                    hasGoneOn = hasLaterSegment(than: name)
                    guard try judge(&reader, name, end, limit, next, true, &tail) else { return }
                    continue
                }
                guard try judge(&reader, name, end, limit, next, isLast, &behind) else { return }
            }
        } catch {
            add(
                .unreadable, name.path(.segment), reader.offset, nil,
                "The file can't be read: \(error). Check the device.")
        }
    }

    /// Reads a frame; returns nil, or why there was none.
    mutating func step(_ reader: inout SegmentReader, limit: UInt64) throws -> SegmentReader.End? {
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
    mutating func lookAtPayload(_ frame: FrameHeader, _ at: UInt64, _ reader: SegmentReader) throws {
        guard frame.type != FrameType.commitGroup.rawValue, frame.storedLength > 0,
            try reader.payload(of: frame, at: at) == nil
        else { return }
        add(
            .derived, reader.name, at, nil,
            "\(FrameDamage.payload.sentence), in a frame without commits. No commit is lost by it.")
    }

    /// Verifies the seal of a segment that has a successor. A crash may have prevented the seal.
    mutating func lookAtSeal(_ reader: SegmentReader) throws {
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
    func headerOfSuccessor(of name: FileName) -> FileHeader? {
        guard let next = try? directory.list().segments.first(where: { $0 > name }), let header = header(next),
            header.previousFirst == name.first, header.previousEpoch == name.epoch
        else { return nil }
        return header
    }

    /// Whether any later segment was made since the directory was listed.
    func hasLaterSegment(than name: FileName) -> Bool {
        (try? directory.list().segments.contains { $0 > name }) ?? false
    }

    /// Checks the apparent end of the newest segment again, where a writer may be active.
    ///
    /// - Parameter end: what was found there, then what is there now.
    /// - Returns: nil if it is no longer the end, or the writer has sealed the segment there: everything before it was
    ///   checked, and what is later is left to the next check. Otherwise the evidence after it.
    mutating func lookAgain(
        _ reader: inout SegmentReader, _ end: inout SegmentReader.End
    ) throws -> TailEvidence? {
        var found = TailEvidence()
        switch end {
        case .seal, .limit, .damage(.newer), .damage(.content): return found
        case .attest, .damage: break
        }
        for pause: UInt32 in [0, 2000, 20_000] {
            if pause > 0 { directory.segments.waitForOthers(microseconds: pause) }
            try reader.window.refresh()
            // First the evidence after the frame, then the frame: the second read sees everything that the first one saw.
            found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
            try reader.window.refresh()
            guard let now = try step(&reader, limit: .max) else { return nil }
            if case .seal = now { return nil }
            end = now
            if case .attest = end, found.durable < reader.next { return found }
            // Nothing there, or evidence that this commit was durable: it is damage, and no writer is active.
            if found.bytes == 0 || found.durable >= reader.next { return found }
        }
        return found
    }

    /// Records the meaning of an end; true if there is more to read after it.
    ///
    /// - Parameter behind: the evidence behind it or behind an earlier end; set if it is searched for.
    mutating func judge(
        _ reader: inout SegmentReader, _ name: FileName, _ end: SegmentReader.End, _ limit: UInt64,
        _ next: FileHeader?, _ isLast: Bool, _ behind: inout TailEvidence?
    ) throws -> Bool {
        let file = name.path(.segment)
        // A writer may have made others since the directory was listed, and pruned those that came after this.
        let hasGoneOn = isLast && hasGoneOn
        switch end {
        case .limit:
            if level > 0 { try lookAtSeal(reader) }
            return false
        case .seal(let seal):
            guard isLast, !hasGoneOn else { return false }
            guard seal.kind != Layout.sealClosed else {
                guard evidence >= reader.next else { return false }
                let lost = reader.next...evidence
                add(
                    .corrupt, file, reader.offset, lost,
                    "The segment ends too early, or one after it is missing. \(lost.commitsSentence("was", "were")) "
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
        let outside = hasGoneOn ? 0 : isLast ? evidence : next.map { $0.first - min(1, $0.first) } ?? 0
        if behind == nil, max(reader.durable, outside) < reader.next {
            behind = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
        }
        let found = behind?.seen(from: reader.offset) ?? TailEvidence()
        let proven = max(reader.durable, found.durable, outside)
        var what = "the log ends too early"
        if case .damage(let damage) = end { what = damage.sentence }
        guard proven >= reader.next else {
            if hasGoneOn { return false }
            noteTail(reader, file, end, found, what, isLast)
            return false
        }
        let from = reader.offset
        let lost = reader.next
        let isWithin = reader.partialStart != nil
        let goesOn = try reader.resynchronize(before: limit)
        let upTo = goesOn ? max(lost, reader.next - min(1, reader.next)) : proven
        damagedPlaces += 1
        guard damagedPlaces <= Self.damagedPlacesMax else { return goesOn }
        if goesOn, reader.next == lost, !isWithin {
            // The commit that was expected there comes next.
            add(
                .corrupt, file, from, nil,
                "\(what), in a frame without commits. No commit is lost by it. Run `yaprak repair`.")
            return goesOn
        }
        add(
            .corrupt, file, from, lost...upTo,
            "\(what). \((lost...upTo).commitsSentence("was", "were")) durable and can't be read. Restore a backup.")
        return goesOn
    }

    /// Says how many damaged places of a segment were left out of the findings.
    mutating func noteFurtherDamage(_ name: FileName) {
        let more = damagedPlaces - Self.damagedPlacesMax
        guard more > 0 else { return }
        add(
            .corrupt, name.path(.segment), nil, nil,
            "\(more.grouped) more \(more.word("place is", "places are")) damaged. Restore a backup.")
    }

    mutating func noteTail(
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
            "\(what), \(torn.counted("byte")). Never acknowledged: a crash, or a writer at work. Opening leaves it aside."
        )
    }
}
