/// What the states of one call of the root decoder have in common.
final class DecodingCall {
    /// A value whose `init(from:)` runs.
    struct Running {
        /// Its number.
        let value: Int
        /// How many of the keys of its state lead to it.
        let keys: Int
    }

    /// The values that decode themselves, the innermost last. Their numbers ascend.
    let running = NoteStack<Running>()
    /// How many values were begun. Never reset, so that no two that a container could have met have one number.
    var valuesBegun = 0
    /// Whether a stack was made for the values that are being decoded.
    var isOnDeepStack = false
    /// The states of ``DecodingState/branch(at:path:)``, to be closed when the call ends. Those that nobody refers to any more
    /// are dropped from time to time.
    private(set) var branches: [DecodingState] = []
    private var branchesMax = 32
    /// Where the path that was asked for last leads.
    private var trail = PathTrail()
    /// The states of what types kept, by the offset of the item.
    private(set) var kept: [Int: DecodingState] = [:]
    private var keptMax = 32
    /// Whether there is anything to close.
    private var isUsed = false

    /// Whether there are many states, so that each should reserve little.
    var hasManyStates: Bool { branches.count + kept.count >= 16 }

    /// Keeps the state of a branch until the call ends, or until nothing else does and there are many. O(1), amortised.
    func add(branch: DecodingState) {
        isUsed = true
        branches.append(branch)
        if branches.count >= branchesMax { dropBranches() }
    }

    /// Drops the branches that nothing else refers to: nobody can use them any more, so they need not be closed.
    @inline(never)
    private func dropBranches() {
        // They go when this returns, outside of any access: a coding key of a user's may go with them.
        var all: [DecodingState] = []
        swap(&all, &branches)
        for index in all.indices {
            let isIdle = all[index].value == 0
            if isIdle, isKnownUniquelyReferenced(&all[index]) { continue }
            branches.append(all[index])
        }
        branchesMax = 32 + 2 * branches.count
    }

    /// The keys to `offset`, which is in the item at `start`.
    func path(to offset: Int, from start: Int, in state: DecodingState) -> [any CodingKey] {
        isUsed = true
        return trail.lead(to: offset, from: start, in: state)
    }

    /// How many of its state's keys lead to the value with this number; nil if its `init(from:)` has returned.
    /// - Complexity: O(log *n*) for *n* values that decode themselves.
    @inline(never)
    func keys(of value: Int) -> Int? {
        let index = firstIndex(running.count) { running.base[$0].value >= value }
        return index < running.count && running.base[index].value == value ? running.base[index].keys : nil
    }

    /// Keeps the state for the item at `offset`, until nothing else does and there are many.
    func keep(_ state: DecodingState, at offset: Int) {
        isUsed = true
        // One that is in use stays, to be closed at the end.
        if let old = kept[offset] { add(branch: old) }
        kept[offset] = state
        if kept.count < keptMax { return }
        for place in Array(kept.keys) where place != offset {
            guard var other = kept.removeValue(forKey: place) else { continue }
            if other.value != 0 || !isKnownUniquelyReferenced(&other) { kept[place] = other }
        }
        keptMax = 32 + 2 * kept.count
    }

    /// Drops what is not of the root.
    func close() {
        if !isUsed { return }
        isUsed = false
        for state in branches { state.close() }
        for state in kept.values { state.close() }
        (branches, branchesMax, kept, keptMax, trail) = ([], 32, [:], 32, PathTrail())
    }
}

/// The first index below `count` of which `isThere` is true, as of all that follow it; else `count`.
@inline(__always)
func firstIndex(_ count: Int, where isThere: (Int) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
        let middle = low + (high - low) / 2
        if isThere(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
