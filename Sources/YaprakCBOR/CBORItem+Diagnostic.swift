import YaprakLocks

/// The layout of diagnostic notation.
public struct CBORDiagnosticStyle: Sendable, Hashable {
    /// Whether a container that does not fit on one line has a line for each item.
    public var isPretty = false
    /// A pretty container is on one line if it takes at most this many characters, without its indentation.
    public var lineWidth = 80
    /// The text is cut after this many characters and ends in `…`; nil for no limit.
    public var charactersMax: Int?

    /// Everything on one line of any length.
    public static let oneLine = CBORDiagnosticStyle()
    /// A line for each item of a container that is too long for one.
    public static let pretty = CBORDiagnosticStyle(isPretty: true)

    /// A style.
    public init(isPretty: Bool = false, lineWidth: Int = 80, charactersMax: Int? = nil) {
        self.isPretty = isPretty
        self.lineWidth = lineWidth
        self.charactersMax = charactersMax
    }
}

extension CBORItem {
    /// The item at `offset` in the diagnostic notation of RFC 8949 §8.
    ///
    ///     try CBORItem.diagnostic(of: bytes)          // {"id": 17, "blob": h'00ff', "seen": 1(1700000000)}
    ///
    /// It shows the bytes as they are: indefinite lengths as `(_ …)`, `[_ …]` and `{_ …}`, a duplicate key as two pairs, text
    /// that is not UTF-8 with replacement characters. Control characters (also DEL, the C1 range, and the marks that change
    /// the direction of text) are escaped, so that stored data can't control a terminal.
    /// - Throws: `CBORError` if the item is not well-formed. Bytes after it are not read.
    /// - Complexity: O(bytes), or O(`charactersMax`) once the item's form was checked; a pretty layout takes O(bytes)
    ///   for each level of nesting.
    public static func diagnostic(
        of bytes: UnsafeRawBufferPointer, from offset: Int = 0, style: CBORDiagnosticStyle = .oneLine
    ) throws(CBORError) -> String {
        let isDeep = try measure(bytes, from: offset).isDeep
        var printer = DiagnosticPrinter(reader: CBORReader(bytes, at: offset), style: style)
        try DeepStack.run(if: isDeep) { () throws(CBORError) in try printer.item(indent: 0) }
        return printer.finished
    }

    /// The item at `offset` in diagnostic notation. Throws and costs as the one above.
    public static func diagnostic(
        of bytes: [UInt8], from offset: Int = 0, style: CBORDiagnosticStyle = .oneLine
    ) throws(CBORError) -> String {
        try withRaw(bytes) { (raw) throws(CBORError) in try diagnostic(of: raw, from: offset, style: style) }
    }
}

extension CBORValue: CustomStringConvertible {
    /// The value in the diagnostic notation of RFC 8949 §8, on one line, its pairs in their order. O(size).
    public var description: String { diagnostic() }

    /// The value in diagnostic notation; see `CBORItem.diagnostic(of:from:style:)`. A value that can't be encoded (nesting
    /// beyond ``CBORItem/depthMax``) is shown as its error. O(size); in a pretty layout, for each level of nesting.
    public func diagnostic(style: CBORDiagnosticStyle = .oneLine) -> String {
        let writer = CBORWriter()
        do throws(CBORError) {
            try write(to: writer, CBORItem.depthMax, sorted: false)
            return try CBORItem.diagnostic(of: writer.bytes, style: style)
        } catch {
            return "<\(error)>"
        }
    }
}

struct DiagnosticPrinter {
    var reader: CBORReader
    let style: CBORDiagnosticStyle
    /// An upper bound of the characters of the text: its bytes.
    private var out = ""
    private let limit: Int

    init(reader: CBORReader, style: CBORDiagnosticStyle) {
        self.reader = reader
        self.style = style
        limit = style.charactersMax.map { max($0, 0) } ?? .max
    }

    var finished: String {
        guard limit < .max, out.unicodeScalars.count > limit else { return out }
        return String(String.UnicodeScalarView(out.unicodeScalars.prefix(limit))) + "…"
    }

    /// A scalar has at most four bytes of UTF-8.
    private var isFull: Bool { limit < .max && out.utf8.count / 4 > limit }

    /// Prints the next item.
    mutating func item(indent: Int) throws(CBORError) {
        // Once the text is long enough, the rest does not matter, nor does the position.
        if isFull { return }
        let head = try Head(reader.bytes, at: reader.position)
        switch try reader.peek() {
        case .unsigned: out += String(try reader.readUnsigned())
        case .negative:
            try reader.skip()
            out += String(-1 - Int128(head.argument))
        case .bytes, .text: try string(head)
        case .array, .map: try container(head, indent)
        case .tag:
            out += String(try reader.readTag()) + "("
            try item(indent: indent)
            out += ")"
        case .bool: out += try reader.readBool() ? "true" : "false"
        case .null, .undefined:
            try reader.skip()
            out += head.info == 22 ? "null" : "undefined"
        case .float: out += CBORNotation.number(try reader.readDouble())
        case .simple: out += "simple(\(try reader.readSimple()))"
        case .stop: throw .malformed("a break stands where an item should", reader.position)
        }
    }

    private mutating func string(_ head: Head) throws(CBORError) {
        let end = try CBORItem.end(reader.bytes, reader.position, head, 0)
        defer { reader = CBORReader(reader.bytes, at: end) }
        guard head.isIndefinite else { return content(head.major, head.end..<end) }
        if head.end == end - 1 {
            out += head.major == Major.text ? "\"\"_" : "''_"
            return
        }
        out += "(_ "
        var offset = head.end
        while offset < end - 1 {
            let chunk = try Head(reader.bytes, at: offset)
            if offset > head.end { out += ", " }
            offset = chunk.end + Int(chunk.argument)
            content(head.major, chunk.end..<offset)
            if isFull { break }
        }
        out += ")"
    }

    private mutating func content(_ major: UInt8, _ range: Range<Int>) {
        let bytes = UnsafeRawBufferPointer(rebasing: reader.bytes[shown(range, ofText: major == Major.text)])
        if major == Major.text {
            CBORNotation.quote(String(decoding: bytes, as: UTF8.self), into: &out)
        } else {
            out += "h'"
            for byte in bytes {
                out.unicodeScalars.append(CBORNotation.hexDigit(byte >> 4))
                out.unicodeScalars.append(CBORNotation.hexDigit(byte & 15))
            }
            out += "'"
        }
    }

    /// The bytes that are shown at most: of one character more than there is room for.
    private func shown(_ range: Range<Int>, ofText isText: Bool) -> Range<Int> {
        // A character of text has up to four bytes.
        let most = limit > Int.max / 8 ? Int.max : (limit + 1) * (isText ? 4 : 1)
        if range.count <= most { return range }
        let end = range.lowerBound + most
        // What is no UTF-8 may go on forever.
        let start = isText ? (end - 3...end).last { reader.bytes[$0] & 0xc0 != 0x80 } : nil
        return range.lowerBound..<(start ?? end)
    }

    private mutating func container(_ head: Head, _ indent: Int) throws(CBORError) {
        let isMap = head.major == Major.map
        let start = reader.position
        let isBroken = style.isPretty ? try !fits(start) : false
        let count = isMap ? try reader.readMapHead() : try reader.readArrayHead()
        out += isMap ? "{" : "["
        if count == nil { out += "_" }
        var read = 0
        while read != count {
            if isFull { return }
            if count == nil, try reader.readStop() { break }
            if read > 0 { out += "," }
            if isBroken {
                newline(indent + 1)
            } else if read > 0 || count == nil {
                out += " "
            }
            try item(indent: indent + 1)
            if isMap {
                out += ": "
                try item(indent: indent + 1)
            }
            read += 1
        }
        if isBroken { newline(indent) }
        // §8.1: an empty container of indefinite length is written with a space.
        if count == nil, read == 0 { out += " " }
        out += isMap ? "}" : "]"
    }

    private mutating func newline(_ indent: Int) {
        if isFull { return }
        out += "\n" + String(repeating: "  ", count: indent)
    }

    /// Whether the container at `start` fits on one line.
    private func fits(_ start: Int) throws(CBORError) -> Bool {
        // A scalar item takes about a character for each byte; what is far too long is not tried.
        let width = min(max(style.lineWidth, 0), Int.max / 16)
        let length = try CBORItem.length(of: reader.bytes, from: start)
        if length > 9 * (width + 1) { return false }
        var trial = DiagnosticPrinter(
            reader: CBORReader(reader.bytes, at: start), style: CBORDiagnosticStyle(charactersMax: width))
        try trial.item(indent: 0)
        return trial.out.unicodeScalars.count <= width
    }
}

/// The common parts of diagnostic notation and JSON.
enum CBORNotation {
    static func hexDigit(_ value: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }

    /// A float as JSON and diagnostic notation write it: with a point, exponents without leading zeros.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        let text = value.description
        guard let mark = text.firstIndex(of: "e") else { return text }
        var mantissa = String(text[..<mark])
        if !mantissa.contains(".") { mantissa += ".0" }
        var exponent = text[text.index(after: mark)...]
        let sign = exponent.first == "-" ? "-" : "+"
        if exponent.first == "-" || exponent.first == "+" { exponent = exponent.dropFirst() }
        exponent = exponent.drop { $0 == "0" }
        return mantissa + "e" + sign + exponent
    }

    /// The text in double quotes, escaped as in JSON (RFC 8259 §7), with everything escaped that could control a terminal.
    ///
    /// What needs no escape is appended in one piece: scalar by scalar took more than half the time of printing a log.
    static func quote(_ text: String, into out: inout String) {
        out += "\""
        if text.utf8.withContiguousStorageIfAvailable({ $0.allSatisfy(isPlain) }) == true {
            out += text
        } else {
            quoteParts(of: text, into: &out)
        }
        out += "\""
    }

    private static func quoteParts(of text: String, into out: inout String) {
        let scalars = text.unicodeScalars
        var start = scalars.startIndex, index = start
        while index < scalars.endIndex {
            let scalar = scalars[index], next = scalars.index(after: index)
            if !isHarmless(scalar) || scalar == "\"" || scalar == "\\" {
                out += text[start..<index]
                escape(scalar, into: &out)
                start = next
            }
            index = next
        }
        out += text[start...]
    }

    /// Whether a byte of UTF-8 is a scalar that needs no escape.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// False for control characters, line separators, and marks that turn the direction of text.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: false
        // Tag characters are invisible.
        case 0xe0000...0xe007f: false
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar, into out: inout String) {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case "\n": out += "\\n"
        case "\r": out += "\\r"
        case "\t": out += "\\t"
        default: escape(scalar.value, into: &out)
        }
    }

    private static func escape(_ value: UInt32, into out: inout String) {
        if value > 0xffff {
            escape(0xd800 + (value - 0x10000) >> 10, into: &out)
            escape(0xdc00 + (value - 0x10000) & 0x3ff, into: &out)
            return
        }
        out += "\\u"
        for shift in [12, 8, 4, 0] as [UInt32] {
            out.unicodeScalars.append(hexDigit(UInt8(truncatingIfNeeded: value >> shift & 15)))
        }
    }
}
