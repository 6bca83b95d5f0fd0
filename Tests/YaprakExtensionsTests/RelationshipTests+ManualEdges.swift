import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakTrees

@testable import YaprakCore
@testable import YaprakExtensions

/// Edges that are set explicitly.
extension RelationshipTests {
    /// Takes out again what a reaction before it has put in and connected.
    private struct TakeOut: Reaction {
        let name = "take out"
        let collectionNames: [String]? = ["children"]
        func react(to changes: NetChanges, since before: Snapshot, in transaction: inout WriteTransaction) throws {
            transaction[.children].remove("passing")
        }
    }

    @Test func `A record that comes and goes in one transaction takes its explicit edges with it`() async throws {
        for (source, target) in [("passing", "ada"), ("ada", "passing"), ("passing", "passing")] {
            for reacts in [false, true] {
                let friends = ManualRelationship("friends", from: .children, to: .children)
                let database = Database.inMemory()
                try await database.register(friends)
                if reacts { try await database.register(TakeOut()) }
                try await database.write { transaction in
                    transaction[.children]["ada"] = Node()
                    transaction[.children]["bo"] = Node()
                    try transaction.connect("ada", to: "bo", in: friends)
                }
                try await database.write { transaction in
                    transaction[.children]["passing"] = Node()
                    try transaction.connect(source, to: target, in: friends)
                    if reacts {
                        transaction[.children]["bo"]?.told += 1
                    } else {
                        transaction[.children].remove("passing")
                    }
                }
                let reader = database.snapshot[friends]
                #expect(reader.count == 1 && reader.targetKeys(of: "ada") == ["bo"], "\(source) \(target) \(reacts)")
                #expect(reader.missingSources.isEmpty && reader.missingTargets.isEmpty)
                try await database.close()
            }
        }
    }

    @Test func `Edges set explicitly survive a launch, a crash and an absence, and go with their records`() async throws
    {
        let folder = TemporaryDirectory()
        let path = folder.appending("family")
        let friends = ManualRelationship("friends", from: .children, to: .children)
        var database = try await Database.open(at: path, collections: .children)
        try await database.register(friends)
        try await Self.link(database, .children, ["a", "b", "c", "d"].map { ($0, nil) })
        let answers = try await database.write { transaction in
            var answers: [Bool] = []
            for (from, to) in [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")] {
                try answers.append(transaction.connect(from, to: to, in: friends))
            }
            try answers.append(transaction.connect("a", to: "b", in: friends))
            try answers.append(transaction.connect("a", to: "nobody", in: friends))
            try answers.append(transaction.disconnect("d", from: "a", in: friends))
            try answers.append(transaction.disconnect("d", from: "a", in: friends))
            return answers
        }
        #expect(answers == [true, true, true, true, false, false, true, false])
        func edges(_ snapshot: Snapshot) -> [String] {
            ["a", "b", "c", "d"].flatMap { key in snapshot[friends].targetKeys(of: key).map { key + $0 } }
        }
        #expect(edges(database.snapshot) == ["ab", "bc", "ca"])
        for checkpoints in [false, true] {
            if checkpoints { try await database.checkpoint() }
            try await database.close()
            database = try await Database.open(at: path, collections: .children)
            try await database.register(friends)
            #expect(edges(database.snapshot) == ["ab", "bc", "ca"])
        }
        let whole = database.snapshot
        let fork = database.fork()
        try await fork.write { transaction in
            // Put in and taken out in one transaction, with their record.
            try transaction.connect("d", to: "d", in: friends)
            transaction[.children].remove("d")
            transaction[.children].remove("b")
        }
        #expect(edges(fork.snapshot) == ["ca"] && fork.snapshot[friends].count == 1)
        try await fork.write { $0[.children]["b"] = Node() }
        #expect(edges(fork.snapshot) == ["ca"])

        // What a restore takes away leaves its edges behind, and says so.
        try await database.write { $0[.children]["e"] = Node() }
        try await database.write { transaction in
            try transaction.connect("e", to: "a", in: friends)
            try transaction.connect("a", to: "e", in: friends)
        }
        try await database.restore(whole)
        #expect(
            database.snapshot[friends].missingTargets == ["e"] && database.snapshot[friends].missingSources == ["e"])
        try await database.write { try $0.disconnect("e", from: "a", in: friends) }
        #expect(database.snapshot[friends].missingSources == [] && database.snapshot[friends].missingTargets == ["e"])
        let number = database.snapshot.commitNumber
        try await database.close()
        let replayed = try await Database.replay(FilePath(path), upTo: number, collections: .children)
        try await replayed.register(friends)
        #expect(edges(replayed.snapshot) == ["ab", "ae", "bc", "ca"])
    }

    private typealias Links = ManualRelationship<Node, NoMetadata, Node, NoMetadata>

    // It looked for the records in its own collections, and put the edge into the relationship that is registered.
    @Test func `Another handle of a relationship connects records of the collections that are registered`() async throws
    {
        let links = Links("links", from: .children, to: .toys)
        let other = Links("links", from: .parents, to: .parents)
        try await database.register(links)
        let answers = try await database.write { transaction in
            transaction[.children]["child"] = Node()
            transaction[.toys]["toy"] = Node()
            for key in ["parent", "toy"] { transaction[.parents][key] = Node() }
            return try [
                transaction.connect("parent", to: "parent", in: other),
                transaction.connect("parent", to: "toy", in: other),
                transaction.connect("child", to: "parent", in: other),
                transaction.connect("child", to: "toy", in: other),
            ]
        }
        #expect(answers == [false, false, false, true])
        let reader = database.snapshot[links]
        #expect(reader.count == 1 && reader.targets(of: "child").map(\.key) == ["toy"])
        #expect(reader.missingSources.isEmpty && reader.missingTargets.isEmpty)
        // The edge is one of the relationship that is registered, whichever handle made it.
        try await database.unregister("links")
        await #expect(throws: DatabaseError.self) { try await database.register(other) }
        try await database.register(links)
        #expect(database.snapshot[links].count == 1)
    }

    @Test func `Connecting throws where the relationship is not registered, also without the records`() async throws {
        let links = Links("links", from: .children, to: .toys)
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in _ = try transaction.connect("no", to: "body", in: links) }
        }
        #expect(error?.code == .extensionNotRegistered)
    }

    @Test func `A relationship that is refused leaves no trees behind`() async throws {
        let links = Links("links", from: .children, to: .toys)
        try await database.register(links)
        try await database.write { transaction in
            transaction[.toys]["toy"] = Node()
            for number in 0..<300 {
                transaction[.children]["\(number)"] = Node()
                try transaction.connect("\(number)", to: "toy", in: links)
            }
        }
        try await database.unregister("links")
        while database.timeline.reclaim(limit: .max) {}
        let before = database.timeline.arena.counts
        await #expect(throws: DatabaseError.self) {
            try await database.register(Links("links", from: .toys, to: .children))
        }
        for _ in 0..<2_000 where database.timeline.arena.counts != before {
            try await Task.sleep(for: .milliseconds(5))
            while database.timeline.reclaim(limit: .max) {}
        }
        #expect(database.timeline.arena.counts == before)
        try await database.register(links)
        #expect(database.snapshot[links].sourceCount(of: "toy") == 300)
    }

    @Test func `Two pairs of collections are never named alike`() {
        #expect(EdgeEnds.text(from: "people", to: "songs") == #""people" → "songs""#)
        #expect(EdgeEnds.text(from: #"a"b"#, to: #"c\d"#) == #""a\"b" → "c\\d""#)
        let pairs = [
            (#"a" → "b"#, "c"), ("a", #"b" → "c"#), (#"a\"#, #" → "b"#), (#"a\" → "#, "b"), ("a", "b"), ("b", "a"),
        ]
        #expect(Set(pairs.map { EdgeEnds.text(from: $0.0, to: $0.1) }).count == pairs.count)
    }

    @Test(arguments: 1...UInt64(Soak.volume(20, soak: 500)))
    func `Edges set explicitly are those of a set of pairs, over any history`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let rule = random.below(3)
        let links = ManualRelationship<Node, NoMetadata, Node, NoMetadata>(
            "links", from: .children, to: .toys, onDelete: rule == 1 ? .cascade : .none,
            onSourceDelete: rule == 2 ? .cascadeWhenLast : .none)
        let folder = TemporaryDirectory()
        let hasFile = random.chance(40)
        func open() async throws -> Database {
            let database =
                hasFile
                ? try await Database.open(at: folder.appending("db"), collections: .children, .toys)
                : Database.inMemory()
            try await database.register(links)
            return database
        }
        var database = try await open()
        var edges: Set<[String]> = []
        var records: [String: Set<String>] = ["children": [], "toys": []]
        for step in 0..<60 {
            let context = "seed \(seed), rule \(rule), step \(step)"
            let before = edges
            var (nextEdges, nextRecords) = (edges, records)
            var made: Set<[String]> = []
            var script: [(Int, String, String)] = []
            for _ in 0...random.below(4) {
                let (a, b) = ("\(random.below(6))", "\(random.below(6))")
                let what = random.below(12)
                script.append((what, a, b))
                switch what {
                case 0...2: nextRecords["children"]!.insert(a)
                case 3...4: nextRecords["toys"]!.insert(b)
                case 5...8:
                    if nextRecords["children"]!.contains(a), nextRecords["toys"]!.contains(b) {
                        nextEdges.insert([a, b])
                        made.insert([a, b])
                    }
                case 9:
                    nextEdges.remove([a, b])
                    made.remove([a, b])
                case 10: nextRecords["children"]!.remove(a)
                default: nextRecords["toys"]!.remove(b)
                }
            }
            // Net: what was there before and is gone takes its edges along; rules follow.
            var goneToys = records["toys"]!.subtracting(nextRecords["toys"]!)
            var goneChildren = records["children"]!.subtracting(nextRecords["children"]!)
            var lost: Set<String> = []
            while true {
                if rule == 1 {
                    for edge in nextEdges where goneToys.contains(edge[1]) && nextRecords["children"]!.contains(edge[0])
                    {
                        nextRecords["children"]!.remove(edge[0])
                        goneChildren.insert(edge[0])
                    }
                }
                nextEdges = nextEdges.filter { !goneChildren.contains($0[0]) }
                lost = Set(before.subtracting(nextEdges).map { $0[1] })
                // An edge that was made in this transaction went with its record, too.
                let alsoLost = made.filter { goneChildren.contains($0[0]) }.map { $0[1] }
                let orphans =
                    rule == 2
                    ? lost.union(alsoLost).filter { toy in
                        nextRecords["toys"]!.contains(toy) && !nextEdges.contains { $0[1] == toy }
                    } : []
                if orphans.isEmpty { break }
                nextRecords["toys"]!.subtract(orphans)
                goneToys.formUnion(orphans)
            }
            nextEdges = nextEdges.filter { !goneToys.contains($0[1]) }
            let isUndone = random.chance(6)
            do {
                try await database.write { [script] transaction in
                    for (what, a, b) in script {
                        switch what {
                        case 0...2: transaction[.children][a] = Node()
                        case 3...4: transaction[.toys][b] = Node()
                        case 5...8: try transaction.connect(a, to: b, in: links)
                        case 9: try transaction.disconnect(a, from: b, in: links)
                        case 10: transaction[.children].remove(a)
                        default: transaction[.toys].remove(b)
                        }
                    }
                    if isUndone { throw CancellationError() }
                }
                (edges, records) = (nextEdges, nextRecords)
            } catch is CancellationError {}
            if hasFile, random.chance(8) {
                if random.chance(50) { try await database.checkpoint() }
                try await database.close()
                database = try await open()
            }
            let snapshot = database.snapshot
            #expect(Set(snapshot[.children].map(\.key)) == records["children"]!, "\(context) \(script)")
            #expect(Set(snapshot[.toys].map(\.key)) == records["toys"]!, "\(context) \(script)")
            let found = (0..<6).flatMap { a in snapshot[links].targetKeys(of: "\(a)").map { ["\(a)", $0] } }
            try #require(Set(found) == edges, "\(context) \(script)")
            for b in 0..<6 {
                try #require(
                    snapshot[links].sourceKeys(of: "\(b)") == edges.filter { $0[1] == "\(b)" }.map { $0[0] }.sorted(),
                    "\(context)")
            }
            try #require(snapshot[links].missingTargets.isEmpty && snapshot[links].missingSources.isEmpty, "\(context)")
        }
        try await database.close()
    }
}
