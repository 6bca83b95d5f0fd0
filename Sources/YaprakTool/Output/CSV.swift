import ToolSupport
import YaprakCBOR

/// Comma-separated values (RFC 4180), the same for all subcommands.
enum CSV {
    /// A line of values: nothing for null, a text as it is, everything else as JSON. On a terminal nothing stored may
    /// control it, so texts are escaped there.
    ///
    /// - Parameter isExact: whether a program shall see which cells are texts: such as are empty or read like a number, a
    /// truth value
    ///   or null are in quotes, and what reads like JSON in quotes is JSON itself. `yaprak load` gets back what was exported.
    static func line(_ cells: [CBORValue], on console: Console, isExact: Bool = false) -> String {
        cells.map { cell in
            if isExact, !console.isTerminal, let text = cell.text { return exact(text) }
            let text = text(cell)
            return quoted(console.isTerminal ? text.plain : text)
        }
        .joined(separator: ",") + "\r\n"
    }

    private static func exact(_ text: String) -> String {
        if text.isEmpty { return "\"\"" }
        guard let first = text.utf8.first, "-0123456789tfn[{\"".utf8.contains(first),
            (try? CBORValue(json: text)) != nil
        else {
            return quoted(text)
        }
        let isContainer = "[{\"".utf8.contains(first)
        return quoted(isContainer ? CBORValue.text(text).json() : text, always: true)
    }

    /// A value as text, whatever it is.
    static func text(_ value: CBORValue) -> String {
        if value.isNull { return "" }
        if let text = value.text { return text }
        let json = value.json()
        // What JSON says as a text stands there without its quotes.
        guard json.hasPrefix("\""), let text = (try? CBORValue(json: json))?.text else { return json }
        return text
    }

    /// A cell with a quote, a comma or a line break is quoted.
    private static func quoted(_ cell: String, always: Bool = false) -> String {
        let isPlain = !always && !cell.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
        return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}
