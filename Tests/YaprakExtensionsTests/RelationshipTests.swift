import Foundation
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore
@testable import YaprakExtensions

@Suite(.bounded) struct RelationshipTests {
    typealias Nodes = RecordCollection<Node, NoMetadata>
    let database = Database.inMemory()
    let one = Relationship("one", from: .children, \.one, to: .parents, onDelete: .nullify)

    /// Makes records under keys, each with a reference.
    static func link(_ database: Database, _ collection: Nodes, _ pairs: [(String, String?)]) async throws {
        try await database.write { for (key, one) in pairs { $0[collection][key] = Node(one: one) } }
    }

    @Test func `The keys of a set are followed in one order, whatever the process`() {
        let keys = (0..<200).map { "k\($0 * 7919 % 1000)" }
        #expect(Set(keys).referencedKeys == Set(keys).sorted())
    }

    @Test func `A chain of 10,000 records is removed whole, on a small stack, in linear time`() async throws {
        let chain = Relationship("chain", from: .children, \.one, to: .children, onDelete: .cascade)
        func make(_ count: Int) async throws -> Database {
            let database = Database.inMemory()
            try await database.register(chain)
            // A ring, so that the last leads to the first again.
            try await Self.link(database, .children, (0..<count).map { ("\($0)", "\(($0 + 1) % count)") })
            return database
        }
        let ring = try await make(10_000)
        try await Task(executorPreference: SmallStack.executor) {
            try await ring.write { _ = $0[.children].remove("77") }
        }.value
        #expect(ring.snapshot[.children].isEmpty && ring.snapshot[chain].count == 0)
        #expect(ring.snapshot.commitNumber == 2)
        let clock = ProcessorClock()
        try await expectGrowth("cascade", 500) { count in
            let database = try await make(count)
            return try await clock.measure { try await database.write { _ = $0[.children].remove("0") } }
        }
    }

    @Test func `A shared record with thousands of sources goes with the last, in linear time`() async throws {
        let shared = Relationship("shared", from: .children, \.one, to: .parents, onSourceDelete: .cascadeWhenLast)
        let clock = ProcessorClock()
        try await expectGrowth("last", 500) { count in
            let database = Database.inMemory()
            try await database.register(shared)
            try await Self.link(database, .parents, [("p", nil), ("never", nil)])
            try await Self.link(database, .children, (0..<count).map { ("\($0)", "p") })
            let time = try await clock.measure {
                try await database.write { for key in 1..<count { $0[.children].remove("\(key)") } }
            }
            #expect(database.snapshot[.parents].count == 2)
            try await database.write { $0[.children]["0"]?.one = "never" }
            #expect(database.snapshot[.parents].map(\.key) == ["never"])
            return time
        }
    }

    @Test func `A chain in which each goes because its last source went takes linear time`() async throws {
        let last = Relationship("last", from: .children, \.one, to: .children, onSourceDelete: .cascadeWhenLast)
        let clock = ProcessorClock()
        try await expectGrowth("chain of last sources", 250) { count in
            let database = Database.inMemory()
            try await database.register(last)
            try await Self.link(database, .children, (0..<count).map { ("\($0)", "\($0 + 1)") })
            let time = try await clock.measure { try await database.write { _ = $0[.children].remove("0") } }
            #expect(database.snapshot[.children].isEmpty)
            return time
        }
    }

    @Test func `A record that refers to thousands of removed ones loses their keys in linear time`() async throws {
        let many = Relationship("many", from: .children, \.many, to: .parents, onDelete: .nullify)
        let clock = ProcessorClock()
        try await expectGrowth("nullify", 500) { count in
            let database = Database.inMemory()
            try await database.register(many)
            let keys = (0..<count).map { "p\($0)" }
            try await Self.link(database, .parents, keys.map { ($0, nil) })
            try await database.write { $0[.children]["c"] = Node(many: keys + ["never"]) }
            let time = try await clock.measure {
                try await database.write { for key in keys.dropFirst() { $0[.parents].remove(key) } }
            }
            #expect(database.snapshot[.children]["c"]?.many == ["p0", "never"])
            return time
        }
    }

    @Test func `A key that an answer brings back after it was taken out is taken out again`() async throws {
        let many = Relationship("many", from: .children, \.many, to: .parents, onDelete: .nullify)
        let asked = Relationship(
            "asked", from: .children, \.one, to: .parents,
            onDelete: .notify { child, _ in
                var changed = child.object
                changed.one = nil
                changed.many.append("b")
                return changed
            })
        try await database.register(many)
        try await database.register(asked)
        try await Self.link(database, .parents, [("a", nil), ("b", nil), ("c", nil)])
        try await database.write { $0[.children]["x"] = Node(one: "a", many: ["a", "b", "c"]) }
        try await database.write { for key in ["a", "b"] { $0[.parents].remove(key) } }
        #expect(database.snapshot[.children]["x"] == Node(many: ["c"]))
        #expect(database.snapshot[many].missingTargets.isEmpty)
    }

    @Test func `What an answer takes away from another relationship is followed, too`() async throws {
        let asked = Relationship(
            "asked", from: .children, \.one, to: .parents,
            onDelete: .notify { child, _ in
                var changed = child.object
                changed.many = []
                return changed
            })
        let toys = Relationship("toys", from: .children, \.many, to: .toys, onSourceDelete: .cascadeWhenLast)
        let owner = Relationship("owner", from: .parents, \.one, to: .toys, onDelete: .restrict)
        for relationship in [asked, owner] { try await database.register(relationship) }
        try await database.register(toys)
        try await database.write { transaction in
            for key in ["ann", "ben"] { transaction[.parents][key] = Node(one: key == "ben" ? "kite" : nil) }
            transaction[.children]["bob"] = Node(one: "ann", many: ["ball"])
            transaction[.children]["cid"] = Node(one: "ben", many: ["kite"])
            for key in ["ball", "kite"] { transaction[.toys][key] = Node() }
        }
        try await database.write { _ = $0[.parents].remove("ann") }
        #expect(database.snapshot[.toys].map(\.key) == ["kite"])
        // The error names what took the last source away.
        try await database.write { $0[.parents]["dan"] = Node(one: "kite") }
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { _ = $0[.parents].remove("ben") }
        }
        #expect(
            error?.message.hasPrefix(
                """
                "parents" "dan" restricts the removal of "toys" "kite", by "toys", whose last source was taken away \
                (relationship "owner").
                """) == true, "\(error!)")
    }

    @Test func `A restriction names the chain that led to it, and may be met in the same transaction`() async throws {
        let up = Relationship("up", from: .children, \.one, to: .parents, onDelete: .cascade)
        let owner = Relationship("owner", from: .toys, \.one, to: .children, onDelete: .restrict)
        try await database.register(up)
        try await database.register(owner)
        try await Self.link(database, .parents, [("ann", nil)])
        try await Self.link(database, .children, [("bob", "ann")])
        try await Self.link(database, .toys, [("kite", "bob")])
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.parents].remove("ann") }
        }
        #expect(error?.code == .removalRestricted)
        #expect(error?.place.collectionName == "children" && error?.place.key == "bob")
        #expect(
            error?.message.hasPrefix(
                """
                "toys" "kite" restricts the removal of "children" "bob", by "up" after "parents" "ann", which the \
                transaction removed (relationship "owner").
                """) == true, "\(error!)")
        #expect(database.snapshot.count == 3 && database.snapshot.commitNumber == 3)
        try await database.write { transaction in
            transaction[.parents].remove("ann")
            transaction[.toys].remove("kite")
        }
        #expect(database.snapshot.count == 0)
    }

    @Test func `What does not allow missing records refuses to leave one, and forgives what was missing before`()
        async throws
    {
        let strict = Relationship("strict", from: .children, \.one, to: .parents, allowsMissing: false)
        try await Self.link(database, .children, [("orphan", "nobody")])
        try await database.register(strict)
        #expect(database.snapshot[strict].missingTargets == ["nobody"])
        try await Self.link(database, .parents, [("p", nil)])
        let bad: [@Sendable (inout WriteTransaction) -> Void] = [
            { $0[.children]["c"] = Node(one: "q") },
            { $0[.children]["orphan"]?.told = 1 },
        ]
        for write in bad {
            let error = await #expect(throws: DatabaseError.self) { try await database.write { write(&$0) } }
            #expect(error?.code == .danglingReference)
        }
        try await Self.link(database, .children, [("c", "p")])
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { $0[.parents].removeAll() }
        }
        #expect(error?.code == .danglingReference && error?.place.key == "c")
        // Within one transaction in any order.
        try await database.write { transaction in
            transaction[.children]["d"] = Node(one: "new")
            transaction[.parents]["new"] = Node()
        }
        #expect(database.snapshot[strict].missingTargets == ["nobody"])
    }

    @Test func `A relationship registered beside writers has the edges of every snapshot`() async throws {
        for round in 0..<5 {
            let database = Database.inMemory()
            try await Self.link(database, .parents, (0..<40).map { ("\($0)", nil) })
            try await Self.link(database, .children, (0..<3000).map { ("\($0)", "\($0 % 50)") })
            let writer = Task {
                for step in 0..<200 {
                    try await database.write { transaction in
                        transaction[.children]["\(step * 7 % 3000)"]?.one = "\(step % 50)"
                        transaction[.children].remove("\(step * 13 % 3000)")
                        if step.isMultiple(of: 3) {
                            transaction[.parents].remove("\(step % 40)")
                        } else {
                            transaction[.parents]["\(step % 60)"] = Node()
                        }
                        if step == 100 + round { transaction[.parents].removeAll() }
                    }
                }
            }
            try await database.register(one)
            let first = database.snapshot
            try await writer.value
            for snapshot in [first, database.snapshot] {
                let reader = snapshot[one]
                var edges: [String: [String]] = [:]
                for child in snapshot[.children] {
                    if let parent = child.object.one { edges[parent, default: []].append(child.key) }
                }
                for key in (0..<60).map({ "\($0)" }) {
                    #expect(reader.sourceKeys(of: key) == edges[key] ?? [], "round \(round)")
                }
                let missing = edges.keys.filter { !snapshot[.parents].contains(key: $0) }.sorted()
                #expect(reader.missingTargets == missing, "round \(round)")
            }
        }
    }

    @Test func `Walks end in cycles, and find a shortest way`() async throws {
        let next = Relationship("next", from: .children, \.many, to: .children)
        try await database.register(next)
        try await database.write { transaction in
            transaction[.children]["a"] = Node(many: ["b", "c", "a"])
            transaction[.children]["b"] = Node(many: ["d"])
            transaction[.children]["c"] = Node(many: ["e"])
            transaction[.children]["d"] = Node(many: ["a", "missing"])
            transaction[.children]["e"] = Node(many: ["d"])
        }
        let reader = database.snapshot[next]
        #expect(reader.reachable(from: "a").map { "\($0.key)\($0.distance)" } == ["b1", "c1", "d2", "e2", "missing3"])
        #expect(reader.reachable(from: "a", distanceMax: 1).map(\.key) == ["b", "c"])
        #expect(reader.reaching("e").map(\.key) == ["c", "a", "d", "b"])
        #expect(reader.path(from: "a", to: "d") == ["a", "b", "d"])
        #expect(reader.path(from: "d", to: "e") == ["d", "a", "c", "e"])
        #expect(reader.path(from: "a", to: "a") == ["a"] && reader.path(from: "missing", to: "a") == nil)
        #expect(reader.path(from: "d", to: "e", distanceMax: 2) == nil)
        #expect(reader.hasEdge(from: "a", to: "a") && !reader.hasEdge(from: "b", to: "a"))
    }

    @Test func `Keys of any characters are kept apart`() async throws {
        try await database.register(one)
        let keys = [
            "", "\u{0}", "\u{1}", "\u{0}\u{1}", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "a\u{2}", "é", "e\u{301}x", "🙂",
        ]
        try await database.write { transaction in
            for source in keys {
                for target in keys { transaction[.children][source + "|" + target] = Node(one: target) }
            }
        }
        for key in keys {
            let expected = keys.map { ($0 + "|" + key).normalizedKey }.sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            #expect(database.snapshot[one].sourceKeys(of: key) == expected, "\(key.debugDescription)")
        }
        let late = database.fork()
        try await late.unregister("one")
        try await late.register(one)
        for key in keys {
            #expect(late.snapshot[one].sourceKeys(of: key) == database.snapshot[one].sourceKeys(of: key))
        }
    }

    @Test func `A record set aside refers to nothing, and does once it decodes`() async throws {
        struct Other: Codable, Sendable { var must = 0 }
        let folder = TemporaryDirectory()
        let path = folder.appending("family")
        let others = RecordCollection<Other, NoMetadata>("children")
        let first = try await Database.open(at: path, collections: others)
        try await first.write { $0[others]["odd"] = Other() }
        try await first.close()
        let lenient = Nodes.children.configured { $0.undecodable = .setAside }
        let database = try await Database.open(at: path, collections: lenient, .parents)
        try await database.register(one)
        #expect(database.snapshot[one].count == 0)
        try await database.write { $0[lenient]["odd"] = Node(one: "p") }
        #expect(database.snapshot[one].missingTargets == ["p"])
        try await database.write { $0[lenient].remove("odd") }
        #expect(database.snapshot[one].count == 0)
        try await database.close()
    }
}
