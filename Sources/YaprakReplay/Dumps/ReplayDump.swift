import YaprakCBOR
public import YaprakCore
public import YaprakModel

/// The records of a snapshot as lines of JSON, to read, to compare with `diff`, and to load again without loss.
///
///     let dump = ReplayDump(of: try reader.snapshot(at: 42))
///     try dump.forEachLine { print($0) }
///
///     {"yaprak":"dump","version":1,"commit":42,"records":{"books":2},"digest":"9af1c05b3d5ae1f2"}
///     {"collection":"books","key":"dune","object":{"title":"Dune","rank":1}}
///     {"collection":"books","key":"emma","object":{"title":"Emma","rank":4},"metadata":17}
///
/// The first line says what follows; the others have a record each, in ascending order of collection and key, so that two
/// dumps differ where the records do. What JSON can't say stands in diagnostic notation under a marker,
/// `{"$cbor": "h'00ff'"}`: every record comes back byte for byte.
public struct ReplayDump: Sendable {
    /// The snapshot.
    public let snapshot: Snapshot
    /// The collections that are dumped, ascending.
    public let collections: [String]
    private let condition: ReplayExpression?

    /// The dump of a snapshot, or of some of its collections, or of the records that a condition is true of.
    ///
    /// - Precondition: the condition is about a record. - Complexity: O(1).
    public init(of snapshot: Snapshot, collections: [String]? = nil, where condition: ReplayExpression? = nil) {
        self.snapshot = snapshot
        self.collections = collections.map { Set($0).sorted() } ?? snapshot.collectionNames
        self.condition = condition
    }

    /// The version of the form that is written.
    public static let version = 1

    /// Hands over the lines, without line ends.
    ///
    /// - Throws: what `body` throws. - Complexity: O(bytes), in constant memory.
    public func forEachLine(_ body: (String) throws -> Void) rethrows {
        try body(header(counts).json())
        for collection in collections {
            for record in snapshot.untyped(collection) where isWanted(record) {
                try body(Self.line(of: record, in: collection))
            }
        }
    }

    /// The same with the number of records that are dumped, unless nobody waits for them any more.
    ///
    /// - Throws: what `body` throws; `CancellationError` if `isCancelled` was true, which is asked now and then.
    package func forEachLine(
        unless isCancelled: @escaping () -> Bool, _ body: (_ line: String, _ total: Int) throws -> Void
    ) throws {
        var counts: [(name: String, count: Int)] = []
        for collection in collections {
            var count = condition == nil ? snapshot.untyped(collection).count : 0
            if condition != nil { try visit(collection, unless: isCancelled) { _ in count += 1 } }
            counts.append((collection, count))
        }
        let total = counts.reduce(0) { $0 + $1.count }
        try body(header(counts).json(), total)
        for collection in collections {
            try visit(collection, unless: isCancelled) { try body(Self.line(of: $0, in: collection), total) }
        }
    }

    /// Hands over the records of a collection that are wanted.
    private func visit(
        _ collection: String, unless isCancelled: @escaping () -> Bool, _ body: (ReplayRecord) throws -> Void
    ) throws {
        for (index, record) in snapshot.untyped(collection).enumerated() {
            if index % 256 == 0, isCancelled() { throw CancellationError() }
            guard let condition else {
                try body(record)
                continue
            }
            guard let holds = condition.holds(for: record, in: snapshot, unless: isCancelled) else {
                throw CancellationError()
            }
            if holds { try body(record) }
        }
    }

    /// The number of records that are dumped. O(1) for each collection; O(bytes) with a condition.
    public var count: Int { counts.reduce(0) { $0 + $1.count } }

    private var counts: [(name: String, count: Int)] {
        collections.map { name in
            let records = snapshot.untyped(name)
            return (name, condition == nil ? records.count : records.count { isWanted($0) })
        }
    }

    private func isWanted(_ record: ReplayRecord) -> Bool { condition?.holds(for: record, in: snapshot) ?? true }

    private func header(_ counts: [(name: String, count: Int)]) -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("yaprak", "dump"), .init("version", .integer(Int64(Self.version))),
            .init("commit", .unsigned(snapshot.commitNumber.rawValue)),
            .init("records", .map(counts.map { .init(.text($0.name), .integer(Int64($0.count))) })),
        ]
        if condition == nil, collections == snapshot.collectionNames {
            pairs.append(.init("digest", .text(snapshot.digest.description)))
        }
        return .map(pairs)
    }

    static func line(of record: ReplayRecord, in collection: String) -> String {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(record.key)),
            .init("object", DumpNotation.json(of: record.objectBytes)),
        ]
        if let metadata = record.metadataBytes { pairs.append(.init("metadata", DumpNotation.json(of: metadata))) }
        if record.version != 1 { pairs.append(.init("version", .integer(Int64(record.version)))) }
        return CBORValue.map(pairs).json()
    }
}

/// What the first line of a dump says.
public struct ReplayDumpHeader: Sendable, Hashable {
    /// The commit that was dumped.
    public let commitNumber: CommitNumber
    /// How many records of each collection follow.
    public let counts: [String: Int]
    /// The digest of the snapshot, if all of it was dumped.
    public let digest: SnapshotDigest?

    /// Whether a line is the first of a dump, whatever its version. O(length).
    public static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        (try? CBORValue(json: line))?["yaprak"] == "dump"
    }

    /// Reads the first line.
    ///
    /// - Throws: `newerFormat` if a later version wrote it, `invalidDump`.
    public init(_ line: ArraySlice<UInt8>) throws(DatabaseError) {
        guard let json = try? CBORValue(json: line), json["yaprak"] == "dump", let version = json["version"]?.integer,
            version >= 1
        else { throw .dump("the first line is not that of a dump") }
        guard version <= ReplayDump.version else {
            throw DatabaseError(
                .newerFormat,
                "the dump has version \(version); this program reads version \(ReplayDump.version). Load it with a newer one."
            )
        }
        guard case .unsigned(let commit)? = json["commit"], let records = json["records"]?.map else {
            throw .dump("the first line says neither commit nor records")
        }
        // A database that starts with it makes others.
        guard commit < LogPosition.commitNumberMax else {
            throw .dump("the first line has a commit that is none: they end with \(LogPosition.commitNumberMax)")
        }
        var counts: [String: Int] = [:]
        for pair in records {
            guard let name = pair.key.text, let count = pair.value.integer, count >= 0 else {
                throw .dump("the first line has counts that are none")
            }
            counts[name] = Int(count)
        }
        var digest: SnapshotDigest?
        if let text = json["digest"] {
            digest = text.text.flatMap { SnapshotDigest($0) }
            guard digest != nil else { throw .dump("the digest in the first line is none") }
        }
        commitNumber = CommitNumber(commit)
        self.counts = counts
        self.digest = digest
    }

    /// Holds what followed against what this line promises: how many records each collection has, each key counted once.
    ///
    /// - Throws: `invalidDump`. - Complexity: O(number of collections).
    package func check(_ found: [String: Int]) throws(DatabaseError) {
        for name in Set(counts.keys).union(found.keys).sorted() {
            let count = found[name] ?? 0, promised = counts[name] ?? 0
            guard count == promised else {
                let records = count.counted("record")
                throw .dump("it has \(records) of \(quoted(name)), and its first line promises \(promised)")
            }
        }
    }
}

/// A record of a dump, as its bytes.
public struct ReplayDumpRecord: Sendable, Hashable {
    /// The name of the collection.
    public let collectionName: String
    /// The key.
    public let key: String
    /// The object: one CBOR item.
    public let object: [UInt8]
    /// The metadata, if the record has any: one CBOR item.
    public let metadata: [UInt8]?
    /// The version of the collection's form that the record has.
    public let version: Int

    /// Reads a line of a dump other than the first.
    ///
    /// - Throws: `invalidDump` with what is wrong. - Complexity: O(length).
    public init(_ line: ArraySlice<UInt8>) throws(DatabaseError) {
        let json: CBORValue
        do { json = try CBORValue(json: line) } catch { throw .dump("\(error)") }
        try self.init(json)
    }

    init(_ json: CBORValue) throws(DatabaseError) {
        guard let collectionName = json["collection"]?.text, let key = json["key"]?.text, let object = json["object"]
        else {
            throw .dump("a record has a collection, a key and an object")
        }
        let version = json["version"] ?? 1
        guard let version = version.integer, let version = Int(exactly: version), version >= 0 else {
            throw .dump("the version is a number of 0 or more")
        }
        self.collectionName = collectionName
        self.key = key.normalizedKey
        self.version = version
        do {
            self.object = try DumpNotation.item(of: object)
            if let metadata = json["metadata"] {
                self.metadata = try DumpNotation.item(of: metadata)
            } else {
                self.metadata = nil
            }
        } catch {
            throw .dump("\(error)")
        }
    }
}

extension DatabaseError {
    static func dump(_ what: String) -> DatabaseError { DatabaseError(.invalidDump, what) }
}

extension DatabaseError.Code {
    /// A text is not a dump, or is not whole. A dump of a later version is `newerFormat`.
    public static let invalidDump = Self(rawValue: "invalidDump")
}

extension WriteTransaction {
    /// Puts a record of a dump.
    /// - Returns: what that changed; nothing if the record is there already, byte for byte.
    /// - Throws: as ``setUntyped(_:metadata:version:for:inCollectionNamed:)``.
    @discardableResult
    public mutating func put(_ record: ReplayDumpRecord) throws -> ChangeKinds {
        try put(
            object: record.object[...], metadata: record.metadata.map { $0[...] }, version: record.version,
            for: record.key, inCollectionNamed: record.collectionName)
    }
}
