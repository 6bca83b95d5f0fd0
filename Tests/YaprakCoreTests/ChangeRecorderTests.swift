import TestSupport
import Testing
import Yaprak

/// What a transaction notes about many collections: some are looked through, more are found by a table, and the notes of a
/// transaction that was aborted are gone when the next one begins.
@Suite(.bounded) struct ChangeRecorderTests {
    private struct Abort: Error {}

    private enum Step: Sendable {
        case set(collection: Int, key: String, title: String)
        case remove(collection: Int, key: String)
        case clear(collection: Int)
        case clearAll

        func perform(in transaction: inout WriteTransaction) {
            switch self {
            case .set(let index, let key, let title):
                transaction[ChangeRecorderTests.collection(index)][key] = Book(title: title)
            case .remove(let index, let key): transaction[ChangeRecorderTests.collection(index)].remove(key)
            case .clear(let index): transaction[ChangeRecorderTests.collection(index)].removeAll()
            case .clearAll: transaction.removeAll()
            }
        }
    }

    /// One collection as a transaction sees it, and as it was at its beginning.
    private struct Model {
        var before: [String: String] = [:]
        var after: [String: String] = [:]
        var isCleared = false
        /// Keys that were written to since everything was removed, if it was.
        var changed: Set<String> = []

        mutating func clear() {
            if !before.isEmpty { isCleared = true }
            after = [:]
            changed = []
        }

        /// What a changeset has to say about it: a line for each record.
        var lines: [String] {
            let base = isCleared ? [:] : before
            return changed.sorted().compactMap { key in
                if base[key] == nil, after[key] == nil { return nil }
                return "\(key): \(base[key] ?? "-") \(after[key] ?? "-")"
            }
        }

        mutating func begin() {
            before = after
            isCleared = false
            changed = []
        }
    }

    private static func collection(_ index: Int) -> RecordCollection<Book, NoMetadata> {
        RecordCollection("collection \(index)")
    }

    private static func apply(_ step: Step, to models: inout [Model]) {
        switch step {
        case .set(let index, let key, let title):
            models[index].after[key] = title
            models[index].changed.insert(key)
        case .remove(let index, let key):
            if models[index].after.removeValue(forKey: key) != nil { models[index].changed.insert(key) }
        case .clear(let index): models[index].clear()
        case .clearAll: for index in models.indices { models[index].clear() }
        }
    }

    private static func step(_ random: inout SplitMix64, _ count: Int, _ title: String) -> Step {
        let collection = random.below(count)
        let key = ["a", "b", "c", "d", "e"][random.below(5)]
        switch random.below(40) {
        case 0: return .clearAll
        case 1..<6: return .clear(collection: collection)
        case 6..<16: return .remove(collection: collection, key: key)
        default: return .set(collection: collection, key: key, title: title)
        }
    }

    /// Runs a transaction that may be aborted, and returns what was committed.
    private func write(_ steps: [Step], aborts: Bool = false, to connection: Connection) async throws -> Changeset? {
        do {
            try await connection.write { transaction in
                for step in steps { step.perform(in: &transaction) }
                if aborts { throw Abort() }
            }
        } catch is Abort {}
        let changesets = await connection.advance()
        #expect(changesets.count < 2)
        return changesets.first
    }

    private func check(_ changeset: Changeset?, _ models: [Model], _ comment: Comment) {
        var names: [String] = []
        for (index, model) in models.enumerated() {
            let collection = Self.collection(index)
            let changes = changeset?.changes(in: collection)
            let lines = (changes.map { Array($0) } ?? []).sorted { $0.key < $1.key }.map {
                "\($0.key): \($0.before?.object.title ?? "-") \($0.after?.object.title ?? "-")"
            }
            #expect(lines == model.lines, comment)
            #expect(changes?.didRemoveAll ?? false == model.isCleared, comment)
            #expect(changes?.removedAllCount ?? 0 == (model.isCleared ? model.before.count : 0), comment)
            for change in changes.map({ Array($0) }) ?? [] {
                let isNew = change.before == nil
                #expect((change.kinds == .inserted) == isNew, comment)
                #expect((change.kinds == .removed) == (change.after == nil), comment)
            }
            if !model.lines.isEmpty || model.isCleared { names.append(collection.name) }
        }
        #expect(changeset?.changedCollectionNames ?? [] == names.sorted(), comment)
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `A changeset has what a transaction did to each of its collections, also after one that was aborted`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        let count = Int(seed - 1) % 12 + 1
        let database = Database.inMemory()
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        var models = [Model](repeating: Model(), count: count)
        for round in 0..<60 {
            for index in models.indices { models[index].begin() }
            let aborts = random.chance(25)
            let steps = (0...random.below(50)).map { Self.step(&random, count, "\(round) \($0)") }
            let changeset = try await write(steps, aborts: aborts, to: connection)
            let comment: Comment = "seed \(seed), transaction \(round)"
            if aborts {
                #expect(changeset == nil, comment)
            } else {
                let wasEmpty = models.allSatisfy(\.before.isEmpty)
                for step in steps { Self.apply(step, to: &models) }
                check(changeset, models, comment)
                let clearsAll = steps.contains { if case .clearAll = $0 { true } else { false } }
                #expect(changeset?.didRemoveAll ?? false == (clearsAll && !wasEmpty), comment)
            }
            for (index, model) in models.enumerated() {
                let records = database.snapshot[Self.collection(index)]
                #expect(Set(records.map(\.key)) == Set(model.after.keys), comment)
            }
        }
    }

    // The first has its own place, eight others are looked through, and the tenth makes the table.
    @Test func `Some of a dozen collections are cleared and written again, once more after an abort`() async throws {
        let database = Database.inMemory()
        let connection = database.makeConnection()
        await connection.beginLongLivedRead()
        let all = 0..<12
        _ = try await write(all.map { Step.set(collection: $0, key: "old", title: "\($0)") }, to: connection)
        let some = [0, 8, 9, 10, 11]
        let steps =
            all.map { Step.set(collection: $0, key: "a", title: "new") }
            + some.map { Step.clear(collection: $0) } + some.map { Step.set(collection: $0, key: "b", title: "newest") }
        let aborted = try await write(steps, aborts: true, to: connection)
        #expect(aborted == nil)
        for _ in 0..<2 {
            let changeset = try #require(try await write(steps, to: connection))
            #expect(changeset.changedCollectionNames.count == 12)
            for index in all {
                let changes = changeset.changes(in: Self.collection(index))
                #expect(changes.didRemoveAll == some.contains(index))
                #expect(changes.map(\.key) == (some.contains(index) ? ["b"] : ["a"]))
            }
        }
    }
}
