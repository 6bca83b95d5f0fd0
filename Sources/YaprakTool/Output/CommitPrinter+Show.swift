import ToolSupport
import Yaprak
import YaprakReplay

extension CommitPrinter {
    /// Prints one commit as `yaprak show` does, if the files reach back to the state before it.
    static func show(
        _ number: CommitNumber, in reader: ReplayReader, _ format: OutputFormat, _ console: Console
    ) throws {
        let before = CommitNumber(number.rawValue - min(1, number.rawValue))
        let step = try reader.oldestReachableCommitNumber() <= before ? reader.warmCursor(at: before).next() : nil
        var commits = reader.commits(from: number, through: number).makeAsyncIterator()
        guard let commit = try step?.commit ?? commits.next() else { return }
        let filter = ChangeFilter(collection: nil, key: nil)
        var shown = filter.apply(to: commit) ?? ShownCommit(commit: commit, collections: [])
        shown.changes = step.map { ShownChange.of($0, filter) }
        var printer = CommitPrinter(
            format: format, isOneLine: false, showsPatch: step != nil, tags: reader.tagsByNumber(), console: console
        )
        try printer.write(shown)
        try printer.finish()
    }
}
