extension HistoryChecker {
    /// Edges from every transaction to those that began after it had ended, without those that follow from others.
    mutating func addClock() {
        let count = history.transactions.count
        let committed = (0..<count).filter { history.transactions[$0].outcome != .failed }
        let starts = committed.sorted { history.transactions[$0].start < history.transactions[$1].start }
        let ends = committed.filter { history.transactions[$0].end < .max }
            .sorted { history.transactions[$0].end < history.transactions[$1].end }
        var at = 0
        // Those that have ended, and that no other of them began after.
        var frontier: [Int] = []
        for next in starts {
            let start = history.transactions[next].start
            while at < ends.count, history.transactions[ends[at]].end < start {
                let ended = ends[at]
                frontier.removeAll { history.transactions[$0].end < history.transactions[ended].start }
                frontier.append(ended)
                at += 1
            }
            for earlier in frontier { addEdge(earlier, next) }
        }
    }

    /// Names the worst circle of each component.
    mutating func findCycles() {
        let search: [(DependencyGraph.Reasons, DependencyGraph.Reasons, Anomaly.Kind)] = [
            (.write, .write, .dirtyWrite),
            (.read, [.write, .read], .circularInformation),
            (.missed, [.write, .read], .readSkew),
            (.missed, [.write, .read, .missed], .writeSkew),
            ([.write, .read, .missed, .clock], [.write, .read, .missed, .clock], .staleRead),
        ]
        for component in components([.write, .read, .missed, .clock]) {
            for (first, rest, kind) in search {
                guard let cycle = cycle(in: component, first: first, rest: rest) else { continue }
                report(kind, cycle)
                break
            }
        }
    }
}
