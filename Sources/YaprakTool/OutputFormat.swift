import ArgumentParser
import ToolSupport

/// The form in which data is printed.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table, json, ndjson, csv, markdown

    /// Whether the arguments ask for JSON; asked also where they don't parse.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        for (index, argument) in arguments.enumerated() {
            if argument == "--format=json" || argument == "--format=ndjson" { return true }
            if argument == "--format", index + 1 < arguments.count {
                return ["json", "ndjson"].contains(arguments[index + 1])
            }
        }
        return false
    }
}

/// What every verb that prints data takes.
struct OutputOptions: ParsableArguments {
    @Option(help: "table, json, ndjson, csv or markdown. By default a table on a terminal, NDJSON in a pipe.")
    var format: OutputFormat?

    /// The format to use on a console.
    func format(on console: Console) -> OutputFormat { format ?? (console.isTerminal ? .table : .ndjson) }
}
