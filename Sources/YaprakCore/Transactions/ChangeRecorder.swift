import YaprakTrees

/// What a draft notes about one collection while the transaction runs.
struct ChangeRecorder {
    let slot: Int
    /// Records there were when noting began.
    let startCount: Int
    var entries: OneOrMany<ChangeEntry> = []
    var isCleared = false
    private var hasRemovals = false
    private var hasRepeats = false

    init(slot: Int, startCount: Int) {
        self.slot = slot
        self.startCount = startCount
    }

    /// Notes one change. `firstStamp` is the stamp with which the draft began.
    mutating func note(_ entry: ChangeEntry, firstStamp: UInt64) {
        // The same record twice is rare, and is recognized without looking it up: either its box was made by this very
        // draft, or it came back after a removal.
        if let before = entry.before {
            if before.birth >= firstStamp { hasRepeats = true }
            if entry.after == nil { hasRemovals = true }
        } else if hasRemovals {
            hasRepeats = true
        }
        entries.append(entry)
    }

    /// Notes that everything was removed; `ofAsides` says whether records were among it that had been set aside.
    mutating func noteClear(ofAsides hadAsides: Bool) {
        entries = []
        hasRemovals = false
        hasRepeats = false
        if startCount > 0 || hadAsides { isCleared = true }
    }

    /// Takes out what is left of it all; `nil` if nothing is.
    mutating func takeChanges(_ binding: CollectionBinding) -> CollectionChanges? {
        var net = entries.takeAll()
        if hasRepeats { net = OneOrMany(netEntries(net.array)) }
        if net.isEmpty && !isCleared { return nil }
        return CollectionChanges(binding: binding, clearedCount: isCleared ? startCount : nil, entries: net)
    }
}
