import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore

private struct First: Codable, Sendable {
    struct Line: Codable, Sendable, Equatable { var name: String }
    struct Address: Codable, Sendable, Equatable { var city: String }
    var title: String
    var lines: [Line] = []
    var address = Address(city: "Bursa")
    var note: String?
}

private struct Second: Codable, Sendable, Equatable {
    struct Line: Codable, Sendable, Equatable { var name: String, amount = 1 }
    struct Address: Codable, Sendable, Equatable { var city: String, country = "tr" }
    var title: String
    var lines: [Line] = [Line(name: "")]
    var address = Address(city: "")
    var note: String? = "a note of the prototype"
    var pages = 7
    var tags: [String] = ["new"]
}

private struct Label: Codable, Sendable, Equatable { var colour: String }
private struct Labels: Codable, Sendable, Equatable { var colour: String, size = 3 }

/// Old records get the keys that they lack from a record that the collection names.
///
/// Synthesized `init(from:)` requires the key of a property with a default value, so that adding one made every stored
/// record undecodable.
@Suite(.bounded) struct PrototypeTests {
    private static let first = RecordCollection<First, Label>("orders")
    private static let second = RecordCollection<Second, Labels>("orders")
    private static var completed: RecordCollection<Second, Labels> {
        second.configured {
            $0.prototype = Second(title: "")
            $0.metadataPrototype = Labels(colour: "none")
        }
    }
    private static let expected = Second(
        title: "a", lines: [.init(name: "x", amount: 1), .init(name: "y", amount: 1)],
        address: .init(city: "Bursa", country: "tr"), note: nil, pages: 7, tags: ["new"])

    private static func fill(_ directory: TemporaryDirectory, checkpoint: Bool) async throws {
        let database = try await Database.open(at: directory.appending("db"), collections: first)
        try await database.write { transaction in
            transaction[first].set(
                First(title: "a", lines: [.init(name: "x"), .init(name: "y")]), metadata: Label(colour: "red"), for: "a"
            )
            transaction[first].set(First(title: "b"), metadata: nil, for: "b")
        }
        if checkpoint { try await database.checkpoint() }
        try await database.close()
    }

    @Test(arguments: [false, true])
    func `Missing keys come from the prototype, at every level, and missing optionals stay nil`(
        checkpoint: Bool
    ) async throws {
        let directory = TemporaryDirectory()
        try await Self.fill(directory, checkpoint: checkpoint)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: directory.appending("db"), collections: Self.second)
        }
        #expect(error?.code == .undecodableRecord)
        var database = try await Database.open(at: directory.appending("db"), collections: Self.completed)
        #expect(database.snapshot[Self.second]["a"] == Self.expected)
        #expect(database.snapshot[Self.second].metadata(for: "a") == Labels(colour: "red", size: 3))
        #expect(database.snapshot[Self.second]["b"]?.lines == [] && database.snapshot[Self.second]["b"]?.pages == 7)
        #expect(database.snapshot[Self.second].metadata(for: "b") == nil)
        // New records are as they are written, and a checkpoint has the old ones in their new form.
        try await database.write { $0[Self.second]["c"] = Second(title: "c", lines: [], note: nil, pages: 1, tags: []) }
        try await database.checkpoint()
        try await database.close()
        database = try await Database.open(at: directory.appending("db"), collections: Self.second)
        #expect(database.snapshot[Self.second]["a"] == Self.expected)
        #expect(database.snapshot[Self.second]["c"]?.pages == 1)
        try await database.close()
    }

    @Test func `What a prototype completed is no difference to a replay, anything else is`() async throws {
        let directory = TemporaryDirectory()
        try await Self.fill(directory, checkpoint: false)
        var options = DatabaseOptions()
        options.retention = .all
        var database = try await Database.open(
            at: directory.appending("db"), options: options, collections: Self.completed)
        try await database.write { $0[Self.second]["c"] = Second(title: "c") }
        try await database.checkpoint()
        try await database.close()
        let replayed = try await Database.replay(FilePath(directory.appending("db")), collections: Self.completed)
        #expect(replayed.snapshot[Self.second]["a"] == Self.expected)

        // A program that changes what is there instead.
        struct Loud: Codable, Sendable {
            var title: String
            init(from decoder: any Decoder) throws {
                title = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .title).uppercased()
            }
            enum Key: CodingKey { case title }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(title, forKey: .title)
            }
        }
        let loud = RecordCollection<Loud, Labels>("orders").configured { $0.metadataPrototype = Labels(colour: "none") }
        database = try await Database.open(at: directory.appending("db"), options: options, collections: loud)
        try await database.write { $0[loud].touchObject(for: "a") }
        try await database.checkpoint()
        try await database.close()
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.replay(FilePath(directory.appending("db")), collections: Self.completed)
        }
        #expect(error?.code == .stateDiffers)
    }

    private static func record(_ object: CBORValue) throws -> RawRecord {
        RawRecord(key: "a", object: try object.encoded()[...], metadata: nil, version: 1)
    }

    @Test func `A completion has what was there, and more only as the prototype has it`() throws {
        func isCompletion(_ written: CBORValue, of read: CBORValue, from prototype: CBORValue?) throws -> Bool {
            var prototypes = PrototypeComparison(SectionPrototypes(object: try prototype?.encoded()))
            return prototypes.isCompletion(try Self.record(written), of: try Self.record(read))
        }
        let prototype: CBORValue = ["a": 1, "b": ["c": [["d": 2]], "e": nil]]
        let list: CBORValue = ["x": 0, "b": ["c": [["y": 1], ["d": 9], 7]]]
        #expect(try isCompletion(list, of: list, from: nil))
        #expect(try isCompletion(["a": 1, "x": 0], of: ["x": 0], from: prototype))
        #expect(try isCompletion(["a": 5, "x": 0], of: ["a": 5, "x": 0], from: prototype))
        #expect(
            try isCompletion(
                ["a": 1, "x": 0, "b": ["c": [["d": 2, "y": 1], ["d": 9], 7], "e": nil]], of: list, from: prototype))
        // Another value, or another key than those of the prototype.
        #expect(try !isCompletion(["a": 2, "x": 0], of: ["x": 0], from: prototype))
        #expect(try !isCompletion(["z": 1, "x": 0], of: ["x": 0], from: prototype))
        #expect(try !isCompletion(["a": 1, "x": 0], of: ["x": 0], from: nil))
        #expect(try !isCompletion(["x": 0, "b": ["c": [["y": 1], ["d": 9], 8]]], of: list, from: prototype))
        #expect(try !isCompletion(["x": 0, "b": ["c": [["y": 1], ["d": 9]]]], of: list, from: prototype))
        #expect(
            try !isCompletion(["x": 0, "b": ["c": [["d": 3, "y": 1], ["d": 9], 7]]], of: list, from: prototype))
        // A value that is there does not come from the prototype, nor does one go.
        #expect(try !isCompletion(["a": 1, "x": 0], of: ["a": 5, "x": 0], from: prototype))
        #expect(try !isCompletion(["a": 1], of: ["x": 0], from: prototype))
        #expect(try !isCompletion([:], of: ["x": 0], from: prototype))
    }

    @Test func `A completion is found at any depth, on a small stack`() throws {
        func nested(_ object: CBORValue) throws -> RawRecord {
            try Self.record((0..<500).reduce(object) { value, _ in ["a": value] })
        }
        let written = try nested(["new": 1, "old": 2]), read = try nested(["old": 2])
        let prototype = try nested(["new": 1])
        let isCompletion = try SmallStack.run { () -> Bool in
            var prototypes = PrototypeComparison(SectionPrototypes(object: Array(prototype.object)))
            return prototypes.isCompletion(written, of: read)
        }
        #expect(isCompletion)
    }

    @Test func `Migrations come first, and the prototype completes what they leave`() async throws {
        let directory = TemporaryDirectory()
        try await Self.fill(directory, checkpoint: false)
        let migrated = Self.second.configured {
            $0.version = 2
            $0.migrate(from: 1, to: 2) { $0.object["pages"] = 9 }
            $0.prototype = Second(title: "")
            $0.metadataPrototype = Labels(colour: "none")
        }
        let database = try await Database.open(at: directory.appending("db"), collections: migrated)
        #expect(database.snapshot[Self.second]["a"]?.pages == 9)
        #expect(database.snapshot[Self.second]["a"]?.tags == ["new"])
        try await database.close()
    }

    @Test func `A key that the prototype lacks, a wrong type, and a prototype without encoding are errors`()
        async throws
    {
        struct Picky: Codable, Sendable {
            enum Key: CodingKey { case title, pages }
            var title = "", pages = 0
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                title = try container.decode(String.self, forKey: .title)
                pages = try container.decode(Int.self, forKey: .pages)
            }
            func encode(to encoder: any Encoder) throws {
                if title == "fails" { throw Refusal() }
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(title, forKey: .title)
            }
        }
        struct Refusal: Error {}
        struct Wrong: Codable, Sendable { var title = 0, pages = 0 }
        let directory = TemporaryDirectory()
        try await Self.fill(directory, checkpoint: false)
        let path = directory.appending("db")
        let picky = RecordCollection<Picky, Label>("orders").configured { $0.prototype = Picky() }
        var error = await #expect(throws: DatabaseError.self) {
            _ = try await Database.open(at: path, collections: picky)
        }
        #expect(error?.code == .undecodableRecord && error?.place.key == "a")
        var prototype = Picky()
        prototype.title = "fails"
        let fails = picky.configured { [prototype] in $0.prototype = prototype }
        error = await #expect(throws: DatabaseError.self) { _ = try await Database.open(at: path, collections: fails) }
        #expect(error?.code == .undecodableRecord && (error?.cause as? DatabaseError)?.code == .encodingFailed)
        let wrong = RecordCollection<Wrong, Label>("orders").configured { $0.prototype = Wrong() }
        error = await #expect(throws: DatabaseError.self) { _ = try await Database.open(at: path, collections: wrong) }
        #expect(error?.code == .undecodableRecord)
        // Nothing was lost.
        let database = try await Database.open(at: path, collections: Self.first)
        #expect(database.snapshot[Self.first]["a"]?.title == "a")
        try await database.close()
    }
}
