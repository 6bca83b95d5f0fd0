import ArgumentParser
import Yaprak
import YaprakReplay

/// Which changes and which commits are to be shown.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only changes of this collection.")
    var collection: String?

    @Option(help: "Only changes of records under this key.")
    var key: String?

    var filter: ChangeFilter { ChangeFilter(collection: collection, key: key) }
}

/// Which changes are to be shown.
struct ChangeFilter {
    var collection: String?
    var key: String?

    var passesAll: Bool { collection == nil && key == nil }

    /// Whether a change of a record is to be shown.
    func passes(_ collection: String, _ key: String) -> Bool {
        (self.collection ?? collection) == collection && (self.key ?? key) == key
    }

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

/// A commit with the changes that were asked for.
struct ShownCommit {
    let commit: ReplayCommit
    let collections: [ReplayCommit.CollectionChange]
    /// The values before and after, where they were asked for.
    var changes: [ShownChange]?

    /// How much changed in each collection.
    var counts: [(collection: String, counts: ChangeCounts)] {
        collections.map { collection in
            var counts = ChangeCounts()
            for change in collection.changes { counts.add(change.kinds) }
            return (collection.name, counts)
        }
    }
}
