import TestSupport
import Testing
import Yaprak
import YaprakSimulator

@testable import YaprakCore
@testable import YaprakStorage

/// Writes where there is no number for another commit.
@Suite(.bounded) struct LastNumberTests {
    // The refusal counted as a failure of the log, which runs: the next write went back to what was published, with the last
    // commit on its way, and came upon a precondition.
    @Test func `Writes behind the last number fail alone, and take back nothing that is on its way`() async throws {
        let disk = MemoryFileSystem()
        let last = FormatLimits.commitNumberMax
        try Store.createStandalone("/db", at: CommitNumber(last - 1), fileSystem: disk).finish()
        var options = DatabaseOptions()
        options.checkpoints = .manual
        options.store.attestAfter = .zero
        let database = try await Database.open(at: "/db", options: options, fileSystem: disk, collections: .books)
        let (isBusy, mayGoOn) = (Flag(), Flag())
        disk.delayCalls {
            isBusy.set()
            mayGoOn.wait()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { mayGoOn.set() }
            group.addTask { try await database.write { $0[.books]["a"] = Book(title: "a") } }
            while !isBusy.isSet { try await Task.sleep(for: .milliseconds(1)) }
            // They fail because of a commit that the log does not have yet, so they throw when it has it.
            let others = ["b", "c", "d"].map { key in (key, hasRun: Flag()) }
            for (key, hasRun) in others {
                group.addTask {
                    let error = await #expect(throws: DatabaseError.self) {
                        try await database.write {
                            $0[.books][key] = Book(title: key)
                            hasRun.set()
                        }
                    }
                    #expect(error?.code == .overLimit)
                }
            }
            while !others.allSatisfy(\.hasRun.isSet) || database.pendingWriteCount > 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            mayGoOn.set()
            try await group.waitForAll()
        }
        disk.delayCalls(nil)
        #expect(database.commitNumber == CommitNumber(last))
        #expect(database.snapshot[.books].map(\.key) == ["a"])
        try await database.close()
        let again = try await Database.open(at: "/db", options: options, fileSystem: disk, collections: .books)
        #expect(again.snapshot[.books].map(\.key) == ["a"])
        let error = await #expect(throws: DatabaseError.self) {
            try await again.write { $0[.books]["b"] = Book(title: "b") }
        }
        #expect(error?.code == .overLimit)
        try await again.close()
    }
}
