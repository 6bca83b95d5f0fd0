import ArgumentParser

/// A subcommand whose exit code is an answer: that two things differ, say, or that something is damaged.
///
/// Where its output is closed before that, 0 would say that all is well. `search` and `grep` are none: who closes their output
/// was shown something, so 0 is the answer. Nor are those that give their answer all the same: see ``Invocation/show(_:)``.
protocol AnsweringCommand: AsyncParsableCommand {}

extension Invocation {
    /// As a shell says it of a program that SIGPIPE ends.
    static let closedPipeCode: Int32 = 128 + 13

    /// Prints what does not decide about the exit code, which is known: where nobody reads on, it is given all the same.
    static func show(_ print: () throws -> Void) throws {
        do { try print() } catch { guard Failure.isClosedPipe(error) else { throw error } }
    }
}
