#if SQLite
    import Yaprak

    /// An import on its way: reads and writes away from the actor that waits for it, which may be the main one.
    actor ImportRun {
        /// What a batch did.
        struct Step: Sendable {
            /// What is to be said of its rows.
            let notes: [ImportNote]
            /// The whole import so far.
            let report: ImportReport
        }

        private let queue = ImportQueue()
        private let plan: YapDatabaseImport
        private let rules: [[UInt8]: ImportRule]
        private let limits: DatabaseLimits
        private let writer: ImportWriter
        private var reading: ImportReading?

        init(_ plan: YapDatabaseImport, _ rules: [[UInt8]: ImportRule], into database: Database) {
            self.plan = plan
            self.rules = rules
            limits = database.options.limits
            writer = ImportWriter(database: database, origin: plan.origin, replacesExisting: plan.replacesExisting)
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

        /// Imports the next rows; `nil` at the end.
        func next() async throws -> Step? {
            try Task.checkCancellation()
            // Opening reads the names of all collections: here, not in the initializer.
            var reading =
                try self.reading
                ?? readingRows { () throws(DatabaseError) in
                    try ImportReading(plan, rules, limits, endsWithTask: true)
                }
            // One owner, or all keys so far are copied with each batch.
            self.reading = nil
            defer { self.reading = reading }
            var notes: [ImportNote] = []
            let batch = try readingRows { () throws(DatabaseError) in try reading.nextBatch { notes.append($0) } }
            // Of a task that was cancelled `nil` need not be the end.
            try Task.checkCancellation()
            if let batch {
                let refused = try await writer.write(batch, &reading.report)
                for note in refused { reading.add(note) }
                notes += refused
            }
            return batch == nil ? nil : Step(notes: notes, report: reading.report)
        }

        /// What reading throws; of a task that was cancelled meanwhile, that it was.
        private func readingRows<Result>(_ read: () throws(DatabaseError) -> Result) throws -> Result {
            do throws(DatabaseError) { return try read() } catch {
                try Task.checkCancellation()
                throw error
            }
        }

        /// The report, when no more is read.
        func finished(isComplete: Bool) -> ImportReport {
            reading?.finished(isComplete: isComplete) ?? ImportReport(totalRowCount: nil)
        }
    }
#endif
