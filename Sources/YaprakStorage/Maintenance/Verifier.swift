internal import SystemPackage
internal import YaprakModel

/// The state of one check.
struct Verifier {
    let directory: DatabaseDirectory
    let listing: DatabaseDirectory.Listing
    /// The mark of the last clean close.
    let closing: ClosingMark?
    let level: Int
    let progress: (UInt64, UInt64, Int) -> Void
    var report = VerifyReport()
    var lineage: Lineage?
    var oldestCheckpoint: UInt64?
    var newestCheckpoint: FileHeader?
    var evidence: UInt64 = 0
    /// Whether a writer has removed the newest segment since it was listed, with commits that are newer than all of these.
    var isOvertaken = false
    /// How often the end of the present segment was looked for again, and whether there were later segments the last time.
    var looks = 0
    var hasGoneOn = false
    /// How many places of the present segment are damaged.
    var damagedPlaces = 0
    /// The bytes of the files that are done, and of all files.
    var done: UInt64 = 0
    var total: UInt64 = 0

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

    /// So often a file system is asked again, in a segment, whether a writer is at work where something is damaged.
    static let looksMax = 8
    /// So many damaged places of a segment are findings of their own.
    static let damagedPlacesMax = 1000

    mutating func run() {
        for name in listing.foreign {
            add(.clean, name, nil, nil, "This is not a file of the database; it is left alone.")
        }
        // Of a checkpoint where there is no segment: the mark of a clean close and the checkpoint say that there was one.
        // A segment that can't be opened is a finding of its own, and the others are checked nevertheless.
        lineage = (try? StoreReader(directory: directory).lineage(of: listing, skipping: { _ in true })) ?? nil
        for name in listing.segments { total = total.addingClamped(size(name, .segment)) }
        for name in listing.checkpoints { total = total.addingClamped(size(name, .checkpoint)) }
        for name in listing.checkpoints {
            checkpoint(name)
            done = done.addingClamped(size(name, .checkpoint))
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

    func size(_ name: FileName, _ kind: FileKind) -> UInt64 {
        let file = try? (kind == .segment ? directory.segments : directory.checkpoints).open(name.string(kind), .read)
        return (try? file?.size()) ?? 0
    }

    /// Whether a writer has removed the file since it was listed.
    func isGone(_ error: any Error) -> Bool {
        (error as? DiskError)?.errno == .noSuchFileOrDirectory
    }

    mutating func add(
        _ severity: VerifyReport.Severity, _ file: String, _ offset: UInt64?, _ commits: ClosedRange<UInt64>?,
        _ message: String
    ) {
        report.findings.append(
            .init(
                severity: severity, file: file, offset: offset,
                commits: commits.map { CommitNumber($0.lowerBound)...CommitNumber($0.upperBound) }, message: message))
    }
}
