import Foundation
import Observation
import TestSupport
import Testing
import Yaprak
import YaprakLocks

@testable import YaprakQueries

/// Live queries: equal to the query at each snapshot, and their changes lead there.
@Suite(.bounded) struct LiveQueryTests {
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(4, soak: 200)))

    /// Applies changes to the rows there were.
    static func applying(_ changes: QueryChanges, to old: [GoodsRecord], new: [GoodsRecord]) -> [String]? {
        var rows: [String?] = old.map(\.key)
        for position in changes.removes + changes.moves.map(\.from) {
            guard rows.indices.contains(position), rows[position] != nil else { return nil }
            rows[position] = nil
        }
        var left = rows.compactMap { $0 }
        let arrivals = (changes.inserts.map { ($0, new[$0].key) } + changes.moves.map { ($0.to, old[$0.from].key) })
            .sorted { $0.0 < $1.0 }
        for (position, key) in arrivals {
            guard position <= left.count else { return nil }
            left.insert(key, at: position)
        }
        return left
    }

    @Test(arguments: seeds)
    func `A live query equals the query, and its changes applied to the old rows give the new ones`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        // Half of the seeds have indexes, whose order serves some of the limits.
        if seed % 2 == 0 { for index in GoodsIndex.all { try await database.register(index.index) } }
        var writes = GoodsWrites(seed: seed)
        writes.keys = 100
        for _ in 0..<60 { try await writes.write(to: database) }
        var predicates = RandomPredicates(random: SplitMix64(seed: seed + 5))
        func live() -> (query: RecordQuery<Goods, String>, rows: LiveRows) {
            // Some have more rows than a limit keeps.
            let all = #Predicate<Goods> { $0.rank > -1_000 }
            let predicate =
                predicates.random.chance(40) ? all : predicates.predicate(depth: 1 + predicates.random.below(2))
            let sort = RandomSort(&predicates.random)
            let limit = predicates.random.chance(60) ? 1 + predicates.random.below(9) : nil
            var query = RecordQuery<Goods, String>(.goods, where: predicate, sortedBy: sort.sort, limit: limit)
            if predicates.random.chance(20),
                let row = database.snapshot[.goods].randomElement(using: &predicates.random)
            {
                query = query.after(row)
            }
            return (query, LiveRows(query, in: database.snapshot))
        }
        var all = (0..<30).map { _ in live() }
        var past: [Snapshot] = []
        for step in 0..<Soak.volume(50, soak: 200) {
            // Some commits at once, as for a consumer that was busy.
            for _ in 0...writes.random.below(3) { try await writes.write(to: database) }
            if writes.random.chance(5), let snapshot = past.randomElement(using: &writes.random) {
                try await database.restore(snapshot)
            }
            past.append(database.snapshot)
            let snapshot = database.snapshot
            for index in all.indices {
                let (query, old) = (all[index].query, QueryRows<Goods, String>(all[index].rows.rows))
                let changes = all[index].rows.advance(to: snapshot)
                let new = QueryRows<Goods, String>(all[index].rows.rows)
                let expected = snapshot[query]
                let name: Comment = "seed \(seed), step \(step), query \(index): \(changes)"
                try #require(new.map(\.key) == expected.map(\.key), name)
                try #require(snapshot.count(of: query) == expected.count, name)
                try #require(zip(new, expected).allSatisfy { $0.isIdentical(to: $1) }, name)
                try #require(Self.applying(changes, to: Array(old), new: Array(new)) == new.map(\.key), name)
                try check(changes, Array(old), Array(new), name)
            }
        }
    }

    /// Each row is named for what happened to it, and no other is.
    private func check(_ changes: QueryChanges, _ old: [GoodsRecord], _ new: [GoodsRecord], _ name: Comment) throws {
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.key, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.map { ($0.key, $0) })
        try #require(Set(changes.removes.map { old[$0].key }) == Set(before.keys).subtracting(after.keys), name)
        try #require(Set(changes.inserts.map { new[$0].key }) == Set(after.keys).subtracting(before.keys), name)
        try #require(
            changes.removes == changes.removes.sorted(by: >) && changes.inserts == changes.inserts.sorted(), name)
        let written = new.filter { row in before[row.key].map { !$0.isIdentical(to: row) } ?? false }.map(\.key)
        let steps = changes.moves + changes.updates
        try #require(steps.allSatisfy { old[$0.from].key == new[$0.to].key }, name)
        try #require(Set(steps.map { new[$0.to].key }) == Set(written) && steps.count == written.count, name)
    }

    @Test(arguments: seeds) func `Many rows come, go and move, and are those of the query`(seed: UInt64) async throws {
        let database = Database.inMemory()
        var random = SplitMix64(seed: seed)
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank))
        var live = LiveRows(query, in: database.snapshot)
        let most = Soak.volume(1_500, soak: 20_000)
        // Up to so many records, and down again: branches are split, put together and given up.
        for (step, wanted) in [most, most / 2, 20, most, 3, 0, 40].enumerated() {
            while database.snapshot[.goods].count != wanted {
                let (count, part) = (database.snapshot[.goods].count, 1 + random.below(most / 3))
                let numbers = (0..<min(part, abs(wanted - count))).map { _ in random.below(1 << 40) }
                let start = random.below(max(1, count))
                try await database.write { [goods] transaction in
                    // A stretch that goes, or records anywhere that come; and some that move, or stay where they are.
                    let rows = try transaction[query].map(\.key)
                    for number in numbers where wanted > count { transaction[.goods]["g\(number)"] = goods(number) }
                    for index in numbers.indices where wanted < count {
                        transaction[.goods].remove(rows[(start + index) % count])
                    }
                    for number in numbers.prefix(20) where !rows.isEmpty {
                        transaction[.goods][rows[number % rows.count]]?.rank += number % 3 - 1
                    }
                }
                let before = QueryRows<Goods, String>(live.rows)
                let keys = before.map(\.key)
                let changes = live.advance(to: database.snapshot)
                let (new, expected) = (QueryRows<Goods, String>(live.rows), database.snapshot[query])
                let name: Comment = "seed \(seed), step \(step), \(count) rows before, \(expected.count) after"
                try #require(new.map(\.key) == expected.map(\.key), name)
                try #require(zip(new, expected).allSatisfy { $0.isIdentical(to: $1) }, name)
                try #require(Self.applying(changes, to: Array(before), new: Array(new)) == new.map(\.key), name)
                // The rows before are what they were: the two share what did not change.
                try #require(before.map(\.key) == keys, name)
            }
        }
    }

    @Test func `One changed row of many costs a search among them, and not a look at them`() async throws {
        func comparisons(_ count: Int) async throws -> Int {
            let database = Database.inMemory()
            try await database.write { [goods] in
                for number in 0..<count { $0[.goods]["g\(number)"] = goods(number) }
            }
            let asked = Mutex(0)
            let query = RecordQuery<Goods, String>(
                .goods,
                sortedBy: RecordSort { row in
                    asked.withLock { $0 += 1 }
                    return row.object.rank
                })
            var live = LiveRows(query, in: database.snapshot)
            var most = 0
            for step in 0..<20 {
                let number = step * 7919 % count
                let rank = step.isMultiple(of: 2) ? number : number * 31 % count
                try await database.write { $0[.goods]["g\(number)"]?.rank = rank }
                asked.withLock { $0 = 0 }
                _ = live.advance(to: database.snapshot)
                most = max(most, asked.withLock { $0 })
            }
            return most
        }
        let (few, many) = (try await comparisons(500), try await comparisons(8_000))
        #expect(many <= 2 * few, "\(few) values were asked for with 500 rows, \(many) with 8,000")
        #expect(many <= 200)
    }

    private func goods(_ number: Int) -> Goods {
        var random = SplitMix64(seed: UInt64(number))
        var goods = Goods.random(&random)
        goods.rank = number
        return goods
    }

    @Test func `Updates of a query come at once, and whenever a row differs`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in for number in 0..<10 { $0[.goods]["g\(number)"] = goods(number) } }
        let query = RecordQuery<Goods, String>(.goods, where: #Predicate { $0.rank < 5 }, sortedBy: RecordSort(\.rank))
        var updates = database.updates(of: query).makeAsyncIterator()
        let first = try #require(await updates.next())
        #expect(first.changes.isReload && first.changes.inserts == [0, 1, 2, 3, 4] && first.oldRows.isEmpty)
        try await database.write { $0[.goods]["g9"]?.rank = 90 }  // no row of the query
        try await database.write { $0[.goods]["g4"]?.rank = -1 }
        try await database.write { transaction in
            transaction[.goods]["g1"]?.isNew.toggle()
            transaction[.goods].remove("g2")
        }
        let second = try #require(await updates.next())
        #expect(
            second.oldRows.map(\.key) == first.rows.map(\.key) && second.rows.map(\.key) == ["g4", "g0", "g1", "g3"])
        #expect(second.changes.removes == [2] && second.changes.inserts.isEmpty)
        #expect(
            second.changes.moves.map(\.description) == ["4 → 0"]
                && second.changes.updates.map(\.description) == ["1 → 2"])
        #expect(
            second.new.commitNumber == database.snapshot.commitNumber
                && second.old.commitNumber == first.new.commitNumber)
        let end = Task { await updates.next() == nil }
        try await database.close()
        #expect(await end.value)
    }

    @Test(arguments: seeds) func `Rows of an update outlive the update, its query and the database`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var kept: [(rows: QueryRows<Goods, String>, names: [String])] = []
        do {
            let database = Database.inMemory()
            try await database.write { [goods] in for number in 0..<300 { $0[.goods]["g\(number)"] = goods(number) } }
            let query = RecordQuery<Goods, String>(
                .goods, where: #Predicate { $0.rank < 200 }, sortedBy: RecordSort(\.rank), limit: 100)
            var updates = database.updates(of: query).makeAsyncIterator()
            for step in 0..<60 {
                let (first, second, rank) = (random.below(300), random.below(300), random.below(300))
                var newest = goods(step)
                // Before all others: there is an update for each step.
                newest.rank = -step
                let new = newest
                try await database.write { transaction in
                    transaction[.goods]["g\(first)"]?.rank = rank
                    transaction[.goods].remove("g\(second)")
                    transaction[.goods]["new\(step)"] = new
                }
                guard let update = await updates.next() else { break }
                if random.chance(30) { kept.append((update.rows, update.rows.map { "\($0.key) \($0.object)" })) }
            }
            try await database.close()
        }
        for (number, (rows, names)) in kept.enumerated() {
            #expect(rows.map { "\($0.key) \($0.object)" } == names, "seed \(seed), update \(number)")
        }
        #expect(!kept.isEmpty, "seed \(seed)")
    }

    @Test func `A limited query asks an index in order for the rows behind it, and says so where there is none`()
        async throws
    {
        for hasIndex in [false, true] {
            let database = Database.inMemory()
            try await database.write { [goods] in for number in 0..<500 { $0[.goods]["g\(number)"] = goods(number) } }
            if hasIndex { try await database.register(RecordIndex("rank", of: .goods, \.rank)) }
            let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank), limit: 10)
            var live = LiveRows(query, in: database.snapshot)
            var reruns = 0
            for number in 0..<200 {
                try await database.write { $0[.goods].remove("g\(number)") }
                let changes = live.advance(to: database.snapshot)
                #expect(changes.removes == [0] && changes.inserts == [9])
                if changes.wasRerun { reruns += 1 }
            }
            // It keeps 36 rows, so that most removals need none.
            #expect(hasIndex ? reruns == 0 : (1...10).contains(reruns))
        }
    }

    // An index in the order of keys was missed, which nobody can make: the collection is in that order.
    @Test func `A limited query in the order of keys reads on in the collection, and is not run again`() async throws {
        let database = Database.inMemory()
        let keys = (0..<500).map { "g\(1_000 + $0)" }
        try await database.write { [goods] in for key in keys { $0[.goods][key] = goods(1) } }
        let queries: [RecordQuery<Goods, String>] = [
            RecordQuery(.goods, limit: 10), RecordQuery(.goods, where: #Predicate { $0.rank > 0 }, limit: 10),
        ]
        var live = queries.map { LiveRows($0, in: database.snapshot) }
        for (number, key) in keys.prefix(200).enumerated() {
            try await database.write { $0[.goods].remove(key) }
            for index in live.indices {
                let changes = live[index].advance(to: database.snapshot)
                #expect(changes.removes == [0] && changes.inserts == [9] && !changes.wasRerun)
                var shown: [String] = []
                live[index].rows.forEach { row in
                    shown.append(GoodsRecord(box: row).key)
                    return true
                }
                #expect(shown.elementsEqual(keys[(number + 1)..<(number + 11)]))
            }
        }
    }

    @Test(arguments: seeds) func `A live count is that of its query, whatever is written, and tests what was`(
        seed: UInt64
    ) async throws {
        let database = Database.inMemory()
        var writes = GoodsWrites(seed: seed)
        var predicates = RandomPredicates(random: SplitMix64(seed: seed))
        let queries = (0..<6).map { number in
            RecordQuery<Goods, String>(
                .goods, where: predicates.predicate(), key: number > 3 ? predicates.keyPredicate() : nil,
                limit: number.isMultiple(of: 2) ? nil : 9)
        }
        var live = queries.map { LiveCount($0, in: database.snapshot) }
        var past = database.snapshot
        for round in 0..<60 {
            for _ in 0...round % 3 { try await writes.write(to: database) }
            if round % 20 == 7 { past = database.snapshot }
            if round % 20 == 19 { try await database.restore(past) }
            let snapshot = database.snapshot
            for (number, query) in queries.enumerated() {
                live[number].advance(to: snapshot)
                try #require(live[number].value == snapshot[query].count, "seed \(seed), round \(round), \(number)")
            }
        }
        // Costs: not the collection, but what has changed of it.
        let tested = Mutex(0)
        try await database.write { [goods] in for number in 0..<2_000 { $0[.goods]["x\(number)"] = goods(number) } }
        let query = RecordQuery<Goods, String>(.goods) { goods in
            tested.withLock { $0 += 1 }
            return goods.rank > 5
        }
        var counts = database.counts(of: query).makeAsyncIterator()
        let count = await counts.next()!
        tested.withLock { $0 = 0 }
        try await database.write { [goods] in $0[.goods]["new"] = goods(77) }
        #expect(await counts.next() == count + 1)
        #expect(tested.withLock { $0 } == 1)
    }

    @Test func `Observed values come without repetitions`() async throws {
        let database = Database.inMemory()
        let query = RecordQuery<Goods, String>(.goods, where: #Predicate { $0.rank > 5 })
        var counts = database.counts(of: query).makeAsyncIterator()
        var record = database.updates(of: .goods, key: "g7").makeAsyncIterator()
        var sums = database.observe { $0[.goods].reduce(0) { $0 + $1.object.rank } }.makeAsyncIterator()
        #expect(await counts.next() == 0)
        #expect((await record.next())! == nil)
        #expect(await sums.next() == 0)
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        try await database.write { [goods] in $0[.goods]["g7"] = goods(7) }
        #expect(await counts.next() == 1)
        #expect((await record.next())??.object.rank == 7)
        #expect(await sums.next() == 8)
        try await database.write { $0[.goods]["g1"]?.rank = 2 }
        try await database.write { $0[.goods]["g1"]?.rank = 1 }
        try await database.write { transaction in
            transaction[.goods].remove("g1")
            transaction[.goods]["g7"]?.rank = 8
        }
        #expect((await record.next())??.object.rank == 8)
        try await database.write { $0[.goods].remove("g7") }
        #expect(await counts.next() == 0)
        #expect(await sums.next() == 0)
        #expect((await record.next())! == nil)
    }

    @Test @MainActor func `A model shows the rows of its query, and a value model its value`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank))
        let model = QueryModel(query, in: database)
        let count = ValueModel(database.counts(of: query), now: database.snapshot.count(of: query))
        #expect(model.rows.map(\.key) == ["g1"] && count.value == 1)
        let following = [Task { await model.follow() }, Task { await count.follow() }]
        try await database.write { [goods] in $0[.goods]["g0"] = goods(0) }
        while model.rows.count < 2 || count.value < 2 { await Task.yield() }
        #expect(model.rows.map(\.key) == ["g0", "g1"])
        try await database.close()
        for task in following { await task.value }
    }

    @Test @MainActor func `Models that begin to follow notify nobody where nothing differs`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank))
        let model = QueryModel(query, in: database)
        let count = ValueModel(database.counts(of: query), now: 1)
        let notified = Mutex(0)
        withObservationTracking {
            _ = model.rows
        } onChange: {
            notified.withLock { $0 += 1 }
        }
        withObservationTracking {
            _ = count.value
        } onChange: {
            notified.withLock { $0 += 1 }
        }
        let following = [Task { await model.follow() }, Task { await count.follow() }]
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(5))
            #expect(notified.withLock { $0 } == 0)
        }
        try await database.write { [goods] in $0[.goods]["g0"] = goods(0) }
        while model.rows.count < 2 || count.value < 2 { await Task.yield() }
        #expect(notified.withLock { $0 } == 2)
        #expect(!model.changes.isReload)
        try await database.close()
        for task in following { await task.value }
    }

    /// A model kept the snapshot of the last commit that changed one of its rows, and its garbage with it.
    @Test @MainActor func `A model that follows keeps no snapshot besides the newest`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank))
        let model = QueryModel(query, in: database)
        let following = Task { await model.follow() }
        try await database.write { [goods] in $0[.goods]["g0"] = goods(0) }
        while model.rows.count < 2 { await Task.yield() }
        let notified = Mutex(0)
        withObservationTracking {
            _ = model.rows
        } onChange: {
            notified.withLock { $0 += 1 }
        }
        let others = RecordCollection<Int, NoMetadata>("others")
        for number in 0..<50 { try await database.write { $0[others]["a"] = number } }
        while database.statistics.heldStateCount > 1 { await Task.yield() }
        #expect(database.statistics.oldestHeldState?.commitNumber == database.commitNumber)
        #expect(model.rows.map(\.key) == ["g0", "g1"] && model.rows.map(\.object.rank) == [0, 1])
        #expect(notified.withLock { $0 } == 0)
        try await database.close()
        await following.value
    }

    /// Each followed by itself and took the model's rows for its own: they could be those of a snapshot that nobody kept.
    @Test @MainActor func `Two who follow one model share its rows, and one of them may end`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let database = Database.inMemory()
        try await database.write { [goods] in for n in 0..<40 { $0[.goods]["g\(n)"] = goods(n) } }
        let query = RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank))
        let model = QueryModel(query, in: database)
        let first = Task { await model.follow() }
        let second = Task { await model.follow() }
        for step in 0..<300 {
            let n = 100 + random.below(30), isRemoved = random.chance(50)
            try await database.write { [goods] in $0[.goods]["g\(n)"] = isRemoved ? nil : goods(n) }
            if random.chance(30) { await Task.yield() }
            // Rows that were freed would be read here.
            #expect(model.rows.allSatisfy { $0.key == "g\($0.object.rank)" }, "seed \(seed), step \(step)")
            if step == 150 { first.cancel() }
        }
        let newest = database.snapshot[query].map(\.key)
        while model.rows.map(\.key) != newest { await Task.yield() }
        while database.statistics.heldStateCount > 1 { await Task.yield() }
        #expect(model.rows.map(\.key) == newest, "seed \(seed)")
        try await database.close()
        await first.value
        await second.value
    }

    /// What two who follow get, as they may get it: one the middle snapshot, the other the last, and then the first is late.
    @Test @MainActor func `A snapshot that comes late shows nothing, and rows are the newest`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let model = QueryModel(RecordQuery<Goods, String>(.goods, sortedBy: RecordSort(\.rank)), in: database)
        var snapshots = [database.snapshot]
        try await database.write { [goods] in $0[.goods]["g2"] = goods(2) }
        snapshots.append(database.snapshot)
        try await database.write { $0[.goods]["g2"] = nil }
        snapshots.append(database.snapshot)
        model.advance(to: snapshots[0])
        model.advance(to: snapshots[1])
        #expect(model.rows.map(\.key) == ["g1", "g2"])
        model.advance(to: snapshots[2])
        #expect(model.rows.map(\.key) == ["g1"])
        model.advance(to: snapshots[1])
        #expect(model.rows.map(\.key) == ["g1"])
        snapshots = []
        #expect(database.statistics.heldStateCount == 1)
        try await database.close()
    }

    /// Each who followed knew only the values that it had seen itself.
    @Test @MainActor func `A value that comes late is not shown, and no task takes what it has seen for what is shown`()
        async throws
    {
        let database = Database.inMemory()
        let values = database.observe { $0[.goods].count }
        let model = ValueModel(values, now: 0)
        var first = values.makeAsyncIterator()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let late = await first.nextOfAny()!
        try await database.write { [goods] in $0[.goods]["g2"] = goods(2) }
        var second = values.makeAsyncIterator()
        let newest = await second.nextOfAny()!
        model.show(newest.value, of: newest.snapshot)
        model.show(late.value, of: late.snapshot)
        #expect(model.value == 2)
        // The first has seen this value before, and the model has not shown it.
        try await database.write { $0[.goods]["g2"] = nil }
        let again = await first.nextOfAny()!
        model.show(again.value, of: again.snapshot)
        #expect(model.value == 1)
        try await database.close()
    }

    @Test @MainActor func `A value of the same commit that comes late is not shown`() async throws {
        let database = Database.inMemory()
        try await database.write { [goods] in $0[.goods]["g1"] = goods(1) }
        let index = RecordIndex("rank", of: .goods, \.rank)
        let model = ValueModel(database.observe { (try? $0.reader(of: index)) != nil }, now: false)
        let late = database.snapshot
        try await database.register(index)
        #expect(database.commitNumber == late.commitNumber)
        model.show(true, of: database.snapshot)
        model.show(false, of: late)
        #expect(model.value)
        try await database.unregister("rank")
        model.show(false, of: database.snapshot)
        #expect(!model.value)
        try await database.close()
    }
}
