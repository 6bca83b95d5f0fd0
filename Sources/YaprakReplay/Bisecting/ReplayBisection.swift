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
    /// Ranges of commits that can't be tested. They may overlap.
    private var skippedRanges: [ClosedRange<UInt64>] = []
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
        let isEndKnown = skippedRun(at: bad.rawValue) == nil
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

    /// Reports that ``next`` can't be tested, and none of the commits in a range around it: they are not proposed.
    /// - Precondition: the search is not over. - Complexity: O(number of commits and of ranges skipped).
    package mutating func note(skipping range: ClosedRange<CommitNumber>) {
        guard let commit = next, range.contains(commit), commit != bad else { return note(.skip) }
        probeCount += 1
        // The ends are known, whatever the range says.
        let first = max(range.lowerBound, good.next()), last = CommitNumber(bad.rawValue - 1)
        skippedRanges.append(first.rawValue...min(range.upperBound, last).rawValue)
        next = choose()
    }

    // MARK: Choosing the next

    /// The commit in the middle; where that was skipped, others, spread over what is left.
    private func choose() -> CommitNumber? {
        let low = good.rawValue + 1, high = bad.rawValue - 1
        guard low <= high else { return nil }
        let inside = skipped.reduce(0) { $0 + ($1 >= low && $1 <= high ? 1 : 0) }
        var target = good.rawValue + (bad.rawValue - good.rawValue) / 2
        if inside > 0 {
            // Commits that can't be tested often stand together. So the next is not the neighbour: halves, quarters, eighths
            // of the way, in the order of the bits turned round (van der Corput's sequence).
            let turned = bitsTurned(UInt64(inside) + 1)
            target = low + turned.multipliedFullWidth(by: high - low + 1).high
        }
        return nearest(to: target, in: low...high).map { CommitNumber($0) }
    }

    private func bitsTurned(_ value: UInt64) -> UInt64 {
        (0..<64).reduce(0) { $0 | ((value >> UInt64($1)) & 1) << UInt64(63 - $1) }
    }

    /// The commit nearest to `target` that was not skipped; `nil` if all were.
    private func nearest(to target: UInt64, in range: ClosedRange<UInt64>) -> UInt64? {
        let below = free(from: target, in: range, upwards: false)
        let above = free(from: target, in: range, upwards: true)
        guard let below, let above else { return below ?? above }
        return target - below <= above - target ? below : above
    }

    /// The first commit from `target` on, in one direction, that was not skipped.
    private func free(from target: UInt64, in range: ClosedRange<UInt64>, upwards: Bool) -> UInt64? {
        var place = target
        while let run = skippedRun(at: place) {
            guard upwards ? run.upperBound < range.upperBound : run.lowerBound > range.lowerBound else { return nil }
            place = upwards ? run.upperBound + 1 : run.lowerBound - 1
        }
        return place
    }

    /// The commits around one that were skipped with it; `nil` if it was not.
    private func skippedRun(at place: UInt64) -> ClosedRange<UInt64>? {
        skipped.contains(place) ? place...place : skippedRanges.first { $0.contains(place) }
    }
}
