extension LawScript {
    /// So many shorter histories are tried.
    private static let trialsMax = 600

    /// A history that fails, too, and that no step, edit or smaller number less would let fail.
    ///
    /// Takes out halves of the steps, then quarters, then single ones; then edits; then makes the numbers smaller that edits
    /// drew. (Delta debugging, Zeller and Hildebrandt 2002; recorded choices, as in Hypothesis.)
    /// Where the task is cancelled, the shortest so far.
    /// - Parameter fails: whether a history fails. Called up to 600 times.
    func shrunk(_ fails: (LawScript) async -> Bool) async -> LawScript {
        var best = self
        var trials = 0
        func accept(_ candidate: LawScript) async -> Bool {
            guard trials < Self.trialsMax, !Task.isCancelled else { return false }
            trials += 1
            guard await fails(candidate) else { return false }
            best = candidate
            return true
        }
        var isSmaller = true
        while isSmaller, trials < Self.trialsMax {
            isSmaller = false
            var length = max(1, best.steps.count / 2)
            while true {
                var start = 0
                while start < best.steps.count {
                    var candidate = best
                    candidate.steps.removeSubrange(start..<min(start + length, best.steps.count))
                    if await accept(candidate) { isSmaller = true } else { start += length }
                }
                if length == 1 { break }
                length /= 2
            }
            for step in best.steps.indices.reversed() {
                for edit in best.steps[step].edits.indices.reversed() {
                    var candidate = best
                    candidate.steps[step].edits.remove(at: edit)
                    if await accept(candidate) { isSmaller = true }
                }
                if case .commit(_, false) = best.steps[step] { continue }
                var candidate = best
                candidate.steps[step] = .commit(best.steps[step].edits, readsInside: false)
                if await accept(candidate) { isSmaller = true }
            }
        }
        for step in best.steps.indices {
            for edit in best.steps[step].edits.indices {
                for draw in best.steps[step].edits[edit].draws.indices {
                    var low = Choices.smallest, high = best.steps[step].edits[edit].draws[draw]
                    func isAccepted(_ value: UInt64) async -> Bool {
                        var candidate = best
                        candidate.steps[step].edits[edit].draws[draw] = value
                        return await accept(candidate)
                    }
                    if high <= low { continue }
                    if await isAccepted(low) { continue }
                    // The leading bits of a draw decide: eight halvings find the smallest of a few values.
                    for _ in 0..<8 where low < high {
                        let middle = low + (high - low) / 2
                        if await isAccepted(middle) { high = middle } else { low = middle + 1 }
                    }
                }
            }
        }
        return best
    }
}
