import ArgumentParser
import YaprakReplay

/// The options of subcommands that look at a stretch of the log. Both ends are part of it.
struct BoundOptions: ParsableArguments {
    @Option(
        name: [.customLong("from"), .customLong("since")],
        help: ArgumentHelp(
            "Begin with this commit, or with what was made at this time.", valueName: "position or time"),
        completion: .position, transform: LogBound.argument)
    var from: LogBound?

    @Option(
        help: ArgumentHelp("End with this commit, or with what was made at this time.", valueName: "position or time"),
        completion: .position, transform: LogBound.argument)
    var until: LogBound?

    /// The bounds in a log.
    func bounds(in reader: ReplayReader) throws -> LogBounds {
        try LogBounds(from: from, until: until, in: reader, now: Invocation.clock())
    }
}
