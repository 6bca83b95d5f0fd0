import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Yaprak

@testable import YaprakCore
@testable import YaprakStorage

/// Faults that a review found: what happened is at the head of each test.
@Suite struct ReviewTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    /// Refuses titles that begin with "bad".
    struct Strict: Codable, Sendable, Equatable {
        var title: String
        init(title: String) { self.title = title }
        init(from decoder: any Decoder) throws {
            title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
            if title.hasPrefix("bad") { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: title)) }
        }
        enum CodingKeys: CodingKey { case title }
    }
    static let strict = RecordCollection<Strict, NoMetadata>("books")
    static let lenient = strict.configured { $0.undecodable = .setAside }

    /// Whether `flag` is set within some seconds.
    private func happens(_ flag: Flag) async throws -> Bool {
        for _ in 0..<3000 {
            if flag.isSet { return true }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    private func withBadRecords(_ keys: [String]) async throws {
        let database = try await Database.open(at: path, collections: .books)
        try await database.write { for key in keys { $0[.books][key] = Book(title: key) } }
        try await database.close()
    }

    // A ticket kept one waiter. A writer waits for its ticket, and so do drain, close and bind for the newest one: the
    // second to come took the place of the first, which waited for ever.
    @Test func `Everybody who waits for a commit goes on`() async throws {
        let ticket = CommitTicket()
        let done = [Flag(), Flag(), Flag()]
        for flag in done {
            Task.detached {
                try await ticket.wait()
                flag.set()
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        ticket.resolve(.success(()))
        for flag in done { #expect(try await happens(flag)) }
    }

    @Test func `A write and those who drain meanwhile all return`() async throws {
        let database = try await Database.open(at: path, collections: .books)
        let done = Flag()
        Task.detached {
            for index in 0..<50 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await database.write { $0[.books]["\(index)"] = Book(title: "x") } }
                    for _ in 0..<3 { group.addTask { try await database.drain() } }
                    try await group.waitForAll()
                }
            }
            done.set()
        }
        #expect(try await happens(done))
    }

    // An extension that threw in the middle of a write was asked again at its end, and those before it followed twice.
    @Test func `A write whose extension threw is undone, also if the closure swallows the error`() async throws {
        struct Picky: DatabaseExtension {
            let name = "picky"
            struct No: Error {}
            func makeRoot() -> Int { 0 }
            func update(_ root: inout Int, for changes: NetChanges, in context: ExtensionContext) throws -> Never? {
                if context.after[.books].count == 1 { throw No() }
                return nil
            }
        }
        let database = Database.inMemory()
        try await database.register(Counter())
        try await database.register(Picky())
        let error = await #expect(throws: DatabaseError.self) {
            try await database.write { transaction in
                transaction[.books]["a"] = Book(title: "a")
                _ = try? transaction.snapshot()
                transaction[.books]["b"] = Book(title: "b")
            }
        }
        #expect(error?.code == .extensionFailed)
        #expect(database.commitNumber == 0 && database.snapshot[Counter()] == [:])
    }
}
