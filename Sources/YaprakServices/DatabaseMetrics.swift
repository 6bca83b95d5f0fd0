#if Metrics
    public import Metrics
    public import Yaprak
    import YaprakStorage

    /// Figures of a database for a monitoring system, by swift-metrics.
    ///
    ///     let metrics = DatabaseMetrics("shop")
    ///     var options = DatabaseOptions()
    ///     options.instruments = [metrics]
    ///     let database = try await Database.open(at: path, options: options, collections: .books)
    ///     async let _ = metrics.run(database)          // or as a service of a group
    ///
    /// All have the dimension `database`, the name that was given.
    ///
    /// | label | | from |
    /// | --- | --- | --- |
    /// | `yaprak.write.duration` | timer: a write, from its call until it returned | each write |
    /// | `yaprak.write.waiting` | timer: until its turn came | each write |
    /// | `yaprak.write.log` | timer: until the log had it | each commit |
    /// | `yaprak.commits`, `yaprak.write.failures` | counters | each commit, each write that fails |
    /// | `yaprak.write.pending` | gauge: writers in line | ``run(_:every:)`` |
    /// | `yaprak.states.held` | gauge: states in memory, of which one is the newest | ``run(_:every:)`` |
    /// | `yaprak.states.oldest.age` | gauge: seconds since the oldest was made; 0 if it is the newest | ``run(_:every:)`` |
    /// | `yaprak.streams` | gauge: streams of changesets | ``run(_:every:)`` |
    /// | `yaprak.log.bytes`, `yaprak.log.syncs`, `yaprak.checkpoints` | gauges: since opening | ``run(_:every:)`` |
    /// | `yaprak.log.pending.bytes` | gauge: of the log since the newest checkpoint | ``run(_:every:)`` |
    /// | `yaprak.recovery.duration`, `yaprak.recovery.commits` | gauges: what opening took | ``run(_:every:)``, once |
    ///
    /// Needs the trait `Metrics` (or `Services`), and swift-metrics.
    public struct DatabaseMetrics: WriteInstrument {
        private let duration: Timer
        private let waiting: Timer
        private let log: Timer
        private let commits: Counter
        private let failures: Counter
        private let gauges: Gauges

        private struct Gauges: Sendable {
            let pending, held, oldestAge, streams, bytes, syncs, checkpoints, pendingBytes: Gauge
            let recoveryDuration, recoveryCommits: Gauge
        }

        /// - Parameters:
        ///   - name: of the database, as the monitoring system shall show it.
        ///   - factory: where figures go; by default the one that the program has bootstrapped.
        public init(_ name: String, factory: (any MetricsFactory)? = nil) {
            let factory = factory ?? MetricsSystem.factory
            let dimensions = [("database", name)]
            func gauge(_ label: String) -> Gauge {
                Gauge(label: label, dimensions: dimensions, aggregate: false, factory: factory)
            }
            duration = Timer(label: "yaprak.write.duration", dimensions: dimensions, factory: factory)
            waiting = Timer(label: "yaprak.write.waiting", dimensions: dimensions, factory: factory)
            log = Timer(label: "yaprak.write.log", dimensions: dimensions, factory: factory)
            commits = Counter(label: "yaprak.commits", dimensions: dimensions, factory: factory)
            failures = Counter(label: "yaprak.write.failures", dimensions: dimensions, factory: factory)
            gauges = Gauges(
                pending: gauge("yaprak.write.pending"), held: gauge("yaprak.states.held"),
                oldestAge: gauge("yaprak.states.oldest.age"), streams: gauge("yaprak.streams"),
                bytes: gauge("yaprak.log.bytes"), syncs: gauge("yaprak.log.syncs"),
                checkpoints: gauge("yaprak.checkpoints"), pendingBytes: gauge("yaprak.log.pending.bytes"),
                recoveryDuration: gauge("yaprak.recovery.duration"), recoveryCommits: gauge("yaprak.recovery.commits"))
        }

        /// Counts the write and takes its times.
        public func beginWrite(origin: String) -> @Sendable (WriteReport) -> Void {
            { report in
                duration.record(duration: report.total)
                waiting.record(duration: report.waiting)
                if report.error != nil {
                    failures.increment()
                } else if report.commitNumber != nil {
                    log.record(duration: report.log)
                    commits.increment()
                }
            }
        }

        /// Reports the gauges again and again, until the task is cancelled.
        /// - Parameters:
        ///   - database: is not kept from closing.
        ///   - interval: between two reports.
        public func run(_ database: Database, every interval: Duration = .seconds(10)) async {
            if let report = database.recoveryReport {
                gauges.recoveryDuration.record(Self.seconds(report.duration))
                gauges.recoveryCommits.record(report.replayedCommitCount)
            }
            let start = wallClockNanoseconds()
            while !Task.isCancelled {
                report(database, since: start)
                // Without any pause it would take a processor for itself.
                try? await Task.sleep(for: max(interval, .milliseconds(1)))
            }
        }

        /// Reports the gauges once.
        private func report(_ database: Database, since start: Int64) {
            let statistics = database.statistics
            gauges.pending.record(statistics.pendingWriteCount)
            gauges.held.record(statistics.heldStateCount)
            gauges.streams.record(statistics.changesetStreamCount)
            gauges.oldestAge.record(Self.age(of: statistics, since: start))
            guard let log = statistics.log else { return }
            gauges.bytes.record(Int64(clamping: log.storedByteCount))
            gauges.syncs.record(log.syncCount)
            gauges.checkpoints.record(log.checkpointCount)
            gauges.pendingBytes.record(Int64(clamping: log.byteCountSinceCheckpoint))
        }

        /// - Parameter start: when the figures began; stands in where the time of the oldest state is not known.
        private static func age(of statistics: DatabaseStatistics, since start: Int64) -> Double {
            guard let state = statistics.oldestHeldState, state.commitNumber < statistics.commitNumber else { return 0 }
            return max(0, (Double(wallClockNanoseconds()) - Double(state.nanosecondsSince1970 ?? start)) / 1e9)
        }

        private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    }
#endif
