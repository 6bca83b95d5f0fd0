import ToolSupport
import YaprakCBOR

/// A column of what is printed.
struct Column {
    let name: String
    var isNumber = false
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
    /// Rows of a table that wait until the widths are known.
    private var waiting: [[String]] = []
    private var widths: [Int] = []
    private static let sampleMax = 200

    init(_ format: OutputFormat, _ columns: [Column], _ console: Console) {
        self.format = format
        self.columns = columns
        self.console = console
    }

    /// Prints a row. `json` stands for it where the format is one of JSON's and it says more than the cells.
    mutating func write(_ cells: [CBORValue], json: CBORValue? = nil) throws {
        switch format {
        case .table: try writeTable(cells.map { $0.cell(columnsMax: 200) })
        case .json: try console.out.write((count == 0 ? "[" : ",\n ") + object(cells, json).json())
        case .ndjson: try console.out.write(object(cells, json).json() + "\n")
        case .csv:
            if count == 0 { try console.out.write(CSV.line(columns.map(\.name))) }
            try console.out.write(CSV.line(cells.map { $0.cell() }))
        case .markdown:
            if count == 0 { try writeMarkdownHead() }
            try console.out.write("| " + cells.map { markdown($0.cell()) }.joined(separator: " | ") + " |\n")
        }
        count += 1
    }

    /// Prints rows that wait for others, to know how wide columns are: others may not come soon.
    mutating func settle() throws { if format == .table { try settleWidths() } }

    /// Ends the output.
    mutating func finish() throws {
        switch format {
        case .table: try settleWidths()
        case .json: try console.out.write(count == 0 ? "[]\n" : "]\n")
        case .csv where count == 0: try console.out.write(CSV.line(columns.map(\.name)))
        case .markdown where count == 0: try writeMarkdownHead()
        case .ndjson, .csv, .markdown: break
        }
    }

    private func object(_ cells: [CBORValue], _ json: CBORValue?) -> CBORValue {
        json ?? .map(zip(columns, cells).map { .init(.text($0.name), $1) })
    }

    // MARK: Tables

    private mutating func writeTable(_ cells: [String]) throws {
        guard widths.isEmpty else { return try writeLine(cells) }
        waiting.append(cells)
        if waiting.count == Self.sampleMax { try settleWidths() }
    }

    private mutating func settleWidths() throws {
        guard widths.isEmpty, !waiting.isEmpty else { return }
        widths = columns.indices.map { column in
            waiting.reduce(columns[column].name.columns) { max($0, $1[column].columns) }
        }
        let head = columns.map { $0.name.uppercased() }
        try writeLine(head, color: .faint)
        for row in waiting { try writeLine(row) }
        waiting = []
    }

    private func writeLine(_ cells: [String], color: Console.Color? = nil) throws {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let isLast = index + 1 == cells.count
            let room = max(8, console.width - line.columns)
            let text = isLast && console.isTerminal ? cell.cut(to: room) : cell
            line +=
                isLast && !columns[index].isNumber
                ? text : text.padded(to: widths[index], leading: columns[index].isNumber)
            if !isLast { line += "  " }
        }
        while line.last == " " { line.removeLast() }
        try console.out.write((color.map { console.paint(line, $0) } ?? line) + "\n")
    }

    // MARK: Markdown

    private func writeMarkdownHead() throws {
        try console.out.write("| " + columns.map(\.name).joined(separator: " | ") + " |\n")
        try console.out.write("| " + columns.map { $0.isNumber ? "---:" : "---" }.joined(separator: " | ") + " |\n")
    }

    private func markdown(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
    }
}
