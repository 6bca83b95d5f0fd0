/// How far the runs of a log lead, and where they are damaged: answers in O(log *n*), since a damaged log may have many runs.
struct RunReaches {
    /// The beginnings of the runs, ascending, and the newest commit of those up to each.
    private var firsts: [UInt64] = []
    private var newest: [UInt64] = []

    /// - Complexity: O(*n* log *n*).
    init(_ runs: [LogSurvey.Run]) {
        for run in runs.sorted(by: { $0.first < $1.first }) {
            firsts.append(run.first)
            newest.append(max(newest.last ?? 0, run.last))
        }
    }

    /// The newest commit that is reachable from a state without a gap.
    func newestCommit(from base: UInt64) -> UInt64 {
        let place = firsts.partitioningIndex { $0 > base + 1 }
        return place > 0 ? max(base, newest[place - 1]) : base
    }
}

/// The damage of the runs of a log.
struct RunDamages {
    private var damages: [(file: String, offset: UInt64, what: String)] = []
    /// The least beginning of each of these runs and all after it: ascending, in whatever order the runs are.
    private var firsts: [UInt64] = []

    /// - Complexity: O(*n*).
    init(_ runs: [LogSurvey.Run]) {
        for run in runs {
            guard let damage = run.damage else { continue }
            damages.append(damage)
            firsts.append(run.first)
        }
        for place in firsts.indices.dropLast().reversed() { firsts[place] = min(firsts[place], firsts[place + 1]) }
    }

    /// The damage at the end of the last run that begins at or before a commit; nil if there is none.
    func last(before commit: UInt64) -> (file: String, offset: UInt64, what: String)? {
        let place = firsts.partitioningIndex { $0 > commit }
        return place > 0 ? damages[place - 1] : nil
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first place from which on `isBehind` holds, where it holds for all places behind that. O(log *n*).
    func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
