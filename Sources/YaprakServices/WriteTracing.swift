#if Tracing
    public import Tracing
    public import Yaprak

    /// A span for each write of a database, in the trace of the task that writes.
    ///
    ///     var options = DatabaseOptions()
    ///     options.instruments = [WriteTracing()]
    ///     let database = try await Database.open(at: path, options: options, collections: .books)
    ///
    /// The span begins when the write is called and ends when it returns. Its attributes:
    ///
    /// | attribute | |
    /// | --- | --- |
    /// | `db.system.name` | `yaprak` |
    /// | `db.operation.name` | `write` |
    /// | `yaprak.origin` | the origin that the write named, if it did |
    /// | `yaprak.commit` | the number of the commit, if there was one |
    /// | `yaprak.waiting_us`, `yaprak.transaction_us`, `yaprak.log_us` | the parts of ``WriteReport``, in microseconds |
    ///
    /// A write that threw has the error and the status of one. Names are those of OpenTelemetry's conventions for databases
    /// where these have one. The closure of a write does not run inside the span: spans that it starts are siblings.
    ///
    /// Needs the trait `Tracing` (or `Services`), and swift-distributed-tracing.
    public struct WriteTracing: WriteInstrument {
        private let tracer: (any Tracer)?

        /// - Parameter tracer: where spans go; by default the one that the program has bootstrapped, asked for at each write.
        public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

        /// Starts the span.
        public func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
            let span: any Span =
                if let tracer {
                    tracer.startAnySpan("yaprak.write", ofKind: .internal)
                } else {
                    startSpan("yaprak.write", ofKind: .internal)
                }
            guard span.isRecording else { return { _ in span.end() } }
            return { report in
                span.updateAttributes { attributes in
                    attributes["db.system.name"] = "yaprak"
                    attributes["db.operation.name"] = "write"
                    if !report.origin.isEmpty { attributes["yaprak.origin"] = report.origin }
                    if let number = report.commitNumber {
                        attributes["yaprak.commit"] = Int64(clamping: number.rawValue)
                    }
                    attributes["yaprak.waiting_us"] = Self.microseconds(report.waiting)
                    attributes["yaprak.transaction_us"] = Self.microseconds(report.transaction)
                    attributes["yaprak.log_us"] = Self.microseconds(report.log)
                }
                if let error = report.error {
                    span.recordError(error)
                    span.setStatus(SpanStatus(code: .error))
                }
                span.end()
            }
        }

        private static func microseconds(_ duration: Duration) -> Int64 {
            Int64(clamping: Int128(duration.attoseconds / 1_000_000_000_000))
        }
    }
#endif
