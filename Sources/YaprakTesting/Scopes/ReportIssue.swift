internal import Testing
internal import XCTest

/// Lets the test that is running fail, whichever library runs it.
func reportIssue(_ message: String, at location: SourceLocation? = nil) {
    if Test.current != nil {
        if let location {
            Issue.record("\(message)", sourceLocation: location)
        } else {
            Issue.record("\(message)")
        }
    } else {
        // XCTest takes the name of a file from the compiler alone.
        XCTFail(location.map { "\($0): \(message)" } ?? message)
    }
}
