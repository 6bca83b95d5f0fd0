import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct ViewListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the views, and as of which commits they can be shown.",
        usage: "yaprak view ls <database> [--at <position>] [<options>]")

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp(
            "Only views that can be shown as of this commit, with what they hold.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition?

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try at.map { try reader.commitNumber(at: $0) }
        let views = try reader.reading(unless: Invocation.isInterrupted) { reader in
            try reader.views().filter { view in number.map(view.canBeShown) ?? true }.map { view in
                (view, try number.map { try Self.counts(of: view.name, at: $0, reader) })
            }
        }
        let console = try paging.console()
        var columns = [Column(name: "view"), Column(name: "kind"), Column(name: "version")]
        if number != nil { columns += [Column(name: "groups", isNumber: true), Column(name: "rows", isNumber: true)] }
        columns.append(Column(name: "commits"))
        var rows = RowWriter(output.format(on: console), columns, console)
        for (view, counts) in views {
            var pairs: [(String, CBORValue)] = [
                ("view", .text(view.name)), ("kind", .text(view.kind.rawValue)), ("version", .text(view.versionTag)),
            ]
            if let counts { pairs += [("groups", .count(counts.groups)), ("rows", .count(counts.rows))] }
            let ranges = view.commits.map { CBORValue.array([.number($0.lowerBound), .number($0.upperBound)]) }
            try rows.write(
                pairs.map(\.1) + [.text(view.commitsDescription)],
                json: .map(pairs.map { .init(.text($0.0), $0.1) } + [.init("commits", .array(ranges))]))
        }
        try rows.finish()
    }

    /// What a view holds. No more is kept of it: each has the records of then.
    private static func counts(
        of view: String, at number: CommitNumber, _ reader: ReplayReader
    ) throws -> (groups: Int, rows: Int) {
        let then = try reader.view(view, at: number)
        return (then.groupCount, then.count)
    }
}
