#if Lifecycle && Metrics && Tracing && Configuration
    import Configuration
    import Logging
    import Metrics
    import MetricsTestKit
    import ServiceLifecycle
    import SystemPackage
    import TestSupport
    import Testing
    import Tracing
    import UnixSignals
    import Yaprak
    import YaprakServices

    /// The program of the page on services.
    @Suite(.bounded) struct ServicesPageTests {
        @Test func `A service opens, measures, traces and closes its database`() async throws {
            let directory = TemporaryDirectory()
            let path = FilePath(directory.path)
            let config = ConfigReader(
                provider: EnvironmentVariablesProvider(environmentVariables: ["YAPRAK_CHECKPOINTS": "manual"]))
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            // snippet: services-open
            var options = try DatabaseOptions(configuration: config.scoped(to: "yaprak"))
            let metrics = DatabaseMetrics("visits")
            options.instruments = [metrics, WriteTracing()]
            options.logger = logger
            let database = try await Database.open(at: path, options: options, collections: .visits)
            // end
            #expect(options.checkpoints == .manual)
            struct Server: Service {
                let database: Database
                func run() async throws {
                    try await database.write(origin: "server") { $0[.visits]["/"] = Visit(count: 1) }
                    try await gracefulShutdown()
                }
            }
            let server = Server(database: database)
            // snippet: services-group
            struct Monitoring: Service {
                let database: Database
                let metrics: DatabaseMetrics
                func run() async throws {
                    await cancelWhenGracefulShutdown { await metrics.run(database) }
                }
            }
            let group = ServiceGroup(
                services: [DatabaseService(database), Monitoring(database: database, metrics: metrics), server],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
            // end
            let run = Task { try await group.run() }
            while database.commitNumber == 0 { try await Task.sleep(for: .milliseconds(1)) }
            await group.triggerGracefulShutdown()
            try await run.value
            let reopened = try await Database.open(at: path, collections: .visits)
            #expect(reopened.recoveryReport?.wasClosedCleanly == true)
            #expect(reopened.snapshot[.visits]["/"]?.count == 1)
            try await reopened.close()
        }

        @Test func `An instrument of one's own finds slow writes`() async throws {
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            // snippet: services-instrument
            struct SlowWrites: WriteInstrument {
                let logger: Logger
                func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
                    { report in
                        guard report.total > .milliseconds(100) else { return }
                        logger.warning("\(report.origin): \(report.total), of which \(report.waiting) in line")
                    }
                }
            }
            // end
            var options = DatabaseOptions()
            options.instruments = [SlowWrites(logger: logger)]
            let database = Database.inMemory(options: options)
            try await database.write { $0[.visits]["/"] = Visit(count: 1) }
            #expect(database.commitNumber == 1)
        }

        @Test func `What a database holds is in its statistics`() async throws {
            let database = Database.inMemory()
            try await database.write { $0[.visits]["/"] = Visit(count: 1) }
            let snapshot = database.snapshot
            try await database.write { $0[.visits]["/"] = Visit(count: 2) }
            // snippet: services-statistics
            let statistics = database.statistics
            if statistics.heldStateCount > 1, let oldest = statistics.oldestHeldState {
                print("\(statistics.heldStateCount) states are in memory, since commit \(oldest.commitNumber)")
            }
            // end
            #expect(statistics.heldStateCount == 2 && statistics.oldestHeldState?.commitNumber == 1)
            #expect(snapshot[.visits]["/"]?.count == 1)
        }
    }
#endif
