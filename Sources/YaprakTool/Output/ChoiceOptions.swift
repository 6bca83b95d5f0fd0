import ArgumentParser
import Yaprak
import YaprakReplay

/// Which records of a collection, and in which order.
struct ChoiceOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only records for which this expression is true.", valueName: "expression"))
    var condition: String?

    @Option(
        name: .customLong("sort"),
        help: ArgumentHelp("In the order of this value; of their keys by default.", valueName: "expression"))
    var order: String?

    @Flag(help: "The greatest value of --sort first.")
    var descending = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long],
        help: ArgumentHelp("At most this many records.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit takes a count of 0 or more") }
        if descending, order == nil { throw ValidationError("--descending goes with --sort") }
    }

    /// Whether anything was asked for.
    var isEmpty: Bool { condition == nil && order == nil && limit == nil }

    /// - Throws: `ReplayExpressionError`.
    func choice(prefix: String = "") throws -> RecordChoice {
        RecordChoice(
            prefix: prefix.normalizedKey,
            condition: try condition.map { text in try ReplayExpression(text, about: .record) },
            order: try order.map { text in try ReplayExpression(text, about: .record) }, isDescending: descending,
            limit: limit)
    }
}
