import YaprakTrees

/// What a draft notes about one collection while the transaction runs.
struct ChangeRecorder {
    fileprivate(set) var slot: Int
    /// Records there were when noting began.
    private var startCount: Int
    private var entries: OneOrMany<ChangeEntry> = []
    private var isCleared = false
    private var clearedAsides = 0
    private var hasRemovals = false
    private var hasRepeats = false

    init(slot: Int, startCount: Int) {
        self.slot = slot
        self.startCount = startCount
    }

    /// Begins once more, for the collection in `slot`; it has no notes. Nothing is let go of.
    fileprivate mutating func begin(_ slot: Int, startCount: Int) {
        assert(entries.isEmpty, "what was noted is taken or forgotten")
        self.slot = slot
        self.startCount = startCount
        isCleared = false
        clearedAsides = 0
        hasRemovals = false
        hasRepeats = false
    }

    /// Notes one change. `firstStamp` is the stamp with which the draft began.
    mutating func note(_ entry: consuming ChangeEntry, firstStamp: UInt64) {
        // The same record twice is rare, and is recognized without looking it up: either its box was made by this very
        // draft, or it came back after a removal.
        if let birth = entry.before?.birth {
            if birth >= firstStamp { hasRepeats = true }
            if entry.after == nil { hasRemovals = true }
        } else if hasRemovals {
            hasRepeats = true
        }
        entries.append(entry)
    }

    /// Notes that everything was removed; `asides` is how many records among it were set aside, `nil` where that can't be.
    mutating func noteClear(ofAsides asides: Int?) {
        if let asides {
            clearedAsides += asides + takenAsides
        }
        entries = []
        hasRemovals = false
        hasRepeats = false
        if startCount > 0 || clearedAsides > 0 { isCleared = true }
    }

    /// How many records that were set aside went before. They were there when noting began; but not those that an earlier part
    /// of the transaction took.
    private var takenAsides: Int {
        // Mostly none did: then there is nothing to hash.
        guard entries.contains(where: { $0.before.isAside }) else { return 0 }
        var seen: Set<String> = []
        return entries.reduce(0) { seen.insert($1.key).inserted && $1.before.isAside ? $0 + 1 : $0 }
    }

    /// Whether something was noted, and all of it is left.
    fileprivate var isSettled: Bool { !hasRepeats && (isCleared || !entries.isEmpty) }

    /// Makes of all notes what is left of them.
    /// - Returns: whether anything is.
    fileprivate mutating func settle() -> Bool {
        if hasRepeats {
            entries = OneOrMany(netEntries(entries.array))
            hasRepeats = false
        }
        return isCleared || !entries.isEmpty
    }

    /// Takes out what was settled.
    fileprivate mutating func takeChanges(_ binding: CollectionBinding) -> CollectionChanges {
        CollectionChanges(
            binding: binding, clearedCount: isCleared ? startCount : nil, clearedAsides: clearedAsides,
            entries: entries.takeAll())
    }
}

/// What a draft notes about all collections that a transaction changes, in the order in which it first changed them.
///
/// Most transactions change one: its recorder needs no array. Nor is it an optional: the compiler copies and destroys an
/// optional of a structure by way of the runtime, also where it is `nil`.
struct ChangeRecorders {
    private static let none = -1

    /// The first; its slot is `none` where there is none.
    private var first = ChangeRecorder(slot: none, startCount: 0)
    private var others: ContiguousArray<ChangeRecorder> = []
    /// Which recorder is a collection's, by slot; empty where there are so few that looking through them is faster.
    private var places: [Int: Int] = [:]

    private static let scannedMax = 8

    var isEmpty: Bool { first.slot == Self.none }

    /// The slots of the collections that have a recorder.
    var slots: [Int] { isEmpty ? [] : [first.slot] + others.map(\.slot) }

    /// The slot of the only collection that has one, if there is one.
    var onlySlot: Int? { isEmpty || !others.isEmpty ? nil : first.slot }

    /// The same, if what was noted is what is left of it.
    var onlySettledSlot: Int? { isEmpty || !others.isEmpty || !first.isSettled ? nil : first.slot }

    /// Whether a collection has a recorder. O(1).
    func has(_ slot: Int) -> Bool { first.slot == slot || !others.isEmpty && place(of: slot) != nil }

    /// Where the recorder of a collection is among `others`.
    private func place(of slot: Int) -> Int? {
        if others.count > Self.scannedMax { return places[slot] }
        for index in others.indices where others[index].slot == slot { return index }
        return nil
    }

    /// Notes one change of a collection. O(1).
    /// - Parameters:
    ///   - count: the records there were before it.
    ///   - firstStamp: the stamp with which the draft began.
    mutating func note(_ entry: consuming ChangeEntry, in slot: Int, count: Int, firstStamp: UInt64) {
        if begin(slot, count) {
            first.note(entry, firstStamp: firstStamp)
        } else {
            others[place(of: slot)!].note(entry, firstStamp: firstStamp)
        }
    }

    /// Notes that everything in a collection was removed. O(1), or O(its changes) where records are set aside.
    /// - Parameters:
    ///   - count: the records there were before it.
    ///   - asides: how many more there were that are set aside; `nil` where that can't be.
    mutating func noteClear(of slot: Int, count: Int, ofAsides asides: Int?) {
        if begin(slot, count) {
            first.noteClear(ofAsides: asides)
        } else {
            others[place(of: slot)!].noteClear(ofAsides: asides)
        }
    }

    /// Makes the recorder of a collection if there is none.
    /// - Returns: whether it is the first; it is among the others, if not.
    private mutating func begin(_ slot: Int, _ count: Int) -> Bool {
        if first.slot == slot { return true }
        if isEmpty {
            first.begin(slot, startCount: count)
            return true
        }
        if place(of: slot) != nil { return false }
        others.append(ChangeRecorder(slot: slot, startCount: count))
        if others.count == Self.scannedMax + 1 {
            for (place, recorder) in others.enumerated() { places[recorder.slot] = place }
        } else if others.count > Self.scannedMax {
            places[slot] = others.count - 1
        }
        return false
    }

    /// Forgets all notes.
    mutating func removeAll() {
        first = ChangeRecorder(slot: Self.none, startCount: 0)
        if others.isEmpty { return }
        others = []
        places = [:]
    }

    /// Takes out what is left of all notes.
    /// - Parameter clearedAll: whether everything in all collections was removed at once.
    mutating func takeBatch(_ directory: CollectionDirectory, clearedAll: Bool) -> ChangeBatch {
        if isEmpty { return ChangeBatch(clearedAll: clearedAll) }
        if !others.isEmpty { return takeBatchOfMany(directory, clearedAll: clearedAll) }
        let slot = first.slot
        first.slot = Self.none
        guard first.settle() else { return ChangeBatch(clearedAll: clearedAll) }
        return ChangeBatch(first.takeChanges(directory.bindings[slot]), clearedAll: clearedAll)
    }

    private mutating func takeBatchOfMany(_ directory: CollectionDirectory, clearedAll: Bool) -> ChangeBatch {
        var all: ContiguousArray<CollectionChanges> = []
        if first.settle() { all.append(first.takeChanges(directory.bindings[first.slot])) }
        for index in others.indices where others[index].settle() {
            all.append(others[index].takeChanges(directory.bindings[others[index].slot]))
        }
        removeAll()
        return ChangeBatch(all, clearedAll: clearedAll)
    }
}
