import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakModel
import YaprakReplay
import YaprakTrees

@testable import YaprakCore
@testable import YaprakExtensions

/// What files tell of views is anybody's bytes: it is followed where it makes sense, and nothing traps where it doesn't.
@Suite(.bounded) struct ViewDamageTests {
    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `Made up histories are followed or refused`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let follower = ViewFollower()
        var replay = try Following()
        follower.adopt(
            ["v": .init(versionTag: "1", isPrimary: false, bytes: try Self.bytes(Self.groups(&random)))],
            in: &replay.state)
        for number in 1...8 {
            var commit = try Following.commit(UInt8(number))
            commit.histories = [.init(name: "v", versionTag: "1", item: try Self.item(&random))]
            if random.chance(30) { commit.steps = [.init(name: "m", step: try Self.step(&random))] }
            follower.follow(commit, [:], in: &replay.state)
            for entry in replay.state.extensions {
                let root = try #require(entry.root as? ViewRoot)
                var count = 0
                root.groups.forEach { row in
                    let group = unsafeDowncast(row, to: GroupRow.self)
                    let rows = group.rows
                    count += rows.count
                    rows.forEach { row in
                        let placement = unsafeDowncast(row, to: Placement.self)
                        // Found where it was put, from its key.
                        #expect(
                            root.place(of: placement.row)?.placement(inGroup: group.key) === placement, "seed \(seed)")
                    }
                }
                #expect(count == root.count, "seed \(seed)")
            }
        }
    }

    // A removal of all rows of the group stopped the program.
    @Test func `A manual view whose checkpoint has a key twice has it where it comes first`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        var stored = StoredGroups(ViewRoot(configuration: ViewConfiguration(of: [])))
        stored.collections = ["books"]
        stored.groups = [
            .init(name: "x", keys: ["k", "k", "e\u{301}"]), .init(name: "e\u{301}", keys: ["l", "\u{e9}", "k"]),
        ]
        let first = try await Database.open(at: path, options: replayable(), collections: .books)
        try await first.register(Forger(name: "hand", bytes: try Self.bytes(stored)))
        try await first.write { transaction in
            for key in ["k", "l", "\u{e9}"] { transaction[.books][key] = Book(title: key) }
        }
        try await first.checkpoint()
        try await first.close()
        let database = try await Database.open(at: path, options: replayable(), collections: .books)
        let view = ManualView("hand", of: RecordCollection<Book, Int>.books)
        try await database.register(view)
        let shown = database.snapshot[view]
        #expect(shown["x"].map(\.key) == ["k", "\u{e9}"] && shown["\u{e9}"].map(\.key) == ["l"])
        #expect(shown.state.verify().isIntact)
        try await database.write { transaction in
            try transaction.removeAll(of: "x", from: view)
            try transaction.removeAll(of: "\u{e9}", from: view)
        }
        #expect(database.snapshot[view].groupNames.isEmpty && database.snapshot[view].state.verify().isIntact)
        try await database.close()
    }

    // It was found under no name, and the first change of its row stopped the program: at each launch, if a log had it.
    @Test func `A stored view whose group has a name in another form is made again`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        let view = AutoView(
            "view", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.title, persistence: .checkpoints)
        func open() async throws -> Database {
            try await Database.open(at: path, options: replayable(), collections: .books)
        }
        for form in ["\u{ac01}", "\u{ac00}\u{11a8}", "\u{1100}\u{1161}\u{11a8}"] {
            var database = try await open()
            var stored = StoredGroups(ViewRoot(configuration: ViewConfiguration(of: [])))
            stored.collections = ["books"]
            stored.groups = [.init(name: form, keys: ["k"])]
            try await database.register(
                DerivedForger(name: "view", versionTag: view.versionTag, bytes: Self.bytes(stored)))
            try await database.write { $0[.books]["k"] = Book(title: form, genre: "\u{ac01}") }
            try await database.checkpoint()
            try await database.write { $0[.books]["k"]?.title = "another" }
            try await database.close()
            database = try await open()
            let isOwn = Array(form.utf8) == Array("\u{ac01}".utf8)
            #expect(try await database.register(view).origin == (isOwn ? .adopted : .populated))
            try await database.write { $0[.books]["k"]?.title = "a third" }
            #expect(database.snapshot[view]["\u{ac01}"].map(\.object.title) == ["a third"])
            #expect(database.snapshot[view].state.verify().isSound)
            try await database.unregister("view")
            try await database.close()
        }
    }

    private static let keys = (0..<8).map { "k\($0)" } + ["", "\u{0}", "é", "e\u{301}"]

    private static func groups(_ random: inout SplitMix64) -> StoredGroups {
        var stored = StoredGroups(ViewRoot(configuration: ViewConfiguration(of: [])))
        stored.collections = random.chance(90) ? ["a", "b"] : ["a"]
        for name in ["x", "y"] {
            let keys = Self.keys.filter { _ in random.chance(40) }
            let of = random.chance(90) ? keys.map { _ in UInt8(random.below(random.chance(95) ? 2 : 300) & 255) } : nil
            stored.groups.append(.init(name: name, keys: keys, of: of))
        }
        return stored
    }

    private static func item(_ random: inout SplitMix64) throws -> [UInt8]? {
        if random.chance(10) {
            return random.chance(50) ? nil : (0..<random.below(9)).map { _ in UInt8(random.below(256)) }
        }
        var history = ViewHistory()
        if random.chance(20) { history.whole = groups(&random) }
        if random.chance(20) {
            history.touched = [.init(key: keys[random.below(8)], collection: UInt8(random.below(3)), kinds: 255)]
        }
        var group = ViewHistory.Group(name: ["x", "y", "z"][random.below(3)])
        group.isEmptied = random.chance(20) ? true : nil
        if random.chance(40) {
            group.removed = keys.filter { _ in random.chance(15) }
            group.removedOf = group.removed?.map { _ in UInt8(random.below(2)) }
        }
        if random.chance(60) {
            group.inserted = keys.filter { _ in random.chance(20) }
            group.insertedOf = group.inserted?.map { _ in UInt8(random.below(2)) }
            var position = random.chance(5) ? -1 : random.below(3)
            group.positions = group.inserted?.map { _ in
                defer { position = random.chance(3) ? .max : position &+ 1 + random.below(2) }
                return position
            }
            if random.chance(5) { group.positions?.append(0) }
        }
        history.groups = [group]
        return try CBOREncoder().encode(history)
    }

    private static func step(_ random: inout SplitMix64) throws -> [UInt8] {
        let member = ManualStep.Member(
            collection: ["a", "b", "c"][random.below(3)], key: keys[random.below(keys.count)])
        let actions: [ManualStep.Action] = [
            .insert(member, group: "x", index: [0, 3, -1, .max, .min][random.below(5)]), .remove([member, member]),
            .removeGroup("x"),
        ]
        return try CBOREncoder().encode(ManualStep(actions[random.below(3)]))
    }

    private static func bytes(_ groups: StoredGroups) throws -> [UInt8] { try CBOREncoder().encode(groups) }
}

/// Stands in for an extension whose state is any bytes in a checkpoint.
private struct Forger: PrimaryExtension {
    let name: String
    let bytes: [UInt8]

    func makeRoot() -> Int { 0 }
    func apply(_ operation: Int, to root: inout Int) -> Never? { nil }
    func encode(_ root: Int) -> [UInt8]? { bytes }
    func decode(_ bytes: [UInt8]) -> Int { 0 }
}

/// Stands in for a view that is stored, with any bytes.
private struct DerivedForger: DatabaseExtension {
    let name: String
    let versionTag: String
    let bytes: [UInt8]

    func makeRoot() -> Int { 0 }
    func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) -> Never? { nil }
    func encode(_ root: Int) -> [UInt8]? { bytes }
    func decode(_ bytes: [UInt8]) -> Int { 0 }
}

/// A replay with a few records, and nothing else.
private struct Following {
    var state: ReplayObserverState

    init() throws {
        let timeline = Reclaimer().makeTimeline { Timeline(arena: Arena(), onGarbage: $0) }
        var replay = RawReplay(timeline: timeline)
        var commit = try Self.commit(1)
        commit.collections = ["a", "b"].map { name in
            LoggedCommit.LoggedCollection(
                name: name, version: 1, isCleared: false,
                operations: (0..<8).map { number in
                    .init(key: "k\(number)", kinds: .inserted, setsMetadata: true, object: [0x01], metadata: nil)
                })
        }
        try replay.apply(commit)
        state = ReplayObserverState(
            draft: replay.draft, directory: replay.directory, roots: replay.roots, extensions: replay.extensions)
    }

    /// A commit that says nothing but its number.
    static func commit(_ number: UInt8) throws -> LoggedCommit { try LoggedCommit([0xa1, 0x61, 0x6e, number][...]) }
}
