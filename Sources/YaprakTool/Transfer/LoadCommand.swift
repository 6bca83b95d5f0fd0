import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Loads NDJSON, JSON or CSV into a collection, or restores a dump.",
        usage: """
            yaprak load <file> <database> --collection <name> [--key <field>] [<options>]
            yaprak load <dump> <database> [--replace] [<options>]
            """,
        discussion: """
            Lines of JSON objects, an array of objects, or CSV whose first line names the fields (a.b is the field b of a). \
            The ending of the file's name says which, or --input. The field that --key names becomes the record's key; \
            without it \
            $key is the key, as `yaprak export` writes it, and what was exported comes back. An existing record is replaced, \
            an equal one is left alone.

            A dump, as `yaprak dump` makes it, names the collections of its records; with --replace every record that is not in \
            the dump is removed. The file may be plain or in LZ4 frames; - reads standard input. The database is created if \
            it is absent; its history is kept.

            A bad record ends the loading with its line and exit code 64; the records before it are in the database. With \
            --skip-bad bad ones are counted and skipped.

              yaprak load cities.ndjson world.yaprak --collection cities --key id
              yaprak load flights.csv world.yaprak --collection flights --key-template '{carrier}{number}-{origin}'
              yaprak load world.ndjson copy.yaprak
            """)

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    @Argument(help: "The database's directory; created if absent.", completion: .database)
    var database: String

    @Option(help: "The collection; of a dump, the only one to load.", completion: .collection)
    var collection: String?

    @Option(
        help: ArgumentHelp(
            "The field to use as the key, a text or an integer: id, or a.b for a nested field.", valueName: "field"))
    var key: String?

    @Option(
        help: ArgumentHelp("A key made of several fields: '{carrier}{number}-{origin}'.", valueName: "template"))
    var keyTemplate: String?

    @Option(help: "ndjson, json or csv; by the file's name or beginning if absent.")
    var input: RecordSource.Form?

    @Option(help: ArgumentHelp("The separator of cells in CSV: a character, or tab.", valueName: "character"))
    var separator: String?

    @Option(help: ArgumentHelp("How many records go into one commit.", valueName: "count"))
    var batch = 1000

    @Flag(help: "Skip bad records and count them.")
    var skipBad = false

    @Flag(help: "Also remove records that are not in the dump.")
    var replace = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(batch) else { throw ValidationError("--batch takes 1 to 1000000") }
        if key != nil, keyTemplate != nil { throw ValidationError("give one of --key and --key-template") }
        if isOfRecords {
            guard collection != nil else { throw ValidationError("name the collection with --collection") }
            if replace { throw ValidationError("--replace is for dumps") }
        }
        _ = try keyRule()
        if separatorByte == nil { throw ValidationError("--separator takes one character of ASCII, or tab") }
    }

    /// Whether the arguments say that the file is no dump.
    private var isOfRecords: Bool { key != nil || keyTemplate != nil || input != nil || separator != nil || skipBad }

    private func keyRule() throws -> KeyRule {
        if let keyTemplate { return try KeyRule(template: keyTemplate) }
        return key.map { KeyRule(field: $0) } ?? .exported
    }

    private var separatorByte: UInt8? {
        guard let separator else { return RecordSource.hasTabs(file) ? 0x09 : UInt8(ascii: ",") }
        if separator == "tab" || separator == "\\t" { return 0x09 }
        let bytes = Array(separator.utf8)
        return bytes.count == 1 && bytes[0] < 0x80 && ![0x0a, 0x0d, 0x22].contains(bytes[0]) ? bytes[0] : nil
    }

    func run() async throws {
        let console = Invocation.console
        let bytes = try open()
        var options = DatabaseOptions()
        // Loading prunes nothing: that is up to the program that owns the database.
        options.retention = .all
        options.clock = Invocation.clock
        if !isOfRecords {
            // A dump says so itself, and may be loaded whole or for one collection.
            if ReplayDumpHeader.isHeader(try firstLine(of: bytes)) {
                let lines = LineReader(bytes)
                guard let first = try lines.next() else { return }
                return try await load(lines, dump: try ReplayDumpHeader(first), options, console)
            }
            if replace {
                throw Failure(
                    "usage", "--replace is for dumps, and \(file) is not one", place: .init(file: file), exitCode: 64,
                    hint: "Without it, records are inserted and replaced, and none are removed.")
            }
            if collection == nil {
                throw Failure(
                    "usage", "\(file) is not a dump: name the collection of its records with --collection",
                    place: .init(file: file), exitCode: 64)
            }
        }
        let form = try input ?? RecordSource.form(of: file, bytes)
        let source = try RecordSource(bytes, form, separator: separatorByte ?? UInt8(ascii: ","))
        try await load(source, collection ?? "", options, console)
    }

    // MARK: Dumps

    /// The first line. That of a dump may be long, since it names all collections; of another long one it is the beginning.
    private func firstLine(of bytes: ByteSource) throws -> ArraySlice<UInt8> {
        var start = try bytes.peek()
        let letters = start.prefix(100).filter { $0 != 0x20 && $0 != 0x09 }
        if letters.starts(with: #"{"yaprak":"dump""#.utf8) { start = try bytes.peek(upTo: LineReader.lineBytesMax) }
        return start.prefix { $0 != 0x0a }
    }

    private func load(
        _ lines: LineReader, dump header: ReplayDumpHeader, _ options: DatabaseOptions, _ console: Console
    ) async throws {
        // Before the database is made: with --replace all of a collection that the dump lacks would be removed.
        if let collection, header.counts[collection] == nil {
            throw Failure(
                "notFound", "\(file) has no collection \(collection.debugDescription)",
                place: .init(file: file, collectionName: collection), exitCode: 3,
                hint: Suggestion.sentence(for: collection, among: header.counts.keys.sorted()))
        }
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
        var result = DumpLoader.Result()
        do {
            try await loader.run(lines, file, into: &result) {
                bar.update(done: lines.progress.done, of: lines.progress.total, counted: $0.records)
            }
        } catch {
            // What ended the loading counts, whatever ends the closing.
            try? await database.close()
            if error is CancellationError { throw Self.interrupted(result.records) }
            throw unread(error, "line \(lines.number)", result.records) ?? error
        }
        let newest = database.commitNumber
        try await database.close()
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
            ("loaded", result.records.counted("record")),
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
            "interrupted", "interrupted; \(Loader.kept(records)). Load again to continue.",
            exitCode: 130)
    }

    // MARK: Records

    private func load(
        _ source: RecordSource, _ collection: String, _ options: DatabaseOptions, _ console: Console
    ) async throws {
        let database = try await Database.open(at: FilePath(database), options: options)
        var result = Loader.Result()
        let bad: Loader.BadRecord?
        do {
            bad = try await load(source, into: database, collection, &result, console)
        } catch {
            let newest = database.commitNumber
            // What ended the loading counts, whatever ends the closing.
            try? await database.close()
            // What was loaded and skipped before that.
            if result.records + result.badCount > 0 { try? report(result, source.unit, newest, console) }
            if error is CancellationError { throw Self.interrupted(result.records) }
            throw unread(error, "\(source.unit) \(result.number)", result.records) ?? error
        }
        let newest = database.commitNumber
        try await database.close()
        try report(result, source.unit, newest, console)
        if let bad {
            let count = result.records
            let before = count == 1 ? "The record before it is" : "The \(count.counted("record")) before it are"
            throw Failure(
                "badLine",
                "\(source.unit) \(bad.number) of \(file): \(bad.reason). \(before) in the database; correct it, or "
                    + "skip it with --skip-bad.",
                place: .init(file: "\(file):\(bad.number)"), exitCode: 64)
        }
        if result.isInterrupted { throw Self.interrupted(result.records) }
    }

    /// The failure for a file that can't be read on behind a place; `nil` for other errors.
    private func unread(_ error: any Error, _ place: String, _ records: Int) -> Failure? {
        guard error is InputError || error is Errno, let cause = Failure(error) else { return nil }
        return Failure(
            cause.code,
            "\(file) can't be read on behind \(place): \(cause.message). \(Loader.kept(records)).",
            place: .init(file: file), exitCode: cause.exitCode,
            hint: "Correct the file, and load it again: equal records are left alone.")
    }

    private func open() throws -> ByteSource {
        do {
            return try ByteSource(file)
        } catch let error as Errno {
            throw Failure(
                error == .noSuchFileOrDirectory ? "notFound" : "ioFailed", "\(file): \(error)",
                place: .init(file: file),
                exitCode: error == .noSuchFileOrDirectory ? 3 : 6)
        }
    }

    private func load(
        _ source: RecordSource, into database: Database, _ collection: String, _ result: inout Loader.Result,
        _ console: Console
    ) async throws -> Loader.BadRecord? {
        if console.isWatched { Interruption.listen() }
        var loader = Loader(database: database, collection: collection, key: try keyRule())
        loader.batchCount = batch
        loader.skipsBad = skipBad
        loader.isInterrupted = { Interruption.isRequested }
        var bar = ProgressBar(console, "loading", unit: "records")
        defer { bar.finish() }
        return try await loader.run(source, into: &result) {
            bar.update(done: source.progress.done, of: source.progress.total, counted: $0.records)
        }
    }

    private func report(
        _ result: Loader.Result, _ unit: String, _ newest: CommitNumber, _ console: Console
    ) throws {
        for bad in result.bad {
            try console.err.write("\(file.printable):\(bad.number): \(bad.reason.plain)\n")
        }
        let more = result.badCount - result.bad.count
        if more > 0 { try console.err.write("… and \(more.grouped) more bad \(more.word(unit))\n") }
        let json: CBORValue = [
            "records": .count(result.records), "inserted": .count(result.inserted),
            "replaced": .count(result.changed), "unchanged": .count(result.unchanged), "bad": .count(result.badCount),
            "commits": .count(result.commits), "newest": .number(newest),
        ]
        let lines = [
            ("loaded", "\(result.records.counted("record")) into \((collection ?? "").plain)"),
            (
                "new",
                "\(result.inserted.grouped), replaced \(result.changed.grouped), unchanged \(result.unchanged.grouped)"
            ),
            ("commits", "\(result.commits.grouped), the newest is \(newest)"),
        ]
        try PropertyWriter.write(
            result.badCount > 0 ? lines + [("bad \(unit)s", result.badCount.grouped)] : lines, json: json,
            output.format(on: console), console)
    }
}

extension RecordSource.Form: ExpressibleByArgument {}
