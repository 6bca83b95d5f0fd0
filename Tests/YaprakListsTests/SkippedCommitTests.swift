import HashTreeCollections
import TestSupport
import Testing
import Yaprak

@testable import YaprakLists

/// What flexible ranges show in lists that follow each commit, beside lists that go to the last one at once.
@Suite(.bounded) struct SkippedCommitTests {
    /// Two copies of a list go to the same contents, one of them by way of all others.
    private func walk(_ range: ListRange, _ contents: String...) async throws -> (each: [String], last: String) {
        var list = try await Fixture(["a": contents[0]], groups: ["a"]) { $0.setRange(range, for: "a") }
        var other = list.mappings
        let first = list.snapshot
        var each: [String] = []
        for rows in contents.dropFirst() {
            try await list.become(["a": rows])
            each += list.shown
        }
        _ = try other.advance(from: first, to: list.snapshot)
        return (each, list.snapshot.sections(of: other)[0].map(\.key).joined())
    }

    /// Its last rows went, so that it lay at the end of its group, which is where a range lies that waits for rows. It was taken
    /// for one, and stayed at its distance from the pin when rows before it went: `r` was never shown.
    @Test func `A window that lost the last rows of its group moves with the rows before it`() async throws {
        let range = ListRange.flexible(length: 2, offset: 1, from: .beginning)
        var found = try await walk(range, "opq", "nopq", "no", "o", "or", "ors")
        #expect(found.each == ["pq", "", "", "r", "rs"] && found.last == "rs")
        // It had not moved when it lost them.
        found = try await walk(.flexible(length: 2, offset: 2, from: .beginning), "abcd", "ab", "xab", "xaby")
        #expect(found.each == ["", "", "y"] && found.last == "y")
        // It was nearer to the pin than it was asked for.
        found = try await walk(.flexible(length: 2, offset: 3, from: .beginning), "abcdef", "cdef", "c", "xc")
        #expect(found.each == ["de", "", ""] && found.last == "")
        // One that waits begins at its distance.
        found = try await walk(.flexible(length: 2, offset: 2, from: .beginning), "ab", "xab")
        #expect(found.each == ["b"] && found.last == "b")
    }

    /// A list that saw them come one by one grew with each; the other took as many as were asked for, and never the others.
    @Test(arguments: [ListRange.Growth.pinSide, .otherSide, .bothSides])
    func `A window that lost its rows takes all that come at once in their place`(growth: ListRange.Growth) async throws
    {
        let range = ListRange.flexible(length: 2, from: .end, growing: growth)
        var found = try await walk(range, "opqr", "op", "opstuv")
        #expect(found.each == ["", "stuv"] && found.last == "stuv")
        if growth != .otherSide {
            found = try await walk(range, "opqr", "op", "ops", "opst", "opstu", "opstuv")
            #expect(found.each == ["", "s", "st", "stu", "stuv"] && found.last == "stuv")
        }
        if growth != .pinSide {
            found = try await walk(range, "opqr", "op", "opv", "opuv", "optuv", "opstuv")
            #expect(found.each == ["", "v", "uv", "tuv", "stuv"] && found.last == "stuv")
        }
        found = try await walk(.flexible(length: 2, from: .end, maxLength: 3, growing: growth), "opqr", "op", "opstuv")
        #expect(found.each == ["", "tuv"] && found.last == "tuv")
    }

    /// With an offset it had to lose all of them, and a list that saw rows go and come in one update did not fill up at all.
    @Test func `A window that is short because its group ends there fills up`() async throws {
        for offset in 0...1 {
            let range = ListRange.flexible(length: 2, offset: offset, from: .beginning)
            let before = offset == 0 ? "" : "o"
            let found = try await walk(range, before + "pq", before + "p", before + "px", before + "pxy")
            #expect(found.each == ["p", "px", "px"] && found.last == "px")
        }
        let found = try await walk(.flexible(length: 2, from: .end), "pq", "q", "aq")
        #expect(found.each == ["q", "aq"] && found.last == "aq")
    }

    @Test func `A grown window begins again when its group was emptied, also if its sorting changed meanwhile`()
        async throws
    {
        let database = try await Database.cities(["c1": City(people: 10), "c2": City(people: 20)])
        var sections = ViewMappings(CityView.byCountry, groups: ["tr"])
        sections.setRange(.flexible(length: 1, from: .end), for: "tr")
        var shown = database.snapshot
        try sections.update(to: shown)
        func next() throws -> Int {
            let newest = database.snapshot
            _ = try sections.advance(from: shown, to: newest)
            shown = newest
            return sections.numberOfItems(inGroup: "tr")
        }
        try await database.put(["c3": City(people: 1), "c4": City(people: 2)])
        #expect(try next() == 3)
        try await database.write { $0[.cities].removeAll() }
        try await database.write {
            try $0.setSorting(of: CityView.byCountry, sortedBy: .byKey, order: .descending, versionTag: "by key")
        }
        try await database.put(["c5": City(), "c6": City(), "c7": City(), "c8": City()])
        #expect(try next() == 1)
    }

    /// A list with a past, drawn at random, and more rows for it than it has had.
    private struct Past {
        var list: Fixture
        private(set) var rows: [Character]
        private var fresh: [Character]

        init(_ range: ListRange, _ random: inout SplitMix64) async throws {
            fresh = "abcdefghijklmnopqrstuvwxyz0123456789".shuffled(using: &random)
            rows = Array(fresh.prefix(random.below(8)))
            fresh.removeFirst(rows.count)
            list = try await Fixture(["a": String(rows)], groups: ["a"]) { $0.setRange(range, for: "a") }
            for _ in 0..<random.below(4) {
                change(&random, removed: random.below(4), inserted: random.below(4))
                try await follow()
                if random.chance(20) { try list.mappings.update(to: list.snapshot) }
            }
        }

        mutating func change(_ random: inout SplitMix64, removed: Int, inserted: Int) {
            for _ in 0..<min(removed, rows.count) { rows.remove(at: random.below(rows.count)) }
            for _ in 0..<inserted { rows.insert(fresh.removeLast(), at: random.below(rows.count + 1)) }
        }

        mutating func follow() async throws { try await list.become(["a": String(rows)]) }
    }

    /// What is promised of a window, and what it does next.
    private struct State: Equatable {
        let position: RangePosition?
        let isRefilling: Bool?
        let isWaiting: Bool?

        init(_ mappings: ViewMappings<Fixture.View>) {
            position = mappings.rangePosition(of: "a")
            isRefilling = mappings.core.windows["a"]?.isRefilling
            isWaiting = mappings.core.windows["a"]?.isWaiting
        }
    }

    @Test func `One update is its removals, then its insertions`() async throws {
        var random = SplitMix64(seed: 11)
        for number in 0..<Soak.volume(500, soak: 30_000) {
            let range = ListRange.random(&random)
            guard range.flexibility?.minLength == 0 else { continue }
            var past = try await Past(range, &random)
            var other = past.list.mappings
            let first = past.list.snapshot
            // Removed one by one, then all that come.
            for _ in 0..<random.below(5) {
                past.change(&random, removed: 1, inserted: 0)
                try await past.follow()
            }
            past.change(&random, removed: 0, inserted: random.below(5))
            try await past.follow()
            _ = try other.advance(from: first, to: past.list.snapshot)
            #expect(State(other) == State(past.list.mappings), "number \(number): \(range)")
        }
    }

    @Test func `Where a window grows on both sides, rows that come one by one are shown as those that come at once`()
        async throws
    {
        var random = SplitMix64(seed: 12)
        for number in 0..<Soak.volume(500, soak: 30_000) {
            let length = random.below(5)
            let range = ListRange.flexible(
                length: length, offset: random.below(4), from: random.chance(50) ? .beginning : .end,
                maxLength: random.chance(50) ? .max : length + random.below(4), growing: .bothSides)
            var past = try await Past(range, &random)
            var other = past.list.mappings
            if past.rows.isEmpty || State(other).isWaiting == true { continue }
            let first = past.list.snapshot
            for _ in 0..<random.below(6) {
                past.change(&random, removed: 0, inserted: 1)
                try await past.follow()
            }
            _ = try other.advance(from: first, to: past.list.snapshot)
            #expect(State(other).position == State(past.list.mappings).position, "number \(number): \(range)")
        }
    }
}
