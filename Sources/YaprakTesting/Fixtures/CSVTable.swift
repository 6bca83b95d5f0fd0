internal import Yaprak

/// The rows of a CSV file (RFC 4180): values between separators, quoted where they hold separators, quotes or line ends.
struct CSVTable: Sendable {
    /// One row: its values, and the line it begins at.
    struct Row: Sendable {
        var line: Int
        var values: [String]
    }

    /// The names of the fields.
    private(set) var names: [String] = []
    /// The rows below the names.
    private(set) var rows: [Row] = []

    /// Why a file is no table.
    struct Fault: Error {
        let line: Int
        let message: String
    }

    /// Reads a table.
    /// - Throws: ``Fault``.
    init(_ text: String, separator: Character) throws(Fault) {
        var row = Row(line: 1, values: [])
        var value = String.UnicodeScalarView()
        var line = 1
        var isQuoted = false, wasQuoted = false
        // By scalars: an accent behind a separator is none of its own. A line ends with LF, CR LF or CR, and with nothing else
        // that Unicode knows as an end.
        var rest = text.unicodeScalars[...]
        // A byte-order mark, which spreadsheets write, is not part of the first name.
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        let separator = separator.unicodeScalars

        func ends(_ row: Row) -> Row? { row.values.count == 1 && row.values[0].isEmpty && !wasQuoted ? nil : row }
        func isLineEnd(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\r" && rest.first != "\n" }

        while !rest.isEmpty {
            if !isQuoted, rest.starts(with: separator) {
                rest.removeFirst(separator.count)
                row.values.append(String(value))
                (value, wasQuoted) = (String.UnicodeScalarView(), false)
                continue
            }
            let next = rest.removeFirst()
            if isQuoted {
                if isLineEnd(next) { line += 1 }
                guard next == "\"" else {
                    value.append(next)
                    continue
                }
                if rest.first == "\"" {
                    rest.removeFirst()
                    value.append("\"")
                } else {
                    isQuoted = false
                }
            } else if next == "\"", value.isEmpty, !wasQuoted {
                (isQuoted, wasQuoted) = (true, true)
            } else if isLineEnd(next) {
                row.values.append(String(value))
                if let row = ends(row) { try add(row) }
                line += 1
                (row, value, wasQuoted) = (Row(line: line, values: []), String.UnicodeScalarView(), false)
            } else if next == "\r" {
                continue  // the first half of CR LF
            } else if wasQuoted {
                throw Fault(
                    line: line, message: "text follows a closing quote; a quote within a value is written twice")
            } else {
                value.append(next)
            }
        }
        if isQuoted { throw Fault(line: row.line, message: "a quote is not closed") }
        row.values.append(String(value))
        if let row = ends(row) { try add(row) }
        if names.isEmpty {
            throw Fault(line: 1, message: "the first line has the names of the fields, and there is none")
        }
    }

    private mutating func add(_ row: Row) throws(Fault) {
        if names.isEmpty {
            names = row.values
            guard Set(names).count == names.count else {
                throw Fault(line: row.line, message: "two fields have the same name")
            }
            return
        }
        guard row.values.count == names.count else {
            let (values, fields) = (row.values.count.counted("value"), names.count.counted("field"))
            throw Fault(line: row.line, message: "\(values) for \(fields)")
        }
        rows.append(row)
    }
}
