public import YaprakModel

/// A binary search for the first bad commit: it names the commit to examine next, and the caller reports what it is.
///
///     var search = ReplayBisection(good: 0, bad: reader.newestCommitNumber())
///     while let commit = search.next {
///         search.note(isBad.holds(in: try reader.snapshot(at: commit)) ? .bad : .good)
///     }
///     if case .found(let commit) = search.outcome { print("it began with", commit) }
///
/// The good end is not examined; the bad end is examined first, so that a search for a fault that isn't there is over at
/// once. Among *n* candidates (the commits after the good one, up to the bad one) the search takes at most
/// ⌈log₂ *n*⌉ + 1 probes, if none is skipped. Where good and bad alternate it finds one place where good becomes bad.
///
/// A value: copies are independent.
public struct ReplayBisection: Sendable {
    /// What a commit turned out to be.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// It is as it should be.
        case good
        /// It is not.
        case bad
        /// It can't be tested.
        case skip
    }

    /// What came out of a search.
    public enum Outcome: Sendable, Hashable {
        /// The first bad commit: the one before it is good.
        case found(CommitNumber)
        /// The bad end is good: there is nothing to be found.
        case notBad(CommitNumber)
        /// Any of these may be the first bad one: all but the last were skipped.
        case undecided(ClosedRange<CommitNumber>)
    }

    /// The newest commit known to be good, or said to be.
    public private(set) var good: CommitNumber
    /// The oldest commit known to be bad, or said to be.
    public private(set) var bad: CommitNumber
    /// The commit to examine; `nil` when the search is over.
    public private(set) var next: CommitNumber?
    /// How many commits have been examined.
    public private(set) var probeCount = 0

    private var skipped: Set<UInt64> = []
    private var isEndGood = false

    /// Starts a search.
    ///
    /// - Precondition: `good` is before `bad`.
    public init(good: CommitNumber, bad: CommitNumber) {
        precondition(good < bad, "commit \(good) is to be good and \(bad) to be bad: good comes first")
        self.good = good
        self.bad = bad
        next = bad
    }

    /// The commits that may be the first bad one.
    public var candidates: ClosedRange<CommitNumber> { good.next()...bad }

    /// The most probes that are left, if none is skipped from here on.
    public var probesLeftMax: Int {
        guard next != nil, !isEndGood else { return 0 }
        let count = bad.rawValue - good.rawValue
        let halvings = UInt64.bitWidth - (count - 1).leadingZeroBitCount
        return halvings + (probeCount == 0 ? 1 : 0)
    }

    /// What came out; `nil` while the search goes on.
    public var outcome: Outcome? {
        if next != nil { return nil }
        if isEndGood { return .notBad(bad) }
        let isEndKnown = !skipped.contains(bad.rawValue)
        return candidates.lowerBound == bad && isEndKnown ? .found(bad) : .undecided(candidates)
    }

    /// Reports what ``next`` turned out to be.
    /// - Precondition: the search is not over. - Complexity: O(number of commits skipped).
    public mutating func note(_ verdict: Verdict) {
        guard let commit = next else { preconditionFailure("the search is over") }
        probeCount += 1
        switch verdict {
        case .skip: skipped.insert(commit.rawValue)
        case .bad: bad = commit
        case .good:
            if commit == bad {
                isEndGood = true
                next = nil
                return
            }
            good = commit
        }
        next = choose()
    }

    // MARK: Choosing the next

    /// The commit in the middle; where that was skipped, others, spread over what is left.
    private func choose() -> CommitNumber? {
        let low = good.rawValue + 1, high = bad.rawValue - 1
        guard low <= high else { return nil }
        let inside = skipped.reduce(0) { $0 + ($1 >= low && $1 <= high ? 1 : 0) }
        if inside == 0 { return CommitNumber(good.rawValue + (bad.rawValue - good.rawValue) / 2) }
        guard UInt64(inside) <= high - low else { return nil }
        // Commits that can't be tested often stand together. So the next is not the neighbour: halves, quarters, eighths
        // of the way, in the order of the bits turned round (van der Corput's sequence).
        let turned = bitsTurned(UInt64(inside) + 1)
        let target = low + turned.multipliedFullWidth(by: high - low + 1).high
        return CommitNumber(nearest(to: target, in: low...high))
    }

    private func bitsTurned(_ value: UInt64) -> UInt64 {
        (0..<64).reduce(0) { $0 | ((value >> UInt64($1)) & 1) << UInt64(63 - $1) }
    }

    /// The commit nearest to `target` that was not skipped; there is one.
    private func nearest(to target: UInt64, in range: ClosedRange<UInt64>) -> UInt64 {
        for distance in 0...UInt64(skipped.count + 1) {
            let (below, underflow) = target.subtractingReportingOverflow(distance)
            if !underflow, range.contains(below), !skipped.contains(below) { return below }
            let (above, overflow) = target.addingReportingOverflow(distance)
            if !overflow, range.contains(above), !skipped.contains(above) { return above }
        }
        // At a border only one side is left, which may take twice as many steps.
        return range.first { !skipped.contains($0) } ?? range.lowerBound
    }
}
