import ArgumentParser
import Yaprak
import YaprakReplay

/// Where a stretch of the log begins or ends: a commit, or a time. `--from` and `--until` take one, and it is part of the
/// stretch.
///
///     --from 42 --until @~3
///     --from yesterday --until '2013-01-05 12:00'
enum LogBound {
    case position(LogPosition)
    case time(LogTime)

    /// A time if it reads as one, else a position.
    static func argument(_ text: String) throws -> Self {
        if let time = LogTime(argument: text) { return .time(time) }
        if let position = LogPosition(argument: text) { return .position(position) }
        throw ValidationError(
            "\(text.debugDescription) is neither a position nor a time. Write 42, @~3, a tag, yesterday, "
                + "\"10 minutes ago\" or \"2013-01-05 12:00\"")
    }
}

/// The bounds of a stretch in one log: numbers where positions were given, times where times were.
struct LogBounds {
    private(set) var first = CommitNumber.zero
    private(set) var last: CommitNumber?
    private var since: Int64?
    private var until: Int64?

    /// - Throws: errors of finding positions; also for the commit of a position that the log no longer has.
    init(from: LogBound?, until: LogBound?, in reader: ReplayReader, now: Int64) throws {
        switch from {
        case .position(let position)?: first = try reader.commitNumber(at: position)
        case .time(let time)?: since = time.nanosecondsSince1970(now: now)
        case nil: break
        }
        switch until {
        case .position(let position)?: last = try reader.commitNumber(at: position)
        case .time(let time)?: self.until = time.lastNanosecondsSince1970(now: now)
        case nil: break
        }
        // 0 is no commit: who begins with it wants the first there was, and none ends with it.
        if case .position? = from, first == 0, try reader.newestCommitNumber() > 0 { try reader.requireLog(from: 1) }
        for number in [first, last ?? .zero] where number > 0 { try reader.requireLog(from: number) }
    }

    /// Whether a commit was made within the times. Clocks are sometimes set back: each commit is asked.
    func contains(_ commit: ReplayCommit) -> Bool {
        let time = commit.nanosecondsSince1970
        return (since ?? time) <= time && time <= (until ?? time)
    }

    /// The part of some commits that is within the numbers; `nil` if that is none.
    func clamp(_ numbers: ClosedRange<CommitNumber>) -> ClosedRange<CommitNumber>? {
        let low = max(first, numbers.lowerBound), high = min(last ?? numbers.upperBound, numbers.upperBound)
        return low <= high ? low...high : nil
    }
}
