import Foundation
import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// Changes applied to the old list give the new list: for contents, commits and options drawn at random.
///
/// Each case writes its contents into a database of its own, and moves mappings of a view of them from commit to commit.
@Suite(.bounded) struct LawTests {
    /// `YAPRAK_SOAK` makes it a long run, and is the number of the first seeds.
    private static let soak = ProcessInfo.processInfo.environment["YAPRAK_SOAK"].map { UInt64($0) ?? 1 }
    /// Each run of the suite judges other cases.
    private static let base = soak ?? UInt64.random(in: 0..<1 << 20)

    @Test(arguments: [UInt64](1...2))
    func `Changes applied to the old list give the new list`(lane: UInt64) async throws {
        var judged = 0
        for number in 0..<(Self.soak == nil ? 1200 : 400_000) {
            let seed = Self.base << 40 | lane << 32 | UInt64(number)
            let found = LawCase.random(seed: seed)
            judged += found.count
            guard try await found.fault() != nil else { continue }
            let least = try await found.shrunk()
            Issue.record("seed \(seed)\n\(least)\n\(try await least.fault() ?? "")")
            return
        }
        print("lane \(lane): \(judged) changes")
    }

    /// The first moment of a case, in a database.
    private func first(_ found: LawCase) async throws -> (MarkView, Snapshot) {
        var database = try await LawDatabase(rowsHaveOnePlace: found.options.rowsHaveOnePlace)
        return (database.view, try await database.become(found.moments[0]))
    }

    @Test func `Other options lead from one list to the other`() async throws {
        var random = SplitMix64(seed: 4)
        for seed in 0..<(Self.soak == nil ? 3000 : 100_000) {
            let found = LawCase.random(seed: UInt64(seed))
            let contents = found.moments[0]
            let (view, snapshot) = try await first(found)
            let choice = Choice()
            func drawn() throws -> (ViewMappings<MarkView>, ShownList) {
                let options = Options.random(&random, moments: 1)
                choice.now = options.chosenGroups.first ?? []
                var mappings = options.mappings(of: view, choice)
                try mappings.update(to: snapshot)
                return (mappings, mappings.shown(contents))
            }
            let (old, before) = try drawn()
            let (new, after) = try drawn()
            let changes = try new.changes(since: old, in: snapshot)
            if changes.isReload { continue }
            #expect(try before.applying(changes) == after, "seed \(seed)")
            #expect(changes.rowChanges.filter { !$0.aspects.isEmpty }.isEmpty, "seed \(seed)")
        }
    }

    @Test func `A window that is extended keeps its rows`() async throws {
        var random = SplitMix64(seed: 5)
        for seed in 0..<(Self.soak == nil ? 6000 : 100_000) {
            let found = LawCase.random(seed: UInt64(seed))
            guard found.options.fixedGroups != nil else { continue }
            let (view, snapshot) = try await first(found)
            var mappings = found.options.mappings(of: view, Choice())
            try mappings.update(to: snapshot)
            let earlier = mappings
            let group = Contents.names[random.below(4)]
            let side: ListRange.Side = random.chance(50) ? .beginning : .end
            let count = random.below(4)
            let changes = try mappings.extend(group, by: count, at: side, in: snapshot).changes
            let before = earlier.shown(found.moments[0])
            #expect(try before.applying(changes) == mappings.shown(found.moments[0]), "seed \(seed)")
            guard let old = earlier.core.layout.group(named: group)?.window,
                let new = mappings.core.layout.group(named: group)?.window
            else { continue }
            #expect(
                old.isEmpty || (new.lowerBound <= old.lowerBound && new.upperBound >= old.upperBound), "seed \(seed)")
            #expect(new.count <= old.count + count, "seed \(seed)")
        }
    }
}
