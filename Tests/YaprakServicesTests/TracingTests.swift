#if Tracing
    import InMemoryTracing
    import TestSupport
    import Testing
    import Tracing
    import Yaprak
    import YaprakServices

    /// A span for each write.
    @Suite(.bounded) struct TracingTests {
        private struct Refused: Error {}

        @Test func `A write is a span in the trace of its task, with its commit and its error`() async throws {
            let tracer = InMemoryTracer()
            var options = DatabaseOptions()
            options.instruments = [WriteTracing(tracer: tracer)]
            let database = Database.inMemory(options: options)
            try await tracer.withSpan("request") { _ in
                try await database.write(origin: "api") { $0[.visits]["page"] = Visit(count: 1) }
                await #expect(throws: Refused.self) { try await database.write { _ in throw Refused() } }
            }
            let spans = tracer.finishedSpans
            #expect(spans.map(\.operationName) == ["yaprak.write", "yaprak.write", "request"])
            #expect(tracer.activeSpans.isEmpty)
            let request = try #require(spans.last)
            #expect(spans.dropLast().allSatisfy { $0.parentSpanID == request.spanID && $0.traceID == request.traceID })
            #expect(spans[0].attributes.get("yaprak.origin") == .string("api"))
            #expect(spans[0].attributes.get("yaprak.commit") == .int64(1))
            #expect(spans[0].attributes.get("db.system.name") == .string("yaprak"))
            #expect(spans[0].errors.isEmpty && spans[0].status == nil)
            #expect(spans[1].errors.count == 1 && spans[1].status?.code == .error)
            #expect(spans[1].attributes.get("yaprak.commit") == nil)
        }
    }
#endif
