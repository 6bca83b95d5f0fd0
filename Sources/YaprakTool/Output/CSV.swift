/// Comma-separated values (RFC 4180).
enum CSV {
    /// A line of cells: those with a quote, a comma or a line break are quoted.
    static func line(_ cells: [String]) -> String {
        cells.map { cell in
            let isPlain = !cell.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
            return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }
        .joined(separator: ",") + "\r\n"
    }
}
