import Yaprak
import YaprakReplay

/// The snapshots of the probes: each is reached from another one, or from the nearest checkpoint.
final class ProbeSnapshots {
    private let reader: ReplayReader
    private var journey: ReplayJourney?

    init(_ reader: ReplayReader) { self.reader = reader }

    /// The database as of a commit.
    func snapshot(at commit: CommitNumber) throws -> Snapshot {
        if let journey {
            try journey.go(to: commit)
            return journey.snapshot
        }
        let journey = try reader.journey(at: commit)
        self.journey = journey
        return journey.snapshot
    }
}
