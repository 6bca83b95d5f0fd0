import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows one commit, field by field.",
        usage: "yaprak show <database> [<position>] [<options>]",
        discussion: """
            The records before the commit are rebuilt from the nearest checkpoint and the log. Exit code 3 means that there \
            is no such commit, or that the files don't reach back to the state before it.

              yaprak show world.yaprak
              yaprak show world.yaprak @~3 --collection cities
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The commit; the newest by default.", completion: .position, transform: LogPosition.argument)
    var position: LogPosition = .newest

    @Flag(help: "Only how many records were inserted, changed and removed, in each collection.")
    var stat = false

    @OptionGroup var filtering: FilterOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: position)
        guard number > .zero else {
            throw Failure(
                "commitOutOfReach", "\(position) is the empty database before the first commit",
                place: .init(commits: 0...0), exitCode: 3, hint: "There is nothing to show of it.")
        }
        try reader.requireLog(from: number)
        let console = try paging.console()
        var printer = CommitPrinter(
            format: output.format(on: console), isOneLine: false, showsStat: stat, showsPatch: !stat,
            tags: reader.tagsByNumber(), console: console)
        let filter = filtering.filter
        var isEmpty = true
        let walk = CommitWalk(reader: reader, first: number, last: number, hasValues: !stat)
        try await walk.run { commit, step in
            var shown = filter.apply(to: commit) ?? ShownCommit(commit: commit, collections: [])
            shown.changes = step.map { ShownChange.of($0, filter) }
            isEmpty = shown.collections.isEmpty && !commit.removesAll
            try printer.write(shown)
            return true
        }
        try printer.finish()
        if isEmpty { try reader.requireCollection(filtering.collection, at: number) }
    }
}
