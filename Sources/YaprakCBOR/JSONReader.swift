import YaprakLocks

/// Reads JSON text (RFC 8259) as a value; see ``CBORValue/init(json:)-(ArraySlice<UInt8>)``.
///
/// Integers of up to 128 bits stay integers; all other numbers are doubles. The keys of objects are in the deterministic
/// order of CBOR. Strict: one value, no comments, no duplicate keys, UTF-8, no lone surrogates, at most
/// ``CBORItem/depthMax`` levels.
///
/// `JSONDecoder` through `CBORValue` tries each value as several types in turn: 30 µs for a line of the cities, where a
/// whole load (reading, encoding, writing the log) takes 4.5 µs of processor time with this.
/// - Complexity: O(bytes).
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isOnDeepStack: Bool
    /// It was ended because it needs a ``DeepStack``.
    private var isCutShort = false
    private var position = 0

    /// The value of a text.
    /// - Throws: `malformed` with the byte.
    static func value(of text: ArraySlice<UInt8>) throws(CBORError) -> CBORValue {
        try text.withUnsafeBufferPointer { (bytes) throws(CBORError) in
            var reader = JSONReader(bytes, isOnDeepStack: false)
            do throws(CBORError) {
                return try reader.whole()
            } catch {
                guard reader.isCutShort else { throw error }
            }
            return try DeepStack.run { () throws(CBORError) in
                var reader = JSONReader(bytes, isOnDeepStack: true)
                return try reader.whole()
            }
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, isOnDeepStack: Bool) {
        self.bytes = bytes
        self.isOnDeepStack = isOnDeepStack
    }

    private mutating func whole() throws(CBORError) -> CBORValue {
        let value = try value(depth: CBORItem.depthMax)
        skipSpace()
        guard position == bytes.count else { throw wrong("something follows the value") }
        return value
    }

    private func wrong(_ what: String) -> CBORError { CBORError(.malformed, what, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        if depth == CBORItem.depthMax - DeepStack.levelsBefore, !isOnDeepStack {
            isCutShort = true
            throw wrong("values are nested deep")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw wrong("the text ends where a value should stand")
        default: return try number()
        }
    }

    private mutating func word(_ word: StaticString, _ value: CBORValue) throws(CBORError) -> CBORValue {
        let text = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[position...].starts(with: text) else { throw wrong("this is no JSON value") }
        position += text.count
        return value
    }

    private mutating func array(depth: Int) throws(CBORError) -> CBORValue {
        guard depth > 0 else { throw wrong("values are nested too deep") }
        position += 1
        var items: [CBORValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(items) }
        while true {
            items.append(try value(depth: depth - 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(items) }
            guard take(UInt8(ascii: ",")) else { throw wrong("a comma or ] is missing") }
        }
    }

    private mutating func object(depth: Int) throws(CBORError) -> CBORValue {
        guard depth > 0 else { throw wrong("values are nested too deep") }
        position += 1
        var pairs: [(key: String, value: CBORValue)] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .map([]) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw wrong("a key is missing") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw wrong("a colon is missing") }
            pairs.append((key, try value(depth: depth - 1)))
            skipSpace()
            if take(UInt8(ascii: "}")) { break }
            guard take(UInt8(ascii: ",")) else { throw wrong("a comma or } is missing") }
        }
        pairs.sort { Self.isOrdered($0.key.utf8, $1.key.utf8) }
        for index in pairs.indices.dropFirst() where pairs[index - 1].key.utf8.elementsEqual(pairs[index].key.utf8) {
            throw wrong("an object has one key twice")
        }
        return .map(pairs.map { CBORValue.Pair(.text($0.key), $0.value) })
    }

    private static func isOrdered(_ a: String.UTF8View, _ b: String.UTF8View) -> Bool {
        a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
    }
}

// MARK: - Scalars

extension JSONReader {
    private mutating func number() throws(CBORError) -> CBORValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let whole = position
        digits()
        guard position > whole, bytes[whole] != UInt8(ascii: "0") || position == whole + 1 else {
            throw wrong("this is no JSON value")
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            let fraction = position
            digits()
            guard position > fraction else { throw wrong("a number has no digits behind its point") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            let exponent = position
            digits()
            guard position > exponent else { throw wrong("a number has no digits in its exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        if isInteger, let value = UInt64(text) { return .unsigned(value) }
        if isInteger, let magnitude = UInt128(text.drop { $0 == "-" }) {
            return text.hasPrefix("-") ? .integer(complement: magnitude - 1) : .integer(magnitude: magnitude)
        }
        guard let value = Double(text), value.isFinite else { throw wrong("a number is too large") }
        return .float(value)
    }

    private mutating func digits() {
        while let byte = next, byte >= 0x30, byte <= 0x39 { position += 1 }
    }

    private mutating func string() throws(CBORError) -> String {
        position += 1
        var start = position
        var text = ""
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                try append(start, to: &text)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                try append(start, to: &text)
                position += 1
                text.unicodeScalars.append(try escape())
                start = position
            case 0..<0x20: throw wrong("a string has a control character")
            default: position += 1
            }
        }
        throw wrong("a string does not end")
    }

    private func append(_ start: Int, to text: inout String) throws(CBORError) {
        if start == position { return }
        guard let piece = String(validating: bytes[start..<position], as: UTF8.self) else {
            throw wrong("a string is not UTF-8")
        }
        text += piece
    }

    private mutating func escape() throws(CBORError) -> Unicode.Scalar {
        guard let byte = next else { throw wrong("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try hexadecimal()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard unit < 0xdc00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { break }
            let low = try hexadecimal()
            guard (0xdc00..<0xe000).contains(low) else { break }
            return Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))!
        default: throw wrong("a string has an unknown escape")
        }
        throw wrong("a string has half of a surrogate pair")
    }

    private mutating func hexadecimal() throws(CBORError) -> UInt32 {
        guard position + 4 <= bytes.count,
            let value = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
            bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-")
        else { throw wrong("a string has a malformed \\u escape") }
        position += 4
        return value
    }
}
