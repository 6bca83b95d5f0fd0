import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakLocks

private struct Song: Codable, Sendable {
    var genre = "other"
    var title = "other"
    var rank = 0
    var mark = Mark()
}

/// A value whose comparisons are counted.
private struct Mark: Codable, Sendable, Equatable {
    static let comparisons = Mutex(0)
    var number = 0

    static func == (a: Mark, b: Mark) -> Bool {
        comparisons.withLock { $0 += 1 }
        return a.number == b.number
    }
}

extension RecordCollection where Object == Song, Metadata == NoMetadata {
    fileprivate static var songs: Self { Self("songs") }
}

private typealias SongQuery = RecordQuery<Song, NoMetadata>
private typealias SongIndex = RecordIndex<Song, NoMetadata>

/// What is said of a run is what happened in it.
@Suite(.bounded) struct QueryExplanationTests {
    private func snapshot(
        _ count: Int, _ indexes: SongIndex..., song: @escaping @Sendable (Int) -> Song
    ) async throws -> Snapshot {
        let database = Database.inMemory()
        for index in indexes { try await database.register(index) }
        try await database.write { transaction in
            for number in 0..<count { transaction[.songs]["s\(number)"] = song(number) }
        }
        return database.snapshot
    }

    // It was said of every index that it had more entries than the one that was read.
    @Test func `An index that would have had to be sorted is not said to have more entries`() async throws {
        let snapshot = try await snapshot(
            2_000, SongIndex("byGenre", of: .songs, \.genre), SongIndex("byRank", of: .songs, \.rank)
        ) { Song(genre: $0 < 1_900 ? "other" : "a", rank: $0) }
        let explanation = snapshot.explain(
            SongQuery(.songs, where: #Predicate { $0.genre == "a" }, sortedBy: RecordSort(\.rank), limit: 5))
        #expect(explanation.indexes == ["byRank"] && explanation.readEntryCount == 1_905 && explanation.isInOrder)
        #expect(
            explanation.others.map(\.reason)
                == ["100 entries to read, and to sort; byRank was expected to end earlier"])
    }

    @Test func `An index that holds keys is said to be that`() async throws {
        let snapshot = try await snapshot(
            2_000, SongIndex("byGenre", of: .songs, \.genre, entries: .holdKeys),
            SongIndex("byTitle", of: .songs, \.title)
        ) { Song(genre: $0 < 100 ? "a" : "other", title: $0 < 150 ? "t" : "other") }
        let explanation = snapshot.explain(
            SongQuery(.songs, where: #Predicate { $0.genre == "a" && $0.title == "t" }))
        #expect(explanation.indexes == ["byTitle"] && explanation.readEntryCount == 150 && explanation.rowCount == 100)
        #expect(explanation.others.map(\.reason) == ["100 entries, each of whose records is looked up"])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Only an index with more entries than were read is said to have more`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var songs: [Song] = []
        for _ in 0..<500 {
            songs.append(
                Song(genre: "g\(random.below(4))", title: "t\(random.below(20))", rank: random.below(50)))
        }
        let snapshot = try await snapshot(
            500, SongIndex("byGenre", of: .songs, \.genre, entries: random.chance(50) ? .holdKeys : .holdRecords),
            SongIndex("byTitle", of: .songs, \.title, entries: random.chance(50) ? .holdKeys : .holdRecords),
            SongIndex("byRank", of: .songs, \.rank)
        ) { [songs] in songs[$0] }
        for round in 0..<40 {
            let (genre, title, rank) = ("g\(random.below(4))", "t\(random.below(20))", random.below(50))
            let query = SongQuery(
                .songs, where: #Predicate { $0.genre == genre && $0.title == title && $0.rank < rank },
                sortedBy: RecordSort(\.rank), limit: random.chance(50) ? 1 + random.below(20) : nil)
            let explanation = snapshot.explain(query)
            for other in explanation.others where other.reason.hasSuffix("more than of the one that was read") {
                let count = other.reason.split(separator: " ").first.flatMap { Int($0) } ?? 0
                #expect(count > explanation.readEntryCount, "seed \(seed), round \(round): \(explanation)")
            }
        }
    }

    // Each record of a scan was counted, and the page says that an index helps where many are tested.
    @Test func `Without a condition nothing is tested`() async throws {
        let snapshot = try await snapshot(300) { Song(rank: $0) }
        let all = snapshot.explain(SongQuery(.songs))
        #expect(all.readEntryCount == 300 && all.testedRecordCount == 0 && all.rowCount == 300 && all.isInOrder)
        let sorted = snapshot.explain(SongQuery(.songs, sortedBy: RecordSort(\.rank), limit: 7))
        #expect(sorted.readEntryCount == 300 && sorted.testedRecordCount == 0 && !sorted.isInOrder)
        let some = snapshot.explain(SongQuery(.songs, where: #Predicate { $0.rank < 10 }))
        #expect(some.testedRecordCount == 300 && some.rowCount == 10)
    }

    @Test func `Where no row is wanted no index is said to have been read`() async throws {
        let snapshot = try await snapshot(300, SongIndex("byRank", of: .songs, \.rank)) { Song(rank: $0) }
        let none = snapshot.explain(SongQuery(.songs, where: #Predicate { $0.rank < 10 }, limit: 0))
        #expect(none.indexes.isEmpty && none.readEntryCount == 0 && none.rowCount == 0)
        #expect(none.others.map(\.reason) == ["no row is wanted"])
    }

    // MARK: Keys

    @Test func `A list of keys longer than its collection is not looked up key by key`() async throws {
        let snapshot = try await snapshot(100) { Song(rank: $0) }
        let long = (0..<10_000).map { "s\($0 * 3)" }
        let query = SongQuery(.songs, key: #Predicate { long.contains($0) })
        let explanation = snapshot.explain(query)
        #expect(!explanation.readsKeyRange && explanation.testedRecordCount == 100 && explanation.rowCount == 34)
        #expect(snapshot.count(of: query) == 34)
        let short = SongQuery(.songs, key: #Predicate { ["s1", "s2", "none"].contains($0) })
        #expect(snapshot.explain(short).readsKeyRange && snapshot.explain(short).readEntryCount == 2)
        let large = try await self.snapshot(10_000) { Song(rank: $0) }
        let some = (0..<40).map { "s\($0 * 100)" }
        let found = large.explain(SongQuery(.songs, key: #Predicate { some.contains($0) }))
        #expect(found.readsKeyRange && found.readEntryCount == 40 && found.rowCount == 40)
    }

    // All records were asked for the object first.
    @Test func `A condition on the object is asked of those records alone that a long list of keys names`()
        async throws
    {
        let snapshot = try await snapshot(100) { Song(rank: $0) }
        let long = (0..<1_000).map { "s\($0 * 3)" }
        let mark = Mark()
        let query = SongQuery(.songs, where: #Predicate { $0.mark == mark }, key: #Predicate { long.contains($0) })
        #expect(!snapshot.explain(query).readsKeyRange)
        func comparisons(_ body: () -> Int) -> Int {
            Mark.comparisons.withLock { $0 = 0 }
            let rows = body()
            #expect(rows == 34)
            return Mark.comparisons.withLock { $0 }
        }
        #expect(comparisons { snapshot[query].count } == 34)
        #expect(comparisons { snapshot.count(of: query) } == 34)
    }

    // Each key of one list was compared with each of the other.
    @Test func `A query of long lists of keys is made in a time that grows as they do`() async throws {
        await expectGrowth("making a query of lists of keys", 1_000) { count in
            let (a, b) = ((0..<count).map { "a\($0)" }, (0..<count).map { "b\($0)" })
            let start = ThreadClock.seconds
            _ = SongQuery(
                .songs, key: #Predicate { (a.contains($0) || $0 == "x") && (b.contains($0) || $0 == "y") })
            _ = SongQuery(.songs, key: #Predicate { a.contains($0) && b.contains($0) })
            return .seconds(ThreadClock.seconds - start)
        }
    }

    @Test func `Alternatives of keys are looked up, each record once`() async throws {
        let snapshot = try await snapshot(1_000) { Song(rank: $0) }
        func entriesRead(_ predicate: Predicate<String>, _ rows: Int) throws -> Int? {
            let query = SongQuery(.songs, key: predicate)
            let expected = try snapshot[.songs].keys.filter { try predicate.evaluate($0) }
            #expect(snapshot[query].map(\.key) == expected && expected.count == rows)
            #expect(snapshot.count(of: query) == rows)
            let explanation = snapshot.explain(query)
            return explanation.readsKeyRange ? explanation.readEntryCount : nil
        }
        #expect(try entriesRead(#Predicate { $0 == "s7" || $0 == "s1" || $0 == "none" || $0 == "s7" }, 2) == 2)
        // s1, s10 to s19, s100 to s199; and those of the second are among them.
        #expect(try entriesRead(#Predicate { $0.starts(with: "s1") || $0.starts(with: "s12") }, 111) == 111)
        #expect(try entriesRead(#Predicate { $0.starts(with: "s12") || $0 == "s1" || $0 == "s120" }, 12) == 12)
        #expect(try entriesRead(#Predicate { ($0 >= "s5" && $0 < "s51") || $0 == "s1" }, 13) == 13)
        #expect(try entriesRead(#Predicate { ($0 == "s1" || $0 == "s5") && $0 > "s3" }, 1) == 1)
        let (a, b) = (["s1", "s5", "s7", "s9"], ["s2", "s5", "s9", "s93"])
        let both = #Predicate<String> {
            (a.contains($0) || $0.starts(with: "s93")) && (b.contains($0) || $0 == "s7")
        }
        #expect(try entriesRead(both, 4) == 4)
        // What one of them does not say, none says.
        #expect(try entriesRead(#Predicate { $0 == "s1" || $0.count == 2 }, 10) == nil)
    }
}
