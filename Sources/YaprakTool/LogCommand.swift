import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Lists commits, the newest first.",
        usage: "yaprak log <database> [<range>] [<options>]",
        discussion: """
            Each commit with its time, its origin, what the program attached to it, and the records it changed: + \
            inserted, ~ changed, - removed, ! touched.

              yaprak log world.yaprak -n 3
              yaprak log world.yaprak @~20..@ --reverse --oneline
              yaprak log world.yaprak --collection flights --key UA1545-01-EWR-IAH
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(
        help: "Which commits: a..b (after a, up to b), a.., ..b or b.",
        transform: LogRange.argument)
    var range = LogRange()

    @Flag(help: "One line for each commit.")
    var oneline = false

    @Option(name: .customShort("n"), help: ArgumentHelp("At most so many commits.", valueName: "count"))
    var limit: Int?

    @Option(help: "Only changes of this collection.")
    var collection: String?

    @Option(help: "Only changes of records under this key.")
    var key: String?

    @Flag(help: "The oldest first.")
    var reverse = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
    }

    func run() async throws {
        let console = Invocation.console
        let format = output.format(on: console)
        var printer = CommitPrinter(format: format, isOneLine: oneline, console: console)
        var left = limit ?? .max
        let filter = ChangeFilter(collection: collection, key: key)
        try eachCommit(in: ReplayReader.open(database)) { commit in
            guard left > 0 else { return false }
            if let shown = filter.apply(to: commit) {
                try printer.write(shown)
                left -= 1
            }
            return left > 0
        }
        try printer.finish()
    }

    /// Hands over the commits of the range in the order that was asked for, until `body` says it has enough.
    private func eachCommit(in reader: ReplayReader, _ body: (ReplayCommit) throws -> Bool) throws {
        guard let numbers = try reader.commitNumbers(in: range) else { return }
        try reader.requireLog(from: numbers.lowerBound)
        if reverse {
            var commits = reader.commits(from: numbers.lowerBound, through: numbers.upperBound).makeAsyncIterator()
            while let commit = try commits.next(), try body(commit) {}
        } else {
            var commits = try reader.commitsBackwards(from: numbers.lowerBound, through: numbers.upperBound)
                .makeAsyncIterator()
            while let commit = try commits.next(), try body(commit) {}
        }
    }
}

/// A commit with the changes that were asked for.
struct ShownCommit {
    let commit: ReplayCommit
    let collections: [ReplayCommit.CollectionChange]
}

/// Which changes are to be shown.
struct ChangeFilter {
    let collection: String?
    let key: String?

    /// The commit with what passes; `nil` if nothing does.
    func apply(to commit: ReplayCommit) -> ShownCommit? {
        guard collection != nil || key != nil else {
            return ShownCommit(commit: commit, collections: commit.collections)
        }
        let passed = commit.collections.compactMap { change -> ReplayCommit.CollectionChange? in
            if let collection, change.name != collection { return nil }
            guard let key else { return change }
            let changes = change.changes.filter { $0.key == key }
            if changes.isEmpty, !change.removesAll { return nil }
            return change.keeping(changes)
        }
        return passed.isEmpty && !commit.removesAll ? nil : ShownCommit(commit: commit, collections: passed)
    }
}
