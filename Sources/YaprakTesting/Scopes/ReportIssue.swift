internal import Testing
internal import XCTest

/// Lets the test that is running fail, whichever library runs it.
///
/// A detached task, a queue or a thread has no test: the run fails then, and the issue names no test.
func reportIssue(_ message: String, at location: SourceLocation? = nil) {
    // Where there is a test, the run of a seed observes its issues.
    let seed = Test.current == nil ? IssueCount.current : nil
    seed?.add()
    let message = seed.map { "\(message)\n\($0.remedy)" } ?? message
    if let location {
        Issue.record("\(message)", sourceLocation: location)
    } else {
        Issue.record("\(message)")
    }
    // Which library runs can't be known where there is no test. The one that does not takes no notice.
    if Test.current == nil {
        // XCTest takes the name of a file from the compiler alone.
        XCTFail(location.map { "\($0): \(message)" } ?? message)
    }
}
