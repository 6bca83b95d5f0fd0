import Synchronization
import TestSupport
import Testing
import Yaprak
import YaprakLocks
import YaprakTrees

@testable import YaprakCore

/// A sort value that says whether a writer has the turn while it is compared.
private struct Witness: Comparable, Sendable {
    static let database = YaprakLocks.Mutex<Database?>(nil)
    static let comparisons = Atomic(0)
    static let comparisonsInTurn = Atomic(0)

    var value: Int

    static func < (a: Witness, b: Witness) -> Bool {
        comparisons.wrappingAdd(1, ordering: .relaxed)
        let isTaken = database.withLock { $0 }.map { $0.pendingWriteCount > 0 } ?? false
        if isTaken { comparisonsInTurn.wrappingAdd(1, ordering: .relaxed) }
        return a.value < b.value
    }
}

private struct Item: Codable, Sendable {
    var group: String
    var value: Int
}

extension RecordCollection where Object == Item, Metadata == NoMetadata {
    fileprivate static var items: Self { Self("items") }
}

@Suite(.bounded) struct RegistrationTests {
    private static let witnessed = AutoView(
        "witnessed", of: .items, groupedBy: \.group, sortedBy: { Witness(value: $0.value) })

    @Test func `Sorting the rows of a new view is not done in a writer's turn`() async {
        await #expect(processExitsWith: .success) {
            let database = Database.inMemory()
            try await database.write { transaction in
                for i in 0..<5_000 { transaction[.items]["\(i)"] = Item(group: "\(i % 3)", value: i * 7919 % 5_003) }
            }
            Witness.database.withLock { $0 = database }
            try await database.register(RegistrationTests.witnessed)
            let all = Witness.comparisons.load(ordering: .relaxed)
            let inTurn = Witness.comparisonsInTurn.load(ordering: .relaxed)
            precondition(all > 5_000, "\(all) comparisons")
            precondition(inTurn == 0, "\(inTurn) of \(all) comparisons in the turn")
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `A view registered beside writers is what it would be without them, in every snapshot`(seed: UInt64)
        async throws
    {
        let database = Database.inMemory()
        let view = AutoView("view", of: .items, groupedBy: \.group, sortedBy: \.value)
        let filtered = FilteredView("even", of: view) { $0.value.isMultiple(of: 2) }
        try await database.write { transaction in
            for i in 0..<2_000 { transaction[.items]["\(i)"] = Item(group: "\(i % 3)", value: i * 7919 % 2_003) }
        }
        let isDone = Flag()
        let writer = Task { [database] in
            var generator = SplitMix64(seed: seed)
            var held: [Snapshot] = []
            while !isDone.isSet {
                let count = generator.below(40)
                var plan: [(String, Item?)] = []
                for _ in 0...count {
                    let item = Item(group: "\(generator.below(4))", value: generator.below(3_000))
                    plan.append(("\(generator.below(2_500))", generator.chance(20) ? nil : item))
                }
                try await database.write { [plan] transaction in
                    for (key, item) in plan { transaction[.items][key] = item }
                }
                held.append(database.snapshot)
                if held.count > 12 { held.remove(at: generator.below(held.count)) }
                await Task.yield()
            }
            return held
        }
        var held: [Snapshot] = []
        for _ in 0..<4 {
            try await database.register(view)
            try await database.register(filtered)
            held.append(database.snapshot)
            for _ in 0..<20 { await Task.yield() }
            held.append(database.snapshot)
            try await database.unregister("view")
        }
        try await database.register(view)
        held.append(database.snapshot)
        isDone.set()
        held += try await writer.value
        held.append(database.snapshot)
        for snapshot in held where snapshot.extensionNames.contains("view") {
            let model = Dictionary(grouping: snapshot[.items].map { ($0.key, $0.object) }, by: { $0.1.group })
            #expect(snapshot[view].groupNames == model.keys.sorted(), "seed \(seed)")
            for (group, rows) in model {
                let expected = rows.sorted { ($0.1.value, $0.0) < ($1.1.value, $1.0) }.map(\.0)
                #expect(snapshot[view][group].map(\.key) == expected, "seed \(seed), commit \(snapshot.commitNumber)")
                guard snapshot.extensionNames.contains("even") else { continue }
                let even = expected.filter { snapshot[.items][$0]!.value.isMultiple(of: 2) }
                #expect(snapshot[filtered][group].map(\.key) == even, "seed \(seed), commit \(snapshot.commitNumber)")
            }
        }
    }

    @Test func `A registration that is cancelled or fails leaves nothing behind`() async throws {
        struct Refused: Error {}
        let database = Database.inMemory()
        try await database.write { transaction in
            for i in 0..<5_000 { transaction[.items]["\(i)"] = Item(group: "a", value: i) }
        }
        while database.timeline.reclaim(limit: .max) {}
        let before = database.timeline.arena.counts
        for _ in 0..<30 {
            let task = Task { try await database.register(RegistrationTests.witnessed) }
            await Task.yield()
            task.cancel()
            if case .success = await task.result { try await database.unregister("witnessed") }
        }
        for _ in 0..<2_000 where database.timeline.arena.counts != before {
            try await Task.sleep(for: .milliseconds(5))
            while database.timeline.reclaim(limit: .max) {}
        }
        #expect(database.timeline.arena.counts == before)
        #expect(await database.registeredExtensions.isEmpty)
    }
}
