internal import Foundation
internal import YaprakCore
internal import YaprakLocks

/// What a run of a script did: its commits as text, and the numbers that its edits drew.
final class LawTrace: Sendable {
    private struct State {
        var lines: [String] = []
        var draws: [[[UInt64]?]] = []
        var hasCommits = false
        var met: Set<Int> = []
        var refusal: String?
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    /// For each step, what each of its edits drew; `nil` of one that drew more than is recorded.
    var draws: [[[UInt64]?]] { state.withLock { $0.draws } }

    /// Whether an edit came to a commit.
    var hasCommits: Bool { state.withLock { $0.hasCommits } }
    /// Which of the law's omissions were none.
    var met: Set<Int> { state.withLock { $0.met } }
    /// What the first commit that threw has thrown.
    var refusal: String? { state.withLock { $0.refusal } }

    func begin() { state.withLock { $0.draws.append([]) } }
    func drew(_ draws: [UInt64]?) { state.withLock { $0.draws[$0.draws.count - 1].append(draws) } }
    func meet(_ number: Int) { state.withLock { _ = $0.met.insert(number) } }
    func add(_ lines: some Sequence<String>) { state.withLock { $0.lines += lines } }

    /// Notes that a commit threw.
    func refused(_ error: any Error) {
        state.withLock { state in
            state.lines.append("a commit that threw: \(error)")
            state.refusal = state.refusal ?? "\(error)"
        }
    }

    /// Notes what a commit did.
    func add(_ changesets: [Changeset]) {
        if !changesets.isEmpty { state.withLock { $0.hasCommits = true } }
        for changeset in changesets {
            let lines = CommitText.lines(of: changeset)
            // The time says nothing here.
            add([lines[0].components(separatedBy: " at ")[0]] + lines.dropFirst())
        }
    }
}
