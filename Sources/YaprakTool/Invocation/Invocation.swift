import ToolSupport
import Yaprak

/// One run of the tool: arguments in, text and an exit code out. Tests run it against strings.
enum Invocation {
    /// The environment of a run.
    struct Surroundings: Sendable {
        /// Where subcommands write.
        var console = Console.standard()
        /// What time it is, in nanoseconds since 1970.
        var clock: @Sendable () -> Int64 = DatabaseOptions().clock
        /// Whether the subcommand should end at a consistent point.
        var isInterrupted: @Sendable () -> Bool = { Interruption.isRequested }
        /// What was read before, in a shell.
        var journey: Journey?
        /// Where the lines of a shell come from, and what completes them.
        var lines: @Sendable (@escaping LineCompletion.Source) -> LineInput = { .standard(completing: $0) }
        /// Where keys come from; nil without a keyboard. Each call waits so many milliseconds for the next.
        var keys: @Sendable () -> ((Int) -> Keyboard.Event)? = {
            guard let keyboard = Keyboard() else { return nil }
            return { keyboard.next(milliseconds: $0) }
        }
    }

    // One value for all of it: a task local whose value is a closure crashes in optimised code (Swift 6.3.1, in
    // swift_task_localValuePush).
    @TaskLocal static var surroundings = Surroundings()

    static var lines: @Sendable (@escaping LineCompletion.Source) -> LineInput { surroundings.lines }
    static var journey: Journey? { surroundings.journey }
    static var console: Console { surroundings.console }
    static var clock: @Sendable () -> Int64 { surroundings.clock }
    static var isInterrupted: @Sendable () -> Bool { surroundings.isInterrupted }
    static var keys: @Sendable () -> ((Int) -> Keyboard.Event)? { surroundings.keys }
}
