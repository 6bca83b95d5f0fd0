internal import SystemPackage
internal import YaprakModel

/// The segments of the log, and how they follow one another.
extension Verifier {
    mutating func log() {
        noteClosing()
        noteMissingLog()
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
            let next = index + 1 < listing.segments.count ? listing.segments[index + 1] : nil
            let nextHeader = next.flatMap { header($0) }
            // Where a writer has pruned the next one, this is the last of those that can be read together.
            let isLast = next.map { nextHeader == nil && isPruned($0) } ?? true
            walk(&reader, name, nextHeader, isLast: isLast)
            previous = (name, reader)
            done = done.addingClamped(reader.window.size)
        }
    }

    /// The mark of the last clean close counts unless there is a later segment.
    mutating func noteClosing() {
        guard let closing else { return }
        let newest = listing.segments.last.map { (name: $0, header: header($0)) }
        let proven = closing.evidence(for: lineage, newest: newest)
        guard listing.segments.isEmpty, proven > evidence else {
            evidence = max(evidence, proven)
            return
        }
        let lost = evidence + 1...proven
        add(
            .corrupt, closing.segment.path(.segment), nil, lost,
            "The segment is missing. \(lost.commitsSentence("was", "were")) durable. Restore it, or a backup.")
    }

    /// The newest checkpoint names the segment of its time.
    private mutating func noteMissingLog() {
        // A writer may have made both since the segments were listed.
        guard let newestCheckpoint, newestCheckpoint.missingSegment(listing.segments, of: lineage) != nil,
            let segments = try? directory.list().segments,
            let missing = newestCheckpoint.missingSegment(segments, of: lineage),
            report.severity != .corrupt
        else { return }
        add(
            .corrupt, missing.path(.segment), nil, nil,
            "The segments since checkpoint \(newestCheckpoint.first) are missing. Restore them, or a backup.")
    }

    /// Whether the last clean close proves that the log ends here.
    func isClosedEnd(_ reader: SegmentReader) -> Bool {
        guard let closing else { return false }
        let name = FileName(first: reader.header.first, epoch: reader.header.epoch)
        return closing.names(name, reader.header) && closing.end == reader.offset && closing.chain == reader.chain
    }

    /// Whether a segment is gone that was listed before.
    private func isPruned(_ name: FileName) -> Bool {
        (try? directory.list().segments.contains(name)) == false
    }

    func header(_ name: FileName) -> FileHeader? {
        try? DatabaseDirectory.open(name, .segment, in: directory.segments).header.get()
    }

    mutating func open(_ name: FileName, _ isFirst: inout Bool) -> SegmentReader? {
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
            if name == listing.segments.last { isOvertaken = true }
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

    mutating func first(_ reader: SegmentReader, _ name: FileName) {
        let needed = (oldestCheckpoint ?? 0) + 1
        guard name.first > needed else { return }
        add(
            .corrupt, name.path(.segment), 0, needed...name.first - 1,
            "The log starts too late: the segments before it are missing. Restore them, or a backup.")
    }

    mutating func link(
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
        if header.followsHole, before.offset == header.previousEnd, before.chain == header.previousChain,
            before.next < header.first
        {
            let missing = before.next...header.first - 1
            add(
                .clean, name.path(.segment), 0, missing,
                LogError.missing(missing) + " States after that are reached from the next checkpoint.")
            return
        }
        guard before.offset == header.previousEnd, before.chain == header.previousChain, before.next == header.first
        else {
            add(.corrupt, name.path(.segment), 0, nil, "It does not follow the segment before it. Restore a backup.")
            return
        }
    }
}
