import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

/// A collection whose coder changes while its log holds bytes of both.
@Suite(.bounded) struct CoderChangeTests {
    /// Stands for a cipher: bytes of one key mean nothing under another.
    struct Sealed: RecordCoder {
        let name: String
        let mask: UInt8
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
            try JSONEncoder().encode(value).map { $0 ^ mask }
        }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try JSONDecoder().decode(type, from: Data(bytes.map { $0 ^ mask }))
        }
    }

    private let old = Sealed(name: "sealed-2025", mask: 7), new = Sealed(name: "sealed-2026", mask: 8)

    private func books(
        _ coder: Sealed, earlier: [any RecordCoder] = []
    ) -> RecordCollection<Book, NoMetadata> {
        RecordCollection.books.configured {
            $0.coder = coder
            $0.earlierCoders = earlier
        }
    }

    /// A log with a record of each coder, closed before a checkpoint.
    private func makeMixedLog(_ path: FilePath) async throws {
        let database = try await Database.open(at: path, collections: books(old))
        try await database.write { $0[.books]["old"] = Book(title: "Old") }
        try await database.bind(books(new))
        try await database.write { $0[.books]["new"] = Book(title: "New") }
        try await database.close()
    }

    @Test func `A log of two coders opens with both, from the log and from a checkpoint`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await makeMixedLog(path)
        for round in 0..<3 {
            // Which of the two is the present coder makes no difference to reading.
            let handle = round == 1 ? books(old, earlier: [new]) : books(new, earlier: [old])
            let database = try await Database.open(at: path, collections: handle)
            #expect(database.snapshot[.books]["old"] == Book(title: "Old"))
            #expect(database.snapshot[.books]["new"] == Book(title: "New"))
            if round == 1 { try await database.checkpoint() }
            try await database.close()
        }
    }

    @Test func `A log of two coders is refused with one, and the error names the coder and the remedy`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await makeMixedLog(path)
        for (present, missing) in [(old, new), (new, old)] {
            let error = await #expect(throws: DatabaseError.self) {
                _ = try await Database.open(at: path, collections: books(present))
            }
            #expect(error?.code == .undecodableRecord)
            #expect(error?.description.contains(missing.name) == true)
            #expect(error?.description.contains("earlierCoders") == true)
        }
    }

    @Test func `A checkpoint under the new coder alone lets the former coder go`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        try await makeMixedLog(path)
        var database = try await Database.open(at: path, collections: books(new, earlier: [old]))
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, collections: books(new))
        #expect(database.snapshot[.books].map(\.key) == ["new", "old"])
        try await database.close()
    }

    /// A checkpoint named what completed its records, so the values of a prototype were in clear beside sealed records.
    @Test func `Nothing of a prototype is in the files of a collection with a coder of its own`() async throws {
        let secret = "nobody may read this title", label = "nor this one"
        func files(_ coder: any RecordCoder) async throws -> [UInt8] {
            let directory = TemporaryDirectory()
            let path = FilePath(directory.appending("shop.yaprak"))
            let collection = RecordCollection<Book, Book>("books").configured {
                $0.coder = coder
                $0.prototype = Book(title: secret)
                $0.metadataPrototype = Book(title: label)
            }
            let database = try await Database.open(at: path, collections: collection)
            try await database.write { $0[collection]["a"] = Book(title: "A") }
            try await database.checkpoint()
            try await database.close()
            return try FileManager.default.subpathsOfDirectory(atPath: path.string).sorted().flatMap {
                [UInt8](FileManager.default.contents(atPath: path.appending($0).string) ?? Data())
            }
        }
        for coder in [old, JSONRecordCoder()] as [any RecordCoder] {
            let bytes = try await files(coder)
            #expect(!bytes.isEmpty && !bytes.contains(secret.utf8) && !bytes.contains(label.utf8), "\(coder.name)")
        }
        let bytes = try await files(CBORRecordCoder.shared)
        #expect(bytes.contains(secret.utf8) && bytes.contains(label.utf8), "a reader of plain records needs them")
    }

    /// A coder with the name of the built-in one, and with dates of its own.
    struct OwnJSON: RecordCoder {
        let name: String
        let isISO8601: Bool
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            encoder.dateEncodingStrategy = isISO8601 ? .iso8601 : .secondsSince1970
            return [UInt8](try encoder.encode(value))
        }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = isISO8601 ? .iso8601 : .secondsSince1970
            return try decoder.decode(type, from: Data(bytes))
        }
    }

    private struct Event: Codable, Sendable, Equatable { var at: Date }

    // The built-in coder read them: dates were 31 years late, or the database did not open.
    @Test(arguments: ["json", "cbor"], [false, true])
    func `Bytes of a coder with the name of a built-in one are decoded by that coder`(
        name: String, isISO8601: Bool
    ) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("events.yaprak"))
        let events = RecordCollection<Event, Event>("events"), own = OwnJSON(name: name, isISO8601: isISO8601)
        let first = Event(at: Date(timeIntervalSince1970: 1_700_000_000))
        let second = Event(at: Date(timeIntervalSince1970: 1_700_000_001))
        let present = events.configured { $0.coder = own }, former = events.configured { $0.earlierCoders = [own] }
        var database = try await Database.open(at: path, collections: present)
        try await database.write { $0[events].set(first, metadata: second, for: "a") }
        try await database.close()
        // As the present coder and as an earlier one, from the log and from a checkpoint.
        for (round, handle) in [present, former, present, former, present].enumerated() {
            database = try await Database.open(at: path, collections: handle)
            #expect(database.snapshot[events]["a"] == first)
            #expect(database.snapshot[events].metadata(for: "a") == second)
            if round == 2 { try await database.checkpoint() }
            try await database.close()
        }
    }

    // MARK: Migrations

    /// Has what coders have forms of their own for.
    private struct Sample: Codable, Sendable, Equatable {
        var date: Date
        var bytes = Data([0, 1, 254, 255])
        var link = URL(string: "https://example.org/a?b=c")!
        var price: Decimal
        var ratio = 0.1, small: Float = 0.1
        var names = [3: "three"]
        var note: String?
        var step = 0
        init(_ seconds: Int, price: String) {
            date = Date(timeIntervalSince1970: 1_700_000_000 + Double(seconds))
            self.price = Decimal(string: price)!
        }
    }

    private let samples = RecordCollection<Sample, Sample>("samples")

    /// Those with other forms than CBOR, and one with the same.
    private static let coders: [any RecordCoder] = [
        JSONRecordCoder(), OwnJSON(name: "own", isISO8601: false), OwnJSON(name: "own", isISO8601: true),
        OwnJSON(name: "json", isISO8601: true), OwnJSON(name: "cbor", isISO8601: false), Reversed(),
    ]

    private struct Reversed: RecordCoder {
        let name = "reversed"
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try CBOREncoder().encode(value).reversed() }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try CBORDecoder().decode(type, from: bytes.reversed())
        }
    }

    /// Writes records with a coder, and migrates them with it, or while the coder changes to CBOR.
    ///
    /// - Returns: what is there then, and after a checkpoint, without the migration.
    private func migrated(
        _ records: [String: (Sample, Sample?)], from coder: any RecordCoder, checkpoint: Bool, toCBOR: Bool,
        _ step: @escaping @Sendable (inout UntypedRecord) throws -> Void
    ) async throws -> [Snapshot] {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("samples.yaprak"))
        var database = try await Database.open(at: path, collections: samples.configured { $0.coder = coder })
        try await database.write { transaction in
            for (key, record) in records { transaction[samples].set(record.0, metadata: record.1, for: key) }
        }
        if checkpoint { try await database.checkpoint() }
        try await database.close()
        let later = samples.configured {
            if toCBOR { $0.earlierCoders = [coder] } else { $0.coder = coder }
            $0.version = 2
        }
        database = try await Database.open(
            at: path, collections: later.configured { $0.migrate(from: 1, to: 2, step) })
        let first = database.snapshot
        try await database.write { $0[samples]["another"] = Sample(9, price: "9") }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: path, collections: later)
        let second = database.snapshot
        try await database.close()
        return [first, second]
    }

    // They were decoded as CBOR: dates were 31 years late, and data, links and decimals did not decode.
    @Test(arguments: [false, true], [false, true])
    func `A migration that changes nothing gives what another coder wrote`(checkpoint: Bool, toCBOR: Bool) async throws
    {
        for coder in Self.coders {
            func read(_ sample: Sample) throws -> Sample {
                try coder.encode(sample).withUnsafeBytes { try coder.decode(Sample.self, from: $0) }
            }
            // A decimal that no double holds.
            let first = try read(Sample(1, price: "1234567890.0123456789012345"))
            let second = try read(Sample(2, price: "0.1"))
            let snapshots = try await migrated(
                ["a": (first, second), "b": (second, nil)], from: coder, checkpoint: checkpoint, toCBOR: toCBOR
            ) { _ in }
            for (round, snapshot) in snapshots.enumerated() {
                let words: Comment = "\(coder), round \(round)"
                #expect(snapshot[samples]["a"] == first, words)
                #expect(snapshot[samples].metadata(for: "a") == second, words)
                #expect(snapshot[samples]["b"] == second, words)
                #expect(snapshot[samples].metadata(for: "b") == nil, words)
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `A migration that changes a field leaves the others what another coder wrote`(
        checkpoint: Bool, toCBOR: Bool
    ) async throws {
        for coder in Self.coders {
            var first = Sample(1, price: "12.34"), second = Sample(2, price: "0.1"), third = Sample(3, price: "0.5")
            let snapshots = try await migrated(
                ["a": (first, second), "b": (third, nil)], from: coder, checkpoint: checkpoint, toCBOR: toCBOR
            ) { record in
                record.object["step"] = 1
                // Metadata that a step makes of the object has the same forms.
                if record.metadata == nil { record.metadata = record.object }
                record.metadata?["note"] = "migrated"
            }
            (first.step, second.note, third.step) = (1, "migrated", 1)
            var added = third
            added.note = "migrated"
            for (round, snapshot) in snapshots.enumerated() {
                let words: Comment = "\(coder), round \(round)"
                #expect(snapshot[samples]["a"] == first, words)
                #expect(snapshot[samples].metadata(for: "a") == second, words)
                #expect(snapshot[samples]["b"] == third, words)
                #expect(snapshot[samples].metadata(for: "b") == added, words)
            }
        }
    }

    @Test func `An object and metadata that two coders wrote are migrated, each with its own coder`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("samples.yaprak"))
        let json = OwnJSON(name: "own", isISO8601: true)
        var first = Sample(1, price: "12.34"), second = Sample(2, price: "0.1")
        let cbor = samples.configured { $0.coder = CBORRecordCoder.shared }
        var database = try await Database.open(at: path, collections: cbor)
        try await database.write { [first] in $0[samples].set(first, metadata: first, for: "a") }
        try await database.bind(samples.configured { $0.coder = json })
        try await database.write { [second] in $0[samples].replaceMetadata(second, for: "a") }
        try await database.close()
        let later = samples.configured {
            $0.earlierCoders = [json]
            $0.version = 2
            $0.migrate(from: 1, to: 2) { record in
                record.object["step"] = 1
                record.metadata?["step"] = 2
            }
        }
        database = try await Database.open(at: path, collections: later)
        (first.step, second.step) = (1, 2)
        #expect(database.snapshot[samples]["a"] == first)
        #expect(database.snapshot[samples].metadata(for: "a") == second)
        try await database.close()
    }

    /// A coder of its program's types: of a `CBORValue` it has no encoding.
    private struct OfTypes: RecordCoder {
        struct NoEncoding: Error {}
        let name = "of types"
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
            if value is CBORValue { throw NoEncoding() }
            return try JSONRecordCoder().encode(value)
        }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try JSONRecordCoder().decode(type, from: bytes)
        }
    }

    @Test func `A coder that does not encode what a migration made is named by an error, and nothing is lost`()
        async throws
    {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let old = RecordCollection.books.configured { $0.coder = OfTypes() }
        var database = try await Database.open(at: path, collections: old)
        try await database.write { $0[.books]["a"] = Book(title: "A") }
        try await database.close()
        let later = RecordCollection.books.configured {
            $0.earlierCoders = [OfTypes()]
            $0.version = 2
        }
        let changing = later.configured { $0.migrate(from: 1, to: 2) { $0.object["title"] = "B" } }
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: path, collections: changing)
        }
        #expect(error?.code == .migrationFailed && error?.place.key == "a")
        #expect(error?.message.contains("\"of types\"") == true && error?.message.contains("CBORValue") == true)
        database = try await Database.open(at: path, collections: changing.configured { $0.undecodable = .setAside })
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "books") == ["a"])
        try await database.close()
        // Nothing has to be encoded for a migration that changes nothing.
        database = try await Database.open(
            at: path, collections: later.configured { $0.migrate(from: 1, to: 2) { _ in } })
        #expect(database.snapshot[.books]["a"] == Book(title: "A"))
        try await database.close()
    }

    @Test func `Where no coder has the name of the built-in one, that one decodes`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let json = RecordCollection.books.configured { $0.coder = JSONRecordCoder() }
        var database = try await Database.open(at: path, collections: json)
        try await database.write { $0[.books]["a"] = Book(title: "A") }
        try await database.close()
        database = try await Database.open(at: path, collections: books(new, earlier: [old]))
        #expect(database.snapshot[.books]["a"] == Book(title: "A"))
        try await database.close()
    }

    @Test func `A process that changed the coder still reads its own earlier commits`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var options = DatabaseOptions()
        options.retention = .all
        let database = try await Database.open(at: path, options: options, collections: books(old))
        for index in 0..<5 { try await database.write { $0[.books]["old"] = Book(title: "\(index)") } }
        try await database.bind(books(new))
        try await database.write { $0[.books]["new"] = Book(title: "New") }
        // From before the first commit on: read back from the log, with the coder of then.
        var titles: [String] = []
        for try await changeset in database.changesets(after: 0) {
            titles += changeset.netChanges.changes(in: .books).compactMap { $0.after?.object.title }
            if changeset.commitNumber == 6 { break }
        }
        #expect(titles == ["0", "1", "2", "3", "4", "New"])
        try await database.close()
    }
}
