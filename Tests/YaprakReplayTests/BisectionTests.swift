import TestSupport
import Testing
import YaprakModel
import YaprakReplay

/// The search by halves, against every answer it could have to find.
@Suite(.bounded) struct BisectionTests {
    /// Runs a search whose first bad commit is known.
    private func run(
        good: UInt64, bad: UInt64, first: UInt64, skipping: (UInt64) -> Bool = { _ in false }
    ) -> ReplayBisection {
        var search = ReplayBisection(good: CommitNumber(good), bad: CommitNumber(bad))
        var seen: Set<CommitNumber> = []
        var isEven = true
        while let commit = search.next {
            #expect(seen.insert(commit).inserted, "commit \(commit) is looked at twice")
            #expect(search.candidates.contains(commit))
            let before = search.probesLeftMax
            search.note(skipping(commit.rawValue) ? .skip : commit.rawValue >= first ? .bad : .good)
            isEven = isEven && !skipping(commit.rawValue)
            if isEven { #expect(search.probesLeftMax < before, "commit \(commit) has taught nothing") }
        }
        #expect(search.probeCount == seen.count)
        return search
    }

    private func boundOf(_ count: UInt64) -> Int { UInt64.bitWidth - (count - 1).leadingZeroBitCount + 1 }

    @Test func `Every first bad commit among up to 130 is found in at most ⌈log₂ n⌉ + 1 probes`() {
        for count in 1...130 as ClosedRange<UInt64> {
            var most = 0
            for first in 1...count {
                let search = run(good: 40, bad: 40 + count, first: 40 + first)
                #expect(search.outcome == .found(CommitNumber(40 + first)), "\(first) of \(count)")
                most = max(most, search.probeCount)
            }
            #expect(most <= boundOf(count), "\(most) probes for \(count)")
            #expect(ReplayBisection(good: 40, bad: CommitNumber(40 + count)).probesLeftMax == boundOf(count))
        }
    }

    @Test func `The bad end is looked at first, and a good one ends the search`() {
        let search = run(good: 3, bad: 1_000_000, first: .max)
        #expect(search.outcome == .notBad(1_000_000))
        #expect(search.probeCount == 1)
    }

    @Test func `Numbers may be as large as they get`() {
        let last = UInt64(Int64.max)
        for first in [1, 2, last / 3, last - 1, last] {
            let search = run(good: 0, bad: last, first: first)
            #expect(search.outcome == .found(CommitNumber(first)))
            #expect(search.probeCount <= 64)
        }
    }

    @Test func `A range that can't be tested takes two probes more, and is named only where it hides the answer`() {
        let count: UInt64 = 24
        for low in 1..<count {
            for high in low..<count {
                for first in 1...count {
                    var search = ReplayBisection(good: 0, bad: CommitNumber(count))
                    while let commit = search.next {
                        if (low...high).contains(commit.rawValue) {
                            search.note(skipping: CommitNumber(low)...CommitNumber(high))
                        } else {
                            search.note(commit.rawValue >= first ? .bad : .good)
                        }
                    }
                    let words: Comment = "\(first) is the first, \(low) to \(high) are skipped"
                    let isHidden = (low...high + 1).contains(first)
                    let hidden = ReplayBisection.Outcome.undecided(CommitNumber(low)...CommitNumber(high + 1))
                    #expect(search.outcome == (isHidden ? hidden : .found(CommitNumber(first))), words)
                    #expect(search.probeCount <= boundOf(count) + 3, words)
                }
            }
        }
    }

    @Test func `Skipped commits are passed by, and named where they hide the answer`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let count = UInt64(1 + random.below(200))
            let first = UInt64(1 + random.below(Int(count)))
            let share = [5, 50, 95][random.below(3)]
            let skipped = Set((1...count).filter { _ in random.chance(share) })
            let search = run(good: 0, bad: count, first: first) { skipped.contains($0) }
            switch search.outcome {
            case .found(let found): #expect(found.rawValue == first, "seed \(seed)")
            case .undecided(let range):
                #expect(range.contains(CommitNumber(first)), "seed \(seed)")
                let open = (range.lowerBound.rawValue..<range.upperBound.rawValue).filter { !skipped.contains($0) }
                #expect(open.isEmpty, "seed \(seed): \(open) could have been looked at")
            default: Issue.record("seed \(seed): \(String(describing: search.outcome))")
            }
        }
    }

    @Test func `A stretch that can't be tested is left quickly`() {
        let search = run(good: 0, bad: 100_000, first: 77_777) { (40_000...60_000).contains($0) }
        #expect(search.outcome == .found(77_777))
        #expect(search.probeCount <= 25, "\(search.probeCount) probes")
    }
}
