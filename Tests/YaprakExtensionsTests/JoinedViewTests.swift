import TestSupport
import Testing
import Yaprak

@testable import YaprakExtensions

@Suite(.bounded) struct JoinedViewTests {
    let one = Relationship("one", from: .children, \.one, to: .parents)
    var view: JoinedView<Node, NoMetadata, Node, NoMetadata> {
        JoinedView(
            "joined", of: one,
            groupedBy: { child, parent in
                parent.map { $0.object.told.isMultiple(of: 5) ? nil : "told \($0.object.told)" } ?? "none"
            },
            sortedBy: { child, parent in child.object.must + (parent?.object.must ?? "") })
    }

    /// What the view is, by looking at every record.
    static func expected(_ snapshot: Snapshot) -> [String: [String]] {
        var groups: [String: [(String, String)]] = [:]
        for child in snapshot[.children] {
            let parent = child.object.one.flatMap { snapshot[.parents][$0] }
            if let parent, parent.told.isMultiple(of: 5) { continue }
            let group = parent.map { "told \($0.told)" } ?? "none"
            groups[group, default: []].append((child.object.must + (parent?.must ?? ""), child.key))
        }
        return groups.mapValues { $0.sorted { $0 < $1 }.map(\.1) }
    }

    @Test(arguments: 1...UInt64(Soak.volume(30, soak: 1000)))
    func `A joined view is what its records say, and lists get from each state to the next`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let folder = TemporaryDirectory()
        let hasFile = random.chance(30)
        func open() async throws -> Database {
            let database =
                hasFile
                ? try await Database.open(at: folder.appending("db"), collections: .children, .parents)
                : Database.inMemory()
            try await database.register(one)
            try await database.register(view)
            return database
        }
        var database = try await open()
        var sections = ViewMappings(view, groups: (0..<9).map { "told \($0)" } + ["none"])
        var shown = database.snapshot
        try sections.update(to: shown)
        for step in 0..<60 {
            let context = "seed \(seed), step \(step)"
            let writes = (0...random.below(5)).map { _ in
                (random.below(16), "\(random.below(9))", "\(random.below(6))", random.below(9))
            }
            do {
                try await database.write { transaction in
                    for (what, child, parent, number) in writes {
                        switch what {
                        case 0..<5: transaction[.children][child] = Node(must: "\(number)", one: parent)
                        case 5: transaction[.children][child] = Node(must: "\(number)")
                        case 6: transaction[.children].remove(child)
                        case 7: transaction[.parents].remove(parent)
                        case 8: if number == 0 { transaction[.parents].removeAll() }
                        case 9: if number == 0 { transaction[.children].removeAll() }
                        case 10: if number == 0 { throw CancellationError() }
                        case 11: transaction[.parents][parent]?.must = "\(number)"
                        default: transaction[.parents][parent] = Node(must: "\(number)", told: number)
                        }
                    }
                }
            } catch is CancellationError {}
            let snapshot = database.snapshot
            try #require(snapshot[view].keys == Self.expected(snapshot), "\(context)")
            // A list may skip states, in which rows leave and return.
            if random.chance(50) { continue }
            let old = shown.sections(of: sections).map { $0.map(\.key) }
            let changes = try sections.advance(from: shown, to: snapshot)
            let new = snapshot.sections(of: sections).map { $0.map(\.key) }
            try #require(Self.apply(changes, to: old) == new, "\(context)")
            // A row that stayed has an update if its record, or its parent's, is another.
            let reported = Set(changes.rowChanges.map(\.key))
            for key in Set(old.joined()).intersection(new.joined()) where !reported.contains(key) {
                let (was, now) = (shown[.children].row(for: key)!, snapshot[.children].row(for: key)!)
                try #require(was.isIdentical(to: now), "\(context): \(key)")
                let (a, b) = (shown[one].target(of: key), snapshot[one].target(of: key))
                try #require(
                    a == nil && b == nil || b.map { a?.isIdentical(to: $0) ?? false } == true, "\(context): \(key)")
            }
            shown = snapshot
            switch random.below(30) {
            case 0 where hasFile:
                if random.chance(50) { try await database.checkpoint() }
                try await database.close()
                database = try await open()
                sections = ViewMappings(view, groups: (0..<9).map { "told \($0)" } + ["none"])
                shown = database.snapshot
                try sections.update(to: shown)
                try #require(shown[view].keys == Self.expected(shown), "\(context), reopened")
            case 1:
                let fork = database.fork()
                try await fork.write { transaction in
                    for key in 0..<6 { transaction[.parents]["\(key)"]?.told += 1 }
                }
                try #require(fork.snapshot[view].keys == Self.expected(fork.snapshot), "\(context), fork")
                try await fork.unregister("one")
                try #require(fork.snapshot.extensionNames.isEmpty)
                try await fork.register(one)
                try await fork.register(view)
                try #require(fork.snapshot[view].keys == Self.expected(fork.snapshot), "\(context), registered again")
            default: break
            }
        }
        try await database.close()
    }

    /// Looking for a target of a collection that no type is bound to stopped the program.
    @Test func `Targets without a type are missing until one is bound`() async throws {
        let folder = TemporaryDirectory()
        let path = folder.appending("db")
        let first = try await Database.open(at: path, collections: .children, .parents)
        try await first.write { transaction in
            transaction[.children]["c"] = Node(must: "1", one: "p")
            transaction[.children]["d"] = Node(must: "2", one: "gone")
            transaction[.parents]["p"] = Node(must: "", told: 1)
        }
        try await first.close()
        let database = try await Database.open(at: path, collections: .children)
        try await database.register(one)
        try await database.register(view)
        #expect(database.snapshot[view].keys == ["none": ["c", "d"]])
        try await database.write { $0[.children]["e"] = Node(must: "0", one: "p") }
        #expect(database.snapshot[view].keys == ["none": ["e", "c", "d"]])
        try await database.bind(.parents)
        #expect(database.snapshot[view].keys == Self.expected(database.snapshot))
        #expect(database.snapshot[view].keys == ["none": ["d"], "told 1": ["e", "c"]])
        try await database.close()
    }

    /// Applies row changes to lists of keys: what goes by its old place, then what comes by its new one.
    static func apply(_ changes: ListChanges, to old: [[String]]) -> [[String]] {
        var rows = old.map { $0.map(Optional.some) }
        for change in changes.rowChanges {
            if case .update = change.kind { continue }
            if let path = change.source { rows[path.section][path.row] = nil }
        }
        var result = rows.map { $0.compactMap { $0 } }
        let arrivals = changes.rowChanges.filter { if case .update = $0.kind { false } else { $0.target != nil } }
        for change in arrivals.sorted(by: { $0.target! < $1.target! }) {
            result[change.target!.section].insert(change.key, at: change.target!.row)
        }
        return result
    }

    @Test func `A row that left and returned meanwhile is updated if its target changed`() async throws {
        let database = Database.inMemory()
        try await database.register(one)
        try await database.register(view)
        try await database.write { transaction in
            transaction[.parents]["p"] = Node(must: "", told: 1)
            transaction[.children]["c"] = Node(must: "", one: "p")
        }
        func tell(_ must: String, _ told: Int) async throws {
            try await database.write { $0[.parents]["p"] = Node(must: must, told: told) }
        }
        let sections = ViewMappings(view)
        // Touched once since it came, before and after: a count of that would be the same.
        try await tell("touched", 1)
        let shown = database.snapshot
        try await tell("in no group", 5)
        try await tell("back", 1)
        #expect(try sections.changes(from: shown, to: database.snapshot).rowChanges.map(\.key) == ["c"])
        // Registered again: rows are made again, and the target has changed since.
        func registerAgain() async throws {
            try await database.unregister(view.name)
            try await tell("without the view", 1)
            try await database.register(view)
        }
        try await registerAgain()
        let old = database.snapshot
        try await registerAgain()
        #expect(try sections.changes(from: old, to: database.snapshot).rowChanges.map(\.key) == ["c"])
    }

    @Test func `Rows of a changed target are updated, and no others`() async throws {
        let database = Database.inMemory()
        try await database.register(one)
        try await database.register(view)
        try await database.write { transaction in
            for key in 0..<1000 {
                transaction[.parents]["\(key)"] = Node(told: 1)
                transaction[.children]["\(key)"] = Node(must: "\(key)", one: "\(key % 500)")
            }
        }
        var sections = ViewMappings(view, groups: ["told 1", "told 2"])
        let before = database.snapshot
        try sections.update(to: before)
        try await database.write { $0[.parents]["7"]?.many = ["something that the cell shows"] }
        let shown = database.snapshot
        let changes = try sections.advance(from: before, to: shown)
        #expect(Set(changes.rowChanges.map(\.key)) == ["7", "507"])
        try await database.write { $0[.parents]["7"]?.told = 2 }
        let moved = try sections.advance(from: shown, to: database.snapshot)
        #expect(Set(moved.rowChanges.map(\.key)) == ["7", "507"])
        #expect(database.snapshot[view]["told 2"].map(\.key) == ["507", "7"])
    }

    // The row had the change of its own record alone, and a cell that shows the target kept what it had been.
    @Test func `A row is touched where its record and its target changed in one commit`() async throws {
        let database = Database.inMemory()
        let inbox = RecordCollection<Node, Int>("inbox")
        let sender = Relationship("sender", from: inbox, \.one, to: .parents)
        let view = JoinedView(
            "by sender", of: sender, groupedBy: { _, _ in "all" }, sortedBy: { message, _ in message.key })
        try await database.register(sender)
        try await database.register(view)
        try await database.write { transaction in
            for key in ["ada", "bo"] { transaction[.parents][key] = Node() }
            transaction[inbox].set(Node(one: "ada"), metadata: 0, for: "m1")
            transaction[inbox].set(Node(one: "bo"), metadata: 0, for: "m2")
            transaction[inbox].set(Node(one: "ada"), metadata: 0, for: "m3")
        }
        let before = database.snapshot
        try await database.write { transaction in
            for key in ["m1", "m2"] { transaction[inbox].replaceMetadata(1, for: key) }
            transaction[.parents]["ada"]?.must = "Ada Lovelace"
        }
        let changes = try ViewMappings(view).changes(from: before, to: database.snapshot).rowChanges
        let aspects = Dictionary(uniqueKeysWithValues: changes.map { ($0.key, $0.aspects) })
        #expect(aspects == ["m1": [.metadata, .touch], "m2": .metadata, "m3": .touch])
    }

    @Test(arguments: [false, true])
    func `A view goes by the relationship that is registered, not by one of its name that it was given`(
        isPopulated: Bool
    ) async throws {
        let database = Database.inMemory()
        try await database.register(Relationship("one", from: .children, \.must, to: .parents))
        if !isPopulated { try await database.register(view) }
        try await database.write { transaction in
            for (number, key) in [(1, "ada"), (2, "bo")] { transaction[.parents][key] = Node(told: number) }
            transaction[.children]["c"] = Node(must: "bo", one: "ada")
        }
        if isPopulated { try await database.register(view) }
        #expect(database.snapshot[view]["told 2"].map(\.key) == ["c"])
        try await database.write { $0[.parents]["bo"]?.told = 3 }
        #expect(database.snapshot[view]["told 3"].map(\.key) == ["c"])
        try await database.write { _ = $0[.parents].remove("bo") }
        #expect(database.snapshot[view]["none"].map(\.key) == ["c"] && database.snapshot[view].count == 1)
    }
}
