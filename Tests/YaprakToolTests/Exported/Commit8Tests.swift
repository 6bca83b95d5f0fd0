// Made by `yaprak export-test`, with the records that the commit touches.
// swift-format-ignore-file

import Testing
import Yaprak
import YaprakReplay

/// Commit 8 of shop.yaprak, made 2026-01-01T09:55:00.000Z by "till".
@Suite struct Commit8Tests {
    @Test func `Commit 8, played again, makes the same records`() async throws {
        let fixture = try ReplayFixture(Self.text)
        let database = fixture.database()
        // Bind the types that you use below, and register the views:
        //     try await database.bind(.books)

        let before = database.snapshot
        try await fixture.play(in: database)
        let after = database.snapshot

        #expect(before.commitNumber == 7)
        #expect(after.commitNumber == 8)
        #expect(after.digest == "0000000000000000")
        // What should the result have been? Expect it here; without types, for example:
        //     #expect(after.untyped("books")["dune"]?.object["rank"] == 1)
    }

    /// The records before the commit, as `yaprak dump` writes them, and the commit.
    private static let text = #"""
        {"yaprak":"dump","version":1,"commit":7,"records":{"books":1,"orders":1}}
        {"collection":"books","key":"ulysses","object":{"rank":5,"title":"Ulysses"}}
        {"collection":"orders","key":"1002","object":{"book":"emma","note":"gift","copies":1}}
        {"yaprak":"commit","version":1,"commit":8,"time":1767261300000000000,"origin":"till","changes":2}
        {"collection":"books","key":"ulysses","kinds":["removed"]}
        {"collection":"orders","key":"1002","kinds":["removed"]}
        """#
}
