import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak

/// Where the data of a subcommand goes, if not to standard output.
struct FileOptions: ParsableArguments {
    @Option(name: .customLong("output"), help: "The file to write; standard output by default.", completion: .file())
    var name: String?

    @Flag(help: "Replace the file if it is there.")
    var overwrite = false

    /// The file; `nil` for standard output, which `-` is, too.
    var path: String? { name == "-" ? nil : name }

    /// For subcommands that write to no file but this one.
    func checkOverwriting() throws {
        if overwrite, path == nil { throw ValidationError("--overwrite goes with --output FILE") }
    }

    /// Calls `body` with a console whose data go to the file, or to standard output.
    func write(on console: Console, _ body: (Console) throws -> Void) throws {
        guard let path else { return try body(console) }
        try Self.write(to: path, overwrites: overwrite, on: console, body)
    }

    /// Calls `body` with a console whose data go to a file. Ctrl-C ends it where `body` asks for it, and leaves no file.
    ///
    /// - Parameters:
    ///   - alternative: what else can be chosen where the file is there already.
    ///   - sync: makes a file or a directory durable; another one in tests.
    static func write(
        to path: String, overwrites: Bool, on console: Console, alternative: String = "another name",
        sync: @escaping (FileDescriptor) throws -> Void = OutputFile.synchronize, _ body: (Console) throws -> Void
    ) throws {
        Interruption.listen()
        do {
            let file = try OutputFile(FilePath(path), overwrites: overwrites, sync: sync)
            try body(Console(out: file.sink, err: console.err, isWatched: console.isWatched))
            // A walk over records that is interrupted ends early, without an error: what it wrote is not all of them.
            if Invocation.isInterrupted() { throw CancellationError() }
            try file.finish()
        } catch let error as OutputFile.NotDurable {
            throw Failure(
                "syncFailed",
                "\(path) is complete and in its place, but the disk has not confirmed its name (\(error.cause)): a power cut "
                    + "may take it away.",
                place: .init(file: path), exitCode: 6, hint: "Check the device, and copy the file to another.")
        } catch let error as Errno {
            let isTaken = error == .fileExists
            throw Failure(
                isTaken ? "alreadyExists" : "ioFailed",
                isTaken
                    ? "\(path) exists already. Remove it, choose \(alternative), or add --overwrite."
                    : "\(path): \(error)", place: .init(file: path),
                exitCode: isTaken ? 5 : error == .noSuchFileOrDirectory ? 3 : 6)
        }
    }
}
