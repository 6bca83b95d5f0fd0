import ArgumentParser
import Yaprak
import YaprakReplay

/// How often a question is asked: `30m` of time, or `100` commits.
enum AskInterval {
    case nanoseconds(Int64)
    case commits(UInt64)

    static func argument(_ text: String) throws -> Self {
        if let count = UInt64(text), count > 0 { return .commits(count) }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0 {
            let (length, isOver) = (unit * 1_000_000_000).multipliedReportingOverflow(by: count)
            if !isOver { return .nanoseconds(length) }
        }
        throw ValidationError("--every takes a time such as 30s, 15m, 1h, 7d, or a count of commits")
    }
}

/// The moments at which a question is asked, each with the commit that was the newest then.
struct AskSchedule {
    /// In the order of time.
    private(set) var moments: [(time: Int64, commit: CommitNumber)] = []
    /// The collections that the commits in between changed.
    private(set) var collectionNames: Set<String> = []

    /// No table has more rows.
    static let momentsMax = 1_000_000

    /// The ends of the intervals from the first commit on; the last moment is that of the last commit.
    /// - Complexity: O(bytes of the log).
    init(
        _ interval: AskInterval, _ numbers: ClosedRange<CommitNumber>, _ bounds: LogBounds, _ reader: ReplayReader
    ) throws {
        try reader.requireLog(from: numbers.lowerBound)
        var made: [(time: Int64, commit: CommitNumber)] = []
        var commits = reader.commits(from: numbers.lowerBound, through: numbers.upperBound).makeAsyncIterator()
        while let commit = try commits.next() {
            if Invocation.isInterrupted() { throw Interrupted() }
            for collection in commit.collections { collectionNames.insert(collection.name) }
            if bounds.contains(commit) { made.append((commit.nanosecondsSince1970, commit.commitNumber)) }
        }
        guard let last = made.last else { return }
        switch interval {
        case .commits(let count):
            moments = made.filter { $0.commit.rawValue.isMultiple(of: count) || $0.commit == last.commit }
        case .nanoseconds(let length): try fill(made, every: length)
        }
    }

    private mutating func fill(_ made: [(time: Int64, commit: CommitNumber)], every length: Int64) throws {
        // The newest commit at a moment is the last one after which all were made later: clocks are set back now and then.
        var earliestFrom = made.map(\.time)
        for index in earliestFrom.indices.dropLast().reversed() {
            earliestFrom[index] = min(earliestFrom[index], earliestFrom[index + 1])
        }
        let first = Int128(earliestFrom[0]), end = Int128(made.reduce(.min) { max($0, $1.time) }), step = Int128(length)
        let count = (end - first) / step + 2
        guard count <= Int128(Self.momentsMax) else {
            throw Failure(
                "usage", "that would be \(count) rows; \(Self.momentsMax) are possible", exitCode: 64,
                hint: "Give a longer --every, or --from and --until.")
        }
        // Round moments: full hours for 1h.
        var moment = (first >= 0 ? (first + step - 1) / step : first / step) * step, index = 0
        while moment < end {
            while index + 1 < made.count, Int128(earliestFrom[index + 1]) <= moment { index += 1 }
            moments.append((Int64(moment), made[index].commit))
            moment += step
        }
        moments.append((Int64(end), made[made.count - 1].commit))
    }
}
