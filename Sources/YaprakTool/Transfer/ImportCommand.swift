import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports a database of another kind.",
        discussion: """
            What is in text files is loaded by `yaprak load`.

              yaprak import sqlite old.sqlite
              yaprak import sqlite old.sqlite --into new.yaprak
            """,
        subcommands: [ImportSQLiteCommand.self])
}
