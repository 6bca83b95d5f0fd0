import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// The law for everything small: all contents of two groups with two or three rows, beside all others. A run of the suite
/// judges each third step, from one that is drawn; a soak judges all.
@Suite(.bounded) struct ExhaustiveTests {
    /// Every way to put `count` rows into two groups, or nowhere, at one of two places each.
    private static func contents(rows count: Int) -> [Contents] {
        var all = [Contents()]
        for key in 0..<count {
            all = all.flatMap { contents in
                [contents]
                    + [(0, 0), (0, 1), (1, 0), (1, 1)].map { group, sort in
                        var next = contents
                        next.place(key, in: [group], sort: sort)
                        return next
                    }
            }
        }
        return all
    }

    /// All contents beside all others, as one history: one commit writes what differs between two of them, and no more.
    private struct Pairs {
        let view: MarkView
        private(set) var steps: [Step] = []

        struct Step {
            let moments: [Contents]
            let snapshots: [Snapshot]
            let kept: [String: KeptRows]
        }

        init(rows count: Int) async throws {
            var database = try await LawDatabase(rowsHaveOnePlace: true)
            view = database.view
            let all = ExhaustiveTests.contents(rows: count)
            var now = Contents()
            var snapshot = try await database.become(now)
            func go(to index: Int) async throws {
                let old = now
                let before = snapshot
                now.become(all[index])
                snapshot = try await database.become(now)
                try add(old, before, now, snapshot)
            }
            // From each to each that comes after it and back, then on to the next.
            for index in all.indices {
                try add(now, snapshot, now, snapshot)
                for other in all.indices where other > index {
                    try await go(to: other)
                    try await go(to: index)
                }
                if index + 1 < all.count {
                    try await go(to: index + 1)
                    // This pair was there already.
                    steps.removeLast()
                }
            }
        }

        private mutating func add(_ old: Contents, _ before: Snapshot, _ new: Contents, _ after: Snapshot) throws {
            let kept = KeptRows.all(of: view, from: (old, before), to: (new, after))
            for (name, rows) in kept { try #require(rows.fault == nil, "\(name): \(old) → \(new)") }
            steps.append(Step(moments: [old, new], snapshots: [before, after], kept: kept))
        }
    }

    private static let two = Task(executorPreference: OwnThreads.shared) { try await Pairs(rows: 2) }
    private static let three = Task(executorPreference: OwnThreads.shared) { try await Pairs(rows: 3) }

    private func judge(_ pairs: Pairs, _ calls: [Options.Call]) throws {
        var options = Options()
        options.fixedGroups = ["a", "b"]
        options.calls = calls
        let stride = Soak.volume(5, soak: 1)
        for index in Swift.stride(from: Int.random(in: 0..<stride), to: pairs.steps.count, by: stride) {
            let step = pairs.steps[index]
            let found = LawCase(options: options, moments: step.moments)
            guard let fault = try found.fault(of: pairs.view, in: step.snapshots, [step.kept]) else { continue }
            Issue.record("\(found)\n\(fault)")
            return
        }
    }

    private static var ranges: [ListRange] {
        var all: [ListRange] = []
        for pin in [ListRange.Side.beginning, .end] {
            for offset in 0...1 {
                for length in 0...2 {
                    all.append(.fixed(length: length, offset: offset, from: pin))
                    all.append(.flexible(length: length, offset: offset, from: pin))
                    all.append(
                        .flexible(length: length, offset: offset, from: pin, maxLength: length, growing: .bothSides))
                    all.append(
                        .flexible(length: length, offset: offset, from: pin, minLength: length, growing: .otherSide))
                }
            }
        }
        return all
    }

    private static let surroundings: [[Options.Call]] = [
        [], [.dynamic(true, nil)], [.reversed(true, "a")],
        [.dependencies([-1], nil), .dynamic(true, "b"), .consolidate(2)],
    ]

    @Test(arguments: surroundings.indices)
    func `Every change of two rows is reported, whatever the range`(surrounding: Int) async throws {
        let pairs = try await Self.two.value
        #expect(pairs.steps.count == 25 * 25)
        for range in Self.ranges { try judge(pairs, Self.surroundings[surrounding] + [.range(range, nil)]) }
    }

    @Test(arguments: surroundings.indices)
    func `Every change of three rows is reported`(surrounding: Int) async throws {
        let pairs = try await Self.three.value
        #expect(pairs.steps.count == 125 * 125)
        try judge(pairs, Self.surroundings[surrounding])
    }
}
