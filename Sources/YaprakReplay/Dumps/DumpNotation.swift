import YaprakCBOR
import YaprakLocks

/// Values as JSON that loses nothing: what JSON can't say stands under a marker.
///
/// | | |
/// | --- | --- |
/// | `{"$cbor": "h'00ff'"}` | an item in diagnostic notation: bytes, NaN, tags, maps with keys that are no text, … |
/// | `{"$cborHex": "a1…"}` | the bytes of an item that is not in deterministic form |
///
/// A map that has one of these keys itself is written as an item in diagnostic notation.
enum DumpNotation {
    private static let marker = "$cbor"
    private static let hexMarker = "$cborHex"
    /// JSON below this is left to diagnostic notation, so that a line of a dump is never nested too deep for its reader.
    private static let depthMax = 32

    // MARK: Writing

    /// The JSON of an encoded item.
    static func json(of item: ArraySlice<UInt8>) -> CBORValue {
        guard let value = try? CBORValue(decoding: item), let encoded = try? value.encoded(), encoded[...] == item
        else {
            return [.text(hexMarker): .text(hexadecimal(item))]
        }
        return json(of: value, depthMax)
    }

    private static func json(of value: CBORValue, _ depth: Int) -> CBORValue {
        switch value {
        case .unsigned, .text, .bool, .null: return value
        case .negative(let number) where number <= UInt64(Int64.max): return value
        case .float(let number) where number.isFinite: return value
        case .array(let items) where depth > 0: return .array(items.map { json(of: $0, depth - 1) })
        case .map(let pairs) where depth > 0 && isObject(pairs):
            return .map(pairs.map { .init($0.key, json(of: $0.value, depth - 1)) })
        default: return [.text(marker): .text(value.diagnostic())]
        }
    }

    /// Whether JSON has such an object. Keys of an item in deterministic form are in order, and no key is there twice.
    private static func isObject(_ pairs: [CBORValue.Pair]) -> Bool {
        pairs.allSatisfy { $0.key.text != nil && $0.key != .text(marker) && $0.key != .text(hexMarker) }
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    // MARK: Reading

    /// The bytes of an item, from its JSON.
    /// - Throws: `CBORError`.
    static func item(of json: CBORValue) throws(CBORError) -> [UInt8] {
        if case .map(let pairs) = json, pairs.count == 1, pairs[0].key == .text(hexMarker) {
            return try bytes(ofHex: pairs[0].value)
        }
        return try DeepStack.run(if: json.isDeep) { () throws(CBORError) in try value(of: json) }.encoded()
    }

    private static func value(of json: CBORValue) throws(CBORError) -> CBORValue {
        switch json {
        case .array(let items):
            var values: [CBORValue] = []
            for item in items { values.append(try value(of: item)) }
            return .array(values)
        case .map(let pairs):
            var values: [CBORValue.Pair] = []
            for pair in pairs {
                if pair.key == .text(marker) || pair.key == .text(hexMarker) {
                    guard pairs.count == 1, pair.key == .text(marker), let text = pair.value.text else {
                        throw CBORError(.malformed, "\"$cbor\" stands alone, with a text in diagnostic notation")
                    }
                    return try CBORValue(diagnostic: text)
                }
                values.append(.init(pair.key, try value(of: pair.value)))
            }
            return .map(values)
        default: return json
        }
    }

    private static func bytes(ofHex json: CBORValue) throws(CBORError) -> [UInt8] {
        // Diagnostic notation has byte strings; these are the bytes of one.
        guard let text = json.text, case .bytes(let bytes) = try CBORValue(diagnostic: "h'\(text)'"),
            try CBORItem.length(of: bytes) == bytes.count
        else { throw CBORError(.malformed, "\"$cborHex\" stands alone, with the bytes of one item") }
        return bytes
    }
}
