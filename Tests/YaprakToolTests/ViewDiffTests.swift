import SystemPackage
import TestSupport
import Testing
import Yaprak

/// `view diff` where there are no changes of single rows.
@Suite(.bounded) struct ViewDiffTests {
    // There was no line, and the exit code said that there are changes.
    @Test func `A view that begins to put rows into several groups is one line, in each form`() async throws {
        let folder = try Folder()
        let path = folder("shop.yaprak")
        try await makeShop(at: path)
        let view = AutoView(
            "books", versionTag: "1", of: .shopBooks, groupedBy: \.title, sortedBy: \.rank, persistence: .everyCommit)
        let database = try await Database.open(at: FilePath(path), collections: .shopBooks)
        try await database.register(view)
        try await database.write { $0[.shopBooks]["new"] = ShopBook(title: "Emma", rank: 2) }
        let before = database.commitNumber
        try await database.write {
            try $0.setGrouping(of: view, groupedBy: .byEachObject { [$0.title, "all"] }, versionTag: "each")
        }
        let after = database.commitNumber
        try await database.close()
        for (from, to) in [(before, after), (after, before)] {
            let words = ["view", "diff", path, "books", "\(from)", "\(to)"]
            let table = await yaprak(words, onTerminal: true), json = await yaprak(words + ["--format", "json"])
            #expect(table.code == 1 && json.code == 1, "\(table) \(json)")
            #expect(table.out.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("reload") }, "\(table)")
            #expect(json.out == "[{\"change\":\"reload\"}]\n", "\(json)")
        }
        let same = await yaprak("view", "diff", path, "books", "\(after)", "\(after)")
        #expect(same.code == 0 && !same.out.contains("reload"))
    }
}
