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
            their keys. Exit code 3 says that there is no such collection.

              yaprak ls world.yaprak
              yaprak ls world.yaprak cities --prefix 26 -n 10
              yaprak ls world.yaprak cities --at @{yesterday} --keys
              yaprak ls world.yaprak cities --where '.population > 1000000'
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "The collection.")
    var collection: String?

    @Option(
        help: ArgumentHelp("The state as of this commit; the newest by default.", valueName: "position"),
        transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(help: "Only keys that start with this.")
    var prefix = ""

    @Option(name: .customShort("n"), help: ArgumentHelp("At most this many records.", valueName: "count"))
    var limit: Int?

    @Option(
        name: .customLong("where"), help: ArgumentHelp("Only records that this is true of.", valueName: "expression"))
    var condition: String?

    @Flag(help: "The keys alone.")
    var keys = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("-n takes a count of 0 or more") }
        if collection == nil, !prefix.isEmpty || limit != nil || keys || condition != nil {
            throw ValidationError("--prefix, --where, -n and --keys choose among the records of a collection: name one")
        }
    }

    func run() async throws {
        let condition = try condition.map { text in try ReplayExpression(text, about: .record) }
        let console = try paging.console()
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.snapshot(at: reader.commitNumber(at: at))
        if let collection {
            try listRecords(of: collection, where: condition, in: snapshot, on: console)
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
        of collection: String, where condition: ReplayExpression?, in snapshot: Snapshot, on console: Console
    ) throws {
        guard snapshot.collectionNames.contains(collection) else {
            throw Failure.noCollection(collection, in: snapshot)
        }
        let records = snapshot.untyped(collection)
        let columns = [Column(name: "key")] + (keys ? [] : [Column(name: "object"), Column(name: "metadata")])
        var rows = RowWriter(output.format(on: console), columns, console)
        var left = limit ?? .max
        for position in records.position(notBefore: prefix)..<records.count {
            let record = records[position]
            guard left > 0, record.key.utf8.starts(with: prefix.utf8) else { break }
            guard condition?.holds(for: record, in: snapshot) ?? true else { continue }
            left -= 1
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
    }
}
