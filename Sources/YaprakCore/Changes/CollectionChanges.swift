import YaprakLocks

/// What one commit, or one part of it, did to one collection: net, and immutable.
///
/// A value, so that a commit of one record needs no object for it.
struct CollectionChanges: Sendable {
    let binding: CollectionBinding
    /// The number of records that a removal of everything took away; `nil` if there was none. The removed records are
    /// not among the entries; what came after the removal is. A part of a sum may have less than took place: 0, or
    /// below, where what came in it is all that went.
    let clearedCount: Int?
    /// The number of records that had been set aside and that it took away, too. They are not among `clearedCount`.
    let clearedAsides: Int
    /// One entry per record, in the order in which records were first changed.
    let entries: OneOrMany<ChangeEntry>
    /// In which order their keys are; `nil` where there are so few that looking through them is faster.
    private let order: EntryOrder?

    init(
        binding: CollectionBinding, clearedCount: Int?, clearedAsides: Int = 0,
        entries: consuming OneOrMany<ChangeEntry>
    ) {
        self.binding = binding
        self.clearedCount = clearedCount
        self.clearedAsides = clearedAsides
        order = entries.count > EntryOrder.scannedMax ? EntryOrder() : nil
        self.entries = entries
    }

    /// The entry of the record under `key` (in its normal form), or `nil`.
    ///
    /// - Complexity: O(log *n*); the first call looks through all, O(*n*), and the second sorts, O(*n* log *n*).
    func entry(forKey key: String) -> ChangeEntry? {
        guard let order = order?.positions(of: entries) else { return entries.first { $0.key == key } }
        var lower = 0
        var upper = order.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if entries[order[middle]].key < key { lower = middle + 1 } else { upper = middle }
        }
        guard lower < order.count, entries[order[lower]].key == key else { return nil }
        return entries[order[lower]]
    }

    /// Whether positions are kept for questions about keys. For tests.
    var keepsOrder: Bool { order?.isMade ?? false }

    /// By how many records the entries make the collection grow. Records that were set aside have no place in it, and
    /// don't count.
    var countDifference: Int {
        entries.reduce(0) { $0 + ($1.after.isRecord ? 1 : 0) - ($1.before.isRecord ? 1 : 0) }
    }

    /// By how many records that are set aside they make it grow: a changeset from the log may have those that came, too.
    fileprivate var asideDifference: Int {
        entries.reduce(0) { $0 + ($1.after.isAside ? 1 : 0) - ($1.before.isAside ? 1 : 0) }
    }

    /// Whether anything went that was set aside, whether or not a record came in its place.
    fileprivate var takesAsides: Bool { entries.contains { $0.before.isAside } }

    /// These changes and later ones of the same collection as one.
    func followed(by next: CollectionChanges) -> CollectionChanges {
        if let cleared = next.clearedCount {
            // What was removed wholesale is counted once, as of the beginning. If all of it came in these changes, nothing is
            // left of the removal; but more of it may have come or gone in those before.
            return CollectionChanges(
                binding: next.binding, clearedCount: clearedCount ?? cleared - countDifference,
                clearedAsides: clearedCount == nil ? next.clearedAsides - asideDifference : clearedAsides,
                entries: next.entries)
        }
        return CollectionChanges(
            binding: next.binding, clearedCount: clearedCount, clearedAsides: clearedAsides,
            entries: OneOrMany(netEntries(entries.array + next.entries.array)))
    }

    /// The same as nothing came before: without a removal of everything that took nothing away.
    fileprivate var whole: CollectionChanges {
        let count = max(0, clearedCount ?? 0)
        let asides = max(0, clearedAsides)
        return CollectionChanges(
            binding: binding, clearedCount: count > 0 || asides > 0 ? count : nil, clearedAsides: asides,
            entries: entries)
    }
}

/// Positions of entries in the order of their keys, made when somebody asks for a key a second time: many a changeset is asked
/// for one key and no more, and lives as long as a slow consumer lets it.
private final class EntryOrder: Sendable {
    /// So few are looked through.
    static let scannedMax = 8

    private enum State {
        case unasked
        case askedOnce
        case sorted([Int])
    }

    private let state = Mutex(State.unasked)

    var isMade: Bool {
        state.withLock { if case .sorted = $0 { true } else { false } }
    }

    /// The positions; `nil` for the first who asks, who is to look through the entries. `entries` are the same with every call.
    func positions(of entries: OneOrMany<ChangeEntry>) -> [Int]? {
        state.withLock { state in
            switch state {
            case .unasked:
                state = .askedOnce
                return nil
            case .askedOnce:
                let sorted = entries.indices.sorted { entries[$0].key < entries[$1].key }
                state = .sorted(sorted)
                return sorted
            case .sorted(let positions):
                return positions
            }
        }
    }
}

/// What one commit, or one part of it, did to all collections: net, and immutable.
struct ChangeBatch: Sendable {
    var collections: OneOrMany<CollectionChanges> {
        didSet { places = collections.count > CollectionPlaces.scannedMax ? CollectionPlaces() : nil }
    }
    /// The only collection that changed, if there is one.
    var only: CollectionBinding? { collections.only?.binding }
    /// Whether something happened in a collection without types.
    var hasUntyped: Bool {
        if let only { return only is RawBinding }
        return collections.several.contains { $0.binding is RawBinding }
    }
    /// Where each collection stands among them; `nil` where there are few.
    private var places: CollectionPlaces?
    /// Everything in all collections was removed at once.
    var clearedAll: Bool

    init(clearedAll: Bool = false) {
        collections = OneOrMany()
        self.clearedAll = clearedAll
    }

    /// What happened in one collection.
    init(_ changes: consuming CollectionChanges, clearedAll: Bool = false) {
        collections = .one(changes)
        self.clearedAll = clearedAll
    }

    /// What happened in several.
    init(_ changes: ContiguousArray<CollectionChanges>, clearedAll: Bool = false) {
        collections = OneOrMany(changes)
        places = changes.count > CollectionPlaces.scannedMax ? CollectionPlaces() : nil
        self.clearedAll = clearedAll
    }

    var isEmpty: Bool { collections.isEmpty && !clearedAll }

    /// The number of records in all collections together, without those that a removal of everything took away.
    var recordCount: Int {
        if collections.only != nil { return collections.only!.entries.count }
        return collections.several.reduce(0) { $0 + $1.entries.count }
    }

    /// What happened in the collection called `name`. O(1) on average; the first call of many collections is O(their number).
    func changes(inCollection name: String) -> CollectionChanges? {
        if let places { return places.place(of: name, in: collections).map { collections[$0] } }
        for changes in collections where changes.binding.name == name { return changes }
        return nil
    }

    /// Whether something happened in the collection called `name`.
    func concerns(_ name: String) -> Bool {
        if let only { return only.name == name }
        return collections.contains { $0.binding.name == name }
    }

    /// Whether something happened in one of these collections.
    func concerns(anyOf names: Set<String>) -> Bool {
        if let only { return names.contains(only.name) }
        return collections.contains { names.contains($0.binding.name) }
    }

    /// What of it happened in the collection called `name`. O(1) on average.
    func part(in name: String) -> ChangeBatch {
        var part = ChangeBatch()
        part.clearedAll = clearedAll
        if let changes = changes(inCollection: name), !changes.entries.isEmpty || changes.clearedCount != nil {
            part.collections = .one(changes)
        }
        return part
    }

    /// What extensions are given: they have never seen the rows of a collection without types, nor rows set aside.
    var forExtensions: ChangeBatch { withoutUnseen(keepsRemovals: false) }

    /// What the rules of relationships are given: the same, and which rows that were set aside are gone.
    var forRules: ChangeBatch { withoutUnseen(keepsRemovals: true) }

    /// - Parameter keepsRemovals: keep that rows went that were set aside, unless everything went.
    private func withoutUnseen(keepsRemovals: Bool) -> ChangeBatch {
        var given = self
        given.collections = OneOrMany(
            collections.compactMap { changes -> CollectionChanges? in
                if changes.binding is RawBinding { return nil }
                if !changes.takesAsides { return changes }
                let entries = ContiguousArray(
                    changes.entries.lazy.compactMap { entry -> ChangeEntry? in
                        guard entry.before.isAside else { return entry }
                        guard let after = entry.after else { return keepsRemovals ? entry : nil }
                        return ChangeEntry(before: nil, after: after, kinds: .inserted)
                    })
                if entries.isEmpty, changes.clearedCount == nil { return nil }
                return CollectionChanges(
                    binding: changes.binding, clearedCount: changes.clearedCount,
                    clearedAsides: changes.clearedAsides, entries: OneOrMany(entries))
            })
        return given
    }

    /// Many changes as one, added up by halves: each is looked at O(log *k*) times.
    init(sumOf batches: ArraySlice<ChangeBatch>) {
        self.init(partsOf: batches)
        if batches.count > 1 { self = whole }
    }

    /// The same as nothing came before: without removals of everything in a collection that took nothing away.
    var whole: ChangeBatch {
        guard collections.contains(where: { $0.clearedCount != nil }) else { return self }
        var sum = self
        sum.collections = OneOrMany(
            collections.map { $0.clearedCount == nil ? $0 : $0.whole }
                .filter { !$0.entries.isEmpty || $0.clearedCount != nil })
        return sum
    }

    private init(partsOf batches: ArraySlice<ChangeBatch>) {
        switch batches.count {
        case 0: self = ChangeBatch()
        case 1: self = batches.first!
        default:
            let middle = batches.startIndex + batches.count / 2
            self = ChangeBatch(partsOf: batches[..<middle]).followed(by: ChangeBatch(partsOf: batches[middle...]))
        }
    }

    /// The sum of several commits, as one commit has it.
    ///
    /// A transaction does not say that it removed everything if there was nothing when it began. So does the sum not, if all
    /// that was removed had come in one of these commits. Only the whole sum shows that: halves of it, and parts of one
    /// transaction, keep what they say.
    func asOneCommit() -> ChangeBatch {
        if !clearedAll || collections.contains(where: { $0.clearedCount != nil }) { return self }
        var sum = self
        sum.clearedAll = false
        return sum
    }

    /// These changes and later ones as one. A removal of everything stays in it, also if it took nothing away.
    func followed(by next: ChangeBatch) -> ChangeBatch {
        if isEmpty { return next }
        if next.isEmpty { return self }
        var sum = self
        sum.clearedAll = clearedAll || next.clearedAll
        if next.clearedAll {
            // A collection that was empty by then is not named there: what was removed from it before is part of it now.
            sum.collections = OneOrMany(
                collections.map { changes in
                    if next.changes(inCollection: changes.binding.name)?.clearedCount != nil { return changes }
                    if changes.clearedCount != nil {
                        return CollectionChanges(
                            binding: changes.binding, clearedCount: changes.clearedCount,
                            clearedAsides: changes.clearedAsides, entries: [])
                    }
                    return CollectionChanges(
                        binding: changes.binding, clearedCount: -changes.countDifference,
                        clearedAsides: -changes.asideDifference, entries: [])
                })
        }
        let places = CollectionPlaces()
        var all = sum.collections.array
        for changes in next.collections {
            // No collection is twice among the later ones: what is appended here is not asked for again.
            if let index = places.place(of: changes.binding.name, in: sum.collections) {
                all[index] = all[index].followed(by: changes)
            } else {
                all.append(changes)
            }
        }
        all.removeAll { $0.entries.isEmpty && $0.clearedCount == nil }
        sum.collections = OneOrMany(all)
        return sum
    }
}

/// Where collections stand in a batch, by name; made when somebody first asks.
final class CollectionPlaces: Sendable {
    /// So few are looked through, which is faster than hashing.
    static let scannedMax = 8
    private let places = Mutex<[String: Int]?>(nil)

    /// The first place of the collection called `name`, or `nil`. `collections` are the same with every call.
    func place(of name: String, in collections: OneOrMany<CollectionChanges>) -> Int? {
        if collections.count <= Self.scannedMax { return collections.firstIndex { $0.binding.name == name } }
        return places.withLock { places in
            if let places { return places[name] }
            let made = Dictionary(
                collections.enumerated().map { ($1.binding.name, $0) }, uniquingKeysWith: { first, _ in first })
            places = made
            return made[name]
        }
    }
}
