import Synchronization
import Yaprak

extension CostGates {
    static let count = 100_000

    /// Reads, writes, forks and streams of a database in memory.
    static func memory() async throws -> [Gate] {
        let database = Database.inMemory()
        try await database.fill(count)
        let keys = (0..<count).map(key)
        let held = database.snapshot
        var sum = 0
        var gates = await allocations("a read of a snapshot that is held", atMost: 0, rounds: 10_000) {
            sum += held[.items][keys[$0 * 7 % count]]?.rank ?? 0
        }
        gates += await allocations("a read of the newest snapshot", atMost: 0, rounds: 10_000) {
            sum += database.snapshot[.items][keys[$0 * 7 % count]]?.rank ?? 0
        }
        gates += try await allocations("an update of one of 100,000 records", atMost: 4.7, rounds: 10_000) { round in
            let key = keys[round * 7919 % count]
            try await database.write { $0[.items][key] = Item(rank: round, group: 1, weight: 2, height: 3) }
        }
        gates += try await references("an update of one of 100,000 records", atMost: 75, rounds: 10_000) { round in
            let key = keys[round * 7919 % count]
            try await database.write { $0[.items][key] = Item(rank: -round, group: 1, weight: 2, height: 3) }
        }
        gates += try await allocations("a write that changes nothing", atMost: 0.5, rounds: 10_000) { round in
            let key = keys[round * 7919 % count]
            sum += try await database.write { $0[.items][key]?.rank ?? 0 }
        }
        var forks: [Database] = []
        forks.reserveCapacity(2_000)
        gates += await allocations("a fork", atMost: 3.5, rounds: 1_000) { _ in forks.append(database.fork()) }
        forks = []
        gates += try await allocations("a fork with one write, dropped", atMost: 10, rounds: 1_000) { round in
            let fork = database.fork()
            try await fork.write { $0[.items][keys[round]]?.rank = -round }
        }
        var changesets = database.changesets().makeAsyncIterator()
        for round in 0..<1_100 {
            try await database.write { $0[.items][keys[round]]?.rank = -round }
        }
        gates += try await allocations("a changeset that is there already", atMost: 0.5, rounds: 1_000) { _ in
            sum += try await changesets.next()?.changes(in: .items).count ?? 0
        }
        precondition(sum != 0)
        return gates
    }

    /// What views, indexes and lists call and allocate for one update.
    static func views() async throws -> [Gate] {
        let calls = Calls()
        let view = AutoView(
            "ranks", of: .items,
            groupedBy: .byObject { item in
                calls.grouping.wrappingAdd(1, ordering: .relaxed)
                return "\(item.group)"
            },
            sortedBy: .byObject { item in
                calls.sorting.wrappingAdd(1, ordering: .relaxed)
                return item.rank
            })
        let database = Database.inMemory()
        try await database.fill(count)
        try await database.register(view)
        try await database.register(RecordIndex("heights", of: .items, \.height))
        let rounds = 1_000
        let before = (calls.grouping.load(ordering: .relaxed), calls.sorting.load(ordering: .relaxed))
        for round in 0..<rounds {
            let key = key(round * 7919 % count)
            try await database.write { $0[.items][key]?.rank = round }
        }
        let grouped = calls.grouping.load(ordering: .relaxed) - before.0
        let sorted = calls.sorting.load(ordering: .relaxed) - before.1
        var gates = [
            Gate("calls of a view's grouping closure for an update", Double(grouped) / Double(rounds), atMost: 1),
            Gate("calls of a view's sorting closure for an update", Double(sorted) / Double(rounds), atMost: 1),
        ]
        gates += try await allocations(
            "an update with a view and an index, which moves a row", atMost: 27, rounds: rounds
        ) { round in
            let key = key(round * 104_729 % count)
            try await database.write { $0[.items][key]?.rank = -round }
        }
        gates += try await references(
            "an update with a view and an index, which moves a row", atMost: 345, rounds: rounds
        ) { round in
            let key = key(round * 15_485_863 % count)
            try await database.write { $0[.items][key]?.rank = count + round }
        }
        let indexed = Database.inMemory()
        try await indexed.fill(count)
        try await indexed.register(RecordIndex("ranks", of: .items, \.rank, unique: true))
        try await indexed.register(RecordIndex("groups", of: .items, \.group, \.weight))
        try await indexed.register(RecordIndex("weights", of: .items, \.weight))
        gates += try await references(
            "an update that leaves three indexes alone", atMost: 245, rounds: rounds
        ) { round in
            let key = key(round * 15_485_863 % count)
            try await indexed.write { $0[.items][key]?.height = count + round }
        }
        var mappings = ViewMappings(view, groups: (0..<7).map { "\($0)" })
        var shown = database.snapshot
        try mappings.update(to: shown)
        var changes = 0
        let withWrite = try await allocations(
            "the same, and the row changes of a list", atMost: 37, rounds: rounds
        ) { round in
            let key = key(round * 1299709 % count)
            try await database.write { $0[.items][key]?.rank = count + round }
            let next = database.snapshot
            changes += try mappings.advance(from: shown, to: next).rowChanges.count
            shown = next
        }
        var updates = database.updates(of: mappings, since: shown).makeAsyncIterator()
        let followed = try await references(
            "the same, and an update of a list that is followed", atMost: 585, rounds: rounds
        ) { round in
            let key = key(round * 32_452_843 % count)
            try await database.write { $0[.items][key]?.rank = -2 * count - round }
            changes += try await updates.next()?.rowChanges.count ?? 0
        }
        precondition(changes >= 2 * rounds)
        return gates + withWrite + followed
    }

    /// How often closures were called.
    private final class Calls: Sendable {
        let grouping = Atomic(0)
        let sorting = Atomic(0)
    }
}
