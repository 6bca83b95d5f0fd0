internal import YaprakModel

/// Which files of a copy belong to the history of a damaged directory.
///
/// Both have one history up to the copying. Behind it each may have gone on by itself: the original, because a program was
/// writing; the copy, because somebody opened it. What came later in the copy is no part of this history, although its
/// database and the names of its files may be the same.
///
///     own     ├── 1-1 ───────────────────┼── 101-1 ──
///     copy    ├── 1-1 ────┤               still open when it was copied
///                         └── 51-2 ──    written when the copy was opened: refused
struct DonorFiles {
    /// The files of the copy that may be read; of a segment that both have, the frames that are damaged here.
    private(set) var segments: Set<FileName> = []
    private(set) var checkpoints: Set<FileName> = []
    /// Those of the segments that only the copy has.
    private(set) var borrowed: Set<FileName> = []

    private let own: DatabaseDirectory
    private let donor: DatabaseDirectory
    private let ownHeaders: Headers
    private let headers: Headers
    private let lineage: Lineage?
    private let closing: ClosingMark?
    /// The segments that are or were here, ascending: those that the checkpoints and the mark of the last close name, too.
    private let ownNames: [FileName]
    private let ownSegments: Set<FileName>
    /// The newest commit of a checkpoint that the copy does not have.
    private var newestOwnState: UInt64 = 0
    /// The openings of which both have a file.
    private var sharedEpochs: Set<UInt64> = []
    /// The newest segment of the copy that is known to be of this history. So are all before it.
    private var newestKin: FileName?
    /// The segments of the copy by the one that each of them names as the one before it.
    private let successors: [FileName: [FileHeader]]
    /// How far the segments here lead that those name.
    private var reaches: [FileName: SegmentReaches] = [:]

    /// The headers that verify.
    private struct Headers {
        var segments: [FileName: FileHeader] = [:]
        var checkpoints: [FileName: FileHeader] = [:]
        var listing = DatabaseDirectory.Listing()

        init(_ directory: DatabaseDirectory, _ lineage: Lineage?) throws(DiskError) {
            listing = try directory.list()
            segments = Self.read(listing.segments, .segment, directory.segments, lineage)
            checkpoints = Self.read(listing.checkpoints, .checkpoint, directory.checkpoints, lineage)
        }

        private static func read(
            _ names: [FileName], _ kind: FileKind, _ directory: any Directory, _ lineage: Lineage?
        ) -> [FileName: FileHeader] {
            var headers: [FileName: FileHeader] = [:]
            for name in names {
                guard let (file, result) = try? DatabaseDirectory.open(name, kind, in: directory) else { continue }
                try? file.close()
                guard let header = try? result.get(), lineage?.accepts(header) ?? true else { continue }
                headers[name] = header
            }
            return headers
        }
    }

    /// - Throws: `DiskError`. - Complexity: O(bytes of the segments of both).
    init(_ own: DatabaseDirectory, _ donor: DatabaseDirectory) throws {
        self.own = own
        self.donor = donor
        lineage = try StoreReader(directory: own).lineage(of: try own.list(), skipping: { _ in true })
        ownHeaders = try Headers(own, lineage)
        headers = try Headers(donor, lineage)
        successors = Dictionary(grouping: headers.segments.values, by: \.previous)
        let mark = ClosingMark.read(in: own.root)
        closing = mark?.database == lineage?.id ? mark : nil
        // A checkpoint of the database that this was forked from may name a segment behind the fork.
        let named = ownHeaders.checkpoints.values
            .filter { [lineage] in $0.databaseID == lineage?.id && $0.previousEpoch > 0 }.map(\.previous)
        ownSegments = Set(ownHeaders.listing.segments)
        ownNames = Set(ownHeaders.listing.segments + named + (closing.map { [$0.segment] } ?? [])).sorted()
        findShared()
        findKin()
        for name in headers.listing.segments {
            guard isAccepted(name) else { continue }
            borrowed.insert(name)
            segments.insert(name)
        }
        for name in headers.listing.checkpoints where isAcceptedCheckpoint(name) { checkpoints.insert(name) }
    }

    // MARK: Files of both

    private mutating func findShared() {
        for (name, header) in headers.segments {
            guard ownSegments.contains(name) else { continue }
            // The salt is in the header: no two files have the same one. Frames verify with it in their own file only.
            let isShared = ownHeaders.segments[name].map { $0 == header } ?? holdsFrame(name, of: header)
            guard isShared else { continue }
            segments.insert(name)
            noteKin(name)
        }
        for (name, header) in headers.checkpoints where ownHeaders.checkpoints[name] == header {
            checkpoints.insert(name)
            sharedEpochs.insert(name.epoch)
        }
        newestOwnState = ownHeaders.listing.checkpoints.last { !checkpoints.contains($0) }?.first ?? 0
    }

    /// Whether a file whose own header is damaged has a frame of the segment with this header.
    private func holdsFrame(_ name: FileName, of header: FileHeader) -> Bool {
        (try? forEachFrame(name, of: header, in: own.segments) { _, _ in true }) ?? false
    }

    /// A segment that only the copy has is of this history if one that follows it here says where it ends, or the mark of
    /// the last clean close knows its salt.
    private mutating func findKin() {
        if let closing, let theirs = headers.segments[closing.segment], closing.names(closing.segment, theirs) {
            noteKin(closing.segment)
        }
        var seen: Set<FileName> = []
        for name in ownHeaders.listing.segments {
            guard let header = ownHeaders.segments[name] else { continue }
            let before = header.previous
            guard newestKin.map({ $0 < before }) ?? true, ownHeaders.segments[before] == nil,
                let theirs = headers.segments[before], seen.insert(before).inserted
            else { continue }
            let isEmpty =
                header.previousEnd == UInt64(Layout.fileHeaderBytes) && header.previousChain == theirs.previousChain
            let ends = try? forEachFrame(before, of: theirs, in: donor.segments) { at, frame in
                at + UInt64(frame.totalLength) == header.previousEnd && frame.headerSum == header.previousChain
            }
            if name > before, isEmpty || ends ?? false { noteKin(before) }
        }
    }

    private mutating func noteKin(_ name: FileName) {
        sharedEpochs.insert(name.epoch)
        newestKin = max(newestKin ?? name, name)
    }

    /// Whether a frame of a segment meets a condition. Reads headers only.
    private func forEachFrame(
        _ name: FileName, of header: FileHeader, in directory: any Directory,
        until condition: (UInt64, FrameHeader) -> Bool
    ) throws -> Bool {
        let file = try directory.open(name.string(.segment), .read)
        defer { try? file.close() }
        let window = try ReadWindow(file)
        var scan = FrameScan(window, from: UInt64(Layout.fileHeaderBytes), before: window.size)
        while let at = try scan.next(), let bytes = try window.bytes(at: at, count: Layout.frameHeaderBytes) {
            if case .success(let frame) = UnprovenFrameHeader(bytes: bytes).prove(in: header, at: at, end: window.size),
                condition(at, frame)
            {
                return true
            }
        }
        return false
    }

    // MARK: Files that only the copy has

    private mutating func isAccepted(_ name: FileName) -> Bool {
        guard ownHeaders.segments[name] == nil, !segments.contains(name), let header = headers.segments[name] else {
            return false
        }
        return isInOrder(name, header) && reachesClosing(name, header) && isKin(name) && follows(header)
    }

    /// Whether a segment behind that of the last clean close here begins where it ended: what the mark calls durable was there
    /// before it, also where nothing is left of that.
    private func reachesClosing(_ name: FileName, _ header: FileHeader) -> Bool {
        guard let closing, closing.segment < name else { return true }
        if header.previous == closing.segment, header.previousEnd < closing.end { return false }
        return header.attested >= closing.last
    }

    /// Whether it has a place among the segments that are or were here: each names the one before it, and no opening has
    /// segments behind those of a later one.
    private func isInOrder(_ name: FileName, _ header: FileHeader) -> Bool {
        let place = ownNames.partitioningIndex { $0 >= name }
        if place > 0 {
            let before = ownNames[place - 1]
            guard before.epoch <= name.epoch, header.previous >= before else { return false }
        }
        guard let after = ownNames[place...].first(where: { $0 > name }) else { return true }
        guard after.epoch >= name.epoch else { return false }
        return ownHeaders.segments[after].map { $0.previous >= name } ?? true
    }

    /// Whether the segment before it ends where this one says: no commit that this one begins with is there, too.
    ///
    /// After a crash the commits of which nothing said that they were durable are in both, and `attested` counts them.
    private mutating func follows(_ header: FileHeader) -> Bool {
        let before = header.previous
        if borrowed.contains(before) { return true }
        // A program may have pruned it in one of both. Where both have another under its name, it is none of this history.
        guard headers.segments[before] == nil || segments.contains(before) else { return false }
        guard let theirs = headers.segments[before] ?? ownHeaders.segments[before] else { return true }
        if reaches[before] == nil { reaches[before] = findReaches(of: before, theirs) }
        return reaches[before]?.newestCommit(behind: header).map { $0 <= header.attested } ?? false
    }

    /// What a segment here has where those of the copy say that it ends: nothing if it can't be read.
    private func findReaches(of name: FileName, _ header: FileHeader) -> SegmentReaches {
        do {
            let file = try own.segments.open(name.string(.segment), .read)
            defer { try? file.close() }
            let reader = SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
            return try SegmentReaches(reader, successors: successors[name] ?? [])
        } catch {
            return SegmentReaches()
        }
    }

    /// Whether it is known that it was written before the copying, or there is nothing later here that it could contradict.
    private func isKin(_ name: FileName) -> Bool {
        if sharedEpochs.contains(name.epoch) { return true }
        if let newestKin, name <= newestKin { return true }
        if let newest = ownNames.last, newest > name || closing?.segment == name { return false }
        return newestOwnState < name.first
    }

    /// Whether a checkpoint of the copy is the state of a commit of this history: the newest segment when it was made is of
    /// this history, and no later one here begins before it.
    private func isAcceptedCheckpoint(_ name: FileName) -> Bool {
        guard ownHeaders.checkpoints[name] == nil, let header = headers.checkpoints[name] else { return false }
        let segment = header.previous
        // Of a database that this was forked from, before the fork: its segments are others.
        if let lineage, header.databaseID != lineage.id { return true }
        // Of a repair, which names none.
        if header.previousEpoch == 0 { return newestKin.map { name.epoch <= $0.epoch } ?? true }
        let isOfKin = newestKin.map { segment <= $0 } ?? false || segments.contains(segment)
        return isOfKin && bound(of: segment) > name.first
    }

    // MARK: Bounds

    /// The first commit that a segment of the copy says nothing about: one behind it was begun with that commit here.
    func bound(of name: FileName) -> UInt64 {
        let place = ownNames.partitioningIndex { $0 > name }
        return place < ownNames.count ? ownNames[place].first : .max
    }
}
