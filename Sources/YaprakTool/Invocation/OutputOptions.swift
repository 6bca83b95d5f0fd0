import ArgumentParser
import ToolSupport

/// The options of every subcommand that prints data.
struct OutputOptions: ParsableArguments {
    @Option(help: "table, json, ndjson, csv or markdown. By default a table on a terminal, NDJSON in a pipe.")
    var format: OutputFormat?

    /// The format to use on a console.
    func format(on console: Console) -> OutputFormat { format ?? (console.isTerminal ? .table : .ndjson) }
}
