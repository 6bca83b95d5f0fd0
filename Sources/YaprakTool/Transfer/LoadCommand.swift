import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Loads an NDJSON file into a collection, or restores a dump.",
        usage: """
            yaprak load <file> <database> --collection <name> --key <field> [<options>]
            yaprak load <dump> <database> [--replace] [<options>]
            """,
        discussion: """
            Each line is a JSON object; the field that --key names becomes the record's key. An existing record is \
            replaced. A dump, as `yaprak dump` makes it, names the collections of its records; with --replace every \
            record that is not in the dump is removed. The file may be plain or in LZ4 frames; - reads standard input. The \
            database is created if it is absent; its history is kept.

            A bad line ends the loading with its number and exit code 64; the records before it are in the database. With \
            --skip-bad bad lines are counted and skipped.

              yaprak load cities.ndjson world.yaprak --collection cities --key id
              yaprak load world.ndjson copy.yaprak
            """)

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Argument(help: "The database's directory; created if absent.")
    var database: String

    @Option(help: "The collection; of a dump, the only one to load.")
    var collection: String?

    @Option(help: ArgumentHelp("The field that is the key: a text or an integer.", valueName: "field"))
    var key: String?

    @Option(help: ArgumentHelp("How many records go into one commit.", valueName: "count"))
    var batch = 1000

    @Flag(help: "Skip bad lines and count them.")
    var skipBad = false

    @Flag(help: "Remove records that are not in the dump.")
    var replace = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(batch) else { throw ValidationError("--batch takes 1 to 1000000") }
        if key != nil {
            guard collection != nil else { throw ValidationError("--key goes with --collection") }
            if replace { throw ValidationError("--replace is for dumps, which have no --key") }
        } else if skipBad {
            throw ValidationError("--skip-bad is not for dumps; for other files give --key")
        }
    }

    func run() async throws {
        let console = Invocation.console
        let lines = try open()
        var options = DatabaseOptions()
        // Loading prunes nothing: that is up to the program that owns the database.
        options.retention = .all
        options.clock = Invocation.clock
        if let collection, let key { return try await load(lines, collection, key, options, console) }
        guard let first = try lines.next(), ReplayDumpHeader.isHeader(first) else {
            throw Failure(
                "usage", "\(file) is not a dump: give --collection and --key for its lines",
                place: .init(file: file), exitCode: 64)
        }
        try await load(lines, dump: try ReplayDumpHeader(first), options, console)
    }

    // MARK: Dumps

    private func load(
        _ lines: LineReader, dump header: ReplayDumpHeader, _ options: DatabaseOptions, _ console: Console
    ) async throws {
        let database = try await Database.open(at: FilePath(database), options: options)
        if console.isWatched { Interruption.listen() }
        var loader = DumpLoader(database: database, header: header)
        loader.collection = collection
        loader.batchCount = batch
        loader.replaces = replace
        loader.isInterrupted = { Interruption.isRequested }
        var bar = ProgressBar(console, "loading", unit: "records")
        defer { bar.finish() }
        let wasEmpty = database.snapshot.count == 0
        let outcome: Swift.Result<DumpLoader.Result, any Error>
        do {
            outcome = .success(
                try await loader.run(lines, file) {
                    bar.update(done: lines.progress.done, of: lines.progress.total, counted: $0.records)
                })
        } catch {
            outcome = .failure(error)
        }
        let newest = database.commitNumber
        try await database.close()
        let result = try outcome.get()
        try report(result, newest, console)
        // All of the dump and nothing else is there now; then it has to be what was dumped.
        if header.digest != nil, collection == nil, replace || wasEmpty, !result.isExact {
            throw Failure(
                "differs",
                "the records are not those that were dumped: the digest of the dump differs. Was it edited?",
                exitCode: 1)
        }
    }

    private func report(_ result: DumpLoader.Result, _ newest: CommitNumber, _ console: Console) throws {
        let same = result.records - result.inserted - result.changed
        let json: CBORValue = [
            "records": .count(result.records), "inserted": .count(result.inserted),
            "replaced": .count(result.changed), "unchanged": .count(same), "removed": .count(result.removed),
            "commits": .count(result.commits), "newest": .number(newest), "exact": .bool(result.isExact),
        ]
        let lines = [
            ("loaded", "\(result.records.grouped) records"),
            ("new", "\(result.inserted.grouped), replaced \(result.changed.grouped), unchanged \(same.grouped)"),
            ("removed", result.removed.grouped),
            ("commits", "\(result.commits.grouped), the newest is \(newest)"),
            (
                "exact",
                result.isExact ? "yes, the digest is that of the dump" : "no, the records differ from the dump"
            ),
        ]
        try PropertyWriter.write(lines, json: json, output.format(on: console), console)
        if result.isInterrupted { throw Self.interrupted(result.records) }
    }

    private static func interrupted(_ records: Int) -> Failure {
        Failure(
            "interrupted", "interrupted; \(records.grouped) records are in the database. Load again to continue.",
            exitCode: 130)
    }

    // MARK: Lines

    private func load(
        _ lines: LineReader, _ collection: String, _ key: String, _ options: DatabaseOptions, _ console: Console
    ) async throws {
        let records = RecordCollection<CBORValue, NoMetadata>(collection)
        let database = try await Database.open(at: FilePath(database), options: options, collections: records)
        let outcome: Swift.Result<(Loader.Result, Loader.BadLine?), any Error>
        do {
            outcome = .success(try await load(lines, into: database, records, key, console))
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
        _ key: String, _ console: Console
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
            ("loaded", "\(result.records.grouped) records into \((collection ?? "").plain)"),
            ("new", "\(result.inserted.grouped), replaced \((result.records - result.inserted).grouped)"),
            ("commits", "\(result.commits.grouped), the newest is \(newest)"),
        ]
        try PropertyWriter.write(
            result.badCount > 0 ? lines + [("bad lines", result.badCount.grouped)] : lines, json: json,
            output.format(on: console), console)
        if let bad {
            throw Failure(
                "badLine",
                "line \(bad.number) of \(file): \(bad.reason). The \(result.records) records before it are in the "
                    + "database; correct the line, or skip it with --skip-bad.",
                place: .init(file: "\(file):\(bad.number)"), exitCode: 64)
        }
        if result.isInterrupted { throw Self.interrupted(result.records) }
    }
}
