import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR

@testable import YaprakCore

/// Primary state that does not encode while it holds "poison".
private struct Notes: PrimaryExtension {
    struct Poisoned: Error {}
    var name: String
    var dependencies: [String] = []

    func makeRoot() -> [String] { [] }

    func apply(_ step: String, to root: inout [String]) throws -> Never? {
        if step == "cure" { root.removeAll { $0 == "poison" } } else { root.append(step) }
        return nil
    }

    func encode(_ root: [String]) throws -> [UInt8]? {
        if root.contains("poison") { throw Poisoned() }
        return try CBOREncoder().encode(root)
    }

    func decode(_ bytes: [UInt8]) throws -> [String] { try CBORDecoder().decode([String].self, from: bytes) }
}

@Suite(.bounded) struct UnregisterTests {
    // The two are sent by tasks of their own, and an actor that is busy runs what is queued in the order of priorities.
    @Test func `A host that learns of its registration after it was unregistered stays unregistered`() async {
        let host = ExtensionHost(TypedRegistration(Counter()), database: .inMemory())
        await host.didUnregister()
        await host.didRegister(at: 3, origin: .adopted)
        #expect(await host.status == .unregistered)
        #expect(await host.registeredAt == 3)
        #expect(await host.origin == .adopted)
    }

    /// The dependant was put on the shelf before its parent's `encode` threw. It stayed registered, and a later launch took
    /// it up with the state of that moment.
    @Test func `Unregistering that fails half-way changes nothing`() async throws {
        let folder = TemporaryDirectory()
        let path = FilePath(folder.appending("notes.yaprak"))
        let parent = Notes(name: "a"), child = Notes(name: "b", dependencies: ["a"])
        var database = try await Database.open(at: path, collections: .books)
        try await database.register(parent)
        try await database.register(child)
        try await database.write { transaction in
            try transaction.perform("poison", on: parent)
            try transaction.perform("one", on: child)
        }
        await #expect(throws: DatabaseError.self) { try await database.unregister("a") }
        #expect(await database.unclaimedExtensionNames.isEmpty)
        #expect(await database.registeredExtensions.map(\.name) == ["a", "b"])
        try await database.write { transaction in
            try transaction.perform("two", on: child)
            try transaction.perform("cure", on: parent)
        }
        try await database.checkpoint()
        try await database.write { try $0.perform("three", on: child) }
        #expect(database.snapshot[child] == ["one", "two", "three"])
        try await database.close()

        database = try await Database.open(at: path, collections: .books)
        #expect(await database.unclaimedExtensionNames == ["a", "b"])
        try await database.register(parent)
        try await database.register(child)
        #expect(database.snapshot[child] == ["one", "two", "three"])
        #expect(try await database.unregister("a") == ["b", "a"])
        #expect(await database.unclaimedExtensionNames == ["a", "b"])
        try await database.close()
    }
}
