#if SQLite
    public import SystemPackage
    public import Yaprak
    import YaprakCBOR

    /// Brings the objects of a YapDatabase into a database.
    ///
    ///     var old = YapDatabaseImport("old.sqlite")
    ///     old.decode("books", as: .books)                             // what registerCodableSerialization wrote
    ///     old.decode("covers", as: .covers) { row in try Cover(legacy: row.object) }
    ///     let report = try await old.run(into: database)
    ///     for note in report.notes { print(note) }                    // a line for each row that could not be read
    ///
    /// Collections that are not named keep what their serializers wrote, read without their types (``StoredValue``): binary
    /// property lists, keyed archives and JSON become records that a `Codable` type with the same properties decodes,
    /// anything else byte strings. So nothing is lost, and an import without any of the program's types is one line:
    ///
    ///     try await YapDatabaseImport("old.sqlite").run(into: database)
    ///
    /// The file is only read, also one that its program left without closing it. Extensions, whose tables are in it too, are not:
    /// they are declared with types of Yaprak and built from the records. A program with this product needs the trait `SQLite`.
    public struct YapDatabaseImport: Sendable {
        /// What to do with the collections that ``decode(_:as:object:metadata:)`` does not name.
        public enum Rest: Sendable, Hashable {
            /// Read them without their types.
            case values
            /// Leave them out.
            case skipped
        }

        /// The file.
        public let path: FilePath
        /// What to do with collections for which nothing was said.
        public var rest = Rest.values
        /// How many rows go into one commit: 1,000. A commit has fewer if they are large.
        public var batchCount = 1000
        /// Whether rows take the place of records that the database has already. If not, such a record stays as it is, also one
        /// that is set aside: what the user has changed since an import that was interrupted is not undone by the next one.
        public var replacesExisting = false
        /// The origin of the commits.
        public var origin = "import"
        private var rules: [[UInt8]: ImportRule] = [:]

        /// An import of a file. O(1): nothing is opened yet.
        public init(_ path: FilePath) { self.path = path }

        // MARK: What becomes of a collection

        /// Decodes the rows of a collection, and puts them into one of the database.
        ///
        /// - Parameters:
        ///   - name: the collection in the file; empty for objects that were stored with none. The text that stands for a name
        ///     that is no UTF-8 names that collection, unless another one has it.
        ///   - collection: the collection in the database.
        ///   - object: makes the object, of each row in each run, also where the record is there and stays. Throws for a row
        ///     that can't be read: it is left out, with a note, and the import goes on.
        ///   - metadata: makes the metadata, or `nil`.
        public mutating func decode<Object, Metadata>(
            _ name: String, as collection: RecordCollection<Object, Metadata>,
            object: @escaping @Sendable (YapDatabaseRow) throws -> Object,
            metadata: @escaping @Sendable (YapDatabaseRow) throws -> Metadata?
        ) {
            rules[Array(name.utf8)] = .typed(
                target: collection.name,
                decode: { row, key, replaces in
                    let (object, metadata) = (try object(row), try metadata(row))
                    return { transaction in
                        let old = transaction[collection].row(for: key)
                        let isThere = transaction.hasRecord(key, inCollectionNamed: collection.name)
                        if isThere, !replaces { return .unchanged }
                        if let old, StoredEquality.holds(old.object, object),
                            StoredEquality.holds(old.metadata, metadata)
                        {
                            return .unchanged
                        }
                        transaction[collection].set(object, metadata: metadata, for: key)
                        return isThere ? .replaced : .inserted
                    }
                })
        }

        /// Decodes the rows of a collection, and puts their objects into one of the database. As the one above, without
        /// metadata.
        ///
        /// - Parameters:
        ///   - name: the collection in the file.
        ///   - collection: the collection in the database.
        ///   - object: makes the object, or throws.
        public mutating func decode<Object>(
            _ name: String, as collection: RecordCollection<Object, NoMetadata>,
            object: @escaping @Sendable (YapDatabaseRow) throws -> Object
        ) {
            decode(name, as: collection, object: object, metadata: { _ in nil })
        }

        /// Decodes the rows of a collection that `registerCodableSerialization` wrote: objects and metadata are property lists.
        /// Into a collection without metadata the objects alone are decoded.
        ///
        /// - Parameters:
        ///   - name: the collection in the file.
        ///   - collection: the collection in the database.
        public mutating func decode<Object, Metadata>(
            _ name: String, as collection: RecordCollection<Object, Metadata>
        ) {
            decode(
                name, as: collection, object: { try $0.decodedObject(Object.self) },
                metadata: { Metadata.self == NoMetadata.self ? nil : try $0.decodedMetadata(Metadata.self) })
        }

        /// Reads a collection without its type, also if ``rest`` leaves others out.
        public mutating func keep(_ name: String) { rules[Array(name.utf8)] = .values }

        /// Leaves a collection out.
        public mutating func skip(_ name: String) { rules[Array(name.utf8)] = .skipped }

        // MARK: Running

        /// The collections of the file, by name, and how many rows they have.
        ///
        /// A name that is no UTF-8 is shown as ``YapDatabaseRow/collectionName`` is, and may be that of another collection.
        ///
        /// - Throws: `notFound` for a file that is not there or has no table of YapDatabase's; `notADatabase` for one that
        ///   is damaged as a whole, or encrypted; `permissionDenied`, `alreadyOpen`, `ioFailed`.
        /// - Complexity: O(rows), by an index.
        public func collections() throws(DatabaseError) -> [(name: String, rowCount: Int)] {
            try YapDatabaseRows(path).collections().map { ($0.name.text, $0.rows) }
        }

        /// Reads the whole file, and says what an import would find. Writes nothing.
        ///
        /// Collections that are decoded by a closure are decoded, so that its errors are among the notes. What a database refuses
        /// is not known here; values are read within the limits that it has by default.
        ///
        /// - Parameters:
        ///   - progress: is called now and then; `false` ends the reading.
        ///   - note: is called for each row that could not be imported as it is.
        /// - Returns: what was found; the counts of records that are new and so on are 0.
        /// - Throws: as ``collections()``.
        /// - Complexity: O(bytes), with the memory of one batch, and some 40 bytes for each key.
        public func survey(
            progress: (ImportReport) -> Bool = { _ in true }, note: (ImportNote) -> Void = { _ in }
        ) throws(DatabaseError) -> ImportReport {
            var reading = try ImportReading(self, rules, DatabaseLimits(), endsWithTask: false)
            while try reading.nextBatch(note) != nil {
                if !progress(reading.report) { return reading.finished(isComplete: false) }
            }
            return reading.finished(isComplete: true)
        }

        /// Imports the file.
        ///
        /// Batches of rows are commits, in the order of the file; in each, the records that the database has already are left
        /// alone. So an import that was interrupted is run again, and goes on.
        ///
        /// A row whose closure throws, and one that the database refuses, for the size of its key for example, is left out. So is
        /// one at which a check, a reaction or an extension of the program's own throws, and one with more than 119 MiB in a
        /// column, which no database takes: of others the closure is given all, and what it makes of them is measured by the
        /// database's limits. One that looks like a form that is known and can't be read is kept as a byte string. Each has a
        /// note, and the import goes on. It ends where every row would fail: with the disk, or a database that is closed; also
        /// if the program itself throws a `DatabaseError` with the code of such a failure, `closed` or `typeMismatch` say.
        ///
        /// A collection that is decoded or kept, and has no row in the file, has a note, too, if the file has another one of
        /// which nothing was said: that may be the one that is meant (``ImportNote/Kind/unmatched``).
        ///
        /// The file is read and decoded away from the caller's actor, where only `progress` and `note` are called: a screen may
        /// show both.
        ///
        /// - Parameters:
        ///   - database: where to put the records.
        ///   - progress: is called after each commit; `false` ends the import there.
        ///   - note: is called for each row that could not be imported as it is.
        /// - Throws: as ``collections()``; `CancellationError`, soon after the task was cancelled, also in the middle of a batch;
        ///   what writing throws for other reasons than a row. The batches before are in the database.
        /// - Complexity: that of writing the records. Memory is that of the database, of one batch, and some 40 bytes for
        ///   each key.
        @discardableResult
        public nonisolated(nonsending) func run(
            into database: Database, progress: (ImportReport) -> Bool = { _ in true },
            note: (ImportNote) -> Void = { _ in }
        ) async throws -> ImportReport {
            let run = ImportRun(self, rules, into: database)
            while let step = try await run.next() {
                for one in step.notes { note(one) }
                if !progress(step.report) { return await run.finished(isComplete: false) }
            }
            return await run.finished(isComplete: true)
        }
    }
#endif
