import Foundation
import SystemPackage
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakReplay

@testable import YaprakTool

/// `undo`, and reverts of a part of what commits did.
@Suite(.bounded) struct UndoTests {
    let folder: Folder
    let shop: String

    init() async throws {
        folder = try Folder()
        shop = folder("shop.yaprak")
        try await makeShop(at: shop)
    }

    private func load(_ text: String) async throws {
        let file = try folder.write(text, to: "in.ndjson")
        #expect(await yaprak("load", file, shop, "--collection", "things", "--key", "id").code == 0)
    }

    private func things() async -> String { await yaprak("export", shop, "things", "--format", "csv").out }

    @Test func `Each undo goes one commit further back, and an undo is no work of one's own`() async throws {
        try await load(#"{"id":"a","n":1}"#)
        try await load(#"{"id":"b","n":2}"#)
        try await load(#"{"id":"c","n":3}"#)
        #expect(await yaprak("undo", shop, "--dry-run").code == 0)
        #expect(await things() == "$key,id,n\r\na,a,1\r\nb,b,2\r\nc,c,3\r\n")
        #expect(await yaprak("undo", shop).err.contains("undoing commit 6"))
        #expect(await yaprak("undo", shop).err.contains("undoing commit 5"))
        #expect(await things() == "$key,id,n\r\na,a,1\r\n")
        try await load(#"{"id":"d","n":4}"#)
        #expect(await yaprak("undo", shop).err.contains("undoing commit 9"))
        #expect(await yaprak("undo", shop).err.contains("undoing commit 4"))
        let over = await yaprak("undo", shop)
        #expect(over.code == 3 && over.err.contains("--origin"))
    }

    @Test func `Another's newest commit is undone by its origin, unless it was changed since`() async throws {
        #expect(await yaprak("undo", shop, "--origin", "shop").code == 0)
        #expect(await yaprak("get", shop, "books", "def").code == 0)
        let conflict = await yaprak("undo", shop, "--origin", "shop")
        #expect(conflict.code == 5 && conflict.err.contains("undoing commit 1"))
        #expect(await yaprak("undo", shop, "--origin", "nobody").code == 3)
    }

    // It opened the path once more, and took what another database has there for what the records had been.
    @Test func `A revert reads the directory that is open, wherever its path leads by now`() async throws {
        let database = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        try FileManager.default.moveItem(atPath: shop, toPath: folder("moved.yaprak"))
        let other = try await Database.open(at: FilePath(shop), collections: .shopBooks)
        for rank in 20...22 { try await other.write { $0[.shopBooks]["abc"] = ShopBook(title: "Dune", rank: rank) } }
        let reverting = Reverting(
            database: shop, force: true, isDryRun: false, origin: "", format: .table,
            console: Console(out: TextSink(), err: TextSink()))
        #expect(try await reverting.write(2...2, to: database).changes.map(\.key) == ["abc"])
        #expect(database.snapshot[.shopBooks]["abc"]?.rank == 3)
        try await database.close()
        try await other.close()
    }

    @Test func `Only chosen fields of chosen changes are reverted, and others stay as they are`() async throws {
        try await load("{\"id\":\"a\",\"n\":1,\"s\":\"x\"}\n{\"id\":\"b\",\"n\":1,\"s\":\"x\"}")
        try await load("{\"id\":\"a\",\"n\":-5,\"s\":\"x\"}\n{\"id\":\"b\",\"n\":2,\"s\":\"x\"}")
        try await load(#"{"id":"a","n":-5,"s":"y"}"#)
        let whole = await yaprak("revert", shop, "3..@", "--where", ".n < 0 and before.n > 0")
        #expect(whole.code == 5)
        let field = await yaprak("revert", shop, "3..@", "--where", ".n < 0 and before.n > 0", "--field", "n")
        #expect(field.code == 0, "\(field.err)")
        #expect(await things() == "$key,id,n,s\r\na,a,1,y\r\nb,b,2,x\r\n")
        // Once more there is nothing to do.
        #expect(
            await yaprak("revert", shop, "3..6", "--where", ".n < 0 and before.n > 0", "--field", "n").err
                .contains("nothing to do"))
        #expect(await yaprak("revert", shop, "6", "--collection", "thing").code == 3)
        #expect(await yaprak("revert", shop, "5", "--key", "b").code == 0)
        #expect(await things() == "$key,id,n,s\r\na,a,1,y\r\nb,b,1,x\r\n")
    }

    // A revert of one record counted as a revert of the whole commit, so that `undo` went past what was left of it.
    @Test func `A commit of which a part was reverted is still to be undone, and then no more`() async throws {
        try await load("{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n{\"id\":\"c\",\"n\":3}")
        #expect(await yaprak("revert", shop, "4", "--key", "b").out.contains(#""partly":[4]"#))
        let undo = await yaprak("undo", shop)
        #expect(undo.code == 0 && undo.err.contains("undoing commit 4"), "\(undo.err)")
        #expect(await !yaprak("ls", shop).out.contains("things"))
        #expect(await yaprak("undo", shop).code == 3)
    }

    @Test func `Reverts that have all of a commit between them undo it`() async throws {
        try await load("{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}")
        try await load(#"{"id":"c","n":3}"#)
        #expect(await yaprak("revert", shop, "4", "--key", "a").out.contains(#""partly":[4]"#))
        // Commit 5 has nothing of these keys: it is not reverted.
        let second = await yaprak("revert", shop, "3..5", "--key", "b").out
        #expect(second.contains(#""reverts":[4]"#) && !second.contains("partly"))
        #expect(await yaprak("undo", shop).err.contains("undoing commit 5"))
        #expect(await yaprak("undo", shop).code == 3)
    }

    @Test func `A record that several chosen commits changed is back before all of them`() async throws {
        try await load("{\"id\":\"a\",\"n\":1}")
        try await load("{\"id\":\"a\",\"n\":2}")
        try await load("{\"id\":\"a\",\"n\":3}\n{\"id\":\"b\",\"n\":3}")
        // Commit 4 made it, 5 and 6 changed it; 6 made another one, which stays.
        let revert = await yaprak("revert", shop, "4..6", "--key", "a").out
        #expect(revert.contains(#""reverts":[5,6]"#) && revert.contains(#""partly":[6]"#), "\(revert)")
        #expect(await yaprak("revert", shop, "6", "--key", "b").code == 0)
        #expect(await things() == "$key,id,n\r\na,a,1\r\n")
    }
}
