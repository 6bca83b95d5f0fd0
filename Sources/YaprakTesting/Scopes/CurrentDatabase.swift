public import Yaprak

extension Database {
    /// The database of the test that is running: a fork of its own.
    ///
    ///     @Test(.database(.cities)) func `A city can be renamed`() async throws {
    ///         try await Database.current.write { $0[.cities]["745044"]?.name = "Constantinople" }
    ///     }
    ///
    /// A task-local value: structured tasks and `Task { … }` of the test have it, `Task.detached` does not. Give code under test
    /// its database as a parameter, as the program does.
    ///
    /// Where there is none, because the test has no `Trait.database(_:)` and is not in a ``DatabaseTestCase``, the
    /// test fails, and an empty database takes its place.
    public static var current: Database {
        if let database = CurrentDatabase.value { return database }
        reportIssue(
            """
            Database.current is read outside of a test with a database. Give the test the trait .database(…), make its class a \
            DatabaseTestCase, or pass the database to the detached task.
            """)
        return .inMemory()
    }
}

/// Where the database of a test is kept.
enum CurrentDatabase {
    @TaskLocal static var value: Database?
}
