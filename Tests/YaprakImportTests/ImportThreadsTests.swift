#if SQLite
    import Foundation
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakImport
    import YaprakLocks

    /// Where an import runs: it blocks no thread of other tasks, and its progress comes on the caller's actor.
    @Suite(.bounded) struct ImportThreadsTests {
        // Where SQLite waited for another program, so did all tasks of the process.
        @Test func `Imports that wait keep no thread from other tasks`() async throws {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try YapDatabaseImportTests.makeBooks(1, at: file)
            let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 4
            let waiting = Mutex(0), isOver = Mutex(false)
            let gate = DispatchSemaphore(value: 0)
            var plan = YapDatabaseImport(FilePath(file))
            plan.decode("books", as: .importedBooks) { row in
                waiting.withLock { $0 += 1 }
                // Had the others no thread, it would never open. After the first that gave up none waits.
                if !isOver.withLock({ $0 }), gate.wait(timeout: .now() + 60) == .timedOut {
                    isOver.withLock { $0 = true }
                }
                return try row.decodedObject(ImportedBook.self)
            } metadata: {
                try $0.decodedMetadata(ImportedMark.self)
            }
            try await withThrowingTaskGroup(of: Int.self) { [plan] group in
                for _ in 0..<count {
                    // A task of its own, that is on the threads of all tasks: those of the group are on the threads of this test.
                    let run = Task { try await plan.run(into: Database.inMemory()).insertedCount }
                    group.addTask { try await run.value }
                }
                while waiting.withLock({ $0 }) < count { await Task.yield() }
                for _ in 0..<count { gate.signal() }
                for try await inserted in group { #expect(inserted == 1) }
            }
            #expect(!isOver.withLock { $0 })
        }

        @MainActor private final class Shown {
            var rows: [Int] = []
            var lines: [String] = []
        }

        // Closures that touch what a screen shows were refused by the compiler, and files were read on its thread.
        @Test @MainActor func `Progress and notes come on the caller's actor, reading and decoding do not`()
            async throws
        {
            let folder = TemporaryDirectory(), file = folder.appending("old.sqlite")
            try YapDatabaseImportTests.makeBooks(100, at: file)
            try OldDatabase(at: file).insert("books", "bad", Data("bplist00".utf8))
            let isMain = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: isMain, value: true)
            defer { DispatchQueue.main.setSpecific(key: isMain, value: nil) }
            #expect(DispatchQueue.getSpecific(key: isMain) == true)
            var plan = YapDatabaseImport(FilePath(file))
            plan.batchCount = 40
            plan.decode("books", as: .importedBooks) { row in
                #expect(DispatchQueue.getSpecific(key: isMain) == nil)
                return try row.decodedObject(ImportedBook.self)
            } metadata: {
                try $0.decodedMetadata(ImportedMark.self)
            }
            let shown = Shown(), database = Database.inMemory()
            try await plan.run(into: database) { report in
                shown.rows.append(report.rowCount)
                return true
            } note: {
                shown.lines.append("\($0)")
            }
            #expect(shown.rows == [40, 80, 101])
            #expect(shown.lines.count == 1)
            #expect(database.snapshot[.importedBooks].count == 100)
        }
    }
#endif
