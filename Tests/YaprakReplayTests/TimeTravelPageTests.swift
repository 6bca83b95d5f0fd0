import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// The programs of the page on time travel: they compile and run, and DocumentationPagesTests holds the page against them.
@Suite(.bounded) struct TimeTravelPageTests {
    let directory = TemporaryDirectory()

    private func makeShop() async throws -> FilePath {
        let path = FilePath(directory.appending("shop.yaprak"))
        // snippet: travel-retention
        var options = DatabaseOptions()
        options.retention = .all
        let database = try await Database.open(at: path, options: options, collections: .books)
        // end
        for number in 1...60 {
            try await database.write(origin: "till") { transaction in
                transaction[.books]["abc"] = Book(title: "Dune", rank: number)
                transaction[.books]["book \(number)"] = Book(title: "Volume \(number)", rank: 60 - number)
            }
        }
        try await database.close()
        return path
    }

    @Test func `The past is read from the files`() async throws {
        let path = try await makeShop()
        // snippet: travel-snapshot
        let reader = try ReplayReader(path)
        let then = try reader.snapshot(at: 42)  // or at a Date; the newest without
        for record in then.untyped("books").prefix(3) {
            print(record.key, record.object)  // CBOR values, as they stand in the log
        }
        let dune = try then.untyped("books")["abc"]?.object(as: Book.self)
        // end
        #expect(dune?.rank == 42 && then.untyped("books").count == 43)
    }

    @Test func `With types the past has values and views`() async throws {
        let path = try await makeShop()
        // snippet: travel-typed
        let byRank = AutoView("byRank", versionTag: "1", of: .books, groupedBy: \.genre, sortedBy: \.rank)
        let reader = try ReplayReader(path, collections: .books, extensions: byRank)
        let then = try reader.snapshot(at: 42)
        print(then[.books]["abc"]?.rank ?? 0)  // 42
        for row in then[byRank]["sci-fi"].prefix(20) { print(row.object.title) }
        // end
        #expect(then[.books]["abc"]?.rank == 42 && then[byRank]["sci-fi"].count == 43)

        // snippet: travel-cursor
        let cursor = try reader.cursor(at: 42)
        while let step = try cursor.next() {  // 43, 44, … to the newest
            print(step.commit.commitNumber, step.commit.origin, step.commit.time)
            for change in step.changes {
                print(change.key, change.before?.object ?? .null, change.after?.object ?? .null)
            }
        }
        try cursor.step(-10)  // back, without reading the log again
        try cursor.seek(to: 7)
        // end
        #expect(cursor.commitNumber == 7 && cursor.snapshot[.books]["abc"]?.rank == 7)

        // snippet: travel-tools
        let history = SharedHistory(reader)
        let snapshot = try await history.snapshot(at: 42)
        for name in snapshot.untypedViewNames {
            guard let view = snapshot.untypedView(name) else { continue }
            for group in view.groupNames { print(name, group, view.rows(ofGroup: group, at: 0..<3).map(\.key)) }
        }
        for slice in try history.index.activity(in: 1...50, slicesMax: 10) {
            print(slice.first, slice.last, slice.commitCount, slice.changeCount)
        }
        for try await commit in reader.followedCommits(after: 40) {  // ends with its task
            print(commit.json.json())
            if commit.commitNumber == 50 { break }
        }
        // end

        // snippet: travel-list
        var sections = ViewMappings(byRank, groups: ["sci-fi"])
        try sections.update(to: cursor.snapshot)
        let before = cursor.snapshot
        try cursor.step(5)
        let changes = try sections.advance(from: before, to: cursor.snapshot)
        print(changes.rowChanges.count)  // the changes of a list
        // end
        #expect(changes.hasChanges && cursor.commitNumber == 12)

        // snippet: travel-backwards
        for try await step in cursor.backwards(to: 1) where !step.changes.isEmpty {
            print("undone:", step.commit.commitNumber)
        }
        // end
        #expect(cursor.commitNumber == 1)
    }

    @Test func `Two commits are compared, and a key has a history`() async throws {
        let reader = try ReplayReader(try await makeShop())
        // snippet: travel-changes
        for change in try reader.changes(from: 50, to: 40) {  // backwards: what would undo it
            print(change.collectionName, change.key, change.kinds.contains(.removed) ? "goes" : "comes or changes")
        }
        for try await revision in reader.history(ofKey: "abc", inCollectionNamed: "books") {
            print(revision.commit.commitNumber, revision.after?.object ?? .null)
        }
        // end
        let undo = try reader.changes(from: 50, to: 40)
        #expect(undo.count == 11 && undo.count { $0.kinds == .removed } == 10)
    }

    @Test func `A database is rebuilt from its log, and goes its own way`() async throws {
        let path = try await makeShop()
        // snippet: travel-replay
        let rebuilt = try await Database.replay(path, upTo: 42, collections: .books)
        try await rebuilt.write { $0[.books].removeAll() }  // in memory; the files keep theirs
        // end
        #expect(rebuilt.commitNumber == 43)
        #expect(try ReplayReader(path).newestCommitNumber() == 60)
    }

    @Test func `A commit is reverted, or some of its records`() async throws {
        let path = try await makeShop()
        var options = DatabaseOptions()
        options.retention = .all
        let database = try await Database.open(at: path, options: options, collections: .books)
        // snippet: travel-revert
        let plan = try ReplayReader(path).revert(of: 17...17, in: database.snapshot)  // writes nothing
        for change in plan.changes {
            print(change.key, change.isConflict ? "was changed since" : "becomes what it was")
        }
        do {
            try await database.revert(17...17)
        } catch let conflict as ReplayRevertConflict {
            print(conflict)  // "abc" of "books" changed since
            var choice = ReplayRevert.Choice()
            choice.key = "book 17"
            try await database.revert(17...17, choosing: choice)  // one new commit
        }
        // end
        #expect(plan.changes.map(\.key) == ["abc", "book 17"] && plan.conflicts.map(\.key) == ["abc"])
        #expect(database.commitNumber == 61 && database.snapshot[.books]["abc"]?.rank == 60)
        #expect(database.snapshot[.books]["book 17"] == nil && database.snapshot[.books].count == 60)
        try await database.close()
    }
}
