public import YaprakCBOR
public import YaprakCore
public import YaprakModel
import YaprakStorage

public import struct Foundation.Date

/// One commit as the log has it: what changed in which collection, when, and by whom.
///
/// Values are decoded when they are asked for.
public struct ReplayCommit: Sendable {
    let logged: LoggedCommit
    /// Where the commit lies: the file, relative to the database's directory, and the byte in it.
    public let place: DatabaseError.Place
    /// The bytes of the commit before compression.
    public let byteCount: Int

    /// The hash of the commit's bytes: distinguishes commits of the same number.
    let fingerprint: UInt64

    init(_ stored: StoreReader.Commit) throws(DatabaseError) {
        fingerprint = stored.item.withUnsafeBytes { XXH64.hash($0, seed: 0) }
        place = DatabaseError.Place(file: stored.file, offset: stored.offset, commits: stored.number...stored.number)
        byteCount = stored.item.count
        do {
            logged = try LoggedCommit(stored.item[...])
        } catch {
            throw DatabaseError(
                .corruptLog, "commit \(stored.number) is not in the form of this version. Run `yaprak verify`.",
                place: place, cause: error)
        }
        guard logged.number == stored.number else {
            throw DatabaseError(
                .corruptLog, "commit \(stored.number) calls itself commit \(logged.number). Run `yaprak verify`.",
                place: place)
        }
    }

    /// The number. O(1).
    public var commitNumber: CommitNumber { logged.number }
    /// When it was made, by the clock of the program that made it. O(1).
    public var time: Date { Date(timeIntervalSince1970: Double(logged.nanoseconds) / 1e9) }
    /// The same in nanoseconds since 1970. O(1).
    public var nanosecondsSince1970: Int64 { logged.nanoseconds }
    /// Who wrote; empty if the program did not say. O(1).
    public var origin: String { logged.origin }
    /// Whether every record of every collection was removed first. O(1).
    public var removesAll: Bool { logged.clearedAll }

    /// The value the program attached, or `nil`.
    /// - Complexity: O(size).
    public var info: CBORValue? { logged.info.flatMap { try? CBORValue(decoding: $0) } }

    /// The value the program attached, as the type it had there; `nil` if there is none.
    /// - Throws: `DecodingError` if it is of another type. - Complexity: O(size).
    public func info<Info: Decodable>(as type: Info.Type) throws -> Info? {
        try logged.info.map { try CBORDecoder().decode(Info.self, from: $0) }
    }

    /// What changed, collection by collection. O(number of changes).
    public var collections: [CollectionChange] {
        logged.collections.map { collection in
            CollectionChange(
                name: collection.name, removesAll: collection.isCleared,
                changes: collection.operations.map { Change(operation: $0) })
        }
    }

    /// The number of records that were changed one by one. O(number of collections).
    public var changeCount: Int { logged.collections.reduce(0) { $0 + $1.operations.count } }

    /// What changed in one collection.
    public struct CollectionChange: Sendable {
        /// The name of the collection.
        public let name: String
        /// Whether every record of it was removed first.
        public let removesAll: Bool
        /// The changed records, in the order in which they were first changed.
        public let changes: [Change]
    }

    /// What happened to one record.
    public struct Change: Sendable {
        let operation: LoggedCommit.LoggedOperation

        /// The key, in NFC. O(1).
        public var key: String { operation.key }
        /// What happened. O(1).
        public var kinds: ChangeKinds { operation.kinds }
        /// The object, if it was set.
        /// - Throws: `CBORError` if its bytes are not CBOR. - Complexity: O(size).
        public func object() throws(CBORError) -> CBORValue? {
            guard let bytes = operation.object else { return nil }
            return try CBORValue(decoding: bytes)
        }
        /// The metadata, if it was set to something.
        /// - Throws: `CBORError` if its bytes are not CBOR. - Complexity: O(size).
        public func metadata() throws(CBORError) -> CBORValue? {
            guard let bytes = operation.metadata else { return nil }
            return try CBORValue(decoding: bytes)
        }
    }
}

extension ReplayCommit.CollectionChange {
    /// The same with only some of the changes.
    public func keeping(_ changes: [ReplayCommit.Change]) -> Self {
        Self(name: name, removesAll: removesAll, changes: changes)
    }
}
