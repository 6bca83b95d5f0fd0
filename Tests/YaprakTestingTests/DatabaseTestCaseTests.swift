import TestSupport
import Testing
import XCTest
import Yaprak
import YaprakTesting

/// The same for XCTest: its own tests, which `swift test` runs with XCTest.
final class ShelfTestCase: DatabaseTestCase {
    override class var fixture: Fixture { .shelf }

    override func setUp() async throws { try await Database.current.write { $0[.books]["set up"] = Book(title: "") } }

    func testASynchronousTestHasAFork() {
        XCTAssertEqual(Database.current.snapshot[.books].count, 4)
        XCTAssertEqual(Database.current.commitNumber, 2)
    }

    func testAnAsynchronousTestHasAFork() async throws {
        try await Database.current.write { $0[.books].removeAll() }
        XCTAssertEqual(Database.current.snapshot[.books].count, 0)
    }

    func testNoTestSeesTheWritesOfAnother() async throws {
        XCTAssertEqual(Database.current.snapshot[.books].count, 4)
        try await Database.current.write { $0[.books]["left behind"] = Book(title: "") }
    }
}

/// A fixture that needs the main thread, on which XCTest waits for it.
final class MainActorTestCase: DatabaseTestCase {
    override class var fixture: Fixture { .ofMainActor }

    func testTheMainActorHasBuiltTheFixture() { XCTAssertEqual(Database.current.snapshot[.books].map(\.key), ["main"]) }
}

extension Fixture {
    private struct MainActorIsBusy: Error {}

    /// A book that the main actor thinks of, within twenty seconds.
    fileprivate static let ofMainActor = Fixture { database in
        let key = Log()
        Task { @MainActor in key.add("main") }
        let end = ContinuousClock.now + .seconds(20)
        while key.lines.isEmpty {
            guard ContinuousClock.now < end else { throw MainActorIsBusy() }
            try await Task.sleep(for: .milliseconds(5))
        }
        try await database.write { $0[.books][key.lines[0]] = Book(title: "") }
    }
}

/// What a failed case of XCTest comes to; a case of its own, whose test no runner finds: its name does not begin with `test`.
///
/// One at a time: XCTest records a failure in the case that runs, of which a process has one.
@Suite(.bounded, .serialized) struct DatabaseTestCaseTests {
    @Test func `A fixture that can't be built fails the case`() {
        struct Broken: Error {}
        final class BrokenCase: DatabaseTestCase {
            override class var fixture: Fixture { Fixture { _ in throw Broken() } }
            #if canImport(ObjectiveC)
                @objc
            #endif
            func planted() { Issue.record("the test must not run") }
        }
        #if canImport(ObjectiveC)
            let test = BrokenCase(selector: #selector(BrokenCase.planted))
        #else
            let test = BrokenCase(name: "planted") { (test: XCTestCase) in (test as? BrokenCase)?.planted() }
        #endif
        test.run()
        #expect(test.testRun?.totalFailureCount == 1)
    }

    @Test func `A case that fails still ends with its own database`() {
        final class PlantedCase: DatabaseTestCase {
            static let counts = Log()
            override class var fixture: Fixture { .shelf }
            #if canImport(ObjectiveC)
                @objc
            #endif
            func planted() {
                Self.counts.add("\(Database.current.snapshot[.books].count)")
                XCTFail("planted")
            }
        }
        #if canImport(ObjectiveC)
            let test = PlantedCase(selector: #selector(PlantedCase.planted))
        #else
            let test = PlantedCase(name: "planted") { (test: XCTestCase) in (test as? PlantedCase)?.planted() }
        #endif
        test.run()
        #expect(test.testRun?.totalFailureCount == 1 && PlantedCase.counts.lines == ["3"])
    }
}
