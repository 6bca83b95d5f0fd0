import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Prints what became of a record, commit by commit.
///
///     commit 3  2026-01-01T09:20:00.000Z  ranking  ~
///       rank: 3 → 1
struct RevisionPrinter {
    let format: OutputFormat
    let console: Console
    private(set) var count = 0
    private var rows: RowWriter

    init(format: OutputFormat, console: Console) {
        self.format = format
        self.console = console
        let columns = ["origin", "change", "object", "metadata"].map { Column(name: $0) }
        rows = RowWriter(format, [Column(name: "commit", isNumber: true)] + Column.time + columns, console)
    }

    mutating func write(_ revision: ReplayRevision) throws {
        let commit = revision.commit, time = commit.isoTime
        let kinds = revision.kinds.words
        count += 1
        guard format != .table else {
            let sign = revision.kinds.sign
            let head = console.paint("commit \(commit.commitNumber)", .strong)
            let origin = commit.origin.isEmpty ? "" : "  \(commit.origin.plain)"
            let words = console.paint(kinds.joined(separator: ", "), PatchPrinter.color(sign))
            try console.out.write("\(head)  \(time)\(origin)  \(words)\n")
            let change = ShownChange(
                collection: "", key: "", kinds: revision.kinds, before: revision.before, after: revision.after)
            return try PatchPrinter(console: console).writeFields(of: change, indent: "  ")
        }
        var pairs: [CBORValue.Pair] = [.init("commit", .number(commit.commitNumber))] + commit.timeMembers
        if !commit.origin.isEmpty { pairs.append(.init("origin", .text(commit.origin))) }
        pairs.append(.init("kinds", .array(kinds.map { .text($0) })))
        if let after = revision.after { pairs.append(.init("object", after.object)) }
        if let metadata = revision.after?.metadata { pairs.append(.init("metadata", metadata)) }
        try rows.write(
            [
                .number(commit.commitNumber), .text(time), .integer(commit.nanosecondsSince1970), .text(commit.origin),
                .text(kinds.joined(separator: " ")), revision.after?.object ?? .null,
                revision.after?.metadata ?? .null,
            ], json: .map(pairs))
    }

    mutating func finish() throws { if format != .table { try rows.finish() } }
}
