import ArgumentParser
import ToolSupport

struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Prints a script that completes commands in a shell.",
        discussion: """
            Paths are completed, and, from the database, collections, keys, tags and views.

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
        let script = YaprakCommand.completionScript(for: shell)
        try Invocation.console.out.write(Self.completingHelp(script, for: self.shell) + "\n")
    }

    /// The script, and what is completed behind `help`: subcommands. The parser's own `help` takes any words.
    private static func completingHelp(_ script: String, for shell: Shell) -> String {
        let names = YaprakCommand.configuration.subcommands.compactMap { $0.configuration.commandName }.joined(
            separator: " ")
        // The last lines of the scripts of bash and zsh make use of what stands before them.
        var lines: [String] = script.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        switch shell {
        case .bash:
            let last = lines.lastIndex { $0.hasPrefix("complete -o") } ?? lines.count
            lines.insert("_yaprak_help() {\n    COMPREPLY=($(compgen -W '\(names)' -- \"${cur}\"))\n}\n", at: last)
            lines.insert(quotingWords, at: last)
        case .zsh:
            let last = lines.lastIndex { $0.hasPrefix("if [[ \"${funcstack") } ?? lines.count
            lines.insert("_yaprak_help() {\n    _values subcommand \(names)\n}\n", at: last)
        case .fish:
            lines.append("complete -c yaprak -n '__fish_seen_subcommand_from help' -fa '\(names)'")
        }
        return lines.joined(separator: "\n")
    }

    /// Words of a database are quoted by the script. The parser's own takes all offers for names of files, of which bash
    /// leaves `…` and $( as they are: a key could be a command that the return key runs.
    private static let quotingWords = #"""
        __yaprak_add_completions() {
            local completion
            while IFS='' read -r completion; do
                if [[ "${1}" == -W && "${COMP_WORDS[COMP_CWORD]}" != [\"\']* ]]; then
                    compopt +o filenames
                    printf -v completion %q "${completion}"
                fi
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        }

        """#
}
