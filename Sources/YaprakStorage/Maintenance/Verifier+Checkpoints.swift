internal import SystemPackage
internal import YaprakModel

extension Verifier {
    mutating func checkpoint(_ name: FileName) {
        let file = name.path(.checkpoint)
        do {
            if level > 0 {
                let reader = try CheckpointProof.prove(
                    name, in: directory.checkpoints, of: lineage, decompresses: true, allowing: .derived)
                newestCheckpoint = reader.header
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
                switch header {
                case .success(let proven): newestCheckpoint = proven
                case .failure(let damage):
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
            let lost = failure.isNewer ? nil : lostWithoutLog(name)
            let advice =
                if failure.isNewer {
                    "Use that version."
                } else if let lost {
                    "No segment has \(lost.commitsText()): unless a later checkpoint verifies, opening fails. "
                        + "Restore the segments, or a backup."
                } else {
                    "Opening takes the checkpoint before it, if the log reaches back to that."
                }
            add(failure.isNewer ? .newer : .corrupt, file, failure.offset, lost, "\(failure.what). \(advice)")
        } catch {
            guard !isGone(error) else { return }
            report.checkpoints += 1
            add(.unreadable, file, nil, nil, "The file can't be read: \(error). Check the device.")
        }
    }

    /// The commits that only a damaged checkpoint proves, where there is no log that could have them: `RecoveryBase.judge`.
    private func lostWithoutLog(_ name: FileName) -> ClosedRange<UInt64>? {
        guard listing.segments.isEmpty, let before = newestCheckpoint, before.first < name.first,
            let header = try? DatabaseDirectory.open(name, .checkpoint, in: directory.checkpoints).header.get(),
            lineage?.accepts(header) ?? false
        else { return nil }
        return before.first + 1...name.first
    }
}
