import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Prints the probes, and the commit that was found.
struct BisectPrinter {
    private let format: OutputFormat
    private let reader: ReplayReader
    private let console: Console
    private var rows: RowWriter

    init(_ format: OutputFormat, _ reader: ReplayReader, _ console: Console) {
        self.format = format
        self.reader = reader
        self.console = console
        rows = RowWriter(
            format,
            [
                Column(name: "probe", isNumber: true), Column(name: "commit", isNumber: true),
            ] + Column.time + [Column(name: "verdict"), Column(name: "left", isNumber: true)], console)
    }

    /// Prints a probe: what the commit is, and how many may still be the first bad one.
    mutating func write(
        _ commit: CommitNumber, _ verdict: ReplayBisection.Verdict, _ search: ReplayBisection
    ) throws {
        let left: CBORValue =
            if case .notBad? = search.outcome { 0 } else { .unsigned(search.bad.rawValue - search.good.rawValue) }
        let made = try self.commit(commit)
        try rows.write(
            [
                .count(search.probeCount), .number(commit), made.map { .text($0.isoTime) } ?? .null,
                made.map { .integer($0.nanosecondsSince1970) } ?? .null, .text(verdict.rawValue), left,
            ])
        // Probes may take long; who waits sees each.
        if format == .ndjson { try console.flush() }
    }

    /// Ends the list.
    mutating func finish() throws { try rows.finish() }

    /// Ends the list and shows the commit, as far as the log has it.
    mutating func finish(found number: CommitNumber, isOldest: Bool) throws {
        let commit = try commit(number).map { ShownCommit(commit: $0, collections: $0.collections) }
        switch format {
        case .table:
            try rows.finish()
            try console.out.write("\ncommit \(number) is the first bad one\(isOldest ? " in reach" : "")\n\n")
            if commit != nil { try CommitPrinter.show(number, in: reader, .table, console) }
        case .json, .ndjson:
            var pairs: [CBORValue.Pair] = [.init("firstBad", .number(number))]
            if isOldest { pairs.append(.init("isOldestInReach", true)) }
            if let commit { pairs.append(.init("commit", .map(try CommitPrinter.members(of: commit)))) }
            try rows.write([], json: .map(pairs))
            try rows.finish()
        case .csv, .markdown:
            try rows.write(
                [
                    .null, .number(number), commit.map { .text($0.commit.isoTime) } ?? .null,
                    commit.map { .integer($0.commit.nanosecondsSince1970) } ?? .null, "first bad", .null,
                ])
            try rows.finish()
        }
    }

    /// The commit, if the log still has it.
    private func commit(_ number: CommitNumber) throws -> ReplayCommit? {
        guard let oldest = try reader.oldestCommitNumber(), number >= oldest, number > 0 else { return nil }
        var commits = reader.commits(from: number, through: number).makeAsyncIterator()
        do throws(DatabaseError) { return try commits.next() } catch {
            // The search says so, and goes on.
            guard error.code == .corruptLog else { throw error }
            return nil
        }
    }
}
