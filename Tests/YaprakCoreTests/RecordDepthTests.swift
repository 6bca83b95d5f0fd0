import Foundation
import Synchronization
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakLocks

@testable import YaprakCore

private struct Comment: Codable, Sendable {
    var text = ""
    var replies: [Comment] = []

    static func thread(_ levels: Int) -> Comment {
        (0..<levels).reduce(Comment()) { inner, _ in Comment(replies: [inner]) }
    }

    var levels: Int {
        var levels = 0, comment = self
        while let inner = comment.replies.first { (levels, comment) = (levels + 1, inner) }
        return levels
    }
}

private indirect enum Term: Codable, Sendable {
    case leaf, negated(Term)

    static func negations(_ levels: Int) -> Term { (0..<levels).reduce(.leaf) { inner, _ in .negated(inner) } }
}

private final class Cabinet: Codable, Sendable {
    let drawers: [String: Cabinet]
    init(_ levels: Int) { drawers = levels == 0 ? [:] : ["a": Cabinet(levels - 1)] }
}

extension RecordCollection where Object == Comment, Metadata == NoMetadata {
    fileprivate static var comments: Self { Self("comments") }
}
extension RecordCollection where Object == Term, Metadata == NoMetadata {
    fileprivate static var terms: Self { Self("terms") }
}
extension RecordCollection where Object == Cabinet, Metadata == Term {
    fileprivate static var drawers: Self { Self("drawers") }
}

/// Records that hold records. With a file the 28th level was refused, in memory any was taken.
@Suite(.bounded) struct RecordDepthTests {
    enum Place: String, CaseIterable { case memory, checkedMemory, file }

    /// Everything the engine does runs on threads with 512 kB of stack.
    private static func onSmallStacks(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task(executorPreference: SmallStack.executor) { try await body() }.value
    }

    private static func database(_ place: Place, _ directory: TemporaryDirectory) async throws -> Database {
        switch place {
        case .memory: Database.inMemory()
        case .checkedMemory: Database.inMemory(checkingCoding: true)
        case .file:
            try await Database.open(at: directory.appending("db"), collections: .comments, .terms, .drawers)
        }
    }

    @Test(arguments: Place.allCases)
    func `256 levels of records are taken, and level 257 is refused, in memory as in a file`(place: Place) async throws
    {
        try await Self.onSmallStacks {
            let directory = TemporaryDirectory()
            let database = try await Self.database(place, directory)
            try await database.write { transaction in
                transaction[.comments]["fits"] = .thread(256)
                transaction[.terms]["fits"] = .negations(256)
                transaction[.drawers].set(Cabinet(256), metadata: .negations(256), for: "fits")
            }
            func refused(_ key: String, _ write: @escaping @Sendable (inout WriteTransaction) -> Void) async {
                let error = await #expect(throws: DatabaseError.self) {
                    try await database.write { transaction in
                        transaction[.comments]["beside"] = Comment()
                        write(&transaction)
                    }
                }
                #expect(error?.code == .encodingFailed && error?.place.key == key, "\(key): \(error as Any)")
                #expect(error?.message.contains("256 levels") == true, "\(key): \(error as Any)")
                #expect(database.snapshot[.comments]["beside"] == nil && database.commitNumber == 1)
            }
            await refused("comment") { $0[.comments]["comment"] = .thread(257) }
            await refused("deep") { $0[.comments]["deep"] = .thread(400) }
            await refused("term") { $0[.terms]["term"] = .negations(257) }
            await refused("shelf") { $0[.drawers].set(Cabinet(257), metadata: .leaf, for: "shelf") }
            await refused("metadata") { $0[.drawers].set(Cabinet(0), metadata: .negations(257), for: "metadata") }
            try await database.close()
        }
    }

    @Test func `256 levels come back from the log, from a checkpoint, and without their types`() async throws {
        try await Self.onSmallStacks {
            let directory = TemporaryDirectory()
            var database = try await Self.database(.file, directory)
            try await database.write { transaction in
                transaction[.comments]["fits"] = .thread(256)
                transaction[.drawers].set(Cabinet(256), metadata: .negations(256), for: "fits")
            }
            for _ in 0..<2 {
                try await database.close()
                database = try await Self.database(.file, directory)
                #expect(database.snapshot[.comments]["fits"]?.levels == 256)
                try await database.checkpoint()
            }
            try await database.close()
            let untyped = try await Database.open(at: directory.appending("db"))
            let error = await #expect(throws: DatabaseError.self) {
                try await untyped.write { transaction in
                    let deep = (0..<StoredValue.depthMax + 1).reduce(CBORValue.null) { value, _ in .array([value]) }
                    try transaction.setUntyped(deep, for: "raw", inCollectionNamed: "new")
                }
            }
            #expect(error?.code == .encodingFailed && error?.place.key == "raw", "\(error as Any)")
            try await untyped.close()
        }
    }

    @Test func `Untyped values are held to the limit in memory, too`() async throws {
        let database = Database.inMemory()
        func nested(_ depth: Int) -> CBORValue { (0..<depth).reduce(.null) { value, _ in .array([value]) } }
        let (fits, over) = (nested(StoredValue.depthMax), nested(StoredValue.depthMax + 1))
        try await database.write { try $0.setUntyped(fits, for: "a", inCollectionNamed: "new") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { try $0.setUntyped(over, for: "b", inCollectionNamed: "new") }
        }
        #expect(error?.code == .encodingFailed && error?.place.key == "b")
    }

    @Test func `JSON of a file is decoded on a small stack, however deep it is`() throws {
        for levels in [0, 7, 8, 9, 255, 300, 100_000] {
            // Brackets in texts close none, nor does a quotation mark that is escaped end one.
            let text =
                String(repeating: #"{"text":"]}\"]}\\","replies":["#, count: levels) + #"{"text":"","replies":[]}"#
                + String(repeating: "]}", count: levels)
            let result = try SmallStack.run {
                Result {
                    try text.utf8.withContiguousStorageIfAvailable {
                        try JSONRecordCoder().decode(Comment.self, from: UnsafeRawBufferPointer($0)).levels
                    }!
                }
            }
            // Foundation reads 512 levels of brackets.
            if levels <= 255 {
                #expect(try result.get() == levels)
            } else {
                #expect(throws: DecodingError.self) { try result.get() }
            }
        }
    }

    // Foundation writes 511 levels of brackets, and what is deeper took as much of the caller's stack.
    @Test(arguments: [0, 7, 8, 9, 254, 255, 256, 400])
    func `JSON is encoded on a small stack, and refused where it is deeper than is written`(levels: Int) throws {
        let comment = Comment.thread(levels)
        let list = (0..<2 * levels).reduce(CBORValue.null) { inner, _ in .array([inner]) }
        let comments = try SmallStack.run { Result { try JSONRecordCoder().encode(comment) } }
        let lists = try SmallStack.run { Result { try JSONRecordCoder().encode(list) } }
        if levels <= 254 {
            let again = try SmallStack.run {
                try comments.get().withUnsafeBytes { try JSONRecordCoder().decode(Comment.self, from: $0) }.levels
            }
            #expect(again == levels)
        } else {
            let error = #expect(throws: DatabaseError.self) { try comments.get() }
            #expect(error?.code == .encodingFailed && error?.message.contains("511") == true)
        }
        if levels <= 255 {
            let isSame = try SmallStack.run {
                try lists.get().withUnsafeBytes { try JSONRecordCoder().decode(CBORValue.self, from: $0) } == list
            }
            #expect(isSame)
        } else {
            let error = #expect(throws: DatabaseError.self) { try lists.get() }
            #expect(error?.code == .encodingFailed)
        }
    }

    /// Lists within each other. A decimal has more levels in CBOR than in JSON.
    private indirect enum PriceTree: Codable, Equatable, Sendable {
        case amount(Decimal)
        case list([PriceTree])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let amount = try? container.decode(Decimal.self) { self = .amount(amount); return }
            self = .list(try container.decode([PriceTree].self))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .amount(let amount): try container.encode(amount)
            case .list(let list): try container.encode(list)
            }
        }
    }

    @Test func `A decimal does not make JSON deeper than it is`() throws {
        for levels in [20, 509, 510, 511] {
            let lists = (0..<levels - 1).reduce(PriceTree.amount(1.5)) { inner, _ in .list([inner]) }
            let bytes = try SmallStack.run { Result { try JSONRecordCoder().encode([lists]) } }
            let again = try bytes.get().withUnsafeBytes { try JSONRecordCoder().decode([PriceTree].self, from: $0) }
            #expect(again == [lists])
        }
    }

    @Test func `A record in JSON that nests too deep makes the write throw with its key, and nothing is lost`()
        async throws
    {
        try await Self.onSmallStacks {
            let directory = TemporaryDirectory()
            let comments = RecordCollection.comments.configured { $0.coder = JSONRecordCoder() }
            let database = try await Database.open(at: directory.appending("db"), collections: comments)
            try await database.write { $0[.comments]["fits"] = .thread(254) }
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.comments]["deep"] = .thread(255) }
            }
            #expect(error?.code == .encodingFailed && error?.place.key == "deep", "\(error as Any)")
            #expect(error?.description.contains("511") == true, "\(error as Any)")
            try await database.close()
            let again = try await Database.open(at: directory.appending("db"), collections: comments)
            #expect(again.snapshot[.comments]["fits"]?.levels == 254 && again.snapshot.count == 1)
            try await again.close()
        }
    }

    // MARK: What it costs in memory

    private struct Counted: Codable, Sendable {
        static let encodings = Atomic(0)
        enum Key: CodingKey { case count }
        func encode(to encoder: any Encoder) throws {
            Self.encodings.add(1, ordering: .relaxed)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .count)
        }
        init() {}
        init(from decoder: any Decoder) throws {}
    }
    private struct Plain: Codable, Sendable {
        var counted = Counted()
        var title = "", tags: [String] = ["a"], price: Double? = nil
    }
    private struct Open: Codable, Sendable {
        var counted = Counted()
        var inner: [Open] = []
    }

    @Test func `In memory a type that can't hold itself is never encoded, another once for each write`() async throws {
        let plain = RecordCollection<Plain, NoMetadata>("plain"), open = RecordCollection<Open, NoMetadata>("open")
        let database = Database.inMemory()
        try await database.write { for index in 0..<100 { $0[plain]["\(index)"] = Plain() } }
        #expect(Counted.encodings.load(ordering: .relaxed) == 0)
        try await database.write { for index in 0..<100 { $0[open]["\(index)"] = Open() } }
        #expect(Counted.encodings.load(ordering: .relaxed) == 100)
        try await database.write { for index in 0..<100 { $0[open].touchObject(for: "\(index)") } }
        #expect(Counted.encodings.load(ordering: .relaxed) == 100)
    }

    private enum Colour: String, Codable { case red }
    private struct Pair<A, B> { var a: A, b: B }
    private protocol Thing {}
    private struct Some: Thing { var number = 1 }
    private struct Holder { var thing: any Thing = Some() }
    private struct Anything { var value: Any = 1 }
    private struct Late { var inner: Pair<String, [String]>? = nil }

    @Test func `Stored properties say whether a type is bounded`() {
        #expect(TypeNesting.isBounded(1) && TypeNesting.isBounded("a") && TypeNesting.isBounded(Colour.red))
        #expect(TypeNesting.isBounded(Book(title: "x")) && TypeNesting.isBounded([Book(title: "x")]))
        #expect(TypeNesting.isBounded(Pair(a: "x", b: ["y": [Date()]])) && TypeNesting.isBounded(Set(["a"])))
        #expect(TypeNesting.isBounded(Optional("a")) && TypeNesting.isBounded(String?.none))
        #expect(TypeNesting.isBounded(Pair(a: Data([1]), b: URL(string: "https://example.org"))))
        #expect(TypeNesting.isBounded(Pair(a: UUID(), b: Locale?.none)))
        // What the value does not show.
        #expect(!TypeNesting.isBounded([Book]()) && !TypeNesting.isBounded(Late()))
        #expect(TypeNesting.isBounded(Late(inner: Pair(a: "", b: []))))
        // What may hold anything.
        #expect(!TypeNesting.isBounded(Comment()) && !TypeNesting.isBounded(Comment(replies: [Comment()])))
        #expect(!TypeNesting.isBounded(Term.leaf) && !TypeNesting.isBounded(Term.negated(.leaf)))
        #expect(!TypeNesting.isBounded(Cabinet(0)) && !TypeNesting.isBounded(Pair(a: 1, b: Cabinet(0))))
        #expect(!TypeNesting.isBounded(Holder()) && !TypeNesting.isBounded(Anything()))
        #expect(!TypeNesting.isBounded(CBORValue.null) && !TypeNesting.isBounded(["a": CBORValue.null]))
    }

    // A module of a program's own was taken for Foundation's, and its recursive types for texts.
    @Test func `A module whose name begins like Foundation's is none of them`() {
        #expect(TypeNesting.isOfFoundation(String(reflecting: Date.self)))
        #expect(TypeNesting.isOfFoundation(String(reflecting: URL.self)))
        #expect(!TypeNesting.isOfFoundation("FoundationExtras.Tree") && !TypeNesting.isOfFoundation("Foundation2.Tree"))
        #expect(!TypeNesting.isOfFoundation("Foundation.Predicate<FoundationExtras.Tree>"))
    }

    // MARK: Stacks

    @Test func `A thread that goes on for another counts as that one`() async throws {
        let flag = ThreadFlag()
        var inner = true
        #expect(flag.unlessSet { inner = DeepStack.run { flag.unlessSet {} } })
        #expect(!inner)
        #expect(DeepStack.run { flag.unlessSet {} } && flag.unlessSet {})
        await #expect(processExitsWith: .failure) {
            let object = Exclusive([1, 2, 3])
            object.use { _ in DeepStack.run { object.use { _ in } } }
        }
        struct Failure: Error {}
        #expect(throws: Failure.self) { try DeepStack.run { () throws(Failure) in throw Failure() } }
        #expect(DeepStack.run { DeepStack.run { 7 } } == 7)
    }
}
