internal import Dispatch
public import Yaprak
internal import YaprakLocks
internal import YaprakSimulator

/// A database that tests start from: built once in each process, forked in O(1) for each test.
///
///     extension Fixture {
///         static let cities = Fixture { database in
///             try await database.load(.ndjson("cities.ndjson"), into: .cities, key: "id")
///             try await database.register(byCountry)
///         }
///     }
///
///     @Suite(.database(.cities)) struct CityTests {
///         @Test func `Ankara is in Turkey`() async throws {
///             #expect(Database.current.snapshot[byCountry]["TR"].contains { $0.object.name == "Ankara" })
///         }
///     }
///
/// The first test that asks builds it; the others wait for that. Make fixtures static members: each `Fixture` is built on its
/// own. Tests get forks, so that none sees what another one writes, however many run at once.
public final class Fixture: Sendable {
    private let make: @Sendable () async throws -> Database
    private let checksCoding: Bool
    private let building = Mutex<Task<Database, any Error>?>(nil)

    /// A fixture that code builds, in a database in memory.
    ///
    /// - Parameters:
    ///   - checkingCoding: whether forks encode and decode each record that is written, so that a test fails where a database
    ///     with a file would. Building the fixture does not. True by default.
    ///   - options: those of the database and of its forks. A clock of the test's own is given to ``fork(options:)``.
    ///   - build: writes the records and registers the extensions. Called once, on no executor in particular. What it throws,
    ///     every test that asks for the fixture throws.
    public init(
        checkingCoding: Bool = true, options: DatabaseOptions = DatabaseOptions(),
        _ build: @escaping @Sendable (Database) async throws -> Void
    ) {
        checksCoding = checkingCoding
        make = {
            let database = Database.inMemory(options: options)
            try await build(database)
            return database
        }
    }

    /// A fixture that starts with a database made elsewhere, such as one from a file.
    init(
        checkingCoding: Bool, from make: @escaping @Sendable () async throws -> Database,
        then build: @escaping @Sendable (Database) async throws -> Void
    ) {
        checksCoding = checkingCoding
        self.make = {
            let database = try await make()
            try await build(database)
            return database
        }
    }

    /// An empty database.
    public static let empty = Fixture { _ in }

    /// Builds the database, unless that was done already.
    ///
    /// - Throws: what building threw, each time.
    public func prepare() async throws { _ = try await origin() }

    /// A fork of the fixture: writable, in memory, seen by nobody else.
    ///
    ///     let database = try await Fixture.cities.fork()
    ///
    /// - Parameter options: those of the fork; the fixture's if `nil`.
    /// - Throws: what building threw, each time.
    /// - Complexity: O(1) once the fixture is built.
    public func fork(options: DatabaseOptions? = nil) async throws -> Database {
        try await origin().fork(checkingCoding: checksCoding, options: options)
    }

    private func origin() async throws -> Database {
        let task = startBuilding()
        // In a seeded run the thread waits, and no task: a task that is woken from elsewhere would be one that escaped.
        if SeededScheduler.isOnThread { return try Self.wait(for: task) }
        return try await task.value
    }

    private func startBuilding() -> Task<Database, any Error> {
        building.withLock { building in
            if let building { return building }
            // Not part of the test that happens to be the first, whose cancellation and task-local values it would inherit.
            let task = Task.detached { [make] in try await make() }
            building = task
            return task
        }
    }

    private static func wait(for task: Task<Database, any Error>) throws -> Database {
        let answer = Mutex<Result<Database, any Error>>(.failure(CancellationError()))
        let box = Answer(answer)
        let semaphore = DispatchSemaphore(value: 0)
        Task.detached {
            box.set(await task.result)
            semaphore.signal()
        }
        semaphore.wait()
        return try box.value.get()
    }

    private final class Answer: Sendable {
        private let state: Mutex<Result<Database, any Error>>
        init(_ state: consuming sending Mutex<Result<Database, any Error>>) { self.state = state }
        var value: Result<Database, any Error> { state.withLock { $0 } }
        func set(_ value: Result<Database, any Error>) { state.withLock { $0 = value } }
    }
}

/// Runs work that blocks or computes for long where it keeps no thread from Swift's tasks.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await Errand.run(body) { DispatchQueue.global(qos: .userInitiated).async(execute: $0) }
}
