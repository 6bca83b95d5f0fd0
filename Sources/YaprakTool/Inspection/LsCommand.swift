import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct LsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists collections, or the records of one.",
        usage: "yaprak ls <database> [<collection>] [<options>]",
        discussion: """
            Without a collection: the collections that hold records, and how many. With one: its records in the order of \
            their keys, or in that of --sort. In CSV and Markdown each field is a column, as `yaprak export` has it. Exit code 3 \
            says that there is no such collection.

              yaprak ls world.yaprak
              yaprak ls world.yaprak cities --prefix 26 -n 10
              yaprak ls world.yaprak cities --at @{yesterday} --keys
              yaprak ls world.yaprak cities --where '.population > 1000000'
              yaprak ls world.yaprak cities --sort .population --descending -3
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The collection.", completion: .collection)
    var collection: String?

    @Option(
        help: ArgumentHelp("The state as of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(help: "Only keys that start with this.")
    var prefix = ""

    @OptionGroup var choice: ChoiceOptions

    @Flag(help: "The keys alone.")
    var keys = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if collection == nil, !prefix.isEmpty || keys || !choice.isEmpty {
            throw ValidationError(
                "--prefix, --where, --sort, -n and --keys choose among the records of a collection: name one")
        }
    }

    func run() async throws {
        let choice = try choice.choice(prefix: prefix)
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.state(at: reader.commitNumber(at: at))
        if let collection { try snapshot.require(collection) }
        try choice.noteAbsentCollections(in: snapshot)
        let console = try paging.console()
        if let collection {
            try listRecords(of: collection, choice, in: snapshot, on: console)
        } else {
            try listCollections(of: snapshot, on: console)
        }
    }

    private func listCollections(of snapshot: Snapshot, on console: Console) throws {
        var rows = RowWriter(
            output.format(on: console), [Column(name: "collection"), Column(name: "records", isNumber: true)], console)
        for name in snapshot.collectionNames {
            try rows.write([.text(name), .count(snapshot.count(inCollectionNamed: name))])
        }
        try rows.finish()
    }

    private func listRecords(
        of collection: String, _ choice: RecordChoice, in snapshot: Snapshot, on console: Console
    ) throws {
        let records = try choice.records(of: collection, in: snapshot)
        let format = output.format(on: console)
        if !keys, format == .csv || format == .markdown {
            try RecordColumns(columns: nil).write(records, of: collection, format, console)
            return
        }
        let columns = [Column(name: "key")] + (keys ? [] : [Column(name: "object"), Column(name: "metadata")])
        var rows = RowWriter(format, columns, console)
        for record in records {
            if keys {
                try rows.write([.text(record.key)])
            } else {
                let metadata = record.metadata
                var pairs: [CBORValue.Pair] = [.init("key", .text(record.key)), .init("object", record.object)]
                if let metadata { pairs.append(.init("metadata", metadata)) }
                try rows.write([.text(record.key), record.object, metadata ?? .null], json: .map(pairs))
            }
        }
        try rows.finish()
        // The walk ends then as if there were no more.
        if Invocation.isInterrupted() { throw Interrupted() }
    }
}
