#if Metrics
    import Metrics
    import MetricsTestKit
    import SystemPackage
    import TestSupport
    import Testing
    import Yaprak
    import YaprakServices

    /// What a monitoring system gets.
    @Suite(.bounded) struct MetricsTests {
        private struct Refused: Error {}

        @Test func `Commits, failures and times are those of the writes`() async throws {
            let factory = TestMetrics()
            let metrics = DatabaseMetrics("shop", factory: factory)
            var options = DatabaseOptions()
            options.instruments = [metrics]
            let database = Database.inMemory(options: options)
            for number in 1...3 { try await database.write { $0[.visits]["page"] = Visit(count: number) } }
            _ = try await database.write { $0[.visits].count }
            await #expect(throws: Refused.self) { try await database.write { _ in throw Refused() } }
            let dimensions = [("database", "shop")]
            #expect(factory.counterTotal(label: "yaprak.commits", dimensions: dimensions) == 3)
            #expect(factory.counterTotal(label: "yaprak.write.failures", dimensions: dimensions) == 1)
            #expect(try factory.expectTimer("yaprak.write.duration", dimensions).values.count == 5)
            #expect(try factory.expectTimer("yaprak.write.log", dimensions).values.count == 3)
            #expect(try factory.expectTimer("yaprak.write.duration", dimensions).values.allSatisfy { $0 > 0 })
        }

        @Test func `Without an interval the gauges leave time for others`() async throws {
            let factory = TestMetrics()
            let metrics = DatabaseMetrics("shop", factory: factory)
            let database = Database.inMemory()
            let reporting = Task { await metrics.run(database, every: .zero) }
            func count() -> Int? { try? factory.expectGauge("yaprak.states.held", [("database", "shop")]).values.count }
            for _ in 0..<5_000 where count() == nil { try await Task.sleep(for: .milliseconds(10)) }
            let former = try #require(count())
            let start = ContinuousClock.now
            try await Task.sleep(for: .milliseconds(200))
            reporting.cancel()
            await reporting.value
            let took = (ContinuousClock.now - start) / .milliseconds(200)
            // Sleeps are never shorter than they should be.
            #expect(Double(try #require(count()) - former) < 1000 * took)
        }

        @Test func `Gauges are what the database says of itself, and end with their task`() async throws {
            let directory = TemporaryDirectory()
            let factory = TestMetrics()
            let metrics = DatabaseMetrics("shop", factory: factory)
            let database = try await Database.open(at: FilePath(directory.path), collections: .visits)
            try await database.write { $0[.visits]["page"] = Visit(count: 1) }
            let held = database.snapshot
            try await database.write { $0[.visits]["page"] = Visit(count: 2) }
            let reporting = Task { await metrics.run(database, every: .milliseconds(2)) }
            let dimensions = [("database", "shop")]
            func last(_ label: String) -> Double? { try? factory.expectGauge(label, dimensions).lastValue }
            for _ in 0..<60_000 where last("yaprak.states.oldest.age") == nil {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(last("yaprak.states.held") == 2)
            #expect(try #require(last("yaprak.states.oldest.age")) > 0)
            #expect(held[.visits]["page"]?.count == 1)
            for _ in 0..<60_000 where last("yaprak.log.syncs") ?? 0 < 2 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try #require(last("yaprak.log.syncs")) >= 2)
            #expect(last("yaprak.recovery.commits") == 0)
            reporting.cancel()
            await reporting.value
            try await database.close()
        }
    }
#endif
