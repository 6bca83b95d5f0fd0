#if Lifecycle
    public import ServiceLifecycle
    public import Yaprak

    /// A database among the services of a program: it is closed when the program shuts down.
    ///
    ///     let database = try await Database.open(at: "shop.yaprak", collections: .books)
    ///     let group = ServiceGroup(
    ///         services: [DatabaseService(database), server],
    ///         gracefulShutdownSignals: [.sigterm], logger: logger)
    ///     try await group.run()
    ///
    /// A group shuts its services down in reverse order. Name the database before what uses it, and it is closed after: what
    /// was written until then is durable, streams of changesets have ended, and the next opening finds a clean end.
    ///
    /// Needs the trait `Lifecycle` (or `Services`), and swift-service-lifecycle.
    public struct DatabaseService: Service {
        private let database: Database
        private let checkpointsBefore: Bool

        /// - Parameter checkpointsBefore: whether a checkpoint is written before the database closes, so that the next
        ///   opening has nothing to replay. Takes about as long as writing all records. A graceful shutdown only: a program
        ///   that is cancelled closes at once, also while the checkpoint is written. In memory there is nothing to write.
        public init(_ database: Database, checkpointsBefore: Bool = true) {
            self.database = database
            self.checkpointsBefore = checkpointsBefore
        }

        /// Waits for the shutdown of the group, or for the cancellation of the task; then closes the database.
        /// - Throws: errors of the checkpoint and of closing. The database is closed all the same.
        public func run() async throws {
            var failure: (any Error)?
            do {
                try await gracefulShutdown()
                if checkpointsBefore, database.path != nil { try await database.checkpoint() }
            } catch is CancellationError {
                // In a hurry: what was acknowledged is in the log.
            } catch let error as DatabaseError where error.code == .closed {
                // The program has closed it by itself: nothing is left to be done.
            } catch {
                failure = error
            }
            try await database.close()
            if let failure { throw failure }
        }
    }
#endif
