import ArgumentParser
import ToolSupport

/// The options of subcommands with long output.
struct PagingOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Show long output with YAPRAK_PAGER, PAGER or `less -FRX`; on a terminal that is the default.")
    var pager = true

    /// Where the output goes: through a pager if a person reads it and does not refuse one.
    func console() throws -> Console {
        let console = Invocation.console
        guard pager, console.isTerminal, console.isAddressable, let pager = Pager.start() else { return console }
        return Console(
            out: pager.sink, err: console.err, isTerminal: true, width: console.width, usesColor: console.usesColor)
    }
}
