import YaprakModel

// What a repair can save. Planned once, while the repair is made.
extension Repair {
    /// The most empty commits that a repair puts in one place, and in all places together.
    private static let gapMax: UInt64 = 1 << 20
    private static let gapsMax: UInt64 = 1 << 24

    /// The states from which replaying can begin, oldest first.
    private var bases: [UInt64] {
        let isFromFirst = history.first.map { $0.first == 1 } ?? names.isEmpty
        return (isFromFirst ? [0] : []) + names.map(\.name.first)
    }

    /// Plans the state that leads furthest, with all history before it that can be read.
    mutating func planPrefix() {
        let reaches = RunReaches(history)
        let furthest = bases.map(reaches.newestCommit).max() ?? 0
        settle(bases.first ?? 0, furthest, connected: furthest)
        let known = max(furthest, survey.proven, survey.runs.map(\.last).max() ?? 0, names.last?.name.first ?? 0)
        if known > furthest { note(furthest + 1...known) }
    }

    /// Plans the newest state: the newest checkpoint includes everything before it. After it, unreadable commits are skipped.
    mutating func planSalvage() {
        let newest: UInt64
        if let base = bases.last {
            newest = base
        } else {
            newest = (history.first?.first ?? 1) - 1
            beginsEmpty = true
            if newest > 0 { note(1...newest) }
        }
        let connected = RunReaches(history).newestCommit(from: newest)
        var last = connected
        var missing: UInt64 = 0
        for run in history where run.last > last {
            let gap = run.first - min(run.first, last)
            missing += min(gap - min(gap, 1), Self.gapMax)
            guard gap <= Self.gapMax, missing <= Self.gapsMax else { break }
            if run.first > last + 1 { note(last + 1...run.first - 1) }
            last = run.last
        }
        settle(bases.first ?? newest, last, connected: connected)
        let doubtful = survey.runs.filter { !$0.isTrusted }.map(\.last).max() ?? 0
        let known = max(survey.proven, doubtful)
        if known > last { note(last + 1...known) }
    }

    /// - Parameter connected: up to here the last states are reached without a commit that is made up.
    private mutating func settle(_ first: UInt64, _ last: UInt64, connected: UInt64) {
        plan.first = CommitNumber(first)
        plan.last = CommitNumber(last)
        let gap = plan.losses.map(\.commits.lowerBound.rawValue).filter { $0 > first }.min() ?? .max
        names = names.filter { $0.name.first >= first && $0.name.first <= last && $0.name.first < gap }
        plan.checkpoints = names.map { CommitNumber($0.name.first) }
        plan.checkpointsWithoutDerived = names.filter { $0.isDerivedDamaged || options.dropsDerived }
            .map { CommitNumber($0.name.first) }
        findHoles(after: first, through: connected)
    }

    private mutating func findHoles(after first: UInt64, through connected: UInt64) {
        var next = first + 1
        var place = 0
        func note(_ commits: ClosedRange<UInt64>) {
            while place < names.count, names[place].name.first < commits.upperBound { place += 1 }
            guard place < names.count else { return }
            let state = names[place].name.first
            plan.holes.append(.init(loss: loss(of: commits, after: next - 1), nextState: CommitNumber(state)))
        }
        for run in history where run.last >= next && run.first <= connected {
            if run.first > next { note(next...run.first - 1) }
            next = run.last + 1
        }
        if next <= connected { note(next...connected) }
    }

    private mutating func note(_ commits: ClosedRange<UInt64>) {
        plan.losses.append(loss(of: commits, after: commits.lowerBound))
    }

    /// The loss of some commits to the damage that follows a commit.
    private func loss(of commits: ClosedRange<UInt64>, after commit: UInt64) -> RepairPlan.Loss {
        let damage = damages.last(before: commit)
        return RepairPlan.Loss(
            commits: CommitNumber(commits.lowerBound)...CommitNumber(commits.upperBound), file: damage?.file ?? "",
            offset: damage?.offset ?? 0, what: damage?.what ?? "they are not in these files")
    }
}
