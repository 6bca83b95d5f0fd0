import ArgumentParser
import ToolSupport
import Yaprak
import YaprakCBOR
import YaprakReplay

struct TagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Tags a commit, or lists the tags.",
        usage: """
            yaprak tag <database>
            yaprak tag <database> <name> [<position>] [--force]
            yaprak tag <database> <name> --delete
            """,
        discussion: """
            A tag can be used wherever a position can. Tags are in a text file beside the log, so a program may be \
            writing meanwhile. Exit code 5 means that the name is taken; --force moves it.

              yaprak tag world.yaprak before-import
              yaprak diff world.yaprak before-import..@
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(
        help:
            "The name: not a number; no white space, no @ ~ ^ { }, no two dots in a row, no - + . in front, no . behind.",
        completion: .tag,
        transform: { text in
            guard let name = LogTag.Name(written: text) else {
                throw Self.invalid(text)
            }
            return name
        })
    var name: LogTag.Name?

    @Argument(help: "The commit; the newest by default.", completion: .position, transform: LogPosition.argument)
    var position: LogPosition?

    @Flag(name: .shortAndLong, help: "Delete the tag.")
    var delete = false

    @Flag(name: .shortAndLong, help: "Move the tag if the name is taken.")
    var force = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var paging: PagingOptions

    private static func invalid(_ text: String) -> ValidationError {
        ValidationError(
            "\(text.debugDescription) is not a valid name of a tag. Use 1 to 255 bytes that are not a number, do not begin "
                + "with - + or . and do not end with ., without white space, control characters, any of @ ~ ^ { }, or two "
                + "dots in a row")
    }

    func validate() throws {
        // One that is there already can be deleted.
        if let name, !delete, LogTag.Name(name.description) == nil { throw Self.invalid(name.description) }
        if delete, name == nil || position != nil || force { throw ValidationError("--delete takes a name alone") }
        if force, name == nil { throw ValidationError("--force takes a name") }
    }

    func run() async throws {
        let console = Invocation.console
        let reader = try ReplayReader.open(database)
        guard let name else { return try list(reader, on: paging.console()) }
        if delete {
            guard let number = try reader.removeTag(name) else {
                throw Failure(
                    "notFound", "there is no tag \(name.description.debugDescription)", exitCode: 3,
                    hint: "Run `yaprak tag \(database)` to list the tags.")
            }
            try console.err.write("tag \(name.description.plain) of commit \(number) deleted\n")
            return
        }
        let number = try reader.commitNumber(at: position ?? .newest)
        // Checked first and written then: between the two another process may take the name. Tags can be moved back.
        if !force, let taken = try reader.tags().first(where: { $0.name == name }), taken.number != number {
            throw Failure(
                "alreadyExists", "the tag \(name.description.debugDescription) is at commit \(taken.number) already",
                place: .init(commits: taken.number...taken.number), exitCode: 5, hint: "Use --force to move it.")
        }
        try reader.setTag(name, to: number)
        try console.err.write("tag \(name.description.plain) is at commit \(number)\n")
    }

    private func list(_ reader: ReplayReader, on console: Console) throws {
        var rows = RowWriter(
            output.format(on: console), [Column(name: "name"), Column(name: "commit", isNumber: true)], console)
        for tag in try reader.tags() { try rows.write([.text(tag.name.description), .number(tag.number)]) }
        try rows.finish()
    }
}
