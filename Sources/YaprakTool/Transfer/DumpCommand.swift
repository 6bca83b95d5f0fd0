import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump", abstract: "Writes all records as lines of lossless JSON.",
        usage: "yaprak dump <database> [<options>]",
        discussion: """
            The first line has the commit and the number of records; each other line has a record, in ascending \
            order of collection and key. Values that JSON lacks are in diagnostic notation under "$cbor". `yaprak load` \
            reads it back.

              yaprak dump world.yaprak > world.ndjson
              yaprak dump world.yaprak --at @~3 --collection cities --where '.population > 1000000'
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Option(
        help: ArgumentHelp("As of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(
        help: ArgumentHelp("Only this collection; may be given several times.", valueName: "name"),
        completion: .collection)
    var collection: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only records for which this expression is true.", valueName: "expression"))
    var condition: String?

    @OptionGroup var file: FileOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws { try file.checkOverwriting() }

    func run() async throws {
        let console = Invocation.console
        let condition = try condition.map { text in try ReplayExpression(text, about: .record) }
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.state(at: reader.commitNumber(at: at))
        for name in collection { try snapshot.require(name) }
        try condition?.noteAbsentCollections(in: snapshot)
        let dump = ReplayDump(of: snapshot, collections: collection.isEmpty ? nil : collection, where: condition)
        try file.write(on: file.path == nil ? paging.console() : console) { out in
            // Where the records themselves go by, a bar would stand among them.
            var bar = out.isTerminal ? nil : ProgressBar(console, "dumping", unit: "records")
            defer { bar?.finish() }
            var done = -1
            try dump.forEachLine(unless: Invocation.isInterrupted) { line, total in
                try out.out.write(line + "\n")
                done += 1
                if done % 256 == 0 { bar?.update(done: done, of: total, counted: done) }
            }
        }
    }
}
