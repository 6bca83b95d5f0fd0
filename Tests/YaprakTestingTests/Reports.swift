import TestSupport
import Testing

/// What a body reports, each issue with its comments, without failing the test.
func reports(of body: @Sendable () async throws -> Void) async -> [String] {
    let reports = Log()
    let observer = IssueHandlingTrait.compactMapIssues { issue in
        reports.add(issue.comments.map(\.rawValue).joined(separator: "\n"))
        return nil
    }
    try? await observer.provideScope(for: Test.current!, testCase: Test.Case.current, performing: body)
    return reports.lines
}
