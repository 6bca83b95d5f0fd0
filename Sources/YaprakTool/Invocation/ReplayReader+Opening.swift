import SystemPackage
import ToolSupport
import Yaprak
import YaprakLocks
import YaprakReplay

extension ReplayReader {
    /// Opens the database of an invocation: relative times count from the invocation's clock.
    static func open(_ path: String) throws(DatabaseError) -> ReplayReader {
        var reader: ReplayReader
        if let journey = Invocation.journey, journey.path == path {
            reader = journey.reader
        } else {
            reader = try ReplayReader(FilePath(path))
        }
        reader.clock = Invocation.clock
        let console = Invocation.console
        let warned = Mutex<Set<String>>([])
        reader.warn = { sentence in
            // A subcommand may look a position up twice.
            guard warned.withLock({ $0.insert(sentence).inserted }) else { return }
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
            place: .init(commits: first...first), exitCode: 3,
            hint: oldest.map { "Begin with commit \($0), or read a backup." })
    }

    /// The commits of a range, or `nil` if there are none in it.
    /// - Throws: also if its end is before all that the log still has: nobody has looked there.
    func numbers(in range: LogRange) throws -> ClosedRange<CommitNumber>? {
        if let numbers = try commitNumbers(in: range) { return numbers }
        if let end = try range.through.map({ try commitNumber(at: $0) }), end > 0 { try requireLog(from: end) }
        return nil
    }

    /// The tags of each commit that has any. A damaged file of tags is an error of `yaprak tag` only.
    func tagsByNumber() -> [CommitNumber: [String]] {
        Dictionary(grouping: (try? tags()) ?? [], by: \.number).mapValues { $0.map(\.name.description) }
    }
}
