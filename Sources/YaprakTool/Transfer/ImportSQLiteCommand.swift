import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR

#if SQLite
    import YaprakImport
#endif

struct ImportSQLiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sqlite", abstract: "Imports the file of a YapDatabase.",
        usage: "yaprak import sqlite <file> [--into <database>] [<options>]",
        discussion: """
            Each row becomes a record with the same collection and key, and with its metadata. Objects that were stored as \
            binary property lists (Codable), keyed archives (NSCoding) or JSON become records with their fields; others are \
            kept as bytes. A row that can't be read has a line on standard error, and the import goes on. The file is only \
            read; a log of SQLite beside it is read with it.

            Without --into the file is read, and what an import would find is printed. An import that was interrupted is \
            run again: records that are there already are left alone, unless --replace is given. Exit code 1 says that \
            rows are missing, because the file is damaged or the database refuses them. This subcommand is available \
            if yaprak was built with the trait SQLite. In the shell, --into without a name means its database.

              yaprak import sqlite old.sqlite
              yaprak import sqlite old.sqlite --into new.yaprak --collection books --collection authors
            """)

    @Argument(help: "The file that YapDatabase wrote.", completion: .file())
    var file: String

    @Option(help: "The database's directory; created if absent.", completion: .database)
    var into: String?

    @Option(help: "Only this collection; may be given several times.")
    var collection: [String] = []

    @Option(help: ArgumentHelp("How many rows go into one commit.", valueName: "count"))
    var batch = 1000

    @Flag(help: "Replace records that the database has already.")
    var replace = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(batch) else { throw ValidationError("--batch takes 1 to 1000000") }
    }

    func run() async throws {
        #if SQLite
            let console = Invocation.console
            let old = try plan()
            let report: ImportReport
            if console.isWatched { Interruption.listen() }
            if let into {
                report = try await run(old, into: into, console)
            } else {
                report = try survey(old, console)
            }
            try Invocation.show { try print(report, console) }
            if !report.isComplete { throw Self.interrupted(report) }
            if report.leftOutCount > 0 { throw ExitCode(1) }
        #else
            throw Failure(
                "notBuiltIn",
                "this yaprak was built without SQLite. Build it with the trait: "
                    + "`swift build -c release --product yaprak --traits SQLite`.", exitCode: 64)
        #endif
    }

    #if SQLite
        private func plan() throws -> YapDatabaseImport {
            var old = YapDatabaseImport(FilePath(file))
            old.batchCount = batch
            old.origin = "yaprak import"
            old.replacesExisting = replace
            // Also where all are wanted: nothing is created for a file that can't be imported.
            let names = try old.collections().map(\.name)
            if !collection.isEmpty { old.rest = .skipped }
            for name in collection {
                // All spellings of it: the file compares names by their bytes, a person by what is seen.
                let found = names.filter { $0 == name }
                guard !found.isEmpty else {
                    throw Failure(
                        "notFound", "\(file) has no collection \(name.debugDescription)",
                        place: .init(collectionName: name),
                        exitCode: 3, hint: Suggestion.sentence(for: name, among: names))
                }
                for name in found { old.keep(name) }
            }
            return old
        }

        private func run(_ old: YapDatabaseImport, into path: String, _ console: Console) async throws -> ImportReport {
            var options = DatabaseOptions()
            // Importing prunes nothing: that is up to the program that owns the database.
            options.retention = .all
            options.clock = Invocation.clock
            let database = try await Database.open(at: FilePath(path), options: options)
            var bar = ProgressBar(console, "importing", unit: "rows")
            let outcome: Swift.Result<ImportReport, any Error>
            do {
                outcome = .success(
                    try await old.run(
                        into: database,
                        progress: { report in
                            bar.update(done: report.rowCount, of: report.totalRowCount, counted: report.rowCount)
                            return !Interruption.isRequested
                        },
                        note: { note in
                            bar.finish()
                            Self.say(note, console)
                        }))
            } catch {
                outcome = .failure(error)
            }
            bar.finish()
            try await database.close()
            return try outcome.get()
        }

        private func survey(_ old: YapDatabaseImport, _ console: Console) throws -> ImportReport {
            var bar = ProgressBar(console, "reading", unit: "rows")
            defer { bar.finish() }
            return try old.survey(
                progress: { report in
                    bar.update(done: report.rowCount, of: report.totalRowCount, counted: report.rowCount)
                    return !Interruption.isRequested
                },
                note: { note in
                    bar.finish()
                    Self.say(note, console)
                })
        }

        private static func say(_ note: ImportNote, _ console: Console) {
            // A closed standard error ends nothing.
            try? console.err.write("\(note.description.printable)\n")
        }

        private static func interrupted(_ report: ImportReport) -> Failure {
            Failure(
                "interrupted", "interrupted after \(report.rowCount.counted("row")). Import again to continue.",
                exitCode: 130)
        }

        private func print(_ report: ImportReport, _ console: Console) throws {
            let columns = [
                Column(name: "collection", isKept: true), Column(name: "rows", isNumber: true),
                Column(name: "new", isNumber: true), Column(name: "replaced", isNumber: true),
                Column(name: "unchanged", isNumber: true), Column(name: "leftOut", isNumber: true),
                Column(name: "forms"), Column(name: "metadata"),
            ]
            var rows = RowWriter(output.format(on: console), columns, console)
            for one in report.collections where one.target != nil {
                let counts: [CBORValue] =
                    into == nil
                    ? [.null, .null, .null]
                    : [.count(one.insertedCount), .count(one.replacedCount), .count(one.unchangedCount)]
                let cells = [.text(one.target ?? one.name), .count(one.rowCount)] + counts + [.count(one.leftOutCount)]
                let forms = [one.forms, one.metadataForms]
                let pairs = zip(columns, cells + forms.map(Self.json)).map {
                    CBORValue.Pair(.text($0.name), $1)
                }
                try rows.write(cells + forms.map { .text(Self.text(of: $0)) }, json: .map(pairs))
            }
            try rows.finish()
        }

        private static func json(_ forms: [StoredValue.Form: Int]) -> CBORValue {
            .map(
                forms.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    .init(.text($0.key.rawValue), .count($0.value))
                })
        }

        private static func text(of forms: [StoredValue.Form: Int]) -> String {
            let sorted = forms.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            return sorted.map { "\($0.key) \($0.value.grouped)" }.joined(separator: ", ")
        }
    #endif
}
