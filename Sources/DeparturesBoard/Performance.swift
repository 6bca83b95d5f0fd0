import ToolSupport
import Yaprak

/// A play with everybody who watched it.
struct Performance {
    let result: Playback.Result
    /// The database at the end.
    let snapshot: Snapshot
    /// What the stream of changes showed.
    let seen: ChangeFollower.Seen
    /// What the list went through, if there was one.
    let list: ListFollower.Seen?
    /// How many minutes were compared with the plain board, if that was asked for.
    let checked: (minutes: Int, seed: UInt64)?

    /// Whether the stream missed nothing.
    var isComplete: Bool { seen.gaps == 0 && seen.last == snapshot.commitNumber && seen.commits == result.commits }

    /// The lines of the summary about it, each a label and what it says.
    func lines(_ origins: BoardViews.Origins) -> [(label: String, text: String)] {
        let count = snapshot[BoardViews.departures].count
        let waiting = "\(count.counted("flight")) \(count.word("waits", "wait"))"
        var lines = [
            ("stream", "\(seen.commits.counted("commit")) followed, \(isComplete ? "none missed" : "SOME MISSED")"),
            ("views", "\(origins); \(waiting), \(snapshot[BoardViews.late].count.grouped) late"),
        ]
        if let list {
            let changes = "\(list.rowChanges.counted("row")) changed, \(list.moves.grouped) of them moved"
            lines.append(("list", "\(list.updates.counted("update")), \(changes)"))
        }
        if let checked {
            let minutes = "\(checked.minutes.counted("minute")) checked, seed \(checked.seed)"
            lines.append(("", "kept by its changes alone it equals the view after each update"))
            lines.append(("board", "equals one without the engine (\(minutes))"))
        }
        return lines
    }
}
