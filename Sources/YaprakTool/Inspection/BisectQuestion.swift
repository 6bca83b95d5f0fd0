import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

/// The question that a bisection asks about a commit.
protocol BisectQuestion {
    /// What a commit is. `isFirst` means that it is the end that was given as bad.
    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict
}

/// An expression: true is bad.
struct ExpressionQuestion: BisectQuestion {
    let snapshots: ProbeSnapshots
    let expression: ReplayExpression

    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict {
        let snapshot = try snapshots.snapshot(at: commit)
        guard let holds = expression.holds(in: snapshot, unless: Invocation.isInterrupted) else {
            throw CancellationError()
        }
        return holds ? .bad : .good
    }
}

/// A command: its exit code is the answer.
struct CommandQuestion: BisectQuestion {
    let command: String
    let reader: ReplayReader
    private let folder: PrivateFolder

    /// Databases are made in `scratch`, or beside the one that is searched: there they share its files.
    init(command: String, reader: ReplayReader, scratch: String?) throws {
        self.command = command
        self.reader = reader
        if let scratch {
            folder = try PrivateFolder("yaprak-bisect", in: FilePath(scratch))
        } else {
            let parent = reader.path.lexicallyNormalized().removingLastComponent()
            let beside = try? PrivateFolder(".yaprak-bisect", in: parent.isEmpty ? "." : parent)
            folder = try beside ?? PrivateFolder("yaprak-bisect")
        }
    }

    func verdict(on commit: CommitNumber, isFirst: Bool) throws -> ReplayBisection.Verdict {
        let name = "commit-\(commit).yaprak"
        let path = folder.path.appending(name)
        _ = try reader.fork(at: commit, to: path)
        defer { folder.remove(name) }
        // What was printed so far comes before the output of the command.
        try Invocation.console.flush()
        let ending = try ChildProcess.run(
            command,
            environment: [
                "YAPRAK_COMMIT": Array(commit.description.utf8CString), "YAPRAK_DATABASE": path.cString,
            ],
            // In a shell what comes from a pipe are its next lines.
            hasInput: Invocation.journey == nil || LineInput.isTerminal)
        if Invocation.isInterrupted() { throw CancellationError() }
        switch ending {
        case .exited(0): return .good
        case .exited(125): return .skip
        // The shell's codes for a command that it can't find or can't run: no verdict on any commit.
        case .exited(126) where isFirst, .exited(127) where isFirst:
            throw Failure("commandFailed", "the shell can't run \(command.debugDescription)", exitCode: 64)
        case .exited(1...127): return .bad
        case .exited(let code):
            throw Failure(
                "commandFailed", "the command ended with \(code) at commit \(commit); 0 to 127 are answers",
                exitCode: 64)
        case .killed(let signal):
            throw Failure("commandFailed", "signal \(signal) ended the command at commit \(commit)", exitCode: 64)
        }
    }
}
