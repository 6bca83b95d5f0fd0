import YaprakLocks

extension CBORValue: Codable {
    /// Decodes an item with any coder.
    ///
    /// ``CBORDecoder`` gives the item itself. With `JSONDecoder`, numbers without a fraction become integers up to 64 bits and
    /// floats beyond, and the keys of objects are sorted bytewise, shorter ones first: their order in the text is not
    /// available, and two readings of one text should be equal. Where that decoder is more than 14 keys deep, the value is read
    /// on another thread while the caller waits, as in ``CBORDecoder``.
    /// - Throws: what the decoder throws. - Complexity: O(size).
    public init(from decoder: any Decoder) throws {
        if decoder is ItemDecoder {
            self = try decoder.singleValueContainer().decode(CBORValue.self)
            return
        }
        // Another coder doesn't say how deep the value is, before it is read.
        let attempt = Attempt()
        do {
            self = try Attempt.$current.withValue(attempt) { try CBORValue(decoder, Part<CallersStack>.self) }
        } catch {
            // That coder may have made another error of ours.
            guard attempt.needsDeepStack else { throw error }
            self = try DeepStack.run { () throws(any Error) in try CBORValue(decoder, Part<OwnStack>.self) }
        }
    }

    fileprivate init<Stack>(_ decoder: any Decoder, _ part: Part<Stack>.Type) throws {
        if let keyed = try? decoder.container(keyedBy: AnyKey.self) {
            self = try CBORValue.map(from: keyed, part, decoder)
        } else if var unkeyed = try? decoder.unkeyedContainer() {
            if !unkeyed.isAtEnd { try part.enter(decoder) }
            var items: [CBORValue] = []
            while !unkeyed.isAtEnd { items.append(try unkeyed.decode(part).value) }
            self = .array(items)
        } else {
            self = try CBORValue.scalar(from: try decoder.singleValueContainer())
        }
    }

    private static func map<Stack>(
        from container: KeyedDecodingContainer<AnyKey>, _ part: Part<Stack>.Type, _ decoder: any Decoder
    ) throws -> CBORValue {
        let keys = container.allKeys.map(\.stringValue).sorted {
            $0.utf8.count != $1.utf8.count
                ? $0.utf8.count < $1.utf8.count : $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        if !keys.isEmpty { try part.enter(decoder) }
        return .map(try keys.map { Pair(.text($0), try container.decode(part, forKey: AnyKey($0)).value) })
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
        if let own = encoder as? ItemEncoder, own.takesItem {
            var container = encoder.singleValueContainer()
            return try container.encode(self)
        }
        try DeepStack.run(if: isDeep) { () throws(any Error) in try encodePart(to: encoder) }
    }

    fileprivate func encodePart(to encoder: any Encoder) throws {
        switch self {
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(Part<OwnStack>(item)) }
        case .map(let pairs):
            var container = encoder.container(keyedBy: AnyKey.self)
            for pair in pairs {
                try container.encode(Part<OwnStack>(pair.value), forKey: AnyKey(pair.key.text ?? pair.key.description))
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

/// An item within one that another coder decodes or encodes. Its type says on which stack, because only types go through a
/// coder, and a stack is made once for the whole: a container may have a million items at one level.
private struct Part<Stack: CoderStackKind>: Codable {
    let value: CBORValue
    init(_ value: CBORValue) { self.value = value }
    // One of another coder may lend a container of ours, which has the item itself.
    init(from decoder: any Decoder) throws {
        value = decoder is ItemDecoder ? try CBORValue(from: decoder) : try CBORValue(decoder, Part.self)
    }
    func encode(to encoder: any Encoder) throws {
        if encoder is ItemEncoder { try value.encode(to: encoder) } else { try value.encodePart(to: encoder) }
    }

    /// Throws if what is in the container of the decoder is too deep for this stack.
    static func enter(_ decoder: any Decoder) throws {
        if Stack.isDeep || decoder.codingPath.count + 1 < DeepStack.levelsBefore { return }
        Attempt.current?.needsDeepStack = true
        throw NeedsDeepStack()
    }
}

private protocol CoderStackKind { static var isDeep: Bool { get } }
/// For the first 16 levels.
private enum CallersStack: CoderStackKind { static var isDeep: Bool { false } }
/// A ``DeepStack``, or that of the caller where the item is known to have few levels.
private enum OwnStack: CoderStackKind { static var isDeep: Bool { true } }
/// Ends the attempt on the stack of the caller.
private struct NeedsDeepStack: Error {}
/// The attempt to read a value on the stack of the caller. Only its thread uses it.
private final class Attempt: @unchecked Sendable {
    @TaskLocal static var current: Attempt?
    var needsDeepStack = false
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
