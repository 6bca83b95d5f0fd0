import ArgumentParser
import Foundation
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the records of a collection for other programs.",
        usage: """
            yaprak export <database> <collection> [<options>]
            yaprak export <database> --each-collection <directory> [<options>]
            """,
        discussion: """
            In CSV, Markdown and tables each field of the objects is a column; nested fields are called a.b. The key is \
            $key, metadata is $metadata or $metadata.a, an object without fields is a dot, and so is one with a field of \
            such a name. JSON has the objects as they are. Values that a format does not have become text; `yaprak dump` loses \
            nothing.

            The ending of a file's name sets its format, unless --format is given: .csv, .json, .ndjson, .md.

              yaprak export world.yaprak cities --output cities.csv
              yaprak export world.yaprak cities --columns '$key,name' --where '.population > 1000000' --format markdown
              yaprak export world.yaprak cities --sort .population --descending --limit 10
              yaprak export world.yaprak --each-collection world --format csv --at @{yesterday}
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The collection.", completion: .collection)
    var collection: String?

    @Option(
        help: ArgumentHelp("As of this commit; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(
        help: ArgumentHelp(
            "These columns of the collection, separated by commas; all by default.", valueName: "names"))
    var columns: String?

    @OptionGroup var choice: ChoiceOptions

    @Option(
        help: ArgumentHelp("A file for each collection, in this directory.", valueName: "directory"),
        completion: .directory)
    var eachCollection: String?

    @OptionGroup var file: FileOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    func validate() throws {
        guard (collection == nil) != (eachCollection == nil) else {
            throw ValidationError("give a collection, or --each-collection")
        }
        if eachCollection == nil {
            try file.checkOverwriting()
            try checkEnding()
        } else if file.name != nil {
            throw ValidationError("--output is for one collection")
        } else if columns != nil {
            throw ValidationError(
                "--columns is for one collection: others have other fields. Export each alone, or leave it out")
        }
        if let columns, ColumnList.names(columns).isEmpty { throw ValidationError("--columns names no column") }
    }

    /// Refuses endings by which `yaprak load` would take a file for something else.
    private func checkEnding() throws {
        guard output.format == nil, let name = file.path?.lowercased(),
            let ending = [".tsv", ".lz4"].first(where: { name.hasSuffix($0) })
        else { return }
        throw ValidationError(
            "no format is known by the ending \(ending): give --format, or .csv, .json, .ndjson, .md or .txt")
    }

    func run() async throws {
        let choice = try choice.choice()
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.state(at: reader.commitNumber(at: at))
        try choice.noteAbsentCollections(in: snapshot)
        let exporter = Exporter(snapshot: snapshot, choice: choice, columns: columns.map(ColumnList.names))
        if let eachCollection { return try exportAll(exporter, into: eachCollection, Invocation.console) }
        guard let collection else { return }
        try snapshot.require(collection)
        let format = output.format ?? file.path.flatMap(OutputFormat.init(fileName:))
        try file.write(on: file.path == nil ? paging.console() : Invocation.console) { console in
            try exporter.write(collection, format ?? output.format(on: console), console)
        }
    }

    private func exportAll(_ exporter: Exporter, into directory: String, _ console: Console) throws {
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            let error = Errno(rawValue: errno)
            throw Failure("ioFailed", "\(directory): \(error)", place: .init(file: directory), exitCode: 6)
        }
        let format = output.format ?? .ndjson
        var taken: Set<String> = []
        var rows = RowWriter(
            console.isTerminal ? .table : .ndjson,
            [Column(name: "collection"), Column(name: "records", isNumber: true), Column(name: "file")], console)
        do {
            for name in exporter.snapshot.collectionNames {
                let path = directory + "/" + OutputFile.name(for: name, ending: format.fileEnding, taken: &taken)
                var count = 0
                try FileOptions.write(
                    to: path, overwrites: file.overwrite, on: console, alternative: "another directory"
                ) { console in
                    count = try exporter.write(name, format, console)
                }
                try rows.write([.text(name), .count(count), .text(path)])
            }
        } catch {
            // The files before it are there.
            try? rows.finish()
            throw error
        }
        try rows.finish()
    }
}

extension OutputFormat {
    /// How the names of files in this format end.
    var fileEnding: String {
        switch self {
        case .table: "txt"
        case .markdown: "md"
        case .json, .ndjson, .csv: rawValue
        }
    }

    /// The format for the ending of a file's name.
    init?(fileName: String) {
        guard let ending = fileName.split(separator: ".").last.map({ $0.lowercased() }),
            let format = Self.allCases.first(where: { $0.fileEnding == ending })
        else { return nil }
        self = format
    }
}
