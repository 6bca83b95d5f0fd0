import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct ViewDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Says what happens in a list of a view between two commits.",
        usage: "yaprak view diff <database> <view> <from> <to> [--group <group> …] [<options>]",
        discussion: """
            The very changes that a list of the program would get, in the batch-update convention: what is deleted, and \
            where a move comes from, is numbered as before; what is inserted, and where a move goes, as after. The list \
            has a section for each group, or for each --group in the order given. Exit code 1 says that there are changes.

              yaprak view diff departures.yaprak departures @~10 @ --group EWR --group JFK --limit 20
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "The name of the view.")
    var view: String

    @Argument(help: "The commit the list shows.", transform: LogPosition.argument)
    var from: LogPosition

    @Argument(help: "The commit it is to show.", transform: LogPosition.argument)
    var to: LogPosition

    @Option(help: "A group of the list; may be given more than once. All groups there are by default, ascending.")
    var group: [String] = []

    @Flag(help: "Hide sections without rows. So it is where no --group is given.")
    var dynamic = false

    @Flag(help: "Show groups the other way round.")
    var reverse = false

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("Show only so many rows of each group.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Count --limit from the end of each group.")
    var fromEnd = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
        if fromEnd, limit == nil { throw ValidationError("--from-end goes with --limit") }
        if Set(group).count != group.count { throw ValidationError("a list has each --group once") }
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        let old = try reader.commitNumber(at: from)
        let new = try reader.commitNumber(at: to)
        let update = try reader.update(of: mappings, from: old, to: new)
        var printer = ListChangePrinter(output.format(on: console), update, console)
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

/// Prints what happens in a list, a line for each change.
struct ListChangePrinter {
    private var rows: RowWriter
    private let update: ListUpdate<StoredView>
    private let isMixed: Bool

    init(_ format: OutputFormat, _ update: ListUpdate<StoredView>, _ console: Console) {
        self.update = update
        isMixed = update.new[update.mappings.view].collectionNames.count > 1
        var columns = [Column(name: "change"), Column(name: "from"), Column(name: "to"), Column(name: "group")]
        if isMixed { columns.append(Column(name: "collection")) }
        columns += [Column(name: "key"), Column(name: "what")]
        rows = RowWriter(format, columns, console)
    }

    mutating func write(_ change: SectionChange) throws {
        let verb =
            switch change.kind {
            case .delete: "delete section"
            case .insert: "insert section"
            case .move: "move section"
            }
        var pairs: [CBORValue.Pair] = [.init("change", .text(verb)), .init("group", .text(change.group))]
        if let source = change.source { pairs.append(.init("from", .count(source))) }
        if let target = change.target { pairs.append(.init("to", .count(target))) }
        let cells: [CBORValue] = [
            .text(verb), .text(change.source?.description ?? ""), .text(change.target?.description ?? ""),
            .text(change.group),
        ]
        try rows.write(cells + Array(repeating: .text(""), count: isMixed ? 3 : 2), json: .map(pairs))
    }

    mutating func write(_ change: RowChange) throws {
        let verb =
            switch change.kind {
            case .delete: "delete"
            case .insert: "insert"
            case .move: "move"
            case .update: "update"
            }
        let group = change.group == change.oldGroup ? change.group : "\(change.oldGroup) → \(change.group)"
        var cells: [CBORValue] = [
            .text(verb), .text(change.source?.description ?? ""), .text(change.target?.description ?? ""), .text(group),
        ]
        if isMixed { cells.append(.text(change.collectionName)) }
        cells += [.text(change.key), .text(change.aspects.words.joined(separator: ", "))]
        var pairs: [CBORValue.Pair] = [
            .init("change", .text(verb)), .init("collection", .text(change.collectionName)),
            .init("key", .text(change.key)), .init("group", .text(change.group)),
        ]
        if change.oldGroup != change.group { pairs.append(.init("oldGroup", .text(change.oldGroup))) }
        if let source = change.source { pairs.append(.init("from", source.json)) }
        if let target = change.target { pairs.append(.init("to", target.json)) }
        if !change.aspects.isEmpty { pairs.append(.init("what", .array(change.aspects.words.map { .text($0) }))) }
        try rows.write(cells, json: .map(pairs))
    }

    mutating func finish() throws { try rows.finish() }
}

extension ListPath {
    fileprivate var json: CBORValue { .array([.count(section), .count(row)]) }
}

extension RowAspects {
    /// What has to be looked at again, in words.
    fileprivate var words: [String] {
        let all: [(RowAspects, String)] = [
            (.object, "object"), (.metadata, "metadata"), (.touch, "touch"), (.dependency, "dependency"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
