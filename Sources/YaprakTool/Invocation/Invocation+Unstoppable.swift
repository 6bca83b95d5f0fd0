import ToolSupport

extension Invocation {
    /// Calls `body`, which works on a database in its place: Ctrl-C does not stop it there, but says that it goes on. The second
    /// Ctrl-C ends the program at once, as a kill does, and the next launch tidies up.
    ///
    /// - Throws: `CancellationError` if Ctrl-C came before, and nothing was begun; what `body` throws.
    static func unstoppable<Result>(_ body: () throws -> Result) throws -> Result {
        Interruption.explain(goesOn)
        defer { Interruption.explain(nil) }
        if isInterrupted() { throw CancellationError() }
        return try body()
    }

    /// What the first Ctrl-C says meanwhile.
    static let goesOn: StaticString = "yaprak: this goes on to its end; another Ctrl-C ends the program at once\n"
}
