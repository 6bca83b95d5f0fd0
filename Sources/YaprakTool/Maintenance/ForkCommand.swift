import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct ForkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fork", abstract: "Makes a new database from the history of another one.",
        discussion: """
            The new directory has the state and the history of the database up to a commit, and is independent from then on. \
            Files that are never written again are shared by hard link, which takes almost no time or space; on \
            another file system they are copied. The source is not changed, and may be in use.

              yaprak fork shop.yaprak before.yaprak --at @~100
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "The directory to make; it must not exist.", completion: .directory)
    var target: String

    @Option(
        help: ArgumentHelp("The commit it ends with; the newest by default.", valueName: "position"),
        completion: .position, transform: LogPosition.argument)
    var at: LogPosition?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        let number = try at.map { position throws(DatabaseError) in try reader.commitNumber(at: position) }
        // What is begun is taken away again, and not left under its temporary name.
        Interruption.listen()
        let fork = try reader.making { try $0.fork(at: number, to: FilePath(target)) }
        if let reason = fork.reasonForCopies {
            try console.err.write("yaprak: files were copied, not shared: \(reason.plain)\n")
        }
        try PropertyWriter.write(
            [
                ("forked", "\(database.plain) up to commit \(fork.commitNumber) into \(target.plain)"),
                ("identity", fork.databaseID),
                ("shared", "\(fork.linkedByteCount.bytesText) in \(fork.linkedFileCount.counted("file"))"),
                ("written", "\(fork.copiedByteCount.bytesText) in \(fork.copiedFileCount.counted("file"))"),
                ("tags", "\(fork.tagCount)"),
            ], json: json(fork), output.format(on: console), console)
    }

    private func json(_ fork: ReplayFork) -> CBORValue {
        [
            "path": .text(target), "commit": .number(fork.commitNumber), "identity": .text(fork.databaseID),
            "sharedFiles": .count(fork.linkedFileCount), "sharedBytes": .unsigned(fork.linkedByteCount),
            "writtenFiles": .count(fork.copiedFileCount), "writtenBytes": .unsigned(fork.copiedByteCount),
            "tags": .count(fork.tagCount),
        ]
    }
}
