import YaprakLocks

extension CBORValue {
    /// The value of a text in diagnostic notation (RFC 8949 §8), as ``diagnostic(style:)`` writes it.
    ///
    ///     let value = try CBORValue(diagnostic: #"{"id": 17, "blob": h'00ff', "seen": 1(1700000000)}"#)
    ///
    /// Every value that has an encoding round-trips through its notation. Spaces and line breaks are allowed between the parts.
    /// Indefinite lengths and embedded comments are refused: they describe bytes, not values.
    /// - Throws: `malformed` with the byte, `tooDeep`. - Complexity: O(length).
    public init(diagnostic text: String) throws(CBORError) {
        self = try DiagnosticReader.value(of: Array(text.utf8))
    }
}

/// Reads diagnostic notation, which people type.
struct DiagnosticReader {
    private let bytes: [UInt8]
    private let isOnDeepStack: Bool
    /// It was ended because it needs a ``DeepStack``.
    private var isCutShort = false
    private var position = 0

    /// The value of a text.
    static func value(of bytes: [UInt8]) throws(CBORError) -> CBORValue {
        var reader = DiagnosticReader(bytes, isOnDeepStack: false)
        do throws(CBORError) {
            return try reader.whole()
        } catch {
            guard reader.isCutShort else { throw error }
        }
        return try DeepStack.run { () throws(CBORError) in
            var reader = DiagnosticReader(bytes, isOnDeepStack: true)
            return try reader.whole()
        }
    }

    private init(_ bytes: [UInt8], isOnDeepStack: Bool) {
        self.bytes = bytes
        self.isOnDeepStack = isOnDeepStack
    }

    private mutating func whole() throws(CBORError) -> CBORValue {
        let value = try value(CBORItem.depthMax)
        skipSpace()
        guard position == bytes.count else { throw wrong("something follows the value") }
        return value
    }

    private func wrong(_ what: String) -> CBORError { CBORError(.malformed, what, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func value(_ depth: Int) throws(CBORError) -> CBORValue {
        if depth == CBORItem.depthMax - DeepStack.levelsBefore, !isOnDeepStack {
            isCutShort = true
            throw wrong("values are nested deep")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try map(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "h"): return .bytes(try blob())
        default: break
        }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        if take("undefined") { return .undefined }
        if take("NaN") { return .float(.nan) }
        if take("Infinity") { return .float(.infinity) }
        if take("-Infinity") { return .float(-.infinity) }
        if take("simple(") { return try simple() }
        return try number(depth)
    }

    // MARK: Containers

    private mutating func array(_ depth: Int) throws(CBORError) -> CBORValue {
        guard depth > 0 else { throw .tooDeep(position) }
        position += 1
        var items: [CBORValue] = []
        skipSpace()
        if take("]") { return .array(items) }
        while true {
            items.append(try value(depth - 1))
            skipSpace()
            if take("]") { return .array(items) }
            guard take(",") else { throw wrong("a comma or ] is missing") }
        }
    }

    private mutating func map(_ depth: Int) throws(CBORError) -> CBORValue {
        guard depth > 0 else { throw .tooDeep(position) }
        position += 1
        var pairs: [CBORValue.Pair] = []
        skipSpace()
        if take("}") { return .map(pairs) }
        while true {
            let key = try value(depth - 1)
            skipSpace()
            guard take(":") else { throw wrong("a colon is missing") }
            pairs.append(.init(key, try value(depth - 1)))
            skipSpace()
            if take("}") { return .map(pairs) }
            guard take(",") else { throw wrong("a comma or } is missing") }
        }
    }

    // MARK: Numbers and tags

    private mutating func number(_ depth: Int) throws(CBORError) -> CBORValue {
        let start = position
        let isNegative = take("-")
        let digits = takeDigits()
        guard digits > 0 else {
            position = start
            throw wrong("a value is missing")
        }
        if !isNegative, take("(") {
            guard let tag = UInt64(String(decoding: bytes[start..<position - 1], as: UTF8.self)) else {
                throw wrong("a tag is too large")
            }
            guard depth > 0 else { throw .tooDeep(position) }
            let tagged = try value(depth - 1)
            skipSpace()
            guard take(")") else { throw wrong("the tag is not closed") }
            return .tag(tag, tagged)
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard takeDigits() > 0 else { throw wrong("a number has no digits behind its point") }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard takeDigits() > 0 else { throw wrong("a number has no digits in its exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if !isInteger {
            guard let value = Double(text), value.isFinite else { throw wrong("a number is too large") }
            return .float(value)
        }
        guard digits <= 20, let value = Int128(text) else { throw wrong("an integer is too large") }
        if let value = UInt64(exactly: value) { return .unsigned(value) }
        if let value = UInt64(exactly: -1 - value) { return .negative(value) }
        throw wrong("an integer is too large")
    }

    private mutating func takeDigits() -> Int {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func simple() throws(CBORError) -> CBORValue {
        let start = position
        _ = takeDigits()
        guard let value = UInt8(String(decoding: bytes[start..<position], as: UTF8.self)), value < 20 || value > 31,
            take(")")
        else { throw wrong("there are simple(0) to simple(19) and simple(32) to simple(255)") }
        return .simple(value)
    }

    // MARK: Strings

    private mutating func blob() throws(CBORError) -> [UInt8] {
        guard take("h'") else { throw wrong("bytes are written h'00ff'") }
        var blob: [UInt8] = []
        while let high = next, high != UInt8(ascii: "'") {
            guard let high = hexadecimal(high), position + 1 < bytes.count, let low = hexadecimal(bytes[position + 1])
            else { throw wrong("bytes are written in pairs of hexadecimal digits") }
            blob.append(high << 4 | low)
            position += 2
        }
        guard take("'") else { throw wrong("the bytes do not end") }
        return blob
    }

    private func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// A text. It has the form of JSON and is read by `JSONReader`.
    private mutating func text() throws(CBORError) -> String {
        let start = position
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") { position += byte == UInt8(ascii: "\\") ? 2 : 1 }
        guard position < bytes.count else {
            position = start
            throw wrong("a text does not end")
        }
        position += 1
        do throws(CBORError) {
            guard case .text(let text) = try JSONReader.value(of: bytes[start..<position]) else {
                throw wrong("a text is malformed")
            }
            return text
        } catch {
            throw CBORError(.malformed, error.message, offset: start + (error.offset ?? 0))
        }
    }
}
