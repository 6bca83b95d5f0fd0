public import Testing
internal import YaprakCore

/// Gives each test, and each argument of a test, a fork of a fixture as `Database.current`.
///
///     @Suite(.database(.cities)) struct CityTests {
///         @Test func `A city can be removed`() async throws {
///             try await Database.current.write { $0[.cities].remove("745044") }
///             #expect(Database.current.snapshot[.cities].count == 34_005)
///         }
///     }
///
/// Made by `Trait.database(_:)`. A fork is O(1), so a suite of a thousand tests on 34,006 records builds them once.
/// Tests run in parallel and see none of each other's writes. A trait of a test comes after that of its suite: the nearest
/// fixture counts.
///
/// If a test fails, its commits are attached as `commits.txt` (`swift test --attachments-path FOLDER` writes it), and the last
/// ones stand below the first failure. If it fails by what it throws, they stand before that, as a warning.
public struct DatabaseTrait: TestTrait, SuiteTrait, TestScoping {
    let fixture: Fixture
    /// What becomes of the commits of a test that failed.
    var attach: @Sendable (String) -> Void = { Attachment.record($0, named: "commits.txt") }

    /// Also for the suites in it.
    public var isRecursive: Bool { true }

    /// The trait, with what becomes of the commits of a test that failed.
    package static func attaching(_ fixture: Fixture, _ attach: @escaping @Sendable (String) -> Void) -> Self {
        DatabaseTrait(fixture: fixture, attach: attach)
    }

    /// So many commits stand with the first failure.
    private static let commitsShown = 5

    /// Runs a test, or one argument of it, with a fork. Throws what building the fixture throws, and what the test throws.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let database = try await fixture.fork()
        CommitRecording.current?.noteReplaced()
        let recording = CommitRecording(database)
        let observer = IssueHandlingTrait.compactMapIssues { issue in
            guard issue.isFailure, recording.noteFailure() else { return issue }
            guard recording.hasCommits else { return issue }
            var issue = issue
            issue.comments.append("\(recording.text(last: Self.commitsShown))")
            return issue
        }
        func attachIfFailed() { if recording.hasFailed, recording.isOfInterest { attach(recording.text()) } }
        do {
            try await CurrentDatabase.$value.withValue(database) {
                try await CommitRecording.$current.withValue(recording) {
                    try await observer.provideScope(for: test, testCase: testCase, performing: function)
                }
            }
        } catch {
            // `Test.cancel` cancels the task and throws an error of its own: the test is skipped, and has not failed by that.
            // What a time limit ends mostly throws `CancellationError`.
            let isSkipped = Task.isCancelled && !(error is CancellationError)
            // What a test throws is recorded outside of this scope, where nobody can add to it.
            if !isSkipped, recording.noteFailure(), recording.hasCommits {
                let text = recording.text(last: Self.commitsShown)
                Issue.record(
                    "the test throws; its last commits:\n\(text)", severity: .warning,
                    sourceLocation: test.sourceLocation)
            }
            attachIfFailed()
            throw error
        }
        attachIfFailed()
    }
}

extension Trait where Self == DatabaseTrait {
    /// Gives each test, and each argument of a test, a fork of `fixture` as `Database.current`.
    ///
    ///     @Suite(.database(.cities)) struct CityTests { … }
    ///     @Test(.database(.empty)) func `A new database has no city`() { … }
    ///
    /// - Complexity: O(1) for each test, once the fixture is built.
    public static func database(_ fixture: Fixture) -> Self { DatabaseTrait(fixture: fixture) }
}
