public import ArgumentParser
import SystemPackage
import ToolSupport
import Yaprak
import YaprakLocks
public import YaprakReplay

// Positions and ranges as arguments. `transform: LogPosition.argument` says what was wrong with one; the conformance, which
// ArgumentParser asks for where a default is printed, can only say that something was.

extension LogPosition: ExpressibleByArgument {
    /// A position from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

extension LogRange: ExpressibleByArgument {
    /// A range from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

extension LogTime: ExpressibleByArgument {
    /// A time from the command line.
    public init?(argument: String) { try? self.init(argument) }

    /// The same, with a reason if it is none.
    static func argument(_ text: String) throws -> Self {
        try explained { () throws(DatabaseError) in try Self(text) }
    }
}

private func explained<T>(_ body: () throws(DatabaseError) -> T) throws -> T {
    do {
        return try body()
    } catch {
        throw ValidationError(error.message)
    }
}

extension ReplayReader {
    /// Opens the database of an invocation: what is relative to now counts from the invocation's clock.
    static func open(_ path: String) throws(DatabaseError) -> ReplayReader {
        var reader = try ReplayReader(FilePath(path))
        reader.clock = Invocation.clock
        let console = Invocation.console
        let said = Mutex<Set<String>>([])
        reader.warn = { sentence in
            // A verb may look a position up twice.
            guard said.withLock({ $0.insert(sentence).inserted }) else { return }
            try? console.err.write("yaprak: \(sentence)\n")
        }
        return reader
    }

    /// Refuses what starts before the log, before anything of it is printed.
    func requireLog(from first: CommitNumber) throws {
        let oldest = try oldestCommitNumber()
        if let oldest, oldest <= first { return }
        throw Failure(
            "commitOutOfReach",
            "commit \(first) is not in the log"
                + (oldest.map { ", which starts with commit \($0)" } ?? ", which is empty"),
            place: .init(commits: first...first), exitCode: 3)
    }
}
