import YaprakStorage

/// How a database was opened, and what is done with its records. One object, which forks share that were given nothing else.
final class DatabaseSettings: Sendable {
    /// What the database was opened with.
    let options: DatabaseOptions
    let environment: DraftEnvironment
    /// Who runs the work of the store, if a test chose: read at each write, so not through the options, which are large.
    let scheduler: (any WorkScheduler)?
    /// How far streams may fall behind; apart from the options for the same reason.
    let lagLimit: LagLimit
    /// What observes each write; `nil` if nothing does.
    let instruments: [any WriteInstrument]?

    private init(_ options: DatabaseOptions, encodes: Bool, checksDecoding: Bool) {
        self.options = options
        scheduler = options.store.scheduler
        lagLimit = options.lag
        instruments = options.instruments.isEmpty ? nil : options.instruments
        environment = DraftEnvironment(
            limits: options.limits, encodes: encodes, checksDecoding: checksDecoding, clock: options.clock,
            encodingFault: options.store.encodingFault)
    }

    /// Of a database in memory.
    /// - Parameter checkingCoding: whether records are encoded and decoded all the same.
    static func inMemory(_ options: DatabaseOptions, checkingCoding: Bool) -> DatabaseSettings {
        DatabaseSettings(options, encodes: checkingCoding, checksDecoding: checkingCoding)
    }

    /// Of a database with a log.
    static func withLog(_ options: DatabaseOptions) -> DatabaseSettings {
        DatabaseSettings(options, encodes: true, checksDecoding: false)
    }

    /// Of a fork that is given no options: these, if nothing is different.
    func ofFork(checkingCoding: Bool) -> DatabaseSettings {
        if environment.encodes == checkingCoding, environment.checksDecoding == checkingCoding { return self }
        return .inMemory(options, checkingCoding: checkingCoding)
    }
}
