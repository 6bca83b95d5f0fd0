public import YaprakCBOR
import YaprakCore
public import YaprakStorage

/// The whole database as of one commit, as it stands on disk: a value without the program's types.
///
/// Made by ``ReplayReader/state(at:)``. Immutable; keeps its memory until it goes.
public struct ReplayState: Sendable {
    let state: SnapshotState

    /// The commit. O(1).
    public var number: CommitNumber { Snapshot(state).commitNumber }

    /// The names of the collections that hold at least one record, ascending. O(*c* log *c*).
    public var collectionNames: [String] { Snapshot(state).collectionNames }

    /// The number of records in a collection; 0 if there is none of that name. O(1).
    public func count(in collection: String) -> Int { Snapshot(state).count(inCollectionNamed: collection) }

    /// The record under `key`; `nil` if there is none.
    ///
    /// - Throws: ``CBORError`` if its bytes are not CBOR (a coder of the program's own wrote them).
    /// - Complexity: O(log *n*), and the size of the record.
    public func record(_ key: String, in collection: String) throws(CBORError) -> ReplayRecord? {
        guard let raw = state.rawRecord(forKey: key, inCollection: collection) else { return nil }
        return try ReplayRecord(key, raw)
    }

    /// Hands over the records of a collection in ascending order of their keys.
    ///
    /// - Throws: ``CBORError`` as above; what `body` throws, unchanged.
    /// - Complexity: O(bytes of the collection).
    public func forEachRecord(in collection: String, _ body: (ReplayRecord) throws -> Void) throws {
        try state.forEachRawRecord(inCollection: collection) { key, raw in try body(ReplayRecord(key, raw)) }
    }

    /// Hands over the objects of a collection as values of the program's type.
    ///
    ///     try then.forEachObject(in: "books", as: Book.self) { key, book in … }
    ///
    /// - Throws: `DecodingError` for the first that does not decode; what `body` throws, unchanged.
    /// - Complexity: O(bytes of the collection).
    public func forEachObject<Object: Decodable>(
        in collection: String, as type: Object.Type, _ body: (_ key: String, _ object: Object) throws -> Void
    ) throws {
        let decoder = CBORDecoder()
        try state.forEachRawRecord(inCollection: collection) { key, raw in
            try body(key, decoder.decode(Object.self, from: Array(raw.object)))
        }
    }
}

/// One record without the program's types.
public struct ReplayRecord: Sendable, Hashable {
    /// The key, in NFC.
    public let key: String
    /// The object.
    public let object: CBORValue
    /// The metadata, if the record has any.
    public let metadata: CBORValue?
    /// The version of the collection's form that the record was written in.
    public let version: Int

    init(_ key: String, _ raw: RawRecord) throws(CBORError) {
        self.key = key
        object = try CBORValue(decoding: raw.object)
        if let bytes = raw.metadata { metadata = try CBORValue(decoding: bytes) } else { metadata = nil }
        version = raw.version
    }
}
