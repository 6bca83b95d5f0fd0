import ArgumentParser

struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Shows views, and the changes in a list of a view.",
        discussion: """
            A manual view can be shown as of any commit. A view that the program computes can be shown as \
            of each checkpoint that has it and, if it logs what commits do to it (persistence: .everyCommit), as of every \
            commit from there on. Exit code 3 says that a commit can't be shown, and which can.

              yaprak view ls departures.yaprak
              yaprak view show departures.yaprak departures --at @~10 --group JFK --limit 5
              yaprak view diff departures.yaprak departures @^ @
            """,
        subcommands: [ViewListCommand.self, ViewShowCommand.self, ViewDiffCommand.self])
}
