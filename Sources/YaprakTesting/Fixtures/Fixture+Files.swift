public import Yaprak
internal import YaprakCBOR
internal import YaprakCore
internal import YaprakReplay

extension Fixture {
    /// A fixture with the records of one file: ``FixtureFile/ndjson(_:source:)`` or ``FixtureFile/csv(_:separator:source:)``.
    ///
    ///     static let cities = Fixture.file(.ndjson("cities.ndjson"), into: .cities, key: "id")
    ///
    /// - Parameters:
    ///   - file: where the records are.
    ///   - collection: where they go.
    ///   - field: the name of the field that holds the key.
    ///   - metadataField: the name of the field that holds the metadata; without a name no record has any.
    ///   - checkingCoding: as in ``init(checkingCoding:options:_:)``.
    ///   - options: as in ``init(checkingCoding:options:_:)``.
    ///   - build: goes on from there, and registers extensions, say.
    ///
    /// Tests that ask for it throw as `Database.load(_:into:key:metadata:)`, and what `build` throws.
    public static func file<Object, Metadata>(
        _ file: FixtureFile, into collection: RecordCollection<Object, Metadata>, key field: String,
        metadata metadataField: String? = nil, checkingCoding: Bool = true,
        options: DatabaseOptions = DatabaseOptions(),
        then build: @escaping @Sendable (Database) async throws -> Void = { _ in }
    ) -> Fixture {
        Fixture(checkingCoding: checkingCoding, options: options) { database in
            try await database.load(file, into: collection, key: field, metadata: metadataField)
            try await build(database)
        }
    }

    /// A fixture with the records of a dump that `yaprak dump` wrote.
    ///
    ///     static let shop = Fixture.dump("shop.ndjson", collections: .books, .authors)
    ///
    /// It starts with the commit number of the dump. The first line says how many records of each collection follow, which is
    /// compared, and so is the digest that a dump of a whole database has.
    /// - Parameters:
    ///   - path: the dump; a relative path starts in the folder of the source file.
    ///   - source: where a relative path starts.
    ///   - checkingCoding: as in ``init(checkingCoding:options:_:)``.
    ///   - options: as in ``init(checkingCoding:options:_:)``.
    ///   - collections: those that the tests use.
    ///   - build: goes on from there, and registers extensions, say.
    ///
    /// Tests that ask for it throw `notFound`, `ioFailed`; `invalidDump` with the line, `invalidFixture` if the file can't be
    /// read as lines, `newerFormat`; `undecodableRecord` with the record and the field; `migrationFailed`, `invalidName`; and
    /// what `build` throws.
    public static func dump<each Object, each Metadata>(
        _ path: String, source: String = #filePath, checkingCoding: Bool = true,
        options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>,
        then build: @escaping @Sendable (Database) async throws -> Void = { _ in }
    ) -> Fixture {
        let path = FixtureFile.resolved(path, source)
        var bindings: [Binding] = []
        repeat bindings.append(Binding(each collections))
        return Fixture(
            checkingCoding: checkingCoding,
            from: { [bindings] in
                let database = try await blocking { try readDump(path, options) }
                for binding in bindings { try await binding.bind(database) }
                return database
            }, then: build)
    }

    /// A fixture with the state of a database directory at a commit: a log from production, say, copied into the tests.
    ///
    ///     static let crash = Fixture.log("crash.yaprak", at: "@{10 minutes ago}", collections: .books)
    ///
    /// The directory is read, not changed. Relative times count from the newest commit in the log, not from today, so that the
    /// fixture stays the same; where a checkpoint is all there is, as in a backup, from that. The log is replayed from the
    /// oldest commit on and held against each checkpoint.
    /// - Parameters:
    ///   - path: the directory; a relative path starts in the folder of the source file.
    ///   - position: the commit, as `LogPosition` writes it: `42`, `@~3`, `@{2013-01-05 12:00}`, a tag. The newest by default.
    ///   - source: where a relative path starts.
    ///   - checkingCoding: as in ``init(checkingCoding:options:_:)``.
    ///   - options: as in ``init(checkingCoding:options:_:)``.
    ///   - collections: those that the tests use.
    ///   - build: goes on from there, and registers extensions, say.
    ///
    /// Tests that ask for it throw `notFound`, also if there is no such tag; `notADatabase`, `permissionDenied`, `ioFailed`;
    /// `invalidPosition`, `commitOutOfReach`, `corruptTags`; `corruptLog`, `corruptCheckpoint`, `stateDiffers`, `newerFormat`;
    /// `undecodableRecord` with the record and the field; `migrationFailed`, `invalidName`; and what `build` throws.
    public static func log<each Object, each Metadata>(
        _ path: String, at position: String = "@", source: String = #filePath, checkingCoding: Bool = true,
        options: DatabaseOptions = DatabaseOptions(),
        collections: repeat RecordCollection<each Object, each Metadata>,
        then build: @escaping @Sendable (Database) async throws -> Void = { _ in }
    ) -> Fixture {
        let path = FilePath(FixtureFile.resolved(path, source))
        var bindings: [Binding] = []
        repeat bindings.append(Binding(each collections))
        return Fixture(
            checkingCoding: checkingCoding,
            from: { [bindings] in
                let number = try await blocking { try commitNumber(at: position, in: path) }
                let database = try await Database.replay(path, upTo: number, options: options)
                for binding in bindings { try await binding.bind(database) }
                return database
            }, then: build)
    }

    /// The commit at a position; times count from the newest commit.
    private static func commitNumber(at position: String, in path: FilePath) throws -> CommitNumber {
        let position = try LogPosition(position)
        var reader = try ReplayReader(path)
        let time = try newestTime(in: reader)
        reader.clock = { time }
        return try reader.commitNumber(at: position)
    }

    /// When the newest commit was made. Where only a checkpoint has it, as in a backup, its own time is the next best.
    private static func newestTime(in reader: ReplayReader) throws -> Int64 {
        let newest = try reader.newestCommitNumber()
        if let oldest = try reader.oldestCommitNumber(), oldest <= newest {
            var commits = reader.commits(from: newest).makeAsyncIterator()
            if let commit = try commits.next() { return commit.nanosecondsSince1970 }
        }
        return try reader.checkpoints().map(\.nanosecondsSince1970).max() ?? reader.clock()
    }

    private static func readDump(_ path: String, _ options: DatabaseOptions) throws -> Database {
        var header: ReplayDumpHeader?
        var collections = RecordsByCollection()
        try FixtureFile.lines(of: path) { line, bytes in
            do {
                guard header != nil else { return header = try ReplayDumpHeader(bytes) }
                collections.append(try ReplayDumpRecord(bytes))
            } catch let error as DatabaseError {
                throw DatabaseError(
                    error.code, "\(path), line \(line): \(error.message)", place: .init(file: path), cause: error)
            }
        }
        guard let header else {
            throw DatabaseError(.invalidDump, "\(path) is empty. Make it with `yaprak dump`.", place: .init(file: path))
        }
        let database = Database.inMemory(collections.all, at: header.commitNumber, options: options)
        let snapshot = database.snapshot
        do throws(DatabaseError) {
            // Of records that are there twice one is left.
            let counts = snapshot.collectionNames.map { ($0, snapshot.count(inCollectionNamed: $0)) }
            try header.check(Dictionary(counts) { $0 + $1 })
        } catch {
            throw DatabaseError(
                error.code, "\(path): \(error.message). Make it again with `yaprak dump`, or correct the first line.",
                place: .init(file: path), cause: error)
        }
        if let digest = header.digest, snapshot.digest != digest {
            throw DatabaseError(
                .invalidDump,
                """
                \(path) holds other records than its first line says: the digest differs. Make it again with `yaprak dump`, \
                or remove the digest from the first line.
                """, place: .init(file: path))
        }
        return database
    }

    /// A collection to bind, and how to say which field of a record does not fit it.
    private struct Binding: Sendable {
        let bind: @Sendable (Database) async throws -> Void

        init<Object, Metadata>(_ collection: RecordCollection<Object, Metadata>) {
            bind = { database in
                do {
                    try await database.bind(collection)
                } catch let error as DatabaseError where error.code == .undecodableRecord {
                    throw Self.explained(error, database.snapshot, collection)
                }
            }
        }

        /// The error with the field of the first record that does not fit.
        private static func explained<Object, Metadata>(
            _ error: DatabaseError, _ snapshot: Snapshot, _ collection: RecordCollection<Object, Metadata>
        ) -> DatabaseError {
            for record in snapshot.untyped(collection.name) {
                do {
                    _ = try record.object(as: Object.self)
                    _ = try record.metadata(as: Metadata.self)
                } catch let mismatch as DecodingError {
                    return DatabaseError(
                        .undecodableRecord,
                        """
                        the record \(record.key.debugDescription) is not one that "\(collection.name)" holds: \
                        \(SchemaMismatch.text(of: mismatch)). Correct the file, or the type, or configure a migration.
                        """,
                        place: .init(collectionName: collection.name, key: record.key))
                } catch {
                    break
                }
            }
            return error
        }
    }
}
