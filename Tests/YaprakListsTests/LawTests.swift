import Foundation
import TestSupport
import Testing

@testable import YaprakLists

/// Changes applied to the old list give the new list: for contents, commits and options drawn at random.
@Suite(.bounded) struct LawTests {
    /// `YAPRAK_SOAK` makes it a long run, and is the number of the first seeds.
    private static let soak = ProcessInfo.processInfo.environment["YAPRAK_SOAK"].map { UInt64($0) ?? 1 }

    @Test(arguments: [UInt64](1...2))
    func `Changes applied to the old list give the new list`(lane: UInt64) {
        var judged = 0
        for number in 0..<(Self.soak == nil ? 6000 : 400_000) {
            let seed = (Self.soak ?? 0) << 40 | lane << 32 | UInt64(number)
            let found = LawCase.random(seed: seed)
            judged += found.count
            guard found.fault() != nil else { continue }
            let least = found.shrunk()
            Issue.record("seed \(seed)\n\(least)\n\(least.fault() ?? "")")
            return
        }
        print("lane \(lane): \(judged) changes")
    }

    @Test func `Other options lead from one list to the other`() throws {
        var random = SplitMix64(seed: 4)
        for seed in 0..<(Self.soak == nil ? 6000 : 100_000) {
            let found = LawCase.random(seed: UInt64(seed))
            let contents = found.moments[0]
            let choice = Choice()
            func core() -> (ListCore, ShownList) {
                let options = Options.random(&random, moments: 1)
                choice.now = options.chosenGroups.first ?? []
                var core = options.core(choice)
                core.refresh(to: contents)
                return (core, core.shown(contents))
            }
            let (old, before) = core()
            let (new, after) = core()
            let changes = new.changes(
                since: old, in: contents, rowsHaveOnePlace: found.options.rowsHaveOnePlace)
            if changes.isReload { continue }
            #expect(try before.applying(changes) == after, "seed \(seed)")
            #expect(changes.rowChanges.filter { !$0.aspects.isEmpty }.isEmpty, "seed \(seed)")
        }
    }

    @Test func `A window that is grown by hand keeps its rows`() throws {
        var random = SplitMix64(seed: 5)
        for seed in 0..<(Self.soak == nil ? 6000 : 100_000) {
            let found = LawCase.random(seed: UInt64(seed))
            guard found.options.fixedGroups != nil else { continue }
            var core = found.options.core(Choice())
            core.refresh(to: found.moments[0])
            let earlier = core
            let group = Contents.names[random.below(4)]
            let side: ListRange.Side = random.chance(50) ? .beginning : .end
            let count = random.below(4)
            core.extend(group, by: count, at: side)
            let changes = core.changes(since: earlier, in: found.moments[0])
            let before = earlier.shown(found.moments[0])
            #expect(try before.applying(changes) == core.shown(found.moments[0]), "seed \(seed)")
            guard let old = earlier.layout.group(named: group)?.window,
                let new = core.layout.group(named: group)?.window
            else { continue }
            #expect(
                old.isEmpty || (new.lowerBound <= old.lowerBound && new.upperBound >= old.upperBound), "seed \(seed)")
            #expect(new.count <= old.count + count, "seed \(seed)")
        }
    }
}
