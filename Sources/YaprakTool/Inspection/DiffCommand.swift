import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct DiffCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Shows the changes between two commits.",
        usage: """
            yaprak diff <database> <a> [<b>] [<options>]
            yaprak diff <database> <a>..<b> [<options>]
            """,
        discussion: """
            One change for each record that differs, whatever happened to it in between; also backwards. Without a \
            second position the newest commit is used. + the record is new, - it is gone, ~ it changed.

              yaprak diff world.yaprak @~10
              yaprak diff world.yaprak before-import..@ --stat
              yaprak diff world.yaprak 42 7 --collection cities

            Exit codes, as for diff(1): 0 the two are equal; 1 they differ.
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: ArgumentHelp("From where: a position, or a..b.", valueName: "a"))
    var source: String

    @Argument(help: ArgumentHelp("To where; the newest commit by default.", valueName: "b"))
    var target: String?

    @Flag(help: "Only how many records are new, changed and gone, in each collection.")
    var stat = false

    @OptionGroup var filtering: FilterOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws { _ = try positions() }

    /// The two ends. A range without one of them means the empty database or the newest commit.
    private func positions() throws -> (LogPosition, LogPosition) {
        if let target { return (try LogPosition.argument(source), try LogPosition.argument(target)) }
        let range = try LogRange.argument(source)
        if range.after != nil || source.hasPrefix("..") {
            return (range.after ?? LogPosition(0), range.through ?? .newest)
        }
        return (try LogPosition.argument(source), .newest)
    }

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let (source, target) = try positions()
        let filter = filtering.filter
        let (old, new) = (try reader.commitNumber(at: source), try reader.commitNumber(at: target))
        // With a warm cursor the two share what they have in common already.
        let changes =
            Invocation.journey == nil
            ? try reader.changes(from: old, to: new)
            : ReplayChanges(from: try reader.state(at: old), to: try reader.state(at: new))
        let console = try paging.console()
        let format = output.format(on: console)
        var differs = false
        if stat {
            var counts: [(collection: String, counts: ChangeCounts)] = []
            do { try Self.count(changes, filter, into: &counts) } catch let interruption as Interrupted {
                // Rows of the collections that were counted to their end. A table has a sum, which would be wrong.
                if format != .table { try Self.write(counts, format, console) }
                throw interruption
            }
            differs = !counts.isEmpty
            try Self.write(counts, format, console)
        } else if format == .table {
            var shown: [ShownChange] = []
            try Self.visit(changes, filter) { shown.append(ShownChange($0)) }
            differs = !shown.isEmpty
            try PatchPrinter(console: console).write(shown, indent: "", unless: Invocation.isInterrupted)
        } else {
            var rows = RowWriter(
                format, ["collection", "key", "change", "field", "before", "after"].map { Column(name: $0) }, console)
            do {
                try Self.visit(changes, filter) { change in
                    differs = true
                    try ShownChange(change).write(to: &rows, format, after: [])
                }
            } catch let interruption as Interrupted {
                try rows.finish()
                throw interruption
            }
            try rows.finish()
        }
        if differs { throw ExitCode(1) }
        if let name = filtering.collection, try reader.state(at: old).count(inCollectionNamed: name) == 0 {
            try reader.requireCollection(name, at: new)
        }
    }

    /// Hands over the changes that are wanted, until the user presses Ctrl-C.
    ///
    /// - Parameter stop: gets the first change that was not looked at any more, wanted or not.
    private static func visit(
        _ changes: ReplayChanges, _ filter: ChangeFilter, _ body: (ReplayChange) throws -> Void,
        stop: (ReplayChange) -> Void = { _ in }
    ) throws {
        for (index, change) in changes.enumerated() {
            if index % 256 == 255, Invocation.isInterrupted() {
                stop(change)
                throw Interrupted()
            }
            if filter.passes(change.collectionName, change.key) { try body(change) }
        }
    }

    /// Counts the changes, collection by collection: where it is interrupted, of those that were counted to their end.
    private static func count(
        _ changes: ReplayChanges, _ filter: ChangeFilter,
        into counts: inout [(collection: String, counts: ChangeCounts)]
    ) throws {
        try visit(changes, filter) { change in
            let name = change.collectionName
            if counts.last?.collection != name { counts.append((name, ChangeCounts())) }
            counts[counts.count - 1].counts.add(change.kinds)
        } stop: { change in
            if counts.last?.collection == change.collectionName { counts.removeLast() }
        }
    }

    private static func write(
        _ counts: [(collection: String, counts: ChangeCounts)], _ format: OutputFormat, _ console: Console
    ) throws {
        guard format != .table else { return try StatPrinter(console: console).write(counts, indent: "") }
        let columns = ["inserted", "changed", "removed"].map { Column(name: $0, isNumber: true) }
        var rows = RowWriter(format, [Column(name: "collection")] + columns, console)
        for (collection, counts) in counts {
            try rows.write(
                [.text(collection), .count(counts.inserted), .count(counts.changed), .count(counts.removed)])
        }
        try rows.finish()
    }
}
