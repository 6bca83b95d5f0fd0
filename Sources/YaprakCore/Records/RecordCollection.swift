public import YaprakCBOR

/// The name of a collection of records, and the types its records have.
///
/// A handle, not a container: it costs nothing to make and holds no data. Declare each collection once, as a static
/// member, and every API of the engine accepts it as `.books`:
///
///     extension RecordCollection where Object == Book, Metadata == NoMetadata {
///         static var books: Self { Self("books") }
///     }
///
///     let dune = database.snapshot[.books]["abc"]
///
/// How records are encoded, validated and migrated is said where the collection is bound
/// (``Database/open(at:options:collections:)-(FilePath,_,_)``, ``Database/bind(_:)``), with ``configured(_:)``.
///
/// A name is 1 to 255 bytes of UTF-8 without control characters. Using one name with two Swift types in one database is
/// a programming error and stops the program with a sentence that names both.
public struct RecordCollection<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// The name, as it stands in the log.
    public let name: String
    @usableFromInline let configuration: SharedConfiguration<Object, Metadata>?

    /// A handle for the collection called `name`. O(1).
    @inlinable
    public init(_ name: String) {
        self.name = name
        self.configuration = nil
    }

    init(name: String, configuration: CollectionConfiguration<Object, Metadata>) {
        self.name = name
        self.configuration = SharedConfiguration(configuration)
    }

    /// The same collection with its coder, its validation and its migrations, for the place where it is bound.
    ///
    ///     let database = try await Database.open(at: path, collections: RecordCollection.books.configured {
    ///         $0.version = 2
    ///         $0.migrate(from: 1, to: 2) { record in … }
    ///     })
    ///
    /// Handles without a configuration use the one that was bound. Once a collection is bound with a configuration, one that
    /// a handle brings along is looked at by ``Database/bind(_:)`` only. A write through a configured handle to a collection
    /// that is in use without a configuration throws `notConfigured`. O(1).
    public func configured(_ build: (inout CollectionConfiguration<Object, Metadata>) -> Void) -> Self {
        var next = configuration?.value ?? CollectionConfiguration()
        build(&next)
        return Self(name: name, configuration: next)
    }
}

/// A configuration behind a reference, so that a handle is a name and a word: one is made with each read.
@usableFromInline
final class SharedConfiguration<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    let value: CollectionConfiguration<Object, Metadata>

    init(_ value: CollectionConfiguration<Object, Metadata>) { self.value = value }
}

/// The metadata of collections that have none.
///
///     extension RecordCollection where Object == Book, Metadata == NoMetadata { … }
public struct NoMetadata: Codable, Sendable, Hashable {
    /// The only value. No record keeps it: one that is given it has no metadata. O(1).
    public init() {}
}

/// How the records of one collection are encoded, checked and migrated.
///
/// Made by ``RecordCollection/configured(_:)``; a value, so that a handle stays `Sendable`.
public struct CollectionConfiguration<Object: Codable & Sendable, Metadata: Codable & Sendable>: Sendable {
    /// The version of the record's form on disk. Records of an older version go through ``migrate(from:to:_:)`` at bind.
    public var version = 1

    /// Turns records into bytes and back. CBOR by default, which tools can read without the program's types.
    public var coder: any RecordCoder = CBORRecordCoder.shared

    /// Coders that older records on disk were written with, beside ``coder``. They only decode, except what a migration has
    /// changed: that they encode and decode once more.
    ///
    /// Bytes name their coder. The log keeps the bytes of each coder until a checkpoint has every record in the newest form
    /// and retention removes the older files, so name a former coder for as long as the database may hold its bytes. CBOR and
    /// JSON are always understood. A coder of your own that is called `"json"` or `"cbor"` is asked before those, unless
    /// ``JSONRecordCoder`` is the collection's ``coder``.
    ///
    ///     $0.coder = Sealed(name: "sealed-2026", key: newKey)
    ///     $0.earlierCoders = [Sealed(name: "sealed-2025", key: oldKey)]
    public var earlierCoders: [any RecordCoder] = []

    /// A record that older ones are completed from: keys that the type requires and a stored object lacks come from its
    /// encoding.
    ///
    ///     struct Book: Codable { var title: String, pages = 0 }       // `pages` is new
    ///
    ///     $0.prototype = Book(title: "")                               // stored books have 0 pages
    ///
    /// Values within the object are completed from the values at the same place in the prototype, items of arrays from the
    /// first item there. An optional that is missing stays `nil`, whatever the prototype has. Name the prototype as long as
    /// the log may have objects that lack its keys, as with ``migrate(from:to:_:)``, which comes first where the version is
    /// older. Only CBOR is completed, also behind a migration. Checkpoints of a collection whose ``coder`` is CBOR store the
    /// prototype, so that a replay knows what was added.
    public var prototype: Object?

    /// The same for metadata.
    public var metadataPrototype: Metadata?

    /// What happens at bind to a record whose bytes do not decode.
    public var undecodable = UndecodablePolicy.refuse

    var migrations: [Int: Migration] = [:]
    var prepare: (@Sendable (String, inout Object, inout Metadata?) throws -> Void)?
    /// Whether an object and metadata are those that are there.
    var isEqual: (@Sendable (Object, Metadata?, Object, Metadata?) -> Bool)?

    /// CBOR, version 1, no checks.
    public init() {}

    /// Checks or changes each record that a transaction sets, before it is written. A second call replaces the closure of the
    /// first.
    ///
    /// The closure runs inside the transaction for each object or metadata that is set. What it throws makes the whole
    /// write throw, unchanged; what it changes is what gets stored, indexed and logged.
    ///
    /// Touches and removals don't run it. Nor does what puts back what a database had: ``Database/restore(_:origin:)``,
    /// ``WriteTransaction/setUntyped(_:metadata:version:for:inCollectionNamed:)``, and of `YaprakReplay`, reverting commits and
    /// playing a fixture. Such a record may be one that the closure would refuse today.
    ///
    ///     $0.prepare { key, book, _ in
    ///         guard !book.title.isEmpty else { throw EmptyTitle(key) }
    ///         book.title = book.title.trimmed()
    ///     }
    public mutating func prepare(
        _ body: @escaping @Sendable (_ key: String, _ object: inout Object, _ metadata: inout Metadata?) throws -> Void
    ) {
        prepare = body
    }

    /// Makes writing a value that is equal to the one there change nothing: no commit, no change, nothing in the log.
    ///
    /// Without it a write is a write, and costs no comparison. With it every object and metadata that is set is compared with
    /// what is there, after ``prepare(_:)``. Touches still count as changes.
    ///
    ///     $0.skipEqualValues()
    public mutating func skipEqualValues() where Object: Equatable, Metadata: Equatable {
        isEqual = { $0 == $2 && $1 == $3 }
    }

    /// Says how a record of version `from` becomes one of version `to`.
    ///
    /// Steps chain: 1 → 2 and 2 → 3 take a record from 1 to 3. They work on the decoded but untyped value, run once per
    /// record each time the collection is bound, until a checkpoint or a write has the record in its new form, and what
    /// one throws makes the bind throw (or sets the record aside, under ``UndecodablePolicy/setAside``).
    ///
    /// The value has the forms of the coder that wrote the record, and goes back through that coder: of ``JSONRecordCoder``, a
    /// `Data` is a text in base64, and what a step adds has to be what `Data` decodes from in JSON. The coder has to decode and
    /// to encode `CBORValue`.
    ///
    ///     $0.version = 2
    ///     $0.migrate(from: 1, to: 2) { record in
    ///         record.object = .map([.init("title", record.object["name"] ?? .null)])
    ///     }
    ///
    /// - Precondition: `from` is 1 or more, and less than `to`.
    public mutating func migrate(
        from: Int, to: Int, _ step: @escaping @Sendable (inout UntypedRecord) throws -> Void
    ) {
        precondition(from < to, "a migration goes from a version to a later one, not from \(from) to \(to)")
        precondition(from >= 1, "versions begin with 1: no record is of version \(from)")
        migrations[from] = Migration(to: to, step: step)
    }
}

/// What happens when a record that came from disk does not decode to its collection's type.
public enum UndecodablePolicy: Sendable {
    /// Opening or binding throws ``DatabaseError`` with the code `undecodableRecord` and the first keys. Nothing is lost.
    case refuse
    /// The record stays as bytes: outside of reads and extensions, listed by ``Snapshot/setAsideKeys(inCollectionNamed:)``,
    /// kept in every checkpoint until a write to its key replaces it, or `remove(_:)` of its key or a removal of all records
    /// takes it away: what does not decode can't be written again, by a restore, say. A `?.` that finds no record under its
    /// key, and setting `nil`, leave it. It keeps its place in a manual view and its edges, and rules of relationships count it.
    case setAside
}

/// A record on its way through a migration: decoded, without the program's types, in the forms of the coder that wrote it.
public struct UntypedRecord: Sendable {
    /// The key. Migrations can't change it.
    public let key: String
    /// The object.
    public var object: CBORValue
    /// The metadata, if the record has any.
    public var metadata: CBORValue?
}

struct Migration: Sendable {
    var to: Int
    var step: @Sendable (inout UntypedRecord) throws -> Void
}
