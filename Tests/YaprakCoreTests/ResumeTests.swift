import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCore

/// Changes that are read back from the log: after a restart, and by consumers that fell behind.
@Suite(.bounded) struct ResumeTests {
    let directory = TemporaryDirectory()
    var path: FilePath { FilePath(directory.appending("shop.yaprak")) }

    private func open(_ options: DatabaseOptions = DatabaseOptions()) async throws -> Database {
        try await Database.open(at: path, options: options, collections: .books)
    }

    private func seen(_ sequence: ChangesetSequence, _ count: Int) async throws -> [Changeset] {
        var changesets: [Changeset] = []
        var iterator = sequence.makeAsyncIterator()
        while changesets.count < count, let changeset = try await iterator.next() { changesets.append(changeset) }
        return changesets
    }

    @Test func `A consumer resumes after a restart where it stopped, with old and new values`() async throws {
        var database = try await open()
        try await database.write { $0[.books]["a"] = Book(title: "one") }
        try await database.write(origin: "sync") { transaction in
            transaction[.books]["a"]?.title = "two"
            transaction.setInfo(["cursor": 17])
        }
        try await database.checkpoint()
        try await database.write { $0[.books].remove("a") }
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        try await database.write { $0[.books].removeAll() }
        try await database.close()

        database = try await open()
        let live = database
        let sequence = database.changesets(after: 1)
        try await live.write { $0[.books]["live"] = Book(title: "live") }
        let changesets = try await seen(sequence, 5)
        #expect(changesets.map(\.commitNumber) == [2, 3, 4, 5, 6])
        let first = changesets[0].changes(in: .books)["a"]
        #expect(
            first?.before?.object.title == "one" && first?.after?.object.title == "two"
                && first?.kinds == .objectChanged)
        #expect(changesets[0].origin == "sync")
        #expect(try changesets[0].info(as: [String: Int].self) == ["cursor": 17])
        #expect(changesets[1].changes(in: .books)["a"]?.before?.object.title == "two")
        #expect(changesets[3].didRemoveAll(in: .books) && changesets[3].changes(in: .books).removedAllCount == 1)
        #expect(changesets[4].changes(in: .books)["live"]?.kinds == .inserted)
        try await database.close()
    }

    /// What changesets say about two collections, each by itself and those before it together with it.
    private func answers(_ changesets: [Changeset]) -> [String] {
        changesets.indices.map { index in
            let (one, sum) = (changesets[index], Array(changesets[...index]))
            return """
                \(one.didRemoveAll) \(one.changes(in: .books).didRemoveAll) \(one.changes(in: .authors).didRemoveAll) \
                \(one.changes(in: .books).removedAllCount) \(one.changes(in: .authors).removedAllCount) \
                \(sum.didRemoveAll) \(sum.didRemoveAll(in: .books)) \(sum.didRemoveAll(in: .authors)) \
                \(sum.hasChange(in: .books)) \(sum.hasChange(in: .authors)) \
                \(sum.hasChange(forKey: "any", in: .books)) \(sum.hasChange(forKey: "any", in: .authors))
                """
        }
    }

    // Each collection that such a commit named was cleared in a changeset from the log, also one that had nothing.
    @Test func `Removals of everything say the same from the log as they did in memory`() async throws {
        var database = try await Database.open(at: path, collections: .books, .authors)
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        try await database.write { transaction in
            transaction.removeAll()
            transaction[.authors]["z"] = Author(name: "z")
        }
        try await database.write { transaction in
            transaction.removeAll()
            transaction[.books]["b"] = Book(title: "b")
            transaction[.authors]["y"] = Author(name: "y")
        }
        let live = await connection.advance()
        try #require(live.count == 3)
        #expect(!live[...1].contains { $0.changes(in: .authors).didRemoveAll })
        #expect(!Array(live[...1]).didRemoveAll && !Array(live[...1]).hasChange(in: .books))
        try await database.close()
        database = try await Database.open(at: path, collections: .books, .authors)
        let read = try await seen(database.changesets(after: 0), 3)
        #expect(read.allSatisfy { $0.isFromLog })
        #expect(answers(read) == answers(live))
        try await database.close()
    }

    @Test func `A consumer that fell too far behind goes on from the log, without a gap`() async throws {
        var options = DatabaseOptions()
        options.lagLimit = 50
        options.durability = .relaxed
        let database = try await open(options)
        var iterator = database.changesets().makeAsyncIterator()
        var numbers: [CommitNumber] = []
        for index in 0..<1000 {
            try await database.write { $0[.books]["\(index % 10)"] = Book(title: "\(index)") }
            if index == 3, let changeset = try await iterator.next() { numbers.append(changeset.commitNumber) }
        }
        while numbers.count < 1000, let changeset = try await iterator.next() {
            numbers.append(changeset.commitNumber)
            #expect(
                changeset.changes(in: .books).first?.after?.object.title == "\(changeset.commitNumber.rawValue - 1)")
        }
        #expect(numbers == (1...1000).map { CommitNumber($0) })
        try await database.write { $0[.books]["x"] = Book(title: "x") }
        #expect(try await iterator.next()?.commitNumber == 1001)
        try await database.close()
    }

    /// A consumer that fell behind lost changes of extensions, and had no way to learn it.
    @Test func `A changeset that was read from the log says so, and has no changes of extensions`() async throws {
        let database = try await open()
        let counter = Counter()
        try await database.register(counter)
        var slow = database.changesets().makeAsyncIterator()
        var quick = database.changesets().makeAsyncIterator()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let live = try #require(try await quick.next())
        #expect(!live.isFromLog && live.changes(of: counter).count == 1)
        database.detachStreams()
        let read = try #require(try await slow.next())
        #expect(read.isFromLog && read.commitNumber == live.commitNumber && read.hasChange(in: .books))
        #expect(read.changes(of: counter).isEmpty)
        try await database.close()
    }

    // It opened its path again: there was nothing, or another database, whose commits were taken for its own.
    @Test(arguments: [false, true])
    func `A stream reads the directory that is open, wherever its path leads by now`(putsAnother: Bool) async throws {
        let database = try await open()
        let changesets = database.changesets()
        for title in ["one", "two"] { try await database.write { $0[.books]["a"] = Book(title: title) } }
        try FileManager.default.moveItem(atPath: path.string, toPath: directory.appending("moved.yaprak"))
        let other = try await putsAnother ? open() : nil
        for title in ["1", "2", "3"] { try await other?.write { $0[.books]["a"] = Book(title: title) } }
        database.detachStreams()
        let read = try await seen(changesets, 2)
        #expect(read.allSatisfy { $0.isFromLog })
        #expect(read.map { $0.changes(in: .books)["a"]?.after?.object.title } == ["one", "two"])
        try await database.close()
        try await other?.close()
    }

    @Test func `A stream of a database at a relative path goes on where the working directory is another`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryDirectory()
            precondition(FileManager.default.changeCurrentDirectoryPath(folder.path))
            let database = try await Database.open(at: "shop.yaprak", collections: .books)
            let changesets = database.changesets()
            for title in ["one", "two"] { try await database.write { $0[.books]["a"] = Book(title: title) } }
            precondition(FileManager.default.changeCurrentDirectoryPath("/"))
            database.detachStreams()
            var titles: [String?] = []
            for try await changeset in changesets.prefix(2) {
                titles.append(changeset.changes(in: .books)["a"]?.after?.object.title)
            }
            precondition(titles == ["one", "two"])
            try await database.close()
            withExtendedLifetime(folder) {}
        }
    }

    @Test func `Commits that retention let go of are out of reach, and it is said so`() async throws {
        var options = DatabaseOptions()
        options.checkpoints = .manual
        let database = try await open(options)
        for index in 0..<5 {
            try await database.write { $0[.books]["\(index)"] = Book(title: "x") }
            try await database.checkpoint()
        }
        let early = await #expect(throws: DatabaseError.self) { _ = try await seen(database.changesets(after: 1), 1) }
        #expect(early?.code == .commitOutOfReach)
        let future = await #expect(throws: DatabaseError.self) { _ = try await seen(database.changesets(after: 99), 1) }
        #expect(future?.code == .commitOutOfReach)
        #expect(try await seen(database.changesets(after: 4), 1).map(\.commitNumber) == [5])
        try await database.close()
    }

    // It loaded a checkpoint for each consumer that came back a few commits behind, and in memory it threw.
    @Test(arguments: [false, true])
    func `What another stream has yet to read comes from memory, also where its commit is in the middle`(
        hasFile: Bool
    ) async throws {
        let database = try await hasFile ? open() : Database.inMemory()
        let idle = database.changesets()
        for index in 0..<100 { try await database.write { $0[.books]["a"] = Book(title: "\(index)") } }
        let changesets = try await seen(database.changesets(after: 50), 50)
        #expect(changesets.map(\.commitNumber) == (51...100).map { CommitNumber($0) })
        #expect(changesets.allSatisfy { !$0.isFromLog })
        withExtendedLifetime(idle) {}
        // Nobody keeps them any more.
        database.detachStreams()
        let later = database.changesets(after: 50)
        if hasFile {
            #expect(try await seen(later, 1).map(\.isFromLog) == [true])
        } else {
            let error = await #expect(throws: DatabaseError.self) { _ = try await seen(later, 1) }
            #expect(error?.code == .laggedBehind)
        }
        try await database.close()
    }

    @Test func `A sequence that is iterated again begins where it was made, from the log`() async throws {
        let database = try await open()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let changesets = database.changesets()
        for index in 0..<3 { try await database.write { $0[.books]["a"] = Book(title: "\(index)") } }
        for isFromLog in [false, true] {
            let read = try await seen(changesets, 3)
            #expect(read.map(\.commitNumber) == [2, 3, 4])
            #expect(read.allSatisfy { $0.isFromLog == isFromLog })
        }
        try await database.close()
    }

    @Test func `In memory only what is still kept can be resumed`() async throws {
        let database = Database.inMemory()
        try await database.write { $0[.books]["a"] = Book(title: "a") }
        let error = await #expect(throws: DatabaseError.self) { _ = try await seen(database.changesets(after: 0), 1) }
        #expect(error?.code == .laggedBehind)
        let sequence = database.changesets(after: 1)
        try await database.write { $0[.books]["b"] = Book(title: "b") }
        // Commit 1 was the newest when the sequence was made, so that nothing is missing.
        #expect(try await seen(sequence, 1).map(\.commitNumber) == [2])
    }
}
