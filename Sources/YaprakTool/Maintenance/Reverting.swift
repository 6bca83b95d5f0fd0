import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

/// Reverts commits, or shows what that would write.
struct Reverting {
    let database: String
    let force: Bool
    let isDryRun: Bool
    let origin: String
    let format: OutputFormat
    let console: Console
    /// What of the commits to revert.
    var choice = ReplayRevert.Choice()

    /// The commits that a commit took back wholly; `nil` if it is no revert.
    static func commits(revertedBy commit: ReplayCommit) -> Set<UInt64>? {
        guard let reverted = numbers(commit, "reverts") else { return nil }
        return reverted.subtracting(numbers(commit, "partly") ?? [])
    }

    private static func numbers(_ commit: ReplayCommit, _ name: String) -> Set<UInt64>? {
        guard case .array(let numbers)? = commit.info?[name] else { return nil }
        return Set(numbers.compactMap { if case .unsigned(let number) = $0 { number } else { nil } })
    }

    func run(_ numbers: ClosedRange<CommitNumber>, _ reader: ReplayReader) async throws {
        if isDryRun {
            let revert = try reader.revert(
                of: numbers, in: reader.state(), choosing: choice, unless: Invocation.isInterrupted)
            try RevertPrinter(format: format, console: console, force: force).write(revert)
            return try finish(revert)
        }
        var options = DatabaseOptions()
        // No pruning, and no checkpoints: without the program's views they would lack them.
        options.retention = .all
        options.checkpoints = .manual
        options.clock = Invocation.clock
        // All of it is one commit, as it was.
        options.limits.operationsMax = .max
        let opened = try await Database.open(at: FilePath(database), options: options)
        let before = opened.commitNumber
        let outcome: Result<ReplayRevert, any Error>
        do {
            outcome = .success(try await write(numbers, to: opened))
        } catch {
            outcome = .failure(error)
        }
        let newest = opened.commitNumber
        try await opened.close()
        switch outcome {
        case .success(let revert):
            if newest > before {
                // It is written, also if nobody reads that.
                try Invocation.show { try CommitPrinter.show(newest, in: reader, format, console) }
            } else {
                try console.err.write("yaprak: nothing to do: every record is what it was before\n")
            }
            try warn(revert)
        case .failure(let conflict as ReplayRevertConflict):
            try RevertPrinter(format: format, console: console, force: false).write(conflict.revert)
            try finish(conflict.revert)
        case .failure(let error): throw error
        }
    }

    /// Reverts commits of a database that is open.
    func write(_ numbers: ClosedRange<CommitNumber>, to opened: Database) async throws -> ReplayRevert {
        try await opened.revert(
            numbers, choosing: choice, overwritesConflicts: force, origin: origin, unless: Invocation.isInterrupted)
    }

    private func finish(_ revert: ReplayRevert) throws {
        try warn(revert)
        guard !force, !revert.conflicts.isEmpty else { return }
        throw Failure(
            "conflict",
            "\(ReplayRevertConflict(revert: revert)); nothing was written. --force takes the old values.",
            place: .init(commits: revert.commits), exitCode: 5)
    }

    private func warn(_ revert: ReplayRevert) throws {
        guard !revert.extensionNames.isEmpty else { return }
        let names = revert.extensionNames.map { "\"\($0.plain)\"" }.joined(separator: ", ")
        try console.err.write(
            "yaprak: operations of the primary extensions \(names) are not reverted: only their program can do that\n")
    }
}
