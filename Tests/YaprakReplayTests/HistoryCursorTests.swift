import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakCore
import YaprakLocks
import YaprakTrees

@testable import YaprakReplay

/// Going through history: every commit is what a model says it was, whichever way one comes there.
@Suite(.bounded) struct HistoryCursorTests {
    let directory = TemporaryDirectory()

    private func makeShop(
        _ commits: Int, seed: UInt64, checkpointsAt: Set<Int> = []
    ) async throws -> (ReplayReader, ShopModel) {
        let path = FilePath(directory.appending("shop.yaprak"))
        try await writeShop(at: path, commits: commits, seed: seed, checkpointsAt: checkpointsAt)
        let reader = try ReplayReader(path)
        return (reader, try await ShopModel(reader))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Wherever a cursor goes it sees what a model saw`(seed: UInt64) async throws {
        let (reader, model) = try await makeShop(1500, seed: seed, checkpointsAt: [400, 1100])
        var random = SplitMix64(seed: seed)
        let cursor = try reader.cursor(at: 700)
        for _ in 0..<120 {
            switch random.below(4) {
            case 0: try cursor.seek(to: CommitNumber(UInt64(random.below(1501))))
            case 1:
                let count = random.below(700) - 350
                let before = Int(cursor.commitNumber.rawValue)
                let taken = try cursor.step(count)
                #expect(taken == min(max(before + count, 0), 1500) - before, "seed \(seed)")
            case 2:
                let before = cursor.commitNumber
                let step = try cursor.next()
                #expect(step?.commit.commitNumber == (before == 1500 ? nil : before.next()), "seed \(seed)")
            default:
                let before = cursor.commitNumber
                let step = try cursor.previous()
                #expect(step?.commit.commitNumber == (before == 0 ? nil : before), "seed \(seed)")
            }
            let number = cursor.commitNumber
            #expect(ShopModel.contents(cursor.snapshot) == model[number], "seed \(seed), commit \(number)")
        }
    }

    @Test func `Every step reports each record before and after, and undoing it leads back`() async throws {
        let (reader, model) = try await makeShop(600, seed: 11, checkpointsAt: [300])
        let cursor = try reader.cursor(at: 600)
        var contents = model[600]
        for try await step in cursor.backwards() {
            let number = step.commit.commitNumber
            #expect(step.after.commitNumber == number && step.before.commitNumber.next() == number)
            for change in step.changes {
                #expect(contents[change.collectionName]?[change.key] == change.after.map(ShopModel.text))
                contents[change.collectionName, default: [:]][change.key] = change.before.map(ShopModel.text)
                if contents[change.collectionName] == [:] { contents[change.collectionName] = nil }
            }
            #expect(contents == model[step.before.commitNumber], "commit \(number)")
        }
        #expect(contents.isEmpty && cursor.commitNumber == 0)
        var count = 0
        for try await step in cursor.forwards(through: 250) {
            count += 1
            #expect(step.commit.commitNumber.rawValue == UInt64(count))
        }
        #expect(count == 250 && cursor.commitNumber == 250)
    }

    // What it had kept by then ended before the damage, and nothing led on from there.
    @Test func `A cursor whose way back is damaged goes on from where it stands`() async throws {
        let (reader, _) = try await makeShop(20, seed: 5, checkpointsAt: [8])
        var commits = try reader.commits(from: 3, through: 3).makeAsyncIterator()
        let place = try #require(try await commits.next()).place
        let file = URL(fileURLWithPath: directory.appending("shop.yaprak/\(place.file ?? "")"))
        var bytes = try Data(contentsOf: file)
        bytes[Int(place.offset ?? 0) + 70] ^= 2
        try bytes.write(to: file)

        let cursor = try ReplayReader(FilePath(directory.appending("shop.yaprak"))).cursor(at: 10)
        let digest = cursor.snapshot.digest
        for _ in 0..<2 {
            let error = #expect(throws: DatabaseError.self) { try cursor.seek(to: 5) }
            #expect(error?.code == .corruptLog && cursor.commitNumber == 10 && cursor.snapshot.digest == digest)
            #expect(try cursor.next()?.commit.commitNumber == 11)
            #expect(try cursor.previous()?.commit.commitNumber == 11)
        }
    }

    /// It computed with the distance, which is less than nothing.
    @Test(arguments: [false, true])
    func `A cursor whose log became shorter says so, and stays where it is`(isEmptied: Bool) async throws {
        let path = FilePath(directory.appending("shop.yaprak")), older = FilePath(directory.appending("older.yaprak"))
        try await writeShop(at: path, commits: 70, seed: 3, checkpointsAt: [])
        try FileManager.default.copyItem(atPath: path.string, toPath: older.string)
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        for number in 71...100 { try await database.write { $0[.books]["a"] = Book(title: "\(number)") } }
        try await database.close()

        let cursor = try ReplayReader(path).cursor(at: 0)
        try cursor.seek(to: 100)
        #expect(try cursor.step(-20) == -20)
        for folder in ["wal", "ckpt"] {
            for name in try FileManager.default.contentsOfDirectory(atPath: path.appending(folder).string) {
                try FileManager.default.removeItem(atPath: path.appending(folder).appending(name).string)
            }
            if isEmptied { continue }
            for name in try FileManager.default.contentsOfDirectory(atPath: older.appending(folder).string) {
                try FileManager.default.copyItem(
                    atPath: older.appending(folder).appending(name).string,
                    toPath: path.appending(folder).appending(name).string)
            }
        }
        let error = #expect(throws: DatabaseError.self) { try cursor.step(50) }
        #expect([.commitOutOfReach, .corruptLog, .notFound].contains(error?.code), "\(error?.description ?? "")")
        #expect(cursor.commitNumber == 80)
        #expect(try cursor.step(-3) == -3 && cursor.commitNumber == 77)
    }

    @Test func `Changes between any two commits lead from one to the other, both ways`() async throws {
        let (reader, model) = try await makeShop(300, seed: 5, checkpointsAt: [100, 200])
        var random = SplitMix64(seed: 5)
        for _ in 0..<30 {
            let (source, target) = (UInt64(random.below(301)), UInt64(random.below(301)))
            var contents = model[CommitNumber(source)]
            let changes = try reader.changes(from: CommitNumber(source), to: CommitNumber(target))
            for change in changes {
                #expect(contents[change.collectionName]?[change.key] == change.before.map(ShopModel.text))
                contents[change.collectionName, default: [:]][change.key] = change.after.map(ShopModel.text)
            }
            #expect(contents.filter { !$0.value.isEmpty } == model[CommitNumber(target)], "\(source)..\(target)")
            #expect(changes.before.commitNumber.rawValue == source && changes.after.commitNumber.rawValue == target)
        }
    }

    @Test func `A key has a history of every commit that concerned it`() async throws {
        let (reader, model) = try await makeShop(500, seed: 9, checkpointsAt: [250])
        var before: String?
        var last = CommitNumber.zero
        for try await revision in reader.history(ofKey: "book 7", inCollectionNamed: "books") {
            let number = revision.commit.commitNumber
            #expect(revision.before.map(ShopModel.text) == before)
            before = revision.after.map(ShopModel.text)
            #expect(model[number]["books"]?["book 7"] == before)
            // Nothing happened to it in between.
            for other in last.rawValue + 1..<number.rawValue {
                #expect(model[CommitNumber(other)]["books"]?["book 7"] == model[last]["books"]?["book 7"])
            }
            last = number
        }
        #expect(last > 300)
        #expect(model[500]["books"]?["book 7"] == before)
    }

    @Test func `Large commits are kept few, and gone through both ways all the same`() async throws {
        let path = FilePath(directory.appending("large.yaprak"))
        let database = try await Database.open(at: path, options: replayable(), collections: .notes)
        let commits = 60
        for number in 1...commits {
            // Two megabytes that do not compress away in memory.
            try await database.write { $0[.notes]["\(number % 3)"] = String(repeating: "\(number) ", count: 1 << 19) }
        }
        try await database.close()
        let cursor = try ReplayReader(path).cursor(at: 0)
        while try cursor.next() != nil {}
        #expect(cursor.commitNumber.rawValue == UInt64(commits) && cursor.keptSnapshotCount < 40)
        for number in (1...commits).reversed() {
            let step = try cursor.previous()
            #expect(step?.commit.commitNumber.rawValue == UInt64(number) && step?.changes.count == 1)
            #expect(cursor.keptSnapshotCount < 60)
        }
        #expect(cursor.commitNumber == 0)
    }

    @Test func `A database without a log has a cursor of no steps`() async throws {
        let (new, backup) = (FilePath(directory.appending("new")), FilePath(directory.appending("backup")))
        let database = try await Database.open(at: new, options: replayable(), collections: .notes)
        let reader = try ReplayReader(new)
        let cursor = try reader.cursor()
        #expect(try cursor.next() == nil && cursor.previous() == nil && cursor.step(3) == 0 && cursor.step(-3) == 0)
        for number in [1, 2, UInt64.max - 1, .max] {
            #expect(throws: DatabaseError.self) { try cursor.seek(to: CommitNumber(number)) }
            #expect(throws: DatabaseError.self) { try reader.snapshot(at: CommitNumber(number)) }
            #expect(throws: DatabaseError.self) { try reader.changes(from: 0, to: CommitNumber(number)) }
        }
        #expect(try cursor.step(.max) == 0 && cursor.step(.min) == 0)
        var commits = reader.commits().makeAsyncIterator()
        func nextNumber() throws -> CommitNumber? { try commits.next()?.commitNumber }
        #expect(try nextNumber() == nil)
        try await database.write { $0[.notes]["a"] = "b" }
        // What comes is seen.
        #expect(try nextNumber() == 1)
        #expect(try cursor.next()?.commit.commitNumber == 1)
        try await database.backup(to: backup)
        try await database.close()
        let only = try ReplayReader(backup).cursor()
        #expect(only.commitNumber == 1 && only.snapshot.untyped("notes")["a"]?.object == "b")
        #expect(try only.previous() == nil && only.next() == nil && only.step(-1) == 0)
        for try await revision in try ReplayReader(backup).history(ofKey: "a", inCollectionNamed: "notes") {
            Issue.record("there is no log, and it tells of \(revision)")
        }
    }

    @Test func `A snapshot by time is the newest commit made by then`() async throws {
        let (reader, _) = try await makeShop(20, seed: 2)
        for try await commit in reader.commits() {
            #expect(try reader.snapshot(at: commit.time).commitNumber == commit.commitNumber)
            #expect(try reader.snapshot(at: commit.time + 0.9).commitNumber == commit.commitNumber)
            #expect(try reader.snapshot(at: commit.time - 0.1).commitNumber < commit.commitNumber)
        }
        #expect(try reader.snapshot(at: .distantFuture).commitNumber == 20)
        #expect(try reader.snapshot(at: .distantPast).commitNumber == 0)
    }

    // Half of all commits were missed by their own time, which is rounded.
    @Test(arguments: [1_767_259_200_001_000_000, 1_000_000_000, 0, -1_000_000_000, 978_307_200_000_000_000])
    func `A commit is found by its own time, whatever its nanoseconds`(start: Int64) async throws {
        let path = FilePath(directory.appending("times.yaprak"))
        let clock = Mutex(start)
        var options = replayable()
        options.clock = {
            clock.withLock { time in
                time += 1_003
                return time
            }
        }
        let database = try await Database.open(at: path, options: options, collections: .notes)
        for index in 0..<100 { try await database.write { $0[.notes]["a"] = "\(index)" } }
        try await database.close()
        let reader = try ReplayReader(path)
        var before: Date?
        for try await commit in reader.commits() {
            #expect(try reader.snapshot(at: commit.time).commitNumber == commit.commitNumber)
            if let before {
                let between = before.addingTimeInterval(commit.time.timeIntervalSince(before) / 2)
                #expect(try reader.snapshot(at: between).commitNumber == CommitNumber(commit.commitNumber.rawValue - 1))
            }
            before = commit.time
        }
    }

    @Test func `Entries outside of a range are in no slice of it`() async throws {
        let (reader, _) = try await makeShop(5, seed: 2)
        let entries = try CommitIndex(reader).entries(in: 1...5)
        let slices = CommitActivity.slices(of: entries, in: 3...4, slicesMax: 2)
        #expect(slices.map(\.commitCount) == [1, 1] && slices.map(\.first) == [3, 4])
    }

    @Test func `What a cursor keeps grows with the logarithm of the way`() async throws {
        let path = FilePath(directory.appending("long.yaprak"))
        let database = try await Database.open(at: path, options: replayable(), collections: .notes)
        let commits = 20_000
        for number in 1...commits {
            try await database.write { $0[.notes]["\(number % 500)"] = "\(number)" }
        }
        try await database.close()
        let cursor = try ReplayReader(path).cursor(at: 0)
        while try cursor.next() != nil {}
        #expect(cursor.commitNumber.rawValue == UInt64(commits))
        #expect(cursor.keptSnapshotCount < 512 + 50)
        // 500 records, each in a few dozen kept snapshots at most, and one more row for each commit of the window.
        let timeline = cursor.snapshot.state.version.timeline
        while timeline.reclaim(limit: .max) {}
        #expect(timeline.arena.counts.rows < 500 * 40 + 1024)
        // And back, all the way, through what was kept.
        let digest = ShopModel.contents(cursor.snapshot)
        for distance in [1, 100, 5000, 19_999] {
            #expect(try cursor.step(-distance) == -distance)
            #expect(cursor.commitNumber.rawValue == UInt64(commits - distance))
            #expect(try cursor.step(distance) == distance)
            #expect(ShopModel.contents(cursor.snapshot) == digest, "\(distance)")
        }
        #expect(cursor.keptSnapshotCount < 512 + 150)
    }

    @Test func `What a cursor keeps of many records is a few times what there is, wherever it goes`() async throws {
        let path = FilePath(directory.appending("wide.yaprak"))
        var options = replayable()
        options.durability = .relaxed
        let database = try await Database.open(at: path, options: options, collections: .notes)
        // Each 256 commits write each record once: snapshots that far from each other share none.
        let records = 7680, commits = 8000
        for number in 0..<commits {
            try await database.write { transaction in
                for index in 0..<30 { transaction[.notes]["\((number * 30 + index) % records)"] = "\(number)" }
            }
        }
        try await database.close()
        let cursor = try ReplayReader(path).cursor(at: 0)
        // Eight times the records, the commits of the window, those until the next look, and where four branches end.
        let limit = 65_536 + 512 * 30 + 512 * 30 + 4 * records
        func check(_ place: String) async throws {
            // What was given up is freed by a task of its own.
            for _ in 0..<1000 where cursor.keptRowCount > limit { try await Task.sleep(for: .milliseconds(5)) }
            #expect(cursor.keptRowCount <= limit, "\(place): \(cursor.keptRowCount)")
        }
        while cursor.commitNumber.rawValue < UInt64(commits) {
            try cursor.step(500)
            try await check("forwards, commit \(cursor.commitNumber)")
        }
        let digest = ShopModel.contents(cursor.snapshot)
        for distance in [300, 7500, 4000, 2000] {
            #expect(try cursor.step(-distance) == -distance)
            try await check("back by \(distance)")
            #expect(try cursor.step(distance) == distance)
            #expect(ShopModel.contents(cursor.snapshot) == digest, "\(distance)")
            try await check("forwards by \(distance)")
        }
    }
}

/// Every state of a shop: the logged changes, folded over dictionaries.
struct ShopModel {
    typealias Contents = [String: [String: String]]
    private var states: [Contents] = [[:]]

    subscript(number: CommitNumber) -> Contents { states[Int(number.rawValue)] }

    init(_ reader: ReplayReader) async throws {
        for try await commit in reader.commits() {
            var state = commit.removesAll ? [:] : states.last!
            for changes in commit.collections {
                var records = changes.removesAll ? [:] : state[changes.name, default: [:]]
                for change in changes.changes { try Self.apply(change, to: &records) }
                state[changes.name] = records.isEmpty ? nil : records
            }
            states.append(state)
        }
    }

    private static func apply(_ change: ReplayCommit.Change, to records: inout [String: String]) throws {
        if change.kinds.contains(.removed) { return records[change.key] = nil }
        let parts = records[change.key]?.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var (object, metadata) = (parts?[0] ?? "", parts?[1] ?? "")
        if let value = try change.object() { object = "\(value)" }
        if !change.kinds.isDisjoint(with: [.inserted, .metadataChanged]) {
            metadata = try change.metadata().map { "\($0)" } ?? ""
        }
        records[change.key] = "\(object)|\(metadata)"
    }

    static func text(_ record: ReplayRecord) -> String {
        "\(record.object)|\(record.metadata.map { "\($0)" } ?? "")"
    }

    static func contents(_ snapshot: Snapshot) -> Contents {
        var contents: Contents = [:]
        for name in snapshot.collectionNames {
            for record in snapshot.untyped(name) { contents[name, default: [:]][record.key] = text(record) }
        }
        return contents
    }
}
