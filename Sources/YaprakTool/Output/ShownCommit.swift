import Yaprak
import YaprakReplay

/// A commit with the changes that were asked for.
struct ShownCommit {
    let commit: ReplayCommit
    private(set) var collections: [ReplayCommit.CollectionChange]
    /// The values before and after, where they were asked for.
    var changes: [ShownChange]?

    /// Leaves out every change of a record but these.
    mutating func keep(_ changes: [ShownChange]) {
        let kept = Set(changes.map { [$0.collection, $0.key] })
        collections = collections.compactMap { collection in
            let changes = collection.changes.filter { kept.contains([collection.name, $0.key]) }
            return changes.isEmpty && !collection.removesAll ? nil : collection.keeping(changes)
        }
    }

    /// How much changed in each collection.
    var counts: [(collection: String, counts: ChangeCounts)] {
        collections.map { collection in
            var counts = ChangeCounts()
            counts.removesAll = collection.removesAll
            for change in collection.changes { counts.add(change.kinds) }
            return (collection.name, counts)
        }
    }
}

extension ChangeFilter {
    /// The commit with what passes; `nil` if nothing does.
    func apply(to commit: ReplayCommit) -> ShownCommit? {
        guard !passesAll else { return ShownCommit(commit: commit, collections: commit.collections) }
        let passed = commit.collections.compactMap { change -> ReplayCommit.CollectionChange? in
            if let collection, change.name != collection { return nil }
            guard let key else { return change }
            let changes = change.changes.filter { $0.key == key }
            if changes.isEmpty, !change.removesAll { return nil }
            return change.keeping(changes)
        }
        return passed.isEmpty && !commit.removesAll ? nil : ShownCommit(commit: commit, collections: passed)
    }
}
