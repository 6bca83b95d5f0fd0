/// The directories of one database and their files.
struct DatabaseDirectory: Sendable {
    let root: any Directory
    let segments: any Directory
    let checkpoints: any Directory

    /// What the directories list.
    struct Listing: Sendable {
        var segments: [FileName] = []
        var checkpoints: [FileName] = []
        /// Files of operations that did not finish.
        var temporarySegments: [String] = []
        var temporaryCheckpoints: [String] = []
        /// Files of others, which are left alone.
        var foreign: [String] = []
        /// How many names the folder of the segments has.
        var segmentEntries = 0

        /// The highest epoch in any name.
        var epoch: UInt64 { (segments + checkpoints).map(\.epoch).max() ?? 0 }
    }

    /// Lists both directories by strict patterns.
    func list() throws(DiskError) -> Listing {
        var listing = Listing()
        let names = try segments.list(limit: FormatLimits.directoryEntriesMax)
        listing.segmentEntries = names.count
        for name in names {
            if let file = FileName(name, .segment) {
                listing.segments.append(file)
            } else if FileName.isTemporary(name, .segment) {
                listing.temporarySegments.append(name)
            } else {
                listing.foreign.append("\(Layout.segmentsName)/\(name)")
            }
        }
        for name in try checkpoints.list(limit: FormatLimits.directoryEntriesMax) {
            if let file = FileName(name, .checkpoint) {
                listing.checkpoints.append(file)
            } else if FileName.isTemporary(name, .checkpoint) {
                listing.temporaryCheckpoints.append(name)
            } else {
                listing.foreign.append("\(Layout.checkpointsName)/\(name)")
            }
        }
        listing.segments.sort()
        listing.checkpoints.sort()
        listing.foreign.sort()
        return listing
    }

    /// The lineage of the directory: that of the newest segment, unless another segment's database was forked from it.
    ///
    /// Somebody may have copied the directory that a fork was made from over the fork, and those files may have the highest
    /// numbers. A fork lists its ancestors; they don't list the fork.
    ///
    /// - Parameter skips: which segments that can't be opened say nothing here. Code that needs them reports them.
    func lineage(
        of segments: [FileName], _ newest: Lineage? = nil, skipping skips: (DiskError) -> Bool = \.saysNothing
    ) throws(DiskError) -> Lineage? {
        var lineage = newest
        for name in segments.reversed() {
            let opened: (file: any File, header: Result<FileHeader, HeaderDamage>)
            do throws(DiskError) {
                opened = try Self.open(name, .segment, in: self.segments)
            } catch {
                guard skips(error) else { throw error }
                continue
            }
            try? opened.file.close()
            guard let header = try? opened.header.get() else { continue }
            guard let current = lineage else {
                lineage = header.lineage
                continue
            }
            if header.databaseID != current.id, header.ancestors.contains(where: { $0.id == current.id }) {
                lineage = header.lineage
            }
        }
        return lineage
    }

    /// Opens a file and verifies its header; returns the damage if there is any.
    static func open(
        _ name: FileName, _ kind: FileKind, in directory: any Directory
    ) throws(DiskError) -> (file: any File, header: Result<FileHeader, HeaderDamage>) {
        let file = try directory.open(name.string(kind), .read)
        let bytes = try file.readAll(Layout.fileHeaderBytes, at: 0)
        let proven = Result { () throws(HeaderDamage) in
            let header = try UnprovenFileHeader(bytes: bytes).prove(as: kind)
            guard header.first == name.first, header.epoch == name.epoch else {
                throw .content("the file has the name of another")
            }
            return header
        }
        return (file, proven)
    }
}
