import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct ViewShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the rows of a view, group by group.",
        usage: "yaprak view show <database> <view> [--at <position>] [--group <group>] [<options>]",
        discussion: """
            Rows are in the order of the view, each with its index in its group. --range takes indexes, which count \
            from 0: 10..<20, or 10.. for all from index 10.

              yaprak view show departures.yaprak departures --group JFK --range 0..<5
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The name of the view.", completion: .view)
    var view: String

    @Option(
        help: ArgumentHelp("The commit; the newest by default.", valueName: "position"), completion: .position,
        transform: LogPosition.argument
    )
    var at: LogPosition = .newest

    @Option(help: "Only this group; may be given more than once.")
    var group: [String] = []

    @Option(
        help: ArgumentHelp("Only rows with these indexes in each group.", valueName: "a..<b"),
        transform: Positions.argument)
    var range = Positions(lower: 0, upper: .max)

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many rows of each group.", valueName: "count"))
    var limit: Int?

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    /// Positions in a group.
    struct Positions {
        let lower: Int
        let upper: Int

        static func argument(_ text: String) throws -> Self {
            let parts = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let lower = parts[0].isEmpty ? 0 : Int(parts[0]), lower >= 0 else {
                throw ValidationError("--range is written 10..<20, 10.. or ..<20")
            }
            let end = parts[1].hasPrefix("<") ? parts[1].dropFirst() : parts[1]
            guard let upper = end.isEmpty && !parts[1].hasPrefix("<") ? .max : Int(end), upper >= lower,
                end.isEmpty || parts[1].hasPrefix("<")
            else { throw ValidationError("--range is written 10..<20, 10.. or ..<20") }
            return Self(lower: lower, upper: upper)
        }
    }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
    }

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: at)
        let then = try reader.reading(unless: Invocation.isInterrupted) { try $0.view(view, at: number) }
        for name in group where !then.contains(group: name) {
            let known = then.groupNames
            throw Failure(
                "notFound",
                "the view \(view.debugDescription) has no group \(name.debugDescription) at commit \(number)"
                    + (known.isEmpty ? ", nor any other" : ", which has \(Suggestion.list(known))"),
                place: .init(commits: number...number), exitCode: 3,
                hint: Suggestion.sentence(for: name, among: known))
        }
        let console = try paging.console()
        let isMixed = then.collectionNames.count > 1
        var columns = [Column(name: "group"), Column(name: "index", isNumber: true)]
        if isMixed { columns.append(Column(name: "collection")) }
        columns += [Column(name: "key"), Column(name: "object")]
        var rows = RowWriter(output.format(on: console), columns, console)
        for name in group.isEmpty ? then.groupNames : group {
            let group = then[name]
            let lower = min(range.lower, group.count)
            let room = min(group.count, range.upper) - lower
            for index in lower..<lower + max(0, min(room, limit ?? .max)) {
                try write(group[index], index, isMixed, to: &rows)
                try rows.endIfInterrupted()
            }
        }
        try rows.finish()
    }

    private func write(_ row: StoredRow, _ index: Int, _ isMixed: Bool, to rows: inout RowWriter) throws {
        let object = row.record.object
        var cells: [CBORValue] = [.text(row.group), .count(index)]
        if isMixed { cells.append(.text(row.collectionName)) }
        cells += [.text(row.key), object]
        var pairs: [CBORValue.Pair] = [
            .init("group", .text(row.group)), .init("index", .count(index)),
            .init("collection", .text(row.collectionName)), .init("key", .text(row.key)), .init("object", object),
        ]
        if let metadata = row.record.metadata { pairs.append(.init("metadata", metadata)) }
        try rows.write(cells, json: .map(pairs))
    }
}
