#if Lifecycle
    import Logging
    import ServiceLifecycle
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakServices

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
            struct Ready: Service {
                let flag: Flag
                func run() async throws {
                    flag.set()
                    try await gracefulShutdown()
                }
            }
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
