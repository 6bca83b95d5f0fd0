import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Shows a record, as it is or as it was.",
        discussion: """
            On a terminal the record is shown in CBOR's diagnostic notation. With --at it is shown as of a commit, \
            rebuilt from the nearest checkpoint and the log. Exit code 3 says that there is no such record, or that the \
            files don't reach back so far.

              yaprak get world.yaprak cities 2643743 --at 12
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Argument(help: "The collection.")
    var collection: String

    @Argument(help: "The key.")
    var key: String

    @Option(help: ArgumentHelp("The commit; the newest by default.", valueName: "commit"))
    var at: UInt64?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let snapshot = try ReplayReader.open(database).snapshot(at: at.map { CommitNumber($0) })
        let number = snapshot.commitNumber
        guard let record = snapshot.untyped(collection)[key] else {
            let has = snapshot.collectionNames.contains(collection)
            let known = snapshot.collectionNames.map(\.debugDescription).joined(separator: ", ")
            throw Failure(
                "notFound",
                has
                    ? "there is no record \(key.debugDescription) in \(collection.debugDescription) at commit \(number)"
                    : "there is no collection \(collection.debugDescription) at commit \(number), which has \(known)",
                place: .init(commits: number...number, collection: collection, key: key), exitCode: 3)
        }
        try PropertyWriter.write(
            lines(record, number), json: json(record, number), output.format(on: console), console)
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
}
