public import YaprakCBOR
package import YaprakCore
import YaprakTrees

/// One record without the program's types.
///
///     if let dune = try reader.snapshot(at: 42).untyped("books")["abc"] { print(dune.object) }
///
/// Values are decoded when they are asked for.
public struct ReplayRecord: Sendable, Hashable {
    /// The key, in NFC.
    public let key: String
    /// The object's bytes: one CBOR item.
    public let objectBytes: ArraySlice<UInt8>
    /// The metadata's bytes, if the record has any: one CBOR item.
    public let metadataBytes: ArraySlice<UInt8>?
    /// The version of the collection's form that the record was written in.
    public let version: Int

    package init(_ raw: RawRecord) {
        key = raw.key
        objectBytes = raw.object
        metadataBytes = raw.metadata
        version = raw.version
    }

    /// The object. Bytes that are no valid CBOR (text that is not UTF-8, say) come as an encoded item, tag 24.
    /// - Complexity: O(size).
    public var object: CBORValue { Self.value(objectBytes) }

    /// The metadata, if the record has any. As ``object``.
    /// - Complexity: O(size).
    public var metadata: CBORValue? { metadataBytes.map(Self.value) }

    /// The object as a value of the program's type.
    ///
    ///     let dune = try record.object(as: Book.self)
    ///
    /// - Throws: `DecodingError` if it is of another type. - Complexity: O(size).
    public func object<Object: Decodable>(as type: Object.Type) throws -> Object {
        try Self.decode(type, from: objectBytes)
    }

    /// The metadata as a value of the program's type; `nil` if there is none.
    /// - Throws: `DecodingError` if it is of another type. - Complexity: O(size).
    public func metadata<Metadata: Decodable>(as type: Metadata.Type) throws -> Metadata? {
        try metadataBytes.map { try Self.decode(type, from: $0) }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, from item: ArraySlice<UInt8>) throws -> Value {
        try item.withUnsafeBytes { try CBORDecoder().decode(type, from: ForeignItem.unwrapped($0)) }
    }

    /// The record with another object; `nil` if that can't be written.
    func replacingObject(with object: CBORValue) -> ReplayRecord? {
        guard let bytes = try? object.encoded() else { return nil }
        return ReplayRecord(RawRecord(key: key, object: bytes[...], metadata: metadataBytes, version: version))
    }

    /// The same record with bytes of its own: others keep all that was read with them, a commit say. O(size).
    package func detached() -> ReplayRecord {
        ReplayRecord(
            RawRecord(
                key: key, object: ArraySlice(Array(objectBytes)), metadata: metadataBytes.map { ArraySlice(Array($0)) },
                version: version))
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> CBORValue {
        (try? CBORValue(decoding: bytes)) ?? .tag(24, .bytes(Array(bytes)))
    }
}
