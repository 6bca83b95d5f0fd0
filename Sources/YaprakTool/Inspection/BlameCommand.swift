import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct BlameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blame", abstract: "Shows which commit set each field of a record.",
        usage: "yaprak blame <database> <collection> <key> [<options>]",
        discussion: """
            For each field the last commit that gave it the value it has, with its time and origin. A field that was written \
            again with the same value was not set by that. Where the log does not reach back far enough, the column commit is \
            empty: the field was set before the log begins. Exit code 3 means that there is no such record.

              yaprak blame world.yaprak flights UA1545-01-EWR-IAH
              yaprak blame world.yaprak flights UA1545-01-EWR-IAH --at @~100 --field delay
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The collection.", completion: .collection)
    var collection: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    @Option(
        help: ArgumentHelp("The record as of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(help: "Only this field and the fields inside it.")
    var field: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func run() async throws {
        let reader = try ReplayReader.open(database)
        let number = try reader.commitNumber(at: at)
        let (blame, gone) = try history(of: reader, through: number)
        guard let record = try reader.state(at: number).untyped(collection)[key] else {
            try reader.requireCollection(collection, at: number)
            throw Failure(
                "notFound",
                "there is no record \(key.debugDescription) in \(collection.debugDescription) at commit \(number)",
                place: .init(commits: number...number, collectionName: collection, key: key), exitCode: 3,
                hint: gone.map { "Commit \($0) removed it; --at \($0)^ shows it before." } ?? "`yaprak ls` lists keys.")
        }
        let lines = blame.lines(of: record)
        if let field, !lines.contains(where: { $0.isWithin(field) }) {
            // Of very many, or very long ones, no more than help to find a slip.
            let known = Array(lines.prefix(1000).lazy.map(\.path).filter { $0.utf8.count < 200 })
            let count = lines.reduce(0) { count, _ in count + 1 }
            throw Failure(
                "notFound", "the record has no field \(field.debugDescription)",
                place: .init(collectionName: collection, key: key), exitCode: 3,
                hint: Suggestion.sentence(for: field, among: known)
                    ?? (known.count == count
                        ? "It has \(Suggestion.list(known, isQuoted: false))." : "`yaprak get` shows the record."))
        }
        try write(lines)
    }

    /// Who set what, and the commit that removed the record, if it is gone.
    private func history(of reader: ReplayReader, through number: CommitNumber) throws -> (FieldBlame, CommitNumber?) {
        var blame = FieldBlame()
        var gone: CommitNumber?
        var revisions = reader.history(ofKey: key, inCollectionNamed: collection).makeAsyncIterator()
        while let revision = try revisions.next(), revision.commit.commitNumber <= number {
            if Invocation.isInterrupted() { throw Interrupted() }
            blame.add(revision)
            gone = revision.after == nil ? revision.commit.commitNumber : nil
        }
        return (blame, gone)
    }

    private func write(_ lines: FieldBlame.Lines) throws {
        let console = try paging.console()
        var rows = RowWriter(
            output.format(on: console),
            [Column(name: "commit", isNumber: true, isKept: true)] + Column.time
                + ["origin", "field", "value"].map { Column(name: $0) }, console)
        for line in lines where field.map({ line.isWithin($0) }) ?? true {
            let commit = line.commit
            try rows.write([
                commit.map { .number($0.commitNumber) } ?? .null, commit.map { .text($0.isoTime) } ?? .null,
                commit.map { .integer($0.nanosecondsSince1970) } ?? .null, commit.map { .text($0.origin) } ?? .null,
                .text(line.path), line.value,
            ])
        }
        try rows.finish()
    }
}
