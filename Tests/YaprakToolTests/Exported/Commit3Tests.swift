// Made by `yaprak export-test`.
// swift-format-ignore-file

import Testing
import Yaprak
import YaprakReplay

/// Commit 3 of shop.yaprak, made 2026-01-01T09:20:00.000Z by "ranking".
@Suite struct Commit3Tests {
    @Test func `Commit 3, played again, makes the same records`() async throws {
        let fixture = try ReplayFixture(Self.text)
        let database = fixture.database()
        // Bind the types that you use below, and register the views:
        //     try await database.bind(.books)

        let before = database.snapshot
        try await fixture.play(in: database)
        let after = database.snapshot

        #expect(before.commitNumber == 2)
        #expect(after.commitNumber == 3)
        #expect(after.digest == "802a8e5e8152ca3a")
        // What should the result have been? Expect it here; without types, for example:
        //     #expect(after.untyped("books")["dune"]?.object["rank"] == 1)
    }

    /// The records before the commit, as `yaprak dump` writes them, and the commit.
    private static let text = #"""
        {"yaprak":"dump","version":1,"commit":2,"records":{"books":3,"orders":1},"digest":"7040410c4255d43a"}
        {"collection":"books","key":"dune","object":{"rank":3,"title":"Dune"}}
        {"collection":"books","key":"emma","object":{"rank":7,"title":"Emma"}}
        {"collection":"books","key":"ulysses","object":{"rank":9,"title":"Ulysses"}}
        {"collection":"orders","key":"1001","object":{"book":"dune","copies":2}}
        {"yaprak":"commit","version":1,"commit":3,"time":1767259200000000000,"origin":"ranking","changes":3}
        {"collection":"books","key":"dune","kinds":["objectChanged"],"object":{"rank":1,"title":"Dune"}}
        {"collection":"books","key":"emma","kinds":["objectChanged"],"object":{"rank":4,"title":"Emma"}}
        {"collection":"books","key":"ulysses","kinds":["objectChanged"],"object":{"rank":5,"title":"Ulysses"}}
        """#
}
