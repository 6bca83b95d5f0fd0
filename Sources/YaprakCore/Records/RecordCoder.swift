import Foundation
package import YaprakCBOR
import YaprakLocks
import YaprakModel

/// Turns the objects and metadata of a collection into bytes and back, for the log and the checkpoints.
///
/// Only databases with a file ask for it; in memory nothing is encoded (unless
/// ``Database/inMemory(checkingCoding:options:)`` says so). What it throws while a transaction is sealed makes the write
/// throw, and nothing of it is kept.
///
/// The default is CBOR, which tools can show without the program's types. Bytes of any other coder stand in the log
/// wrapped and named, opaque to tools.
///
/// Where its records are to be migrated, a coder decodes and encodes `CBORValue`, too, with all keys as they are, and decodes
/// what it encodes as the collection's types.
///
/// A coder is deterministic: equal values become equal bytes. A coder that encrypts derives its nonce from the value: it
/// gets neither the key nor the collection. If the bytes differ, `verify` with a replay reports a checkpoint that differs
/// from its log, because it can only compare bytes. *Coding, migrating, encrypting* has a recipe.
public protocol RecordCoder: Sendable {
    /// The name that stands beside the bytes in the log. Stable: bytes are decoded by the coder of that name.
    ///
    /// That is the collection's ``CollectionConfiguration/coder`` or one of its ``CollectionConfiguration/earlierCoders``. Where
    /// none of them has the name, `"json"` is ``JSONRecordCoder`` and `"cbor"` ``CBORRecordCoder``: better give a coder of your
    /// own another name.
    var name: String { get }

    /// The bytes of `value`.
    /// - Throws: whatever says that the value has no encoding.
    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]

    /// The value of `bytes`.
    /// - Throws: whatever says that the bytes are not a `Value`.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value
}

/// The default coder: CBOR in its deterministic form (RFC 8949, section 4.2.1).
public struct CBORRecordCoder: RecordCoder {
    /// The coder; it has no settings.
    public static let shared = CBORRecordCoder()

    /// `"cbor"`.
    public var name: String { "cbor" }

    /// The value as one CBOR item. O(size).
    /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try CBOREncoder().encode(value) }

    /// The value of one CBOR item. O(size).
    /// - Throws: `DecodingError`, with a `CBORError` underneath for bytes that are no CBOR, or what the value's own
    ///   `init(from:)` throws.
    public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        try CBORDecoder().decode(type, from: bytes)
    }
}

extension CBORError: ErrorWithoutValues {
    package var codingSentence: String? { message }
}

/// A coder for types whose `Codable` expects JSON: text with sorted keys.
///
///     RecordCollection.notes.configured { $0.coder = JSONRecordCoder() }
public struct JSONRecordCoder: RecordCoder {
    /// A JSON coder.
    public init() {}

    /// `"json"`.
    public var name: String { "json" }

    /// The value as JSON text, keys sorted so that equal values have equal bytes. O(size).
    ///
    /// Where arrays and objects are nested more than 16 levels deep, the types' `encode(to:)` runs on another thread while the
    /// caller waits: a thread's own stack may be too small. Task-local values are not seen there. To find that out, a value of
    /// a type whose stored properties may hold others without end is also encoded as CBOR; of other types nothing is counted.
    /// - Throws: `EncodingError`; `encodingFailed` if they are nested more than 511 levels deep, which Foundation does not write.
    public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        if !JSONTypes.bound(of: Value.self).isDeeper(value, than: DeepStack.levelsBefore) { return try json(value) }
        // Counted first: nobody knows how much stack a value of the program's would take. Some of Foundation's types have more
        // levels here than in JSON, so Foundation says what is too deep there.
        if !sharedEncoder.isDeeper(value, than: CBORItem.depthMax) {
            do {
                return try DeepStack.run { () throws(any Error) in try json(value) }
            } catch {
                if !sharedEncoder.isDeeper(value, than: Self.levelsMax) { throw error }
            }
        }
        throw DatabaseError(
            .encodingFailed,
            """
            a value of type \(Value.self) nests more than \(Self.levelsMax) arrays and objects, which is as deep as JSON \
            is written. Keep its parts as records of their own.
            """)
    }

    /// How deep Foundation writes. It reads one level more.
    private static let levelsMax = 511

    private func json<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// The value of a JSON text. O(size).
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        let data = Data(bytes)
        if bytes.bracketDepth <= DeepStack.levelsBefore { return try JSONDecoder().decode(type, from: data) }
        return try DeepStack.run { () throws(any Error) in try JSONDecoder().decode(type, from: data) }
    }
}

/// What was learned of the types that are encoded as JSON.
private enum JSONTypes {
    /// A ``NestingBound`` for each.
    private static let bounds = Mutex<[ObjectIdentifier: any Sendable]>([:])

    static func bound<Value: Encodable>(of type: Value.Type) -> NestingBound<Value> {
        bounds.withLock { bounds in
            if let known = bounds[ObjectIdentifier(type)] as? NestingBound<Value> { return known }
            let bound = NestingBound<Value>()
            bounds[ObjectIdentifier(type)] = bound
            return bound
        }
    }
}

extension UnsafeRawBufferPointer {
    /// How deep brackets are nested in a JSON text; of one that is not in UTF-8, which Foundation reads as well, more than any.
    fileprivate var bracketDepth: Int {
        var depth = 0, deepest = 0
        var isInString = false, isEscaped = false
        for byte in self {
            if byte == 0 { return .max }
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = Swift.max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

/// The encoder of everything that goes to a log. It keeps its buffer between calls, if that is small.
let sharedEncoder = CBOREncoder()

/// The encoder of what is compared and not kept: two sets of the same elements give the same bytes.
let comparingEncoder = CBOREncoder(sortsSets: true)
