import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore
@testable import YaprakExtensions

/// Rules of relationships beside other reactions, restores, and collections without types.
@Suite(.boundedInPool) struct RelationshipCornerTests {
    typealias Links = ManualRelationship<Node, NoMetadata, Node, NoMetadata>
    let database = Database.inMemory()

    /// Removes a toy, or a child, when a child of a certain key comes.
    private struct Purge: Reaction {
        let name = "purge"
        let collectionNames: [String]? = ["children"]
        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            if transaction[.children]["go"] != nil { transaction[.toys].remove("t") }
            if transaction[.children]["go source"] != nil { transaction[.children].remove("s") }
        }
    }

    /// Does something whenever records of some collections, or of any, change.
    private struct Also: Reaction {
        let name = "also"
        let collectionNames: [String]?
        let body: @Sendable (inout WriteTransaction) throws -> Void
        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            try body(&transaction)
        }
    }

    private func link(_ links: Links) async throws {
        try await database.register(Purge())
        try await database.register(links)
        try await database.write { transaction in
            transaction[.children]["s"] = Node()
            transaction[.toys]["t"] = Node()
            try transaction.connect("s", to: "t", in: links)
        }
    }

    // The edges were forgotten before the rules were given the removal.
    @Test func `Rules follow what a reaction that was registered earlier has removed`() async throws {
        try await link(Links("links", from: .children, to: .toys, onDelete: .cascade))
        try await database.write { $0[.children]["go"] = Node() }
        #expect(database.snapshot[.children].map(\.key) == ["go"])
    }

    @Test func `A restriction holds for what a reaction that was registered earlier has removed`() async throws {
        let links = Links("links", from: .children, to: .toys, onDelete: .restrict)
        try await link(links)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.children]["go"] = Node() }
        }
        #expect(error?.code == .removalRestricted)
        #expect(database.snapshot[.toys].contains(key: "t") && database.snapshot[links].count == 1)
    }

    @Test func `Rules for targets follow what a reaction that was registered earlier has removed`() async throws {
        let links = Links("links", from: .children, to: .toys, onSourceDelete: .cascade)
        try await link(links)
        try await database.write { $0[.children]["go source"] = Node() }
        #expect(database.snapshot[.toys].isEmpty && database.snapshot[links].count == 0)
    }

    @Test func `What came in the transaction and was removed by an earlier reaction takes its edges along`()
        async throws
    {
        let links = Links("links", from: .children, to: .toys, onDelete: .cascade)
        try await database.register(Purge())
        try await database.register(links)
        try await database.write { transaction in
            for key in ["s", "go"] { transaction[.children][key] = Node() }
            transaction[.toys]["t"] = Node()
            try transaction.connect("s", to: "t", in: links)
        }
        #expect(database.snapshot[links].count == 0 && database.snapshot[links].missingTargets.isEmpty)
        #expect(database.snapshot[.children].map(\.key) == ["go"] && database.snapshot[.toys].isEmpty)
    }

    /// The same by another name, for one behind the rules.
    private struct Later: Reaction {
        let name = "later"
        let collectionNames: [String]? = nil
        let body: @Sendable (inout WriteTransaction) throws -> Void
        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            try body(&transaction)
        }
    }

    // Edges that led from it were gone, those that led to it stayed, and a restriction took it for removed.
    @Test(arguments: [.none, .cascadeWhenLast, .restrict, .notify] as [Kinship.Rule])
    func `A record that an earlier reaction puts back keeps its edges`(rule: Kinship.Rule) async throws {
        let sourceRule: SourceDeleteRule<Node, NoMetadata> =
            switch rule {
            case .cascadeWhenLast: .cascadeWhenLast
            case .restrict: .restrict
            case .notify: .notify { _, _ in nil }
            default: .none
            }
        let links = Links(
            "links", from: .parents, to: .parents, onDelete: rule == .restrict ? .restrict : .none,
            onSourceDelete: sourceRule)
        try await database.register(
            Also(collectionNames: ["parents"]) { transaction in
                guard transaction[.parents]["ada"] == nil else { return }
                transaction[.parents]["ada"] = Node(told: 1)
                try transaction.connect("ada", to: "cy", in: links)
            })
        try await database.register(links)
        try await database.write { transaction in
            for key in ["ada", "bo", "cy", "mary"] { transaction[.parents][key] = Node() }
            try transaction.connect("ada", to: "bo", in: links)
            try transaction.connect("mary", to: "ada", in: links)
        }
        try await database.write { _ = $0[.parents].remove("ada") }
        let snapshot = database.snapshot
        #expect(snapshot[.parents].map(\.key) == ["ada", "bo", "cy", "mary"] && snapshot[.parents]["ada"]?.told == 1)
        #expect(snapshot[links].targetKeys(of: "ada") == ["bo", "cy"])
        #expect(snapshot[links].sourceKeys(of: "ada") == ["mary"])
    }

    // In the second round the rules took it away again, for an edge that they had looked at in the first.
    @Test(arguments: [["parents"], nil] as [[String]?])
    func `What a later reaction inserts stays, though nothing refers to it`(collections: [String]?) async throws {
        try await database.register(
            Relationship("in chat", from: .children, \.one, to: .parents, onDelete: .cascade))
        try await database.register(
            Relationship("attached", from: .children, \.many, to: .toys, onSourceDelete: .cascadeWhenLast))
        try await database.register(
            Also(collectionNames: collections) { transaction in
                if transaction[.toys]["default"] == nil { transaction[.toys]["default"] = Node(told: 1) }
            })
        try await database.write { transaction in
            transaction[.parents]["math"] = Node()
            transaction[.children]["m1"] = Node(one: "math", many: ["default"])
            transaction[.toys]["default"] = Node()
        }
        try await database.write { _ = $0[.parents].remove("math") }
        #expect(database.snapshot[.children].isEmpty && database.snapshot[.toys]["default"]?.told == 1)
    }

    @Test func `What a later reaction takes the last source from goes`() async throws {
        try await database.register(
            Relationship("in chat", from: .children, \.one, to: .parents, onDelete: .cascade))
        try await database.register(
            Relationship("attached", from: .children, \.many, to: .toys, onSourceDelete: .cascadeWhenLast))
        try await database.register(
            Also(collectionNames: ["parents"]) { transaction in
                if transaction[.parents]["math"] == nil { transaction[.children].remove("m2") }
            })
        try await database.write { transaction in
            transaction[.parents]["math"] = Node()
            transaction[.children]["m1"] = Node(one: "math", many: ["t"])
            transaction[.children]["m2"] = Node(many: ["t"])
            transaction[.toys]["t"] = Node()
        }
        try await database.write { _ = $0[.parents].remove("math") }
        #expect(database.snapshot[.children].isEmpty && database.snapshot[.toys].isEmpty)
    }

    // The error named a record that was not there, and a removal of it was the remedy.
    @Test func `An edge that comes from no record restricts nothing and keeps nothing`() async throws {
        let links = Links("links", from: .children, to: .toys, onDelete: .restrict)
        let last = Links("last", from: .children, to: .parents, onSourceDelete: .cascadeWhenLast)
        try await database.register(links)
        try await database.register(last)
        try await database.write { transaction in
            transaction[.children]["f"] = Node()
            transaction[.toys]["t"] = Node()
            transaction[.parents]["p"] = Node()
            try transaction.connect("f", to: "p", in: last)
        }
        let before = database.snapshot
        try await database.write { transaction in
            transaction[.children]["e"] = Node()
            try transaction.connect("e", to: "t", in: links)
            try transaction.connect("e", to: "p", in: last)
        }
        try await database.restore(before)
        #expect(database.snapshot[links].missingSources == ["e"])
        try await database.write { _ = $0[.toys].remove("t") }
        #expect(database.snapshot[.toys].isEmpty)
        try await database.write { _ = $0[.children].remove("f") }
        #expect(database.snapshot[.parents].isEmpty)
    }

    @Test func `A touch and new metadata are no fault where a reference was missing before`() async throws {
        let strict = Relationship("strict", from: .children, \.one, to: .parents, allowsMissing: false)
        try await database.write { $0[.children]["c"] = Node(one: "nobody") }
        try await database.register(strict)
        try await database.write { _ = $0[.children].touchObject(for: "c") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.children]["c"] = Node(one: "nobody", told: 1) }
        }
        #expect(error?.code == .danglingReference)
    }

    // A removal of a source stopped the program, and a reference to what was there was said to dangle.
    @Test func `Targets that came from disk without a type are there`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            for key in ["p", "q"] { transaction[.parents][key] = Node() }
            transaction[.children]["c"] = Node(one: "p", many: ["q"])
        }
        try await first.close()
        let database = try await Database.open(at: path, collections: .children)
        try await database.register(
            Relationship(
                "strict", from: .children, \.one, to: .parents, onSourceDelete: .restrict, allowsMissing: false))
        try await database.register(
            Relationship("many", from: .children, \.many, to: .parents, onSourceDelete: .cascade))
        try await database.write { $0[.children]["d"] = Node(one: "p") }
        let missing = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.children]["e"] = Node(one: "nobody") }
        }
        #expect(missing?.code == .danglingReference)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { _ = $0[.children].remove("d") }
        }
        #expect(error?.code == .removalRestricted)
        try await database.unregister("strict")
        try await database.write { _ = $0[.children].remove("c") }
        try await database.bind(.parents)
        #expect(database.snapshot[.parents].map(\.key) == ["p"])
        try await database.close()
    }

    @Test func `Sources that came from disk without a type restrict, and keep what they refer to`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let links = Links("links", from: .children, to: .toys, onDelete: .restrict)
        let last = Links("last", from: .children, to: .parents, onSourceDelete: .cascadeWhenLast)
        let first = try await Database.open(at: path, collections: .children, .toys, .parents)
        try await first.register(links)
        try await first.register(last)
        try await first.write { transaction in
            for key in ["s", "t"] { transaction[.children][key] = Node() }
            transaction[.toys]["t"] = Node()
            transaction[.parents]["p"] = Node()
            try transaction.connect("s", to: "t", in: links)
            for key in ["s", "t"] { try transaction.connect(key, to: "p", in: last) }
        }
        try await first.close()
        let database = try await Database.open(at: path, collections: .toys, .parents)
        try await database.register(links)
        try await database.register(last)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { _ = $0[.toys].remove("t") }
        }
        #expect(error?.code == .removalRestricted && database.snapshot[links].count == 1)
        try await database.write { _ = try $0.disconnect("s", from: "p", in: last) }
        #expect(database.snapshot[.parents].count == 1 && database.snapshot[last].count == 1)
        try await database.close()
    }

    /// Makes records ones that do not decode as what their collection holds.
    private func spoil(_ keys: [String], of name: String, at path: FilePath) async throws {
        struct Other: Codable, Sendable { var must = 0 }
        let others = RecordCollection<Other, NoMetadata>(name).configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, collections: others)
        try await database.write { for key in keys { $0[others][key] = Other() } }
        try await database.close()
    }

    private typealias Nodes = RecordCollection<Node, NoMetadata>

    private static func lenient(_ collection: Nodes) -> Nodes { collection.configured { $0.undecodable = .setAside } }

    // For the rules they were not there: the toy went, and the parent as soon as "t" did, with the edges of "s".
    @Test(arguments: [false, true])
    func `Sources that are set aside restrict, and keep what they refer to`(hasCheckpoint: Bool) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let links = Links("links", from: .children, to: .toys, onDelete: .restrict)
        let last = Links("last", from: .children, to: .parents, onSourceDelete: .cascadeWhenLast)
        func open() async throws -> Database {
            let database = try await Database.open(
                at: path, collections: Self.lenient(.children), .toys, .parents)
            try await database.register(links)
            try await database.register(last)
            return database
        }
        var database = try await open()
        try await database.write { transaction in
            for key in ["s", "t"] { transaction[.children][key] = Node() }
            transaction[.toys]["t"] = Node()
            transaction[.parents]["p"] = Node()
            try transaction.connect("s", to: "t", in: links)
            for key in ["s", "t"] { try transaction.connect(key, to: "p", in: last) }
        }
        try await database.close()
        try await spoil(["s"], of: "children", at: path)
        database = try await open()
        if hasCheckpoint {
            try await database.checkpoint()
            try await database.close()
            database = try await open()
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "children") == ["s"])
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { _ = $0[.toys].remove("t") }
        }
        #expect(error?.code == .removalRestricted && error?.message.contains("\"s\"") == true)
        try await database.write { _ = $0[.children].remove("t") }
        #expect(database.snapshot[.parents].count == 1)
        #expect(database.snapshot[last].sourceKeys(of: "p") == ["s"] && database.snapshot[links].count == 1)
        try await database.write { $0[.children]["s"] = Node() }
        #expect(database.snapshot[last].targets(of: "s").map(\.key) == ["p"])
        try await database.write { _ = $0[.children].remove("s") }
        #expect(database.snapshot[.parents].isEmpty && database.snapshot[links].count == 0)
        try await database.close()
    }

    @Test func `A rule removes a source that is set aside`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let links = Links("links", from: .children, to: .toys, onDelete: .cascade)
        let first = try await Database.open(at: path, collections: .children, .toys)
        try await first.register(links)
        try await first.write { transaction in
            transaction[.children]["s"] = Node()
            transaction[.toys]["t"] = Node()
            try transaction.connect("s", to: "t", in: links)
        }
        try await first.close()
        try await spoil(["s"], of: "children", at: path)
        let database = try await Database.open(at: path, collections: Self.lenient(.children), .toys)
        try await database.register(links)
        try await database.write { _ = $0[.toys].remove("t") }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "children").isEmpty)
        #expect(database.snapshot[links].count == 0)
        try await database.close()
    }

    // One of them may refer to it, which nobody can tell.
    @Test func `While a source is set aside, no target is taken for an orphan`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let one = Relationship("one", from: .children, \.one, to: .parents, onSourceDelete: .cascadeWhenLast)
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            for key in ["p", "q"] { transaction[.parents][key] = Node() }
            for key in ["s", "t"] { transaction[.children][key] = Node(one: "p") }
            transaction[.children]["u"] = Node(one: "q")
        }
        try await first.close()
        try await spoil(["s"], of: "children", at: path)
        try await spoil(["p"], of: "parents", at: path)
        let database = try await Database.open(at: path, collections: Self.lenient(.children), Self.lenient(.parents))
        try await database.register(one)
        try await database.write { for key in ["t", "u"] { $0[.children].remove(key) } }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "parents") == ["p"])
        #expect(database.snapshot[.parents].map(\.key) == ["q"])
        // Once all can be read, the last one takes its target along.
        try await database.write { $0[.children]["s"] = Node(one: "q") }
        try await database.write { _ = $0[.children].remove("s") }
        #expect(database.snapshot[.parents].isEmpty)
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "parents") == ["p"])
        try await database.close()
    }

    // Each write of a record that refers to it was refused, though the reference was what it had been.
    @Test func `A target that is set aside is not missing`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            transaction[.parents]["p"] = Node()
            transaction[.children]["c"] = Node(one: "p")
        }
        try await first.close()
        try await spoil(["p"], of: "parents", at: path)
        let database = try await Database.open(at: path, collections: .children, Self.lenient(.parents))
        try await database.register(Relationship("strict", from: .children, \.one, to: .parents, allowsMissing: false))
        try await database.write { $0[.children]["c"]?.told = 1 }
        try await database.write { $0[.children]["d"] = Node(one: "p") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.children]["e"] = Node(one: "nobody") }
        }
        #expect(error?.code == .danglingReference && database.snapshot[.children].count == 2)
        try await database.close()
    }

    // The edge stayed, and was the next record's of that key.
    @Test(arguments: [false, true], [false, true])
    func `Rules follow the removal of what is set aside, and its edges go with it`(
        all: Bool, hasCheckpoint: Bool
    ) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let one = Relationship("one", from: .children, \.one, to: .parents, onDelete: .cascade)
        let links = Links("links", from: .children, to: .toys, onSourceDelete: .cascadeWhenLast)
        func open() async throws -> Database {
            let database = try await Database.open(
                at: path, collections: Self.lenient(.children), Self.lenient(.parents), .toys)
            try await database.register(one)
            try await database.register(links)
            return database
        }
        var database = try await open()
        try await database.write { transaction in
            transaction[.parents]["p"] = Node()
            transaction[.children]["c"] = Node(one: "p")
            transaction[.children]["s"] = Node()
            for key in ["t", "u"] { transaction[.toys][key] = Node() }
            try transaction.connect("s", to: "t", in: links)
        }
        try await database.close()
        try await spoil(["s"], of: "children", at: path)
        try await spoil(["p"], of: "parents", at: path)
        database = try await open()
        if hasCheckpoint {
            try await database.checkpoint()
            try await database.close()
            database = try await open()
        }
        try await database.write { transaction in
            if all { transaction[.parents].removeAll() }
            transaction[.parents].remove("p")
        }
        #expect(database.snapshot[.children].isEmpty, "the rule of \"one\"")
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "children") == ["s"])
        #expect(database.snapshot[links].count == 1 && database.snapshot[.toys].count == 2)
        try await database.write { transaction in
            if all { transaction[.children].removeAll() }
            transaction[.children].remove("s")
        }
        #expect(database.snapshot[.toys].map(\.key) == ["u"], "the rule of \"links\"")
        #expect(database.snapshot[links].count == 0 && database.snapshot[links].missingSources.isEmpty)
        try await database.close()
        database = try await open()
        try await database.write { transaction in
            transaction[.children]["s"] = Node()
            transaction[.toys]["t"] = Node()
        }
        #expect(database.snapshot[links].count == 0 && database.snapshot[.children].map(\.key) == ["s"])
        try await database.close()
    }

    @Test func `A target that is set aside stays while a record refers to it that must not miss it`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            transaction[.parents]["p"] = Node()
            transaction[.children]["c"] = Node(one: "p")
        }
        try await first.close()
        try await spoil(["p"], of: "parents", at: path)
        let database = try await Database.open(at: path, collections: .children, Self.lenient(.parents))
        try await database.register(Relationship("strict", from: .children, \.one, to: .parents, allowsMissing: false))
        for all in [false, true] {
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { transaction in
                    if all { transaction[.parents].removeAll() }
                    transaction[.parents].remove("p")
                }
            }
            #expect(error?.code == .danglingReference)
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "parents") == ["p"])
        try await database.write { transaction in
            transaction[.parents].remove("p")
            transaction[.children].remove("c")
        }
        #expect(database.snapshot.setAsideKeys(inCollectionNamed: "parents").isEmpty)
        try await database.close()
    }

    // The rules wrote something in the first round, and took this edge, which they never saw, for one that they had looked at.
    @Test(arguments: [true, false])
    func `A record loses its last source to an earlier reaction also where the rules have written`(
        rulesWrite: Bool
    ) async throws {
        try await database.register(
            Also(collectionNames: nil) { transaction in
                if transaction[.parents]["math"] == nil { transaction[.children].remove("m2") }
            })
        try await database.register(
            Relationship("in chat", from: .children, \.one, to: .parents, onDelete: .cascade))
        try await database.register(
            Relationship("attached", from: .children, \.many, to: .toys, onSourceDelete: .cascadeWhenLast))
        try await database.write { transaction in
            transaction[.parents]["math"] = Node()
            if rulesWrite { transaction[.children]["m1"] = Node(one: "math") }
        }
        try await database.write { transaction in
            transaction[.parents].remove("math")
            transaction[.toys]["t"] = Node()
            transaction[.children]["m2"] = Node(many: ["t"])
        }
        #expect(database.snapshot[.children].isEmpty && database.snapshot[.toys].isEmpty)
    }

    // An edge that came in the first round and went behind the rules was in none of the states that they compared.
    @Test(arguments: [true, false])
    func `A record that was moved to another source goes with that one in the same write`(
        rulesWrite: Bool
    ) async throws {
        try await database.register(
            Also(collectionNames: nil) { transaction in
                guard transaction[.children]["s1"] != nil, transaction[.parents]["math"] == nil else { return }
                transaction[.children]["s2"] = Node(many: ["t"])
                transaction[.children].remove("s1")
            })
        try await database.register(
            Relationship("in chat", from: .children, \.one, to: .parents, onDelete: .cascade))
        try await database.register(
            Relationship("attached", from: .children, \.many, to: .toys, onSourceDelete: .cascadeWhenLast))
        try await database.register(
            Later { transaction in
                if transaction[.parents]["math"] == nil { transaction[.children].remove("s2") }
            })
        try await database.write { transaction in
            transaction[.parents]["math"] = Node()
            transaction[.toys]["t"] = Node()
            transaction[.children]["s1"] = Node(many: ["t"])
            if rulesWrite { transaction[.children]["m1"] = Node(one: "math") }
        }
        try await database.write { _ = $0[.parents].remove("math") }
        #expect(database.snapshot[.children].isEmpty && database.snapshot[.toys].isEmpty)
    }

    // Each of these questions stopped the program.
    @Test func `Records that came from disk without a type are not given, and are connected`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let one = Relationship("one", from: .children, \.one, to: .parents)
        let links = Links("links", from: .children, to: .parents)
        func open(_ collections: RecordCollection<Node, NoMetadata>...) async throws -> Database {
            let database = try await Database.open(at: path)
            for collection in collections { try await database.bind(collection) }
            try await database.register(one)
            try await database.register(links)
            return database
        }
        let first = try await open(.children, .parents)
        try await first.write { transaction in
            for key in ["p", "q"] { transaction[.parents][key] = Node() }
            transaction[.children]["c"] = Node(one: "p")
            try transaction.connect("c", to: "p", in: links)
        }
        try await first.close()

        var database = try await open(.children)
        var (property, explicit) = (database.snapshot[one], database.snapshot[links])
        #expect(property.target(of: "c") == nil && explicit.target(of: "c") == nil)
        #expect(Array(property.targets(of: "c")).isEmpty && property.targetKeys(of: "c") == ["p"])
        #expect(property.sources(of: "p").map(\.key) == ["c"] && explicit.sources(of: "p").map(\.key) == ["c"])
        try await database.write { transaction in
            let connected = try ["q", "nobody"].map { try transaction.connect("c", to: $0, in: links) }
            #expect(connected == [true, false])
        }
        try await database.bind(.parents)
        #expect(database.snapshot[one].target(of: "c")?.key == "p")
        #expect(database.snapshot[links].targets(of: "c").map(\.key) == ["p", "q"])
        try await database.close()

        database = try await open(.parents)
        (property, explicit) = (database.snapshot[one], database.snapshot[links])
        #expect(property.targetKeys(of: "c").isEmpty && Array(property.sources(of: "p")).isEmpty)
        #expect(Array(explicit.sources(of: "p")).isEmpty && explicit.sourceKeys(of: "p") == ["c"])
        #expect(explicit.targets(of: "c").map(\.key) == ["p", "q"])
        try await database.close()
    }

    // A target without a type, which is a source of another relationship, stopped the program.
    @Test func `A cascade goes through records without a type as far as their types are known`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("family.yaprak"))
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            transaction[.children]["c"] = Node(one: "p")
            transaction[.parents]["p"] = Node(one: "t")
        }
        try await first.close()
        let database = try await Database.open(at: path, collections: .children)
        try await database.register(
            Relationship("a", from: .children, \.one, to: .parents, onSourceDelete: .cascade))
        try await database.register(Relationship("b", from: .parents, \.one, to: .toys, onSourceDelete: .cascade))
        try await database.write { $0[.toys]["t"] = Node() }
        try await database.write { _ = $0[.children].remove("c") }
        try await database.bind(.parents)
        #expect(database.snapshot[.parents].isEmpty && database.snapshot[.toys].count == 1)
        try await database.close()
    }
}
