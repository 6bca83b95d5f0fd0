import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakReplay

struct DumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump", abstract: "Writes all records as lines of JSON that lose nothing.",
        usage: "yaprak dump <database> [<options>]",
        discussion: """
            The first line says which commit it is and how many records follow; each other line has a record, in ascending \
            order of collection and key. What JSON can't say stands in diagnostic notation under "$cbor". `yaprak load` \
            reads it back.

              yaprak dump world.yaprak > world.ndjson
              yaprak dump world.yaprak --at @~3 --collection cities --where '.population > 1000000'
            """)

    @Argument(help: "The database's directory.")
    var database: String

    @Option(
        help: ArgumentHelp("As of this commit; the newest by default.", valueName: "position"),
        transform: LogPosition.argument)
    var at: LogPosition = .newest

    @Option(help: ArgumentHelp("Only this collection; may be given several times.", valueName: "name"))
    var collection: [String] = []

    @Option(
        name: .customLong("where"), help: ArgumentHelp("Only records that this is true of.", valueName: "expression"))
    var condition: String?

    @OptionGroup var file: FileOptions

    func run() async throws {
        let console = Invocation.console
        let condition = try condition.map { text in try ReplayExpression(text, about: .record) }
        let reader = try ReplayReader.open(database)
        let snapshot = try reader.snapshot(at: reader.commitNumber(at: at))
        for name in collection { try snapshot.require(name) }
        let dump = ReplayDump(of: snapshot, collections: collection.isEmpty ? nil : collection, where: condition)
        try file.write(on: console) { out in
            var bar = ProgressBar(console, "dumping", unit: "records")
            defer { bar.finish() }
            let total = dump.count
            var done = -1
            try dump.forEachLine { line in
                try out.out.write(line + "\n")
                done += 1
                if done % 256 == 0 {
                    if Invocation.isInterrupted() { throw CancellationError() }
                    bar.update(done: done, of: total, counted: done)
                }
            }
        }
    }
}

/// Where the data of a verb goes, if not to standard output.
struct FileOptions: ParsableArguments {
    @Option(name: .customLong("output"), help: "A file to make; standard output by default.")
    var path: String?

    @Flag(help: "Replace the file if it is there.")
    var overwrite = false

    func validate() throws {
        if overwrite, path == nil { throw ValidationError("--overwrite goes with --output") }
    }

    /// Hands a console to `body` whose data goes where it shall go.
    func write(on console: Console, _ body: (Console) throws -> Void) throws {
        guard let path else { return try body(console) }
        try Self.write(to: path, overwrites: overwrite, on: console, body)
    }

    /// Hands a console to `body` whose data goes to a file.
    static func write(
        to path: String, overwrites: Bool, on console: Console, _ body: (Console) throws -> Void
    ) throws {
        do {
            let file = try OutputFile(FilePath(path), overwrites: overwrites)
            try body(Console(out: file.sink, err: console.err, isWatched: console.isWatched))
            try file.finish()
        } catch let error as Errno {
            let isTaken = error == .fileExists
            throw Failure(
                isTaken ? "alreadyExists" : "ioFailed",
                isTaken
                    ? "there is something at \(path) already. Remove it, take another name, or add --overwrite."
                    : "\(path): \(error)", place: .init(file: path),
                exitCode: isTaken ? 5 : error == .noSuchFileOrDirectory ? 3 : 6)
        }
    }
}

extension Snapshot {
    /// Refuses the name of a collection that has no records here.
    func require(_ name: String) throws {
        guard count(inCollectionNamed: name) == 0 else { return }
        let known = collectionNames.map(\.debugDescription).joined(separator: ", ")
        throw Failure(
            "notFound",
            "there is no collection \(name.debugDescription) at commit \(commitNumber)"
                + (known.isEmpty ? ", which has none" : ", which has \(known)"),
            place: .init(commits: commitNumber...commitNumber, collection: name), exitCode: 3)
    }
}
