import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct RevertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert", abstract: "Takes commits back, as one new commit.",
        discussion: """
            Each record that the commits changed becomes what it was before them. a..b are the commits after a, up to b. \
            Nothing is lost: what was taken back stays in the history, and the new commit can be taken back itself.

            Records that were changed since are conflicts. They are listed and nothing is written, unless --force gives them \
            their old values. --dry-run shows what would be written. No program may have the database open.

              yaprak revert world.yaprak 17 --dry-run
              yaprak revert world.yaprak @~3..@

            Exit codes: 0 taken back, or nothing to do; 3 the files don't reach back so far; 5 conflicts; 6 the database is \
            in use.
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "A commit, or commits a..b.", transform: RevertedCommits.init)
    var commits: RevertedCommits

    @Flag(help: "Take back also what was changed since.")
    var force = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let format = output.format(on: console)
        let reader = try ReplayReader.open(database)
        let numbers = try commits.numbers(in: reader)
        if dryRun {
            let revert = try reader.revert(of: numbers, in: reader.snapshot())
            try RevertPrinter(format: format, console: console, force: force).write(revert)
            return try finish(revert, console)
        }
        var options = DatabaseOptions()
        // Neither to forget nor to write checkpoints, which without the program's views would be without them.
        options.retention = .all
        options.checkpoints = .manual
        options.clock = Invocation.clock
        let opened = try await Database.open(at: FilePath(database), options: options)
        let before = opened.commitNumber
        let outcome: Result<ReplayRevert, any Error>
        do {
            outcome = .success(
                try await opened.revert(numbers, overwritesConflicts: force, origin: "yaprak revert"))
        } catch {
            outcome = .failure(error)
        }
        let newest = opened.commitNumber
        try await opened.close()
        switch outcome {
        case .success(let revert):
            if newest > before {
                try CommitPrinter.show(newest, in: reader, format, console)
            } else {
                try console.err.write("yaprak: nothing to do: every record is what it was before\n")
            }
            try warn(revert, console)
        case .failure(let conflict as ReplayRevertConflict):
            try RevertPrinter(format: format, console: console, force: false).write(conflict.revert)
            try finish(conflict.revert, console)
        case .failure(let error): throw error
        }
    }

    private func finish(_ revert: ReplayRevert, _ console: Console) throws {
        try warn(revert, console)
        guard !force, !revert.conflicts.isEmpty else { return }
        throw Failure(
            "conflict",
            "\(ReplayRevertConflict(revert: revert)); nothing was written. --force takes the old values.",
            place: .init(commits: revert.commits), exitCode: 5)
    }

    private func warn(_ revert: ReplayRevert, _ console: Console) throws {
        guard !revert.extensionNames.isEmpty else { return }
        let names = revert.extensionNames.map(\.debugDescription).joined(separator: ", ")
        try console.err.write(
            "yaprak: what the commits put into \(names) by hand is not taken back: only its program could\n")
    }
}

/// The commits to take back: one, or some that stand together.
struct RevertedCommits {
    private let position: LogPosition?
    private let range: LogRange

    init(_ text: String) throws {
        if let position = LogPosition(argument: text) {
            self.position = position
            range = LogRange()
        } else {
            position = nil
            range = try LogRange.argument(text)
        }
    }

    func numbers(in reader: ReplayReader) throws -> ClosedRange<CommitNumber> {
        if let position {
            let number = try reader.commitNumber(at: position)
            return number...number
        }
        guard let numbers = try reader.commitNumbers(in: range) else {
            throw Failure("notFound", "there are no commits in \(range)", exitCode: 3)
        }
        return numbers
    }
}

/// Prints what a revert writes, or would write.
struct RevertPrinter {
    let format: OutputFormat
    let console: Console
    /// Whether conflicts are written, too.
    let force: Bool

    func write(_ revert: ReplayRevert) throws {
        if format == .table { return try writePatch(revert) }
        var rows = RowWriter(
            format,
            [
                Column(name: "change"), Column(name: "collection"), Column(name: "key"), Column(name: "now"),
                Column(name: "then"),
            ], console)
        for change in revert.changes {
            let word =
                change.isConflict && !force
                ? "conflict" : change.then == nil ? "remove" : change.now == nil ? "insert" : "replace"
            try rows.write(
                [.text(word), .text(change.collection), .text(change.key), value(change.now), value(change.then)],
                json: json(change, word))
        }
        try rows.finish()
    }

    /// Field by field: what is now, and what it is to become.
    private func writePatch(_ revert: ReplayRevert) throws {
        let conflicts = force ? [] : revert.conflicts
        let printer = PatchPrinter(console: console)
        if !conflicts.isEmpty {
            try console.out.write(console.paint("changed since", .bad) + "\n")
            try printer.write(conflicts.map { ShownChange($0) }, indent: "  ")
            if conflicts.count == revert.changes.count { return }
            try console.out.write("as the commits left it\n")
        }
        let others = revert.changes.filter { force || !$0.isConflict }
        try printer.write(others.map { ShownChange($0) }, indent: conflicts.isEmpty ? "" : "  ")
    }

    private func value(_ record: ReplayRecord?) -> CBORValue { record?.object ?? .null }

    private func json(_ change: ReplayRevert.Change, _ word: String) -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("change", .text(word)), .init("collection", .text(change.collection)),
            .init("key", .text(change.key)),
        ]
        for (name, record) in [("now", change.now), ("left", change.left), ("then", change.then)] {
            guard name != "left" || change.isConflict else { continue }
            pairs.append(.init(.text(name), record.map(json) ?? .null))
        }
        return .map(pairs)
    }

    private func json(_ record: ReplayRecord) -> CBORValue {
        var pairs: [CBORValue.Pair] = [.init("object", record.object)]
        if let metadata = record.metadata { pairs.append(.init("metadata", metadata)) }
        return .map(pairs)
    }
}

extension ShownChange {
    /// What a revert does to a record.
    fileprivate init(_ change: ReplayRevert.Change) {
        var kinds: ChangeKinds = change.now == nil ? .inserted : change.then == nil ? .removed : []
        if kinds.isEmpty, change.now?.objectBytes != change.then?.objectBytes { kinds.insert(.objectChanged) }
        if kinds.isDisjoint(with: [.inserted, .removed]), change.now?.metadataBytes != change.then?.metadataBytes {
            kinds.insert(.metadataChanged)
        }
        self.init(
            collection: change.collection, key: change.key, kinds: kinds, before: change.now, after: change.then)
    }
}
