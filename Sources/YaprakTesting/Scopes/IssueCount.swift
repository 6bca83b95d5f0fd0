internal import YaprakLocks

/// How many issues a run recorded.
final class IssueCount: Sendable {
    /// That of the run at work, where Swift Testing does not observe one: in a test of XCTest.
    @TaskLocal static var current: IssueCount?

    /// What repeats the run, for the text of an issue.
    let remedy: String
    private let state = Mutex(0)

    init(_ remedy: String) { self.remedy = remedy }

    var count: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
}
