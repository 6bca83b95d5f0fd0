internal import Foundation
internal import YaprakReplay

/// Decodes a value from the fields of one row, each of which is a text: a number is read where the property is one.
struct CSVRowDecoder: Decoder {
    let fields: [String: String]
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(CSVRowContainer(fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal() }

    private func refusal() -> DecodingError {
        .typeMismatch(
            [String: String].self,
            .init(codingPath: [], debugDescription: "a row is an object with a property for each field"))
    }
}

/// The fields of a row by their names.
struct CSVRowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: [String: String]
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { fields.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try text(key).isEmpty }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try CSVFieldDecoder(text: text(key), codingPath: [key]).decode(type)
    }

    private func text(_ key: Key) throws -> String {
        guard let text = fields[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no field has this name"))
        }
        return text
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw nested(key) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested(key) }

    func superDecoder() throws -> any Decoder { CSVRowDecoder(fields: fields) }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw nested(key) }

    private func nested(_ key: Key) -> DecodingError {
        .typeMismatch(
            [String].self,
            .init(codingPath: [key], debugDescription: "a field of CSV is one value; use NDJSON for others"))
    }
}

/// One field.
struct CSVFieldDecoder: Decoder, SingleValueDecodingContainer {
    let text: String
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw nested() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nested() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func nested() -> DecodingError {
        .typeMismatch(
            [String].self,
            .init(codingPath: codingPath, debugDescription: "a field of CSV is one value; use NDJSON for others"))
    }

    func decodeNil() -> Bool { text.isEmpty }

    func decode(_ type: String.Type) throws -> String { text }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch text.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Double.Type) throws -> Double { try parsed(real()) }
    func decode(_ type: Float.Type) throws -> Float { try parsed(real()) }
    func decode(_ type: Int.Type) throws -> Int { try parsed(Int(text)) }
    func decode(_ type: Int8.Type) throws -> Int8 { try parsed(Int8(text)) }
    func decode(_ type: Int16.Type) throws -> Int16 { try parsed(Int16(text)) }
    func decode(_ type: Int32.Type) throws -> Int32 { try parsed(Int32(text)) }
    func decode(_ type: Int64.Type) throws -> Int64 { try parsed(Int64(text)) }
    func decode(_ type: UInt.Type) throws -> UInt { try parsed(UInt(text)) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try parsed(UInt8(text)) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try parsed(UInt16(text)) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try parsed(UInt32(text)) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try parsed(UInt64(text)) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // Dates are decoded as numbers by themselves; a table has them as ISO 8601.
        if type == Date.self { return try parsed(date() as? Value) }
        // These are decoded as objects; a table has them as texts.
        if type == Decimal.self { return try parsed(decimal() as? Value) }
        if type == URL.self { return try parsed(URL(string: text) as? Value) }
        return try Value(from: self)
    }

    /// A number in decimal. `Double` would read hexadecimal ones and `nan` as well, and what is too large as infinity.
    private func real<Real: BinaryFloatingPoint & LosslessStringConvertible>() -> Real? {
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        return isDecimal ? Real(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }

    /// A number in decimal, with the digits that it has in the text.
    private func decimal() -> Decimal? {
        // `Decimal` would take the beginning of a text for one.
        let rough: Double? = real()
        guard rough != nil, let number = Decimal(string: text), !number.isNaN else { return nil }
        return number
    }

    /// A time of ISO 8601, or seconds since 2001. Digits alone are no seconds: "20130105" is meant as a day.
    private func date() -> Date? {
        if let time = ISOTime.seconds(text) {
            let whole = Double(time.whole) - Date.timeIntervalBetween1970AndReferenceDate
            return Date(timeIntervalSinceReferenceDate: whole + Double(time.nanoseconds) / 1e9)
        }
        guard !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds: Double = real() else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private func parsed<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw mismatch(Value.self) }
        return value
    }

    private func mismatch<Value>(_ type: Value.Type) -> DecodingError {
        .typeMismatch(
            type, .init(codingPath: codingPath, debugDescription: "\(text.prefix(40).debugDescription) is no \(type)"))
    }
}
