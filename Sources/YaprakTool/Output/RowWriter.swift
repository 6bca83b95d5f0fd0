import ToolSupport
import YaprakCBOR

/// A column of what is printed.
struct Column {
    let name: String
    var isNumber = false
    /// Whether a table shows it even where it has no values.
    var isKept = false
    /// Whether only programs need it: tables and Markdown don't have it.
    var isForPrograms = false

    /// The name as it is shown to a person: it may be that of a field, which is data. Its quotes stay as they are, so that it can
    /// be given to `--columns`.
    var title: String { name.printable }
}

/// Prints rows in any of the formats, as they come: memory does not grow with their number.
///
///     var rows = RowWriter(.table, [Column(name: "commit", isNumber: true), Column(name: "time")], console)
///     try rows.write([42, "2026-11-20T23:15:04.170Z"])
///     try rows.finish()
struct RowWriter {
    private let format: OutputFormat
    private let columns: [Column]
    private let console: Console
    private var count = 0
    private var table: TableWriter
    /// The cells that the format shows.
    private let shown: [Int]
    /// Whether CSV says which cells are texts.
    private let isExact: Bool

    init(_ format: OutputFormat, _ columns: [Column], _ console: Console, isExact: Bool = false) {
        self.isExact = isExact
        self.format = format
        self.columns = columns
        self.console = console
        let isForPeople = format == .table || format == .markdown
        shown = columns.indices.filter { !isForPeople || !columns[$0].isForPrograms }
        table = TableWriter(shown.map { columns[$0] }, console)
    }

    /// Prints a row. `json` stands for it where the format is one of JSON's and it says more than the cells. Of the two only
    /// the one that is printed is computed.
    mutating func write(
        _ row: @autoclosure () throws -> [CBORValue], json: @autoclosure () throws -> CBORValue? = nil
    ) throws {
        switch format {
        case .table:
            let cells = try row()
            try table.write(shown.map { cells[$0].cell(columnsMax: 200) })
        case .json, .ndjson: try writeJSON(json() ?? .map(zip(columns, row()).map { .init(.text($0.name), $1) }))
        case .csv:
            if count == 0 { try writeCSVHead() }
            try console.out.write(CSV.line(row(), on: console, isExact: isExact))
        case .markdown: try writeMarkdown(row())
        }
        count += 1
    }

    /// Prints an object of JSON whose last member is an array. Its elements are printed as `body` calls for each: memory does
    /// not grow with their number.
    mutating func write(
        _ members: [CBORValue.Pair], listing name: String, _ body: ((CBORValue) throws -> Void) throws -> Void
    ) throws {
        // The end of the empty list, and of the object.
        var text = startOfObject + CBORValue.map(members + [.init(.text(name), .array([]))]).json().dropLast(2)
        var isFirst = true
        try body { element in
            text += isFirst ? "" : ","
            text += element.json()
            isFirst = false
            guard text.utf8.count >= 1 << 16 else { return }
            try console.out.write(text)
            text = ""
        }
        try console.out.write(text + "]}" + endOfObject)
        count += 1
    }

    private func writeJSON(_ object: CBORValue) throws {
        try console.out.write(startOfObject + object.json() + endOfObject)
    }

    private var startOfObject: String { format == .ndjson ? "" : count == 0 ? "[" : ",\n " }
    private var endOfObject: String { format == .ndjson ? "\n" : "" }

    /// Prints rows that wait for others, to know how wide columns are: others may not come soon.
    mutating func settle() throws { if format == .table { try table.settle() } }

    /// Ends the output.
    mutating func finish() throws {
        switch format {
        case .table: try table.settle()
        case .json: try console.out.write(count == 0 ? "[]\n" : "]\n")
        case .csv where count == 0: try writeCSVHead()
        case .markdown where count == 0: try writeMarkdownHead()
        case .ndjson, .csv, .markdown: break
        }
    }

    /// Ends the output after Ctrl-C, for which it looks at every 256th row.
    /// - Throws: ``Interrupted``.
    mutating func endIfInterrupted() throws {
        guard count % 256 == 0, Invocation.isInterrupted() else { return }
        try finish()
        throw Interrupted()
    }

    private func writeCSVHead() throws {
        try console.out.write(CSV.line(columns.map { .text($0.name) }, on: console))
    }

    // MARK: Markdown

    private func writeMarkdownHead() throws {
        let shown = shown.map { columns[$0] }
        try console.out.write("| " + shown.map { markdown($0.title) }.joined(separator: " | ") + " |\n")
        try console.out.write("| " + shown.map { $0.isNumber ? "---:" : "---" }.joined(separator: " | ") + " |\n")
    }

    private func writeMarkdown(_ cells: [CBORValue]) throws {
        if count == 0 { try writeMarkdownHead() }
        try console.out.write("| " + shown.map { markdown(cells[$0].cell()) }.joined(separator: " | ") + " |\n")
    }

    private func markdown(_ cell: String) -> String {
        cell.escaping(["|": "\\|", "<": "&lt;"])
    }
}
