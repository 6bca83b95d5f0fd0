import YaprakLocks

extension CBORValue: Codable {
    /// Decodes an item with any coder.
    ///
    /// ``CBORDecoder`` gives the item itself. With `JSONDecoder`, numbers without a fraction become integers up to 64 bits and
    /// floats beyond, and the keys of objects are sorted bytewise, shorter ones first: their order in the text is not
    /// available, and two readings of one text should be equal.
    /// - Throws: what the decoder throws. - Complexity: O(size).
    public init(from decoder: any Decoder) throws {
        if decoder is DecodingState {
            self = try decoder.singleValueContainer().decode(CBORValue.self)
            return
        }
        self =
            decoder.codingPath.count == DeepStack.levelsBefore
            ? try DeepStack.run { () throws(any Error) in try CBORValue(partOf: decoder) }
            : try CBORValue(partOf: decoder)
    }

    private init(partOf decoder: any Decoder) throws {
        if var keyed = try? decoder.container(keyedBy: AnyKey.self) {
            self = try CBORValue.map(from: &keyed)
        } else if var unkeyed = try? decoder.unkeyedContainer() {
            var items: [CBORValue] = []
            while !unkeyed.isAtEnd { items.append(try unkeyed.decode(CBORValue.self)) }
            self = .array(items)
        } else {
            self = try CBORValue.scalar(from: try decoder.singleValueContainer())
        }
    }

    private static func map(from container: inout KeyedDecodingContainer<AnyKey>) throws -> CBORValue {
        let keys = container.allKeys.map(\.stringValue).sorted {
            $0.utf8.count != $1.utf8.count
                ? $0.utf8.count < $1.utf8.count : $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        return .map(try keys.map { Pair(.text($0), try container.decode(CBORValue.self, forKey: AnyKey($0))) })
    }

    private static func scalar(from container: any SingleValueDecodingContainer) throws -> CBORValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
        if let value = try? container.decode(Double.self) { return .float(value) }
        return .text(try container.decode(String.self))
    }

    /// Encodes the item with any coder.
    ///
    /// ``CBOREncoder`` writes the item itself. Other coders get Swift's types: bytes as base64 text, undefined as nil, a simple
    /// value as its number, the content of a tag, and keys that are not text in diagnostic notation.
    /// - Throws: what the encoder throws. - Complexity: O(size).
    public func encode(to encoder: any Encoder) throws {
        // Where a type has begun a container of its own, this goes on with it.
        if let state = encoder as? EncodingState, state.frame.kind == .empty || state.frame.kind == .single {
            var container = encoder.singleValueContainer()
            return try container.encode(self)
        }
        if encoder.codingPath.count == DeepStack.levelsBefore {
            return try DeepStack.run { () throws(any Error) in try encodePart(to: encoder) }
        }
        try encodePart(to: encoder)
    }

    private func encodePart(to encoder: any Encoder) throws {
        switch self {
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        case .map(let pairs):
            var container = encoder.container(keyedBy: AnyKey.self)
            for pair in pairs {
                try container.encode(pair.value, forKey: AnyKey(pair.key.text ?? pair.key.description))
            }
        case .tag(_, let item): try item.untagged.encodePart(to: encoder)
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    private var untagged: CBORValue {
        var value = self
        while case .tag(_, let inner) = value { value = inner }
        return value
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        switch self {
        case .unsigned(let value): try container.encode(value)
        case .negative(let value):
            if let narrow = Int64(exactly: value) {
                try container.encode(~narrow)
            } else {
                try container.encode(-1 - Double(value))
            }
        case .bytes(let value): try container.encode(Base64.text(value))
        case .text(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .simple(let value): try container.encode(value)
        case .null, .undefined, .array, .map, .tag: try container.encodeNil()
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        init(_ text: String) { stringValue = text }
        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { stringValue = String(intValue) }
        var intValue: Int? { nil }
    }
}

/// Base64 of RFC 4648 §4, padded.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var word: UInt32 = 0, held = 0
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            held += 1
            if held == 3 {
                for shift in [18, 12, 6, 0] as [UInt32] { text.append(digits[Int(word >> shift & 63)]) }
                (word, held) = (0, 0)
            }
        }
        if held > 0 {
            word <<= UInt32(8 * (3 - held))
            for index in 0..<4 {
                text.append(index <= held ? digits[Int(word >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
