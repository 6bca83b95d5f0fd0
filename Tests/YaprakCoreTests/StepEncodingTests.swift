import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore
@testable import YaprakTrees

/// A step of ``Names``. Not each can be written to the log.
private struct NamingStep: Codable, Sendable {
    struct Unwritable: Error {}
    var name: String

    init(_ name: String) { self.name = name }
    init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        if name == "unwritable" { throw Unwritable() }
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// Names that were given, and the keys of books that came, in a tree of the database's own arena.
private struct Names: TreeBackedPrimaryExtension {
    struct Seed: Sendable {}
    let name = "names"

    func makeRoot() -> TreeRoot { TreeRoot() }
    func makeSeed() -> Seed { Seed() }
    func gather(_ changes: NetChanges, into seed: inout Seed) {}
    func build(_ seed: Seed, in context: ExtensionContext) -> TreeRoot { TreeRoot() }
    func trees(of root: TreeRoot) -> [TreeRoot] { [root] }
    func versionTag(of root: TreeRoot) -> String { versionTag }

    func encode(_ root: TreeRoot) throws -> [UInt8]? { [] }
    func decode(_ bytes: [UInt8], in context: ExtensionContext) -> TreeRoot { TreeRoot() }

    func operations(following changes: NetChanges, root: TreeRoot, in context: ExtensionContext) -> [NamingStep] {
        changes.keys(inCollectionNamed: "books").map { NamingStep($0.key) }
    }

    /// Not called: steps need a draft.
    func apply(_ operation: NamingStep, to root: inout TreeRoot) -> Never? { nil }

    func apply(_ operation: NamingStep, to root: inout TreeRoot, in context: ExtensionContext) -> Never? {
        context.draft.insert(KeyRow.make(operation.name), into: &root)
        return nil
    }

    func replay(
        _ bytes: [UInt8]?, tagged tag: String, _ steps: [NamingStep], in context: ExtensionContext
    ) -> (root: TreeRoot, operations: [NamingStep]) {
        var root = TreeRoot()
        for step in steps { _ = apply(step, to: &root, in: context) }
        return (root, [])
    }
}

/// A step that does not encode makes its write fail. It was applied first: trees were edited, and the root that the failed write
/// took back did not have these edits, so that nodes were freed twice, or never.
@Suite(.bounded) struct StepEncodingTests {
    let database = Database.inMemory()

    private func freeAll() { while database.timeline.reclaim(limit: 4_096) {} }

    /// How many names a snapshot has; -1 if their tree is damaged.
    private func count(_ snapshot: Snapshot) -> Int {
        withExtendedLifetime(snapshot) {
            let root = snapshot[Names()]
            return root.firstViolation() == nil ? root.count : -1
        }
    }

    /// Runs a write that fails, and looks at what is left.
    private func expectNothing(of body: @escaping @Sendable (inout WriteTransaction) throws -> Void) async throws {
        try await database.register(Names())
        try await database.write { transaction in
            for number in 0..<50 { try transaction.perform(NamingStep("\(number)"), on: Names()) }
        }
        let before = database.snapshot
        freeAll()
        let counts = database.timeline.arena.counts
        let error = await #expect(throws: DatabaseError.self) { try await database.write(body) }
        #expect(error?.code == .encodingFailed)
        freeAll()
        #expect(database.timeline.arena.counts == counts)
        #expect(count(before) == 50)
        // What was freed once is used again without harm.
        try await database.write { transaction in
            for number in 50..<100 { try transaction.perform(NamingStep("\(number)"), on: Names()) }
        }
        #expect(count(before) == 50 && count(database.snapshot) == 100)
    }

    @Test func `A step that is performed and does not encode leaves trees as they were`() async throws {
        try await expectNothing { transaction in
            try transaction.perform(NamingStep("a"), on: Names())
            try transaction.perform(NamingStep("unwritable"), on: Names())
        }
    }

    @Test func `Steps that follow from records leave trees as they were if one does not encode`() async throws {
        try await expectNothing { transaction in
            transaction[.books]["a"] = Book(title: "a")
            _ = try transaction.snapshot()
            for key in ["b", "unwritable", "z"] { transaction[.books][key] = Book(title: key) }
        }
    }
}
