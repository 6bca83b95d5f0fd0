import YaprakLocks

extension CBORValue {
    /// The value of a JSON text (RFC 8259), given as UTF-8.
    ///
    ///     let value = try CBORValue(json: line)
    ///     print(value["id"]?.text ?? "?")
    ///
    /// Integers of up to 128 bits stay integers; all other numbers are doubles. The keys of objects are in the deterministic
    /// order of CBOR. Strict: one value, no comments, no duplicate keys, no lone surrogates.
    /// - Throws: `malformed` with the byte, also for nesting deeper than ``CBORItem/depthMax``.
    /// - Complexity: O(bytes).
    public init(json text: ArraySlice<UInt8>) throws(CBORError) { self = try JSONReader.value(of: text) }

    /// The value of a JSON text. Throws and costs as the one above.
    public init(json text: String) throws(CBORError) { self = try JSONReader.value(of: Array(text.utf8)[...]) }

    /// The value as one line of JSON text (RFC 8259), for NDJSON.
    ///
    ///     print(try CBORValue(decoding: bytes).json())        // {"id":17,"title":"Dune"}
    ///
    /// JSON has fewer types than CBOR: byte strings become base64 text (RFC 4648 §4, padded), NaN and the infinities the texts
    /// `"NaN"`, `"Infinity"` and `"-Infinity"`, undefined becomes null, a simple value the text `"simple(n)"`, a tag its
    /// content. Integers and bignums up to 128 bits become numbers with all their digits. Keys that are not text are written in
    /// diagnostic notation. Control characters are escaped as in `CBORItem.diagnostic(of:from:style:)`, so that the text has no
    /// line break and is safe for a terminal.
    /// - Complexity: O(size).
    public func json() -> String {
        var out = ""
        DeepStack.run(if: isDeep) { write(json: &out) }
        return out
    }

    private func write(json out: inout String) {
        switch self {
        case .unsigned(let value): out += String(value)
        case .negative(let value): out += String(-1 - Int128(value))
        case .bytes(let value): out += "\"" + Base64.text(value) + "\""
        case .text(let value): CBORNotation.quote(value, into: &out)
        case .bool(let value): out += value ? "true" : "false"
        case .null, .undefined: out += "null"
        case .float(let value):
            out += value.isFinite ? CBORNotation.number(value) : "\"" + CBORNotation.number(value) + "\""
        case .simple(let value): out += "\"simple(\(value))\""
        case .array(let items):
            out += "["
            for (index, item) in items.enumerated() {
                if index > 0 { out += "," }
                item.write(json: &out)
            }
            out += "]"
        case .map(let pairs):
            out += "{"
            for (index, pair) in pairs.enumerated() {
                if index > 0 { out += "," }
                CBORNotation.quote(pair.key.text ?? pair.key.description, into: &out)
                out += ":"
                pair.value.write(json: &out)
            }
            out += "}"
        case .tag(let number, let item):
            if let digits = CBORValue.digits(number, item) {
                out += digits
            } else {
                item.write(json: &out)
            }
        }
    }

    /// A bignum (§3.4.3) in decimal digits, if it has no more than 128 bits.
    private static func digits(_ number: UInt64, _ item: CBORValue) -> String? {
        guard number == 2 || number == 3, case .bytes(let bytes) = item else { return nil }
        let significant = bytes.drop { $0 == 0 }
        guard significant.count <= 16 else { return nil }
        let value = significant.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        if number == 2 { return String(value) }
        // -1 - value may have 129 bits.
        let (next, overflow) = value.addingReportingOverflow(1)
        return overflow ? "-340282366920938463463374607431768211456" : "-" + String(next)
    }
}
