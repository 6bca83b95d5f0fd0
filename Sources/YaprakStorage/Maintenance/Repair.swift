package import SystemPackage
package import YaprakModel

/// The options of a repair.
package struct RepairOptions: Sendable {
    /// Skip what can't be read instead of ending there.
    package var salvages = false
    /// Leave out every section of derived state, not only damaged ones.
    package var dropsDerived = false
    /// A copy of the directory that may have what is damaged here.
    package var donor: FilePath?

    package init() {}
}

/// Saves the readable data of a damaged directory into a new one. The source is only read.
///
///     let repair = try Repair(reader, options)
///     print(repair.plan.losses)
///     try repair.perform(to: "repaired.yaprak", …)
package struct Repair {
    /// The plan. It and all that follows is set while the repair is made; later it is only read.
    package internal(set) var plan = RepairPlan()

    let store: StoreReader
    let options: RepairOptions
    let lineage: Lineage
    let epoch: UInt64
    let survey: LogSurvey
    /// The runs that may be in the result. Others are lost: they may be the rest of failed writes.
    let history: [LogSurvey.Run]
    let damages: RunDamages
    var names: [(name: FileName, isDerivedDamaged: Bool)] = []
    /// Whether the result begins with an empty state at its first commit, because no other state leads there.
    var beginsEmpty = false

    /// Reads everything and plans. Takes no lock.
    ///
    /// - Parameter accepts: whether an item is the commit of that number. If not, it counts as damaged.
    /// - Throws: `notADatabase` if nothing can be saved, `newerFormat`, `ioFailed`; what opening the donor throws.
    /// - Complexity: O(bytes of the directory).
    package init(
        _ reader: StoreReader, _ options: RepairOptions, fileSystem: any FileSystem = PosixFileSystem(),
        accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool = { _, _ in true }
    ) throws(DatabaseError) {
        self = try translatingDiskErrors(writing: false) {
            try Repair(planning: reader, options, fileSystem, accepts)
        }
    }

    private init(
        planning reader: StoreReader, _ options: RepairOptions, _ fileSystem: any FileSystem,
        _ accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool
    ) throws {
        var directory = reader.directory
        // The mark of the last close is about the segments here, whatever a copy has.
        let own = try directory.list().segments
        var borrowed: [FileName: UInt64] = [:]
        if let donor = options.donor {
            let other = try StoreReader.open(donor, fileSystem: fileSystem)
            let files = try DonorFiles(directory, other.directory)
            for name in files.borrowed { borrowed[name] = files.bound(of: name) }
            directory = DatabaseDirectory(
                root: directory.root,
                segments: SplicedDirectory(directory.segments, other.directory.segments, .segment, files),
                checkpoints: SplicedDirectory(directory.checkpoints, other.directory.checkpoints, .checkpoint, files))
        }
        store = StoreReader(directory: directory)
        self.options = options
        let closing = ClosingMark.read(in: directory.root)
        let listing = try directory.list()
        guard let lineage = try store.lineage(of: listing) else {
            throw DatabaseError(
                .notADatabase, "No file here has a header that verifies: nothing can be saved. Restore a backup.")
        }
        self.lineage = lineage
        if let last = listing.fileOfLastEpoch {
            throw DatabaseError(
                .overLimit,
                "The name of \(last) has the last epoch that names can count, and a repair needs another. Move that file away.",
                place: .init(file: last))
        }
        epoch = listing.epoch
        // Another database's segment is none of them.
        var newest: (name: FileName, header: FileHeader?)?
        for name in own.reversed() where newest == nil {
            let header = try store.header(name, .segment).header
            if header.map(lineage.accepts) ?? true { newest = (name, header) }
        }
        var evidence = LogSurvey.Evidence(listing.checkpoints, in: directory.checkpoints, lineage, closing)
        evidence.proven = max(evidence.proven, closing?.evidence(for: lineage, newest: newest) ?? 0)
        evidence.borrowed = borrowed
        survey = try LogSurvey(directory.segments, listing.segments, lineage, evidence, accepts: accepts)
        history = survey.runs.filter(\.isTrusted)
        damages = RunDamages(history)
        try chooseCheckpoints(listing, directory)
        if options.salvages { planSalvage() } else { planPrefix() }
    }

    private mutating func chooseCheckpoints(
        _ listing: DatabaseDirectory.Listing, _ directory: DatabaseDirectory
    ) throws {
        for name in listing.checkpoints {
            do {
                let reader = try CheckpointProof.prove(
                    name, in: directory.checkpoints, of: lineage, decompresses: true, allowing: .derived)
                names.append((name, !reader.damagedSections.isEmpty))
            } catch let failure as CheckpointProof.Failure {
                if failure.isNewer { throw LogError.checkpoint(name, failure) }
                plan.damagedCheckpoints.append(name.path(.checkpoint))
            } catch let error as DiskError where error.isAboutNoFile {
                plan.damagedCheckpoints.append(name.path(.checkpoint))
            }
        }
    }

    /// Calls `body` with the commits that are readable and lost nevertheless.
    package func forEachLostCommit(_ body: (CommitNumber, [UInt8]) throws -> Void) throws {
        let lost = plan.losses.map(\.commits)
        guard !lost.isEmpty else { return }
        try survey.forEachCommit { number, item, _ in
            let number = CommitNumber(number)
            // They are in ascending order.
            let place = lost.partitioningIndex { $0.upperBound >= number }
            if place < lost.count, lost[place].contains(number) { try body(number, item) }
        }
    }
}

extension DatabaseDirectory.Listing {
    /// A file whose name has an epoch that no other can come after.
    fileprivate var fileOfLastEpoch: String? {
        func path(_ names: [FileName], _ kind: FileKind) -> String? {
            names.first { $0.epoch >= FileName.epochMax }?.path(kind)
        }
        return path(segments, .segment) ?? path(checkpoints, .checkpoint)
    }
}
