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
    }

    private(set) var runs: [Run] = []
    /// The newest commit that the files prove to have been durable.
    private(set) var proven: UInt64 = 0

    private let directory: any Directory
    private let names: [FileName]
    private let lineage: Lineage
    /// Whether an item is the commit of that number. If it is not, it can't be replayed, even if its checksums are right.
    private let accepts: @Sendable (UInt64, [UInt8]) -> Bool

    /// Reads every segment once.
    ///
    /// - Parameter proven: the newest commit that a file outside of the segments proves to have been durable.
    /// - Throws: `newerFormat`, `DiskError`.
    init(
        _ directory: any Directory, _ names: [FileName], _ lineage: Lineage, proven: UInt64,
        accepts: @escaping @Sendable (UInt64, [UInt8]) -> Bool
    ) throws {
        self.accepts = accepts
        self.directory = directory
        self.names = names
        self.lineage = lineage
        self.proven = proven
        try walk { _, _ in }
    }

    /// Calls `body` with every commit of every run, in the order of the segments.
    func forEachCommit(_ body: (UInt64, [UInt8]) throws -> Void) throws {
        var copy = self
        copy.runs = []
        try copy.walk(body)
    }

    private func header(_ index: Int) throws -> FileHeader? {
        guard index < names.count else { return nil }
        let (file, result) = try DatabaseDirectory.open(names[index], .segment, in: directory)
        defer { try? file.close() }
        if case .failure(.newer) = result { _ = try LogError.proven(result, names[index]) }
        guard let header = try? result.get(), lineage.accepts(header) else { return nil }
        return header
    }

    private mutating func walk(_ body: (UInt64, [UInt8]) throws -> Void) throws {
        for (index, name) in names.enumerated() {
            guard let header = try header(index) else {
                end(name, 0, "the header of the file does not verify")
                continue
            }
            let (file, _) = try DatabaseDirectory.open(name, .segment, in: directory)
            defer { try? file.close() }
            let reader = SegmentReader(name: name.path(.segment), header: header, window: try ReadWindow(file))
            proven = max(proven, header.attested)
            let next = try self.header(index + 1)
            try walk(reader, name, limit: next?.previousEnd ?? .max, isLast: index + 1 == names.count, body)
        }
    }

    private mutating func walk(
        _ first: SegmentReader, _ name: FileName, limit: UInt64, isLast: Bool,
        _ body: (UInt64, [UInt8]) throws -> Void
    ) throws {
        var reader = first
        // A run continues in the next segment if its header says so.
        var goesOn = runs.last.map { $0.damage == nil && $0.last + 1 == reader.next } ?? false
        var isSearched = false
        while true {
            let start = Start(name: name, offset: reader.offset, chain: reader.chain, next: reader.next)
            let isPartial = reader.partialStart != nil
            var commits: [(number: UInt64, item: [UInt8])] = []
            switch try reader.step(limit: limit, { number, item, _, _ in commits.append((number, [UInt8](item))) }) {
            case .frame:
                guard commits.allSatisfy({ accepts($0.number, $0.item) }) else {
                    end(name, start.offset, "a commit is not in the form of this version")
                    goesOn = false
                    continue
                }
                for commit in commits { try body(commit.number, commit.item) }
                if !goesOn, reader.next > start.next, !isPartial {
                    runs.append(Run(start: start, first: start.next, last: reader.next - 1))
                    goesOn = true
                } else if goesOn, !runs.isEmpty {
                    runs[runs.count - 1].last = reader.next - 1
                }
            case .end(.damage(.newer(let what))):
                throw LogError.newer(what, in: name.path(.segment), at: reader.offset)
            case .end(let found):
                proven = max(proven, reader.durable)
                guard case .damage(let damage) = found else { return }
                // Evidence found from one damaged frame on serves all later ones: a segment is searched once.
                if proven < reader.next, !isSearched {
                    isSearched = true
                    let found = try TailEvidence.find(in: reader.window, of: reader.header, from: reader.offset)
                    proven = max(proven, found.durable)
                }
                let before = reader.offset
                let goes = try reader.resynchronize(before: limit)
                // Zeros, and a rest at the end of the log that was never acknowledged, are not damage.
                if goes || !isLast || proven >= reader.next { end(name, before, damage.sentence) }
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
