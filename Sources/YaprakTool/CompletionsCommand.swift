import ArgumentParser
import ToolSupport

struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Prints a script that completes commands in a shell.",
        discussion: """
              yaprak completions bash > ~/.local/share/bash-completion/completions/yaprak
              yaprak completions zsh > "${fpath[1]}/_yaprak"
              yaprak completions fish > ~/.config/fish/completions/yaprak.fish
            """)

    /// The shells there are scripts for.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() async throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try Invocation.console.out.write(YaprakCommand.completionScript(for: shell) + "\n")
    }
}
