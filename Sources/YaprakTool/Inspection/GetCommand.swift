import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Shows a record as of a commit, or its history.",
        usage: "yaprak get <database> <collection> <key> [<options>]",
        discussion: """
            On a terminal the record is shown in CBOR's diagnostic notation. With --at it is shown as of a commit, \
            rebuilt from the nearest checkpoint and the log. With --history every commit that changed it is shown, the \
            oldest first, up to that of --at. Exit code 3 means that there is no such record, or that the files don't reach \
            back that far.

              yaprak get world.yaprak cities 2643743 --at @~12
              yaprak get world.yaprak cities 2643743 --history
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The collection.", completion: .collection)
    var collection: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    @Option(
        help: ArgumentHelp("The state as of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Flag(help: "Every version of the record through time.")
    var history = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: at)
        if history { return try showHistory(reader, through: number) }
        let snapshot = try reader.state(at: number)
        guard let record = snapshot.untyped(collection)[key] else { throw missing(in: snapshot) }
        let console = try paging.console(), format = output.format(on: console)
        if format == .csv || format == .markdown {
            try RecordColumns(columns: nil).write([record], format, console)
        } else {
            try PropertyWriter.write(lines(record, number), json: json(record, number), format, console)
        }
    }

    private func missing(in snapshot: Snapshot) -> Failure {
        guard snapshot.collectionNames.contains(collection) else { return .noCollection(collection, in: snapshot) }
        let number = snapshot.commitNumber
        return Failure(
            "notFound",
            "there is no record \(key.debugDescription) in \(collection.debugDescription) at commit \(number)",
            place: .init(commits: number...number, collectionName: collection, key: key), exitCode: 3,
            hint: "`yaprak ls` lists keys, `yaprak get --history` shows whether there ever was one.")
    }

    private func lines(_ record: ReplayRecord, _ number: CommitNumber) -> [(name: String, text: String)] {
        var lines = [("key", record.key.plain), ("as of commit", number.description)]
        lines += block("object", record.object)
        if let metadata = record.metadata { lines += block("metadata", metadata) }
        return lines
    }

    private func block(_ name: String, _ value: CBORValue) -> [(String, String)] {
        value.diagnostic(style: .pretty).split(separator: "\n").enumerated().map {
            ($0.offset == 0 ? name : "", String($0.element))
        }
    }

    private func json(_ record: ReplayRecord, _ number: CommitNumber) -> CBORValue {
        var pairs: [CBORValue.Pair] = [
            .init("collection", .text(collection)), .init("key", .text(record.key)), .init("commit", .number(number)),
            .init("object", record.object),
        ]
        if let metadata = record.metadata { pairs.append(.init("metadata", metadata)) }
        return .map(pairs)
    }

    // MARK: History

    private func showHistory(_ reader: ReplayReader, through last: CommitNumber) throws {
        let console = try paging.console()
        var printer = RevisionPrinter(format: output.format(on: console), console: console)
        var revisions = reader.history(ofKey: key, inCollectionNamed: collection).makeAsyncIterator()
        while let revision = try revisions.next(), revision.commit.commitNumber <= last {
            if Invocation.isInterrupted() {
                try printer.finish()
                throw Interrupted()
            }
            try printer.write(revision)
        }
        try printer.finish()
        guard printer.count > 0 else {
            try reader.requireCollection(collection, at: last)
            throw Failure(
                "notFound",
                "no commit up to \(last) that the log keeps concerns a record \(key.debugDescription) in "
                    + "\(collection.debugDescription)",
                place: .init(commits: last...last, collectionName: collection, key: key), exitCode: 3,
                hint: "`yaprak ls` lists collections and keys.")
        }
    }
}
