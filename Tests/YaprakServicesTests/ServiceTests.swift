#if Lifecycle
    import Logging
    import ServiceLifecycle
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakLocks
    import YaprakServices

    /// Does something once, when one is next encoded.
    private struct Fuse: Codable, Sendable {
        static let action = Mutex<(@Sendable () -> Void)?>(nil)

        var text = String(repeating: "x", count: 200)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
            let action = Self.action.withLock { $0.take() }
            action?()
        }

        init() {}
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }
    }

    extension RecordCollection where Object == Fuse, Metadata == NoMetadata {
        fileprivate static var fuses: Self { Self("fuses") }
    }

    /// A database among services: it is drained and closed, however the program ends.
    @Suite(.bounded) struct ServiceTests {
        /// Writes until it is stopped.
        private struct Writer: Service {
            let database: Database
            let count: Flag

            func run() async throws {
                try await cancelWhenGracefulShutdown {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        let rank = number
                        try await database.write { $0[.visits]["page"] = Visit(count: rank) }
                        if number == 20 { count.set() }
                    }
                }
            }
        }

        /// Waits for the shutdown, and says that it runs.
        private struct Ready: Service {
            let flag: Flag

            func run() async throws {
                flag.set()
                try await gracefulShutdown()
            }
        }

        private func group(_ services: [any Service]) -> ServiceGroup {
            ServiceGroup(
                configuration: .init(
                    services: services.map { .init(service: $0, successTerminationBehavior: .ignore) },
                    logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
        }

        @Test func `A graceful shutdown leaves a clean end, a checkpoint and every acknowledged commit`() async throws {
            let directory = TemporaryDirectory()
            let database = try await Database.open(at: FilePath(directory.path), collections: .visits)
            let written = Flag()
            let group = group([DatabaseService(database), Writer(database: database, count: written)])
            async let end: Void = group.run()
            while !written.isSet { try await Task.sleep(for: .milliseconds(1)) }
            await group.triggerGracefulShutdown()
            _ = try? await end
            let newest = database.commitNumber
            await #expect(throws: DatabaseError.self) { try await database.write { $0[.visits].removeAll() } }
            let reopened = try await Database.open(at: FilePath(directory.path), collections: .visits)
            let report = try #require(reopened.recoveryReport)
            #expect(report.wasClosedCleanly)
            #expect(report.checkpointCommitNumber == newest && report.replayedCommitCount == 0)
            #expect(reopened.commitNumber == newest && newest >= 20)
            try await reopened.close()
        }

        @Test func `A database that the program has closed by itself is no failure of the shutdown`() async throws {
            let directory = TemporaryDirectory()
            let database = try await Database.open(at: FilePath(directory.path), collections: .visits)
            try await database.close()
            let isReady = Flag()
            let group = group([DatabaseService(database), Ready(flag: isReady)])
            async let end: Void = group.run()
            while !isReady.isSet { try await Task.sleep(for: .milliseconds(1)) }
            await group.triggerGracefulShutdown()
            try await end
        }

        @Test func `A graceful shutdown that is cancelled closes the database without a checkpoint`() async throws {
            let directory = TemporaryDirectory()
            let database = try await Database.open(at: FilePath(directory.path), collections: .fuses)
            try await database.write { for number in 0..<2_000 { $0[.fuses]["\(number)"] = Fuse() } }
            let isReady = Flag()
            let group = group([DatabaseService(database), Ready(flag: isReady)])
            let run = Task { try await group.run() }
            Fuse.action.withLock { $0 = { run.cancel() } }
            while !isReady.isSet { try await Task.sleep(for: .milliseconds(1)) }
            await group.triggerGracefulShutdown()
            _ = await run.result
            #expect(Fuse.action.withLock { $0 == nil }, "it was cancelled while the checkpoint was written")
            let error = await #expect(throws: DatabaseError.self) {
                try await database.write { $0[.fuses].removeAll() }
            }
            #expect(error?.code == .closed)
            let reopened = try await Database.open(at: FilePath(directory.path), collections: .fuses)
            let report = try #require(reopened.recoveryReport)
            #expect(report.wasClosedCleanly && report.checkpointCommitNumber == nil)
            #expect(report.replayedCommitCount == 1 && reopened.snapshot[.fuses].count == 2_000)
            try await reopened.close()
        }

        @Test func `A cancelled program closes the database, and loses nothing`() async throws {
            let directory = TemporaryDirectory()
            let database = try await Database.open(at: FilePath(directory.path), collections: .visits)
            let service = Task { try await DatabaseService(database).run() }
            try await database.write { $0[.visits]["page"] = Visit(count: 1) }
            service.cancel()
            try await service.value
            let reopened = try await Database.open(at: FilePath(directory.path), collections: .visits)
            #expect(reopened.recoveryReport?.wasClosedCleanly == true)
            #expect(reopened.snapshot[.visits]["page"]?.count == 1)
            try await reopened.close()
        }
    }
#endif
