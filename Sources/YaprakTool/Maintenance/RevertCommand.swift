import ArgumentParser
import ToolSupport
import Yaprak
import YaprakReplay

struct RevertCommand: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert", abstract: "Reverts commits as one new commit.",
        usage: "yaprak revert <database> <commits> [<options>]",
        discussion: """
            Each record that the commits changed becomes what it was before them. a..b are the commits after a, up to b. \
            Nothing is lost: the reverted commits stay in the history, and the new commit can be reverted itself.

            Records that were changed since are conflicts. They are listed and nothing is written, unless --force gives them \
            their old values. --dry-run shows what would be written. No program may have the database open.

            --collection, --key and --where choose changes; the expression is that of `yaprak log --where`. With --field only \
            these fields are reverted, and only they can conflict: what was written to others since stays.

              yaprak revert world.yaprak 17 --dry-run
              yaprak revert world.yaprak @~3..@
              yaprak revert world.yaprak 1.0..@ --where '.delay < 0' --field delay

            Exit codes: 0 reverted, or nothing to do; 3 the files don't reach back that far; 5 conflicts; 6 the database is \
            in use.
            """)

    @Argument(help: "The database's directory.", completion: .database)
    var database: String

    @Argument(help: "A commit, or commits a..b.", completion: .position, transform: RevertedCommits.init)
    var commits: RevertedCommits

    @Flag(help: "Also revert records that were changed since.")
    var force = false

    @Flag(help: "Show what would be written, and write nothing.")
    var dryRun = false

    @OptionGroup var filtering: FilterOptions

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only changes for which this expression is true.", valueName: "expression"))
    var condition: String?

    @Option(help: "Only this field at the top of records; may be given more than once.")
    var field: [String] = []

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Invocation.console
        var reverting = Reverting(
            database: database, force: force, isDryRun: dryRun, origin: "yaprak revert",
            format: output.format(on: console), console: console)
        reverting.choice.collectionName = filtering.collection
        reverting.choice.key = filtering.key
        reverting.choice.condition = try condition.map { text in try ReplayExpression(text, about: .change) }
        if !field.isEmpty { reverting.choice.fields = Set(field) }
        let reader = try ReplayReader.open(database)
        let numbers = try commits.numbers(in: reader)
        if let name = filtering.collection, try reader.state(at: numbers.upperBound).count(inCollectionNamed: name) == 0
        {
            try reader.requireCollection(name)
        }
        if let condition = reverting.choice.condition, !condition.collectionNames.isEmpty {
            try condition.noteAbsentCollections(in: reader.state(at: numbers.upperBound))
        }
        try await reverting.run(numbers, reader)
    }
}
