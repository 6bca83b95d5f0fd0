internal import YaprakModel

/// The readable parts of a log, damaged or not: runs of commits without a gap, and the damage between them.
///
///     segments   ├─ run 1…41 ─┤ damage ├─ run 44…90 ──┼── continued ────┤
struct LogSurvey {
    /// A place in a segment at which reading can start.
    struct Start {
        let name: FileName
        var offset: UInt64
        var chain: UInt64
        var next: UInt64
    }

    /// Consecutive commits.
    struct Run {
        let start: Start
        let first: UInt64
        var last: UInt64
        /// Why it ends; nil at the end of the log.
        var damage: (file: String, offset: UInt64, what: String)?
        /// Whether it is history. If not, it may be the rest of a failed write: it is behind damage in a segment that was not the
        /// last one, and nothing says that it was written before that segment ended.
        var isTrusted = true
    }

    private(set) var runs: [Run] = []
    /// The newest commit that the files prove to have been durable.
    private(set) var proven: UInt64 = 0

    private let directory: any Directory
    private let names: [FileName]
    private let headers: [FileHeader?]
    /// The last segment that is not another database's. It may be damaged.
    private let newest: FileName?
    /// The segment that each one is followed by, as that one's header says.
    private let successors: [FileName: FileHeader]
    private let lineage: Lineage
    private let evidence: Evidence
    /// Whether an item is the commit of that number. If it is not, it can't be replayed, even if its checksums are right.
    private let accepts: @Sendable (UInt64, [UInt8]) -> Bool
    /// Where reading of the last readable segment so far ended.
    private var ending: Ending?

    /// Where reading of a segment ended.
    private struct Ending {
        let name: FileName
        var offset: UInt64
        var chain: UInt64
        var next: UInt64
        /// Whether the last run leads to this place, and no commit has only begun there.
        var isReached: Bool
        /// Whether everything that was read is known to be before the end of the log, so that none of it is the rest of a
        /// failed write.
        var isTrusted: Bool
    }

    /// Reads every segment once.
    ///
    /// - Parameters:
    ///   - evidence: what other files say about the segments.
    ///   - accepts: whether an item is the commit of that number.
    /// - Throws: `newerFormat`, `DiskError`.
    init(
        _ directory: any Directory, _ names: [FileName], _ lineage: Lineage, _ evidence: Evidence,
        accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool
    ) throws {
        self.accepts = accepts
        self.directory = directory
        self.names = names
        self.lineage = lineage
        self.evidence = evidence
        proven = evidence.proven
        let found = try names.map { try Self.header($0, in: directory) }
        headers = found.map { $0.flatMap { lineage.accepts($0) ? $0 : nil } }
        newest = found.lastIndex { $0.map(lineage.accepts) ?? true }.map { names[$0] }
        successors = Dictionary(headers.compactMap { $0 }.map { ($0.previous, $0) }) { first, _ in first }
        try walk { _, _, _ in }
    }

    /// Calls `body` with every commit of every run, in the order of the segments, and whether that run is trusted.
    func forEachCommit(_ body: (UInt64, [UInt8], Bool) throws -> Void) throws {
        var copy = self
        copy.runs = []
        copy.ending = nil
        try copy.walk { run, number, item in
            // A file may have changed since.
            try body(number, item, run < runs.count && runs[run].isTrusted)
        }
    }

    /// Gets the index of the run of a commit, its number, and the commit.
    private typealias Body = (Int, UInt64, [UInt8]) throws -> Void

    /// The header of a segment, maybe of another database's; nil if it does not verify.
    private static func header(_ name: FileName, in directory: any Directory) throws -> FileHeader? {
        let (file, result) = try DatabaseDirectory.open(name, .segment, in: directory)
        defer { try? file.close() }
        if case .failure(.newer) = result { _ = try LogError.proven(result, name) }
        return try? result.get()
    }

    private mutating func walk(_ body: Body) throws {
        for (index, name) in names.enumerated() {
            guard let header = headers[index] else {
                end(name, 0, "the header of the file does not verify")
                continue
            }
            let (file, _) = try DatabaseDirectory.open(name, .segment, in: directory)
            defer { try? file.close() }
            let reader = SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
            proven = max(proven, min(header.attested, lineage.lastShared(with: header)))
            try walk(reader, name, limit: successors[name]?.previousEnd, isLast: name == newest, body)
        }
    }

    /// Whether a segment continues the last run.
    ///
    /// The chain is a hash of everything before it: where it is the same, so is the history. Where a damaged frame without
    /// commits hides it, the segment follows the one that it names and no commit is missing, as opening takes it. If the
    /// segment that it names is gone, nothing here contradicts the numbers, unless one of both is from a copy.
    private func isContinued(by header: FileHeader, _ name: FileName) -> Bool {
        guard let run = runs.last, let ending, ending.isReached, ending.next == header.first,
            run.last + 1 == header.first
        else { return false }
        if header.previousChain == ending.chain { return true }
        if header.previous == ending.name { return ending.offset < header.previousEnd }
        return run.damage == nil && ending.isTrusted && evidence.borrowed[name] == nil
            && evidence.borrowed[ending.name] == nil && !isListed(header.previous)
    }

    private func isListed(_ name: FileName) -> Bool {
        let place = names.partitioningIndex { $0 >= name }
        return place < names.count && names[place] == name
    }

    /// - Parameter limit: where the segment ends, if another one says that it follows it there.
    private mutating func walk(
        _ first: SegmentReader, _ name: FileName, limit: UInt64?, isLast: Bool, _ body: Body
    ) throws {
        var reader = first
        let bound = evidence.borrowed[name] ?? .max
        let lastShared = lineage.lastShared(with: reader.header)
        let isNewest = name >= max(newest ?? name, evidence.newestSegment ?? name)
        var goesOn = isContinued(by: reader.header, name)
        if goesOn {
            runs[runs.count - 1].damage = nil
            // The chain proves it, or it was trusted before.
            runs[runs.count - 1].isTrusted = true
        }
        /// Where a commit began that goes on in the next frame.
        var part: Start?
        var durableBehind: UInt64?
        var isTrusted = true
        var isHistory = true
        /// Called before the search for later frames, which moves the reader.
        func here() -> Ending {
            Ending(
                name: name, offset: reader.offset, chain: reader.chain, next: reader.next,
                isReached: goesOn && reader.partialStart == nil, isTrusted: isTrusted)
        }
        while true {
            let start = Start(name: name, offset: reader.offset, chain: reader.chain, next: reader.next)
            var commits: [(number: UInt64, item: [UInt8])] = []
            switch try reader.step(
                limit: limit ?? .max, { number, item, _, _ in commits.append((number, [UInt8](item))) })
            {
            case .frame:
                guard commits.last.map({ $0.number < bound }) ?? true else {
                    goesOn = false
                    ending = here()
                    return
                }
                // What the database that this was forked from has made since.
                let isPast = (reader.partialStart == nil ? reader.next - 1 : reader.next) > lastShared
                if isPast { commits.removeAll { $0.number > lastShared } }
                guard !isPast || !commits.isEmpty else {
                    ending = Ending(
                        name: name, offset: start.offset, chain: start.chain, next: start.next,
                        isReached: goesOn && part == nil, isTrusted: isTrusted)
                    return
                }
                guard commits.allSatisfy({ accepts($0.number, $0.item) }) else {
                    end(name, start.offset, "a commit is not in the form of this version")
                    (goesOn, part) = (false, nil)
                    continue
                }
                if reader.partialStart != nil {
                    part = part ?? start
                    continue
                }
                if let last = commits.last {
                    if goesOn {
                        runs[runs.count - 1].last = last.number
                    } else {
                        runs.append(
                            Run(start: part ?? start, first: start.next, last: last.number, isTrusted: isHistory))
                        goesOn = true
                    }
                }
                for commit in commits { try body(runs.count - 1, commit.number, commit.item) }
                part = nil
                if isPast {
                    ending = here()
                    ending?.next = lastShared + 1
                    return
                }
            case .end(.damage(.newer(let what))):
                throw LogError.newer(what, in: name.path(.segment), at: reader.offset)
            case .end(let found):
                let stop = here()
                ending = stop
                proven = max(proven, min(reader.durable, lastShared))
                guard case .damage(let damage) = found else { return }
                // Evidence found from one damaged frame on serves all later ones: a segment is searched once.
                if durableBehind == nil, reader.durable < reader.next {
                    durableBehind = try TailEvidence.find(
                        in: reader.window, of: reader.header, from: reader.offset
                    ).durable
                }
                let durable = max(reader.durable, durableBehind ?? 0)
                proven = max(proven, min(durable, lastShared))
                let goes = try reader.resynchronize(before: limit ?? .max) && reader.next <= lastShared
                part = nil
                if goes {
                    isTrusted = limit != nil || durable >= reader.next || evidence.proves(reader, name)
                    isHistory = isTrusted || isNewest
                    // Whether it was a frame without commits: the log goes on with the commit that was expected there.
                    if isTrusted, stop.isReached, reader.next == stop.next { continue }
                }
                // Zeros, and a rest at the end of the log that was never acknowledged, are not damage.
                if goes || !isLast || proven >= stop.next {
                    let doubt = ", and what is behind it may be the rest of a failed write"
                    end(name, stop.offset, damage.sentence + (goes && !isHistory ? doubt : ""))
                }
                guard goes else { return }
                goesOn = false
            }
        }
    }

    private mutating func end(_ name: FileName, _ offset: UInt64, _ what: String) {
        guard let last = runs.last, last.damage == nil else { return }
        runs[runs.count - 1].damage = (name.path(.segment), offset, what)
    }
}

extension FileHeader {
    /// The segment before this one; the newest one when a checkpoint was begun. Of no file if there was none.
    var previous: FileName { FileName(first: previousFirst, epoch: previousEpoch) }
}
