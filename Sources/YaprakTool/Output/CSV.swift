import ToolSupport
import YaprakCBOR

/// Comma-separated values (RFC 4180), the same for all subcommands.
enum CSV {
    /// A line of values: nothing for null, a text as it is, everything else as JSON. On a terminal nothing stored may
    /// control it, so texts are escaped there.
    ///
    /// - Parameter isExact: whether a program shall see which cells are texts, or would be in JSON, as bytes are: such as are
    ///   empty or read like a number, a truth value or null are in quotes, and what reads like JSON in quotes is JSON itself.
    ///   `yaprak load` gets back what was exported.
    static func line(_ cells: [CBORValue], on console: Console, isExact: Bool = false) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += "," }
            let (text, isText) = content(of: cell)
            if isExact, !console.isTerminal, isText {
                appendExact(text, to: &line)
            } else {
                append(console.isTerminal ? text.plain : text, to: &line)
            }
        }
        line += "\r\n"
        return line
    }

    private static func appendExact(_ text: String, to line: inout String) {
        if text.isEmpty {
            line += "\"\""
        } else if !mayBeJSON(text) || (try? CBORValue(json: text)) == nil {
            append(text, to: &line)
        } else {
            let isContainer = "[{\"".utf8.contains(text.utf8.first ?? 0)
            append(isContainer ? CBORValue.text(text).json() : text, to: &line, isQuoted: true)
        }
    }

    /// Whether it is worth asking the reader of JSON: a container or a string by its first byte, a number by all of them. The
    /// reader skips white space behind a value.
    private static func mayBeJSON(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else {
            return false
        }
        let value = text.utf8[...last]
        return switch first {
        case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\""): true
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value.allSatisfy(isOfNumber)
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): value.count <= 5
        default: false
        }
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// A value as text, whatever it is.
    static func text(_ value: CBORValue) -> String { content(of: value).text }

    /// A value as text, and whether it is a text in JSON: texts are, and so are bytes, for example.
    private static func content(of value: CBORValue) -> (text: String, isText: Bool) {
        if value.isNull { return ("", false) }
        if let text = value.text { return (text, true) }
        let json = value.json()
        // What JSON says as a text stands there without its quotes.
        guard json.utf8.first == UInt8(ascii: "\""), let text = (try? CBORValue(json: json))?.text else {
            return (json, false)
        }
        return (text, true)
    }

    /// Appends a cell: with a quote, a comma or a line break in it, in quotes.
    private static func append(_ cell: String, to line: inout String, isQuoted: Bool = false) {
        let needsQuotes = isQuoted || cell.utf8.contains { $0 == 0x22 || $0 == 0x2c || $0 == 0x0a || $0 == 0x0d }
        line += needsQuotes ? "\"" + cell.escaping(["\"": "\"\""]) + "\"" : cell
    }
}
