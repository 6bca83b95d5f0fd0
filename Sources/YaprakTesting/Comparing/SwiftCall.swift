/// Finds an argument of a call in Swift source: enough of the language to skip strings, comments and brackets.
struct SwiftCall {
    /// The name of what is called.
    private(set) var name = ""
    /// The bytes of the argument's literal; where it would be inserted, if there is none.
    private(set) var place: Range<Int> = 0..<0
    /// Whether the call has the argument, with a literal.
    private(set) var hasArgument = false
    /// What has to stand before an argument that is inserted: a comma, if the call has others and does not end with one.
    private(set) var separator = ""
    /// The white space before the line of the call.
    private(set) var indentation = ""

    private let bytes: [UInt8]
    private var position: Int

    /// The call at a line and a column, both counted from 1, columns in bytes.
    init?(in bytes: [UInt8], line: Int, column: Int, argument: String) {
        self.bytes = bytes
        var start = 0
        for _ in 1..<max(line, 1) {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = end + 1
        }
        let white = bytes[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        indentation = String(decoding: white, as: UTF8.self)
        position = start + column - 1
        // Compilers give the place of the name or of the parenthesis.
        while isWord(at: position) { position += 1 }
        name = word(before: position)
        skipSpace()
        guard take("(") else { return nil }
        guard find(Array(argument.utf8)) else { return nil }
    }

    /// Walks the arguments up to the closing parenthesis.
    private mutating func find(_ label: [UInt8]) -> Bool {
        var depth = 0
        // The last byte that is neither white space nor in a comment, and what is behind it.
        var last: UInt8?, hasSpace = false
        while position < bytes.count {
            if skipComment() {
                hasSpace = false
                continue
            }
            let byte = bytes[position]
            if let end = literalEnd(at: position) {
                (position, last, hasSpace) = (end, byte, false)
                continue
            }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")") where depth == 0:
                place = position..<position
                let isListed = last == nil || last == UInt8(ascii: ",")
                separator = isListed ? (last == nil || hasSpace ? "" : " ") : ", "
                return true
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if isWord(byte) {
                let start = position
                while isWord(at: position) { position += 1 }
                let isLabel = depth == 0 && bytes[start..<position].elementsEqual(label)
                if isLabel {
                    let word = position
                    skipSpace()
                    if take(":") {
                        skipSpace()
                        guard let end = literalEnd(at: position) else { return false }
                        place = position..<end
                        hasArgument = true
                        return true
                    }
                    position = word
                }
                (last, hasSpace) = (byte, false)
                continue
            }
            hasSpace = Self.spaces.contains(byte)
            if !hasSpace { last = byte }
            position += 1
        }
        return false
    }

    /// The text of the argument's literal; `nil` if there is none, or if it has interpolations.
    var text: String? { hasArgument ? SwiftLiteral.text(of: String(decoding: bytes[place], as: UTF8.self)) : nil }

    // MARK: Tokens

    private static let spaces: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private func isWord(at position: Int) -> Bool { position < bytes.count && isWord(bytes[position]) }

    /// The word that ends here, or before white space that does.
    private func word(before position: Int) -> String {
        guard var end = bytes.indices.contains(position) ? position : nil else { return "" }
        while end > 0, Self.spaces.contains(bytes[end - 1]) { end -= 1 }
        var start = end
        while start > 0, isWord(bytes[start - 1]) { start -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private func starts(_ text: String, at position: Int) -> Bool {
        position <= bytes.count && bytes[position...].starts(with: text.utf8)
    }

    private mutating func take(_ text: String) -> Bool {
        guard starts(text, at: position) else { return false }
        position += text.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            if skipComment() { continue }
            guard Self.spaces.contains(bytes[position]) else { return }
            position += 1
        }
    }

    private mutating func skipComment() -> Bool {
        if starts("//", at: position) {
            while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            return true
        }
        guard starts("/*", at: position) else { return false }
        var depth = 0
        repeat {
            if take("/*") { depth += 1 } else if take("*/") { depth -= 1 } else { position += 1 }
        } while depth > 0 && position < bytes.count
        return true
    }

    /// The end of the string literal that begins here; `nil` if none does.
    private func literalEnd(at start: Int) -> Int? {
        var quote = start
        while quote < bytes.count, bytes[quote] == UInt8(ascii: "#") { quote += 1 }
        guard quote < bytes.count, bytes[quote] == UInt8(ascii: "\"") else { return nil }
        let marks = String(repeating: "#", count: quote - start)
        let quotes = starts("\"\"\"", at: quote) ? "\"\"\"" : "\""
        let (closing, escape) = (quotes + marks, "\\" + marks)
        var next = quote + quotes.utf8.count
        while next < bytes.count {
            if starts(closing, at: next) { return next + closing.utf8.count }
            guard starts(escape, at: next) else {
                next += 1
                continue
            }
            next += escape.utf8.count
            next = starts("(", at: next) ? interpolationEnd(at: next) : next + 1
        }
        return bytes.count
    }

    /// The end of an interpolation whose parenthesis is here.
    private func interpolationEnd(at start: Int) -> Int {
        var (next, depth) = (start, 0)
        while next < bytes.count {
            if let end = literalEnd(at: next) {
                next = end
                continue
            }
            if bytes[next] == UInt8(ascii: "(") { depth += 1 }
            if bytes[next] == UInt8(ascii: ")") { depth -= 1 }
            next += 1
            if depth == 0 { break }
        }
        return next
    }
}
