/// What is wrong with one row of a file. The reader is behind its line then, and goes on with the next.
package struct RowError: Error, CustomStringConvertible {
    package let description: String
}

/// The rows of a file of comma-separated values (RFC 4180), one after the other.
///
///     let rows = try CSVReader(ByteSource("cities.csv"))
///     while let row = try rows.next() { print(rows.line, row.map(\.text)) }
///
/// Rows end with LF, CR LF or CR. Memory is bounded by the longest row, which has ``cellsMax`` cells and, in all of them, as many
/// bytes as a line at most.
package final class CSVReader {
    /// A cell, and whether it stood in quotes: an empty text does, nothing doesn't.
    package struct Cell: Sendable, Hashable {
        package let text: String
        package let isQuoted: Bool

        package init(text: String, isQuoted: Bool) {
            self.text = text
            self.isQuoted = isQuoted
        }
    }

    /// The most cells of a row.
    package static let cellsMax = 1 << 16

    private let source: ByteSource
    private let separator: UInt8
    private let rowBytesMax: Int
    /// The bytes of the row at hand, so far.
    private var rowBytes = 0
    private var bytes: [UInt8] = []
    private var position = 0
    private var nextLine = 1
    /// Whether the last line ended with CR: an LF that follows belongs to it. It is not looked for at once, because a row that is
    /// complete would be lost with a read that fails.
    private var endsWithReturn = false

    /// The line at which the row that was read last begins, counted from 1.
    package private(set) var line = 0

    package init(
        _ source: ByteSource, separator: UInt8 = UInt8(ascii: ","), rowBytesMax: Int = LineReader.lineBytesMax
    ) {
        self.source = source
        self.separator = separator
        self.rowBytesMax = rowBytesMax
    }

    package var progress: (done: Int, total: Int?) { source.progress }

    /// The next row; `nil` behind the last. Lines without anything are skipped.
    /// - Throws: `Errno`; ``RowError`` for a quote within a cell, for text that is not UTF-8, and for too many cells: the next
    ///   call continues behind the line. ``InputError`` for what has no end: a quote that is not closed, a row with too many
    ///   bytes, and what ``ByteSource`` can't read.
    package func next() throws -> [Cell]? {
        while true {
            if endsWithReturn, try byte() == 0x0a { position += 1 }
            endsWithReturn = false
            guard let next = try byte(), next == 0x0a || next == 0x0d else { break }
            endLine(next)
        }
        line = nextLine
        rowBytes = 0
        guard try byte() != nil else { return nil }
        var row: [Cell] = []
        while true {
            if row.count == Self.cellsMax { throw try skipping("the row has more than \(Self.cellsMax) cells") }
            row.append(try cell())
            guard let end = try byte() else { return row }
            if end == separator {
                position += 1
                continue
            }
            endLine(end)
            return row
        }
    }

    private func endLine(_ end: UInt8) {
        position += 1
        nextLine += 1
        endsWithReturn = end == 0x0d
    }

    private func cell() throws -> Cell {
        var text: [UInt8] = []
        guard try byte() == UInt8(ascii: "\"") else {
            while let next = try byte(), next != separator, next != 0x0a, next != 0x0d {
                guard next != UInt8(ascii: "\"") else {
                    throw try skipping("a quote stands within a cell that has none around it")
                }
                try add(next, to: &text)
            }
            return Cell(text: try string(text), isQuoted: false)
        }
        position += 1
        var isBehindReturn = false
        while true {
            guard let next = try byte() else { throw InputError("the quote of line \(line) is not closed") }
            if next == UInt8(ascii: "\"") {
                position += 1
                guard try byte() == UInt8(ascii: "\"") else { break }
            } else if next == 0x0d || next == 0x0a && !isBehindReturn {
                nextLine += 1
            }
            isBehindReturn = next == 0x0d
            try add(next, to: &text)
        }
        if let next = try byte(), next != separator, next != 0x0a, next != 0x0d {
            throw try skipping("something follows the closing quote of a cell")
        }
        return Cell(text: try string(text), isQuoted: true)
    }

    private func add(_ byte: UInt8, to text: inout [UInt8]) throws {
        text.append(byte)
        position += 1
        rowBytes += 1
        guard rowBytes <= rowBytesMax else { throw InputError("the row of line \(line) does not end") }
    }

    private func string(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw try skipping("a cell is not UTF-8") }
        return text
    }

    /// The error, after the rest of the line.
    private func skipping(_ reason: String) throws -> RowError {
        while let next = try byte() {
            if next == 0x0a || next == 0x0d {
                endLine(next)
                break
            }
            position += 1
        }
        return RowError(description: reason)
    }

    /// The byte at the position; `nil` at the end.
    private func byte() throws -> UInt8? {
        if position < bytes.count { return bytes[position] }
        bytes = try source.next() ?? []
        position = 0
        return bytes.first
    }
}
