import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Puts the lines of an NDJSON file into a collection.",
        usage: "yaprak load <file> <database> --collection <name> --key <field> [<options>]",
        discussion: """
            Each line is a JSON object; the field that --key names becomes the record's key. A record that is there \
            already is replaced. The file may be plain or in LZ4 frames; - reads standard input. The database is made if \
            it is absent; its history is kept.

            A bad line ends the loading with its number and exit code 64; the records before it are in the database. With \
            --skip-bad bad lines are counted and passed over.

              yaprak load cities.ndjson world.yaprak --collection cities --key id
            """)

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Argument(help: "The database's directory; made if absent.")
    var database: String

    @Option(help: "The collection.")
    var collection: String

    @Option(help: ArgumentHelp("The field that is the key: a text or an integer.", valueName: "field"))
    var key: String

    @Option(help: ArgumentHelp("So many records per commit.", valueName: "count"))
    var batch = 1000

    @Flag(help: "Pass bad lines over and count them.")
    var skipBad = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(batch) else { throw ValidationError("--batch takes 1 to 1000000") }
    }

    func run() async throws {
        let console = Invocation.console
        let lines = try open()
        var options = DatabaseOptions()
        // Loading is no reason to forget anything: pruning is up to the program that owns the database.
        options.retention = .all
        let records = RecordCollection<CBORValue, NoMetadata>(collection)
        let database = try await Database.open(at: FilePath(database), options: options, collections: records)
        let outcome: Swift.Result<(Loader.Result, Loader.BadLine?), any Error>
        do {
            outcome = .success(try await load(lines, into: database, records, console))
        } catch {
            outcome = .failure(error)
        }
        let newest = database.commitNumber
        try await database.close()
        let (result, bad) = try outcome.get()
        try report(result, bad, newest, console)
    }

    private func open() throws -> LineReader {
        do {
            return try LineReader(file)
        } catch let error as Errno {
            throw Failure(
                error == .noSuchFileOrDirectory ? "notFound" : "ioFailed", "\(file): \(error)",
                place: .init(file: file),
                exitCode: error == .noSuchFileOrDirectory ? 3 : 6)
        }
    }

    private func load(
        _ lines: LineReader, into database: Database, _ records: RecordCollection<CBORValue, NoMetadata>,
        _ console: Console
    ) async throws -> (Loader.Result, Loader.BadLine?) {
        if console.isWatched { Interruption.listen() }
        var loader = Loader(database: database, collection: records, keyField: key)
        loader.batchCount = batch
        loader.skipsBadLines = skipBad
        loader.isInterrupted = { Interruption.isRequested }
        var bar = ProgressBar(console, "loading", unit: "records")
        defer { bar.finish() }
        return try await loader.run(lines) {
            bar.update(done: lines.progress.done, of: lines.progress.total, counted: $0.records)
        }
    }

    private func report(
        _ result: Loader.Result, _ bad: Loader.BadLine?, _ newest: CommitNumber, _ console: Console
    ) throws {
        for line in result.badLines { try console.err.write("\(file):\(line.number): \(line.reason.plain)\n") }
        let more = result.badCount - result.badLines.count
        if more > 0 { try console.err.write("… and \(more.grouped) more bad lines\n") }
        let json: CBORValue = [
            "records": .count(result.records), "inserted": .count(result.inserted),
            "replaced": .count(result.records - result.inserted), "bad": .count(result.badCount),
            "commits": .count(result.commits), "newest": .number(newest),
        ]
        let lines = [
            ("loaded", "\(result.records.grouped) records into \(collection.plain)"),
            ("new", "\(result.inserted.grouped), replaced \((result.records - result.inserted).grouped)"),
            ("commits", "\(result.commits.grouped), the newest is \(newest)"),
        ]
        try PropertyWriter.write(
            result.badCount > 0 ? lines + [("bad lines", result.badCount.grouped)] : lines, json: json,
            output.format(on: console), console)
        if let bad {
            throw Failure(
                "badLine",
                "line \(bad.number) of \(file): \(bad.reason). The \(result.records) records before it are in the database; mend the line, or pass it over with --skip-bad.",
                place: .init(file: "\(file):\(bad.number)"), exitCode: 64)
        }
        if result.isInterrupted {
            throw Failure(
                "interrupted",
                "interrupted; \(result.records.grouped) records are in the database. Load again to go on.",
                exitCode: 130)
        }
    }
}
