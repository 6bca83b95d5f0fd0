internal import Dispatch
internal import Foundation
public import XCTest
internal import YaprakCore
internal import YaprakLocks

/// An XCTest case whose tests each have a fork of a fixture as `Database.current`.
///
///     final class CityTests: DatabaseTestCase {
///         override class var fixture: Fixture { .cities }
///
///         func testCitiesAreThere() {
///             XCTAssertEqual(Database.current.snapshot[.cities].count, 34_006)
///         }
///     }
///
/// The test, `setUp` and `tearDown` included, may be synchronous or asynchronous. If it fails, its commits are printed.
open class DatabaseTestCase: XCTestCase {
    /// What the tests of the class start from. ``Fixture/empty`` if a subclass gives no other.
    open class var fixture: Fixture { .empty }

    /// Runs the test with a fork; called by XCTest.
    open override func invokeTest() {
        switch Self.waitForFork() {
        case .failure(let error): XCTFail("the fixture can't be built: \(error)")
        case .success(let database):
            let recording = CommitRecording(database)
            CurrentDatabase.$value.withValue(database) { super.invokeTest() }
            if let run = testRun, run.totalFailureCount > 0 { print("\(name) failed. \(recording.text())") }
        }
    }

    /// XCTest calls from the main thread, which a fixture may need: what is for the main actor runs meanwhile.
    private static func waitForFork() -> Result<Database, any Error> {
        let fixture = fixture
        let answer = Answer()
        let semaphore = DispatchSemaphore(value: 0)
        Task.detached {
            do { answer.set(.success(try await fixture.fork())) } catch { answer.set(.failure(error)) }
            semaphore.signal()
        }
        guard Thread.isMainThread else {
            semaphore.wait()
            return answer.value
        }
        while semaphore.wait(timeout: .now() + .milliseconds(2)) == .timedOut {
            _ = RunLoop.main.run(mode: .default, before: Date())
        }
        return answer.value
    }

    private final class Answer: Sendable {
        private let state = Mutex<Result<Database, any Error>>(.failure(CancellationError()))
        var value: Result<Database, any Error> { state.withLock { $0 } }
        func set(_ value: Result<Database, any Error>) { state.withLock { $0 = value } }
    }
}
