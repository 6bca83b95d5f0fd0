import ArgumentParser

/// A subcommand whose exit code is an answer: that two things differ, say, or that something is damaged.
///
/// Where its output is closed before that, 0 would say that all is well.
protocol AnsweringCommand: AsyncParsableCommand {}

extension Invocation {
    /// As a shell says it of a program that SIGPIPE ends.
    static let closedPipeCode: Int32 = 128 + 13
}
