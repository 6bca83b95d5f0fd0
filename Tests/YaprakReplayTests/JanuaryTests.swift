import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakReplay

@testable import DeparturesBoard

/// A month of commits, gone through in every way there is, against a dictionary that never saw the engine.
@Suite(.bounded) struct JanuaryTests {
    private func numbers(_ count: Int, seed: UInt64) -> [Int] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in random.below(January.commitCount + 1) }.sorted()
    }

    @Test func `Random commits of the month are what a dictionary says, read from the files each time`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let reader = try ReplayReader(try await January.path())
        #expect(try reader.newestCommitNumber().rawValue == UInt64(January.commitCount))
        var model = try JanuaryModel()
        for number in numbers(Soak.volume(6, soak: 200), seed: seed) {
            try model.advance(to: number)
            let snapshot = try reader.snapshot(at: CommitNumber(UInt64(number)))
            try compare(snapshot, model, "seed \(seed), commit \(number)")
        }
    }

    @Test func `Random stops of a cursor are what a dictionary says`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let cursor = try ReplayReader(try await January.path()).cursor(at: 0)
        var model = try JanuaryModel()
        for number in numbers(Soak.volume(4, soak: 60), seed: seed) {
            try model.advance(to: number)
            try cursor.seek(to: CommitNumber(UInt64(number)))
            try compare(cursor.snapshot, model, "seed \(seed), commit \(number)")
        }
    }

    @Test func `Back and forth by as many steps leads to the same digest`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let reader = try ReplayReader(try await January.path())
        for _ in 0..<Soak.volume(1, soak: 4) {
            let number = 5000 + random.below(20_000)
            let cursor = try reader.cursor(at: CommitNumber(UInt64(number)))
            let digest = cursor.snapshot.digest
            for _ in 0..<3 {
                let count = random.below([3, 300, 3000][random.below(3)]) + 1
                #expect(try cursor.step(-count) == -count, "seed \(seed)")
                let before = try reader.snapshot(at: CommitNumber(UInt64(number - count))).digest
                #expect(cursor.snapshot.digest == before, "seed \(seed), \(number) - \(count)")
                #expect(before != digest)
                #expect(try cursor.step(count) == count, "seed \(seed)")
                #expect(cursor.snapshot.digest == digest, "seed \(seed), \(number) ± \(count)")
            }
        }
    }

    @Test func `Views at past commits are those of a dictionary, and lists go there by their changes`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let reader = try ReplayReader(
            try await January.path(), collections: .flights, .clock, extensions: BoardViews.departures, BoardViews.late)
        // Of one week, so that the list goes both ways in it.
        var random = SplitMix64(seed: seed)
        let start = random.below(24_000)
        let numbers = Set((0..<Soak.volume(3, soak: 24)).map { _ in start + random.below(6000) }).sorted()
        var model = try JanuaryModel()
        var sections: [Int: [ShownList.Section]] = [:]
        var lateSections: [Int: [ShownList.Section]] = [:]
        for number in numbers {
            try model.advance(to: number)
            sections[number] = model.sections()
            lateSections[number] = model.sections(where: \.isLate)
        }
        let cursor = try reader.cursor(at: CommitNumber(UInt64(numbers[0])))
        var follower = try Follower(BoardViews.departures, cursor.snapshot)
        var lateFollower = try Follower(BoardViews.late, cursor.snapshot)
        for number in numbers + numbers.shuffled(using: &random) {
            try cursor.seek(to: CommitNumber(UInt64(number)))
            let place = "seed \(seed), commit \(number)"
            #expect(try follower.follow(cursor.snapshot) == sections[number], "\(place)")
            #expect(try lateFollower.follow(cursor.snapshot) == lateSections[number], "\(place)")
        }
        // What was kept up to date from commit to commit is what is computed at once.
        let number = CommitNumber(UInt64(numbers[numbers.count / 2]))
        let rebuilt = try reader.snapshot(at: number)
        try cursor.seek(to: number)
        for airport in BoardViews.airports {
            #expect(
                rebuilt[BoardViews.departures][airport].map(\.key)
                    == cursor.snapshot[BoardViews.departures][airport].map(\.key))
        }
        #expect(rebuilt.digest == cursor.snapshot.digest)
        #expect(try ReplayReader(try await January.path()).snapshot(at: number).digest == rebuilt.digest)
    }

    @Test func `The whole month meets its checkpoints, and is rebuilt as it was`() async throws {
        let path = try await January.path()
        let database = try await Database.replay(path, collections: .flights, .clock)
        var model = try JanuaryModel()
        try model.advance(to: January.commitCount)
        let flights = database.snapshot[.flights]
        #expect(flights.count == model.flights.count && flights.allSatisfy { model.flights[$0.key] == $0.object })
    }

    private func compare(_ snapshot: Snapshot, _ model: JanuaryModel, _ place: String) throws {
        let flights = snapshot.untyped("flights")
        #expect(flights.count == model.bytes.count, "\(place)")
        let wrong = flights.first { record in
            model.bytes[record.key].map { !haveSameBytes($0, record.objectBytes) } ?? true
        }
        #expect(wrong == nil, "\(place)")
        let clock = try snapshot.untyped("clock")["now"]?.object(as: Clock.self)
        #expect(clock?.minute == (model.number == 0 ? nil : model.minute), "\(place)")
    }
}

/// A list that is kept by its changes alone, wherever the snapshots go.
private struct Follower<View: OrderedView> where View.Element == Record<Flight, NoMetadata> {
    private var mappings: ViewMappings<View>
    private var shown: ShownList
    private var last: Snapshot

    init(_ view: View, _ snapshot: Snapshot) throws {
        mappings = BoardViews.sections(of: view)
        try mappings.update(to: snapshot)
        shown = ShownList(of: mappings, in: snapshot)
        last = snapshot
    }

    mutating func follow(_ snapshot: Snapshot) throws -> [ShownList.Section] {
        try shown.apply(mappings.advance(from: last, to: snapshot), records: snapshot[.flights])
        last = snapshot
        return shown.sections
    }
}
