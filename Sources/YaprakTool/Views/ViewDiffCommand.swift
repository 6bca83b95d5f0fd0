import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct ViewDiffCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Shows the changes in a list of a view between two commits.",
        usage: "yaprak view diff <database> <view> <from> <to> [--group <group> …] [<options>]",
        discussion: """
            The same changes that a list of the program would get, in the batch-update convention: deletes and the sources \
            of moves have positions before the change, inserts and the targets of moves positions after it. The list \
            has a section for each group, or for each --group in the order given. Exit code 1 means that there are changes.

              yaprak view diff departures.yaprak departures @~10 @ --group EWR --group JFK --limit 20
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The name of the view.", completion: .view)
    var view: String

    @Argument(help: "The commit before the changes.", completion: .position, transform: LogPosition.argument)
    var from: LogPosition

    @Argument(help: "The commit after them.", completion: .position, transform: LogPosition.argument)
    var to: LogPosition

    @Option(help: "A group of the list; may be given more than once. All groups there are by default, ascending.")
    var group: [String] = []

    @Flag(help: "Hide sections without rows. That is the default if no --group is given.")
    var dynamic = false

    @Flag(help: "Show groups in reverse order.")
    var reverse = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("Show at most this many rows of each group.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Count --limit from the end of each group.")
    var fromEnd = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
        if fromEnd, limit == nil { throw ValidationError("--from-end goes with --limit") }
        if Set(group).count != group.count { throw ValidationError("a list has each --group once") }
    }

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let old = try reader.commitNumber(at: from)
        let new = try reader.commitNumber(at: to)
        let update = try reader.reading(unless: Invocation.isInterrupted) {
            try $0.update(of: mappings, from: old, to: new)
        }
        let console = try paging.console()
        var printer = ListChangePrinter(output.format(on: console), update, console)
        if update.isReload { try printer.writeReload() }
        for change in update.sectionChanges { try printer.write(change) }
        for change in update.rowChanges { try printer.write(change) }
        try printer.finish()
        if update.changes.hasChanges { throw ExitCode(1) }
    }

    private var mappings: ViewMappings<StoredView> {
        let stored = StoredView(view)
        var mappings = group.isEmpty ? ViewMappings(stored) : ViewMappings(stored, groups: group)
        mappings.setDynamicForAllGroups(dynamic)
        mappings.setReversedForAllGroups(reverse)
        if let limit { mappings.setRangeForAllGroups(.fixed(length: limit, from: fromEnd ? .end : .beginning)) }
        return mappings
    }
}
