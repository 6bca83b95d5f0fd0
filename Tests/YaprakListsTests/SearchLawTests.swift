import TestSupport
import Testing
import Yaprak
import YaprakExtensions

@testable import YaprakLists

/// The law for lists in which somebody searches: searches that are switched on and off, changed, and combined with every
/// other option, between any two snapshots.
@Suite(.bounded) struct SearchLawTests {
    static let text = FullTextIndex(
        "text", of: .cities,
        columns: [
            SearchColumn("name", \.name), SearchColumn("tags") { $0.object.tags.joined(separator: " ") },
        ])
    static let words = ["old", "older", "sea", "hill", "bay", "upper"]
    static let countries = ["de", "fr", "it", "tr"]

    /// - Parameter keys: how many cities there are at most.
    private func history(_ random: inout SplitMix64, keys: Int = 40) async throws -> [Snapshot] {
        let database = try await Database.cities()
        try await database.register(Self.text)
        var snapshots = [database.snapshot]
        for commit in 0..<14 {
            let seed = random.next()
            try await database.write { transaction in
                var random = SplitMix64(seed: seed)
                for _ in 0..<(commit == 0 ? keys * 3 / 4 : 1 + random.below(8)) {
                    let key = "c\(random.below(keys))"
                    switch random.below(10) {
                    case 0..<6:
                        let tags = ["old", "sea", "hill"].filter { _ in random.chance(40) }
                        let name = (0..<1 + random.below(3)).map { _ in Self.words[random.below(6)] }.joined(
                            separator: " ")
                        transaction[.cities][key] = City(
                            name: name, country: Self.countries[random.below(4)], people: random.below(60), tags: tags)
                    case 6: transaction[.cities][key] = nil
                    case 7: transaction[.cities][key]?.people += 7
                    case 8: _ = transaction[.cities].touchObject(for: key)
                    default: _ = transaction[.cities].replaceMetadata(Visit(count: random.below(9)), for: key)
                    }
                }
                if commit == 9 {
                    try transaction.setSorting(
                        of: CityView.byCountry, sortedBy: .byObject { $0.name }, versionTag: "by name")
                }
            }
            snapshots.append(database.snapshot)
        }
        return snapshots
    }

    private func query(_ random: inout SplitMix64) -> SearchQuery? {
        switch random.below(6) {
        case 0: nil
        case 1: .word(Self.words[random.below(6)])
        case 2: .typing("o")
        case 3: .any(of: [.word("sea"), .prefix("hi")])
        case 4: SearchQuery.prefix("ol").excluding(.word("sea"))
        default: .word("nowhere")
        }
    }

    private func list<View: OrderedView>(_ snapshot: Snapshot, _ sections: ViewMappings<View>) -> ShownList {
        ShownList(
            sections: snapshot.sections(of: sections).map { section in
                ShownList.Section(name: section.name, rows: section.map { Int($0.key.dropFirst())! })
            })
    }

    /// The rows of a list without ranges, as the records say.
    private func checkContents<View: OrderedView>(
        _ snapshot: Snapshot, _ sections: ViewMappings<View>, _ query: SearchQuery?, _ order: SearchOrder,
        _ place: String
    ) throws where View.Element == CityRow {
        let reader = snapshot[Self.text]
        let ranked = query.map { reader.top(1000, for: $0).map(\.key) }
        for group in sections.allGroups {
            var expected = snapshot[sections.view][group].map(\.key)
            if let ranked {
                expected = order == .byRank ? ranked.filter(expected.contains) : expected.filter(ranked.contains)
            }
            let shown = (0..<sections.numberOfItems(inGroup: group)).map { row in
                snapshot[sections.view][group][sections.index(forRow: row, inGroup: group)!].key
            }
            try #require(shown == (sections.isReversed(group) ? expected.reversed() : expected), "\(place), \(group)")
            for (row, key) in shown.enumerated() {
                let index = sections.index(forRow: row, inGroup: group)!
                try #require(sections.row(forIndex: index, inGroup: group) == row, "\(place), \(key)")
                let path = sections.path(forIndex: index, inGroup: group)
                try #require(path.flatMap { snapshot.row(at: $0, in: sections) }?.key == key, "\(place), \(key)")
                try #require(snapshot.paths(forKey: key, in: sections).contains(path!), "\(place), \(key)")
            }
            for key in snapshot[sections.view][group].map(\.key) where !expected.contains(key) {
                try #require(
                    !snapshot.paths(forKey: key, in: sections).contains { sections.place(at: $0)?.group == group })
            }
        }
    }

    private func judge<View: OrderedView>(
        _ view: View, groups: [String], _ snapshots: [Snapshot], _ seed: UInt64,
        rounds: Int = Soak.volume(12, soak: 200)
    ) throws where View.Element == CityRow {
        var random = SplitMix64(seed: seed)
        for _ in 0..<rounds {
            var sections =
                random.chance(40)
                ? ViewMappings(view, groups: groups)
                : random.chance(50) ? ViewMappings(view) : ViewMappings(view, order: { $0 > $1 })
            let order: SearchOrder = random.chance(30) ? .byRank : .asInView
            let hasRanges = random.chance(50)
            if random.chance(50) { sections.setDynamicForAllGroups(true) }
            if random.chance(30) { sections.setReversed(true, for: groups[0]) }
            if hasRanges { sections.setRangeForAllGroups(.random(&random)) }
            if random.chance(30) { sections.setDrawingDependenciesForAllGroups([-1]) }
            if random.chance(30) { sections.consolidate(below: random.below(20), into: "all") }
            var query = query(&random)
            sections.setSearch(query, in: Self.text, order: order)
            var shown = snapshots[random.below(snapshots.count)]
            try sections.update(to: shown)
            for step in 0..<6 {
                let before = list(shown, sections)
                let old = sections
                let oldSnapshot = shown
                let changes: ListChanges
                if random.chance(50) {
                    shown = snapshots[random.below(snapshots.count)]
                    changes = try sections.advance(from: oldSnapshot, to: shown)
                } else {
                    query = self.query(&random)
                    sections.setSearch(query, in: Self.text, order: order)
                    if random.chance(20) { sections.setDynamicForAllGroups(random.chance(50)) }
                    if random.chance(20) { sections.consolidate(below: random.below(20), into: "all") }
                    if hasRanges, random.chance(20) { sections.setRangeForAllGroups(.random(&random)) }
                    try sections.update(to: shown)
                    changes = try sections.changes(since: old, in: shown)
                }
                let place = "seed \(seed), step \(step), \(query.map { "\($0)" } ?? "all") \(order)"
                try #require(!changes.isReload, "\(place)")
                let after = list(shown, sections)
                let result = try before.applying(changes) { Int($0.key.dropFirst()) }
                try #require(result == after, "\(place)")
                if !hasRanges { try checkContents(shown, sections, query, order, place) }
                let named = Set(changes.rowChanges.compactMap(\.target))
                for (section, rows) in shown.sections(of: sections).enumerated() {
                    for (number, row) in rows.enumerated()
                    where !named.contains(ListPath(section: section, row: number)) {
                        let group = sections.place(at: ListPath(section: section, row: number))?.group
                        let path = oldSnapshot.paths(forKey: row.key, in: old).first {
                            old.place(at: $0)?.group == group
                        }
                        let was = try #require(
                            path.flatMap { oldSnapshot.row(at: $0, in: old) }, "\(place), \(row.key)")
                        try #require(was.isIdentical(to: row), "\(place): \(row.key) changed without a word")
                    }
                }
            }
        }
    }

    // The names of the new view's collections were all that it knew, and rows of the old one had numbers beyond them.
    @Test func `A searched list leads from a view of three collections to one of two`() async throws {
        let database = Database.inMemory()
        let towns = RecordCollection<City, Visit>("towns")
        let ports = RecordCollection<City, Visit>("ports")
        let group = Grouping<City, Visit>.everything(in: "all")
        let sort = Sorting<City, Visit, String>.byObject { $0.name }
        let three = AutoView(
            "places", of: .cities, towns, ports, groupedBy: group, group, group, sortedBy: sort, sort, sort)
        let two = AutoView("places", of: .cities, towns, groupedBy: group, group, sortedBy: sort, sort)
        let text = FullTextIndex("text", of: ports, columns: [SearchColumn("name", \.name)])
        try await database.register(three)
        try await database.register(text)
        try await database.write { $0[ports]["p"] = City(name: "old") }
        let before = database.snapshot
        try await database.unregister("places")
        try await database.register(two)
        let after = database.snapshot
        let gone: [RowChange.Kind] = [.delete(ListPath(section: 0, row: 0))]
        var sections = ViewMappings(three)
        #expect(try sections.changes(from: before, to: after).rowChanges.map(\.kind) == gone)
        sections.setSearch(.word("old"), in: text)
        #expect(try sections.changes(from: before, to: after).rowChanges.map(\.kind) == gone)
    }

    @Test(arguments: (1...UInt64(Soak.volume(4, soak: 60))).map { $0 })
    func `A list in which somebody searches obeys the law of lists`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let snapshots = try await history(&random)
        try judge(CityView.byCountry, groups: Self.countries, snapshots, seed)
        try judge(CityView.byTag, groups: ["sea", "old"], snapshots, seed)
    }

    /// A choice is kept as bits, 64 in a word: of some hundred rows, groups begin and end amid words, and take several.
    @Test(arguments: (1...UInt64(Soak.volume(2, soak: 30))).map { $0 })
    func `A list of some hundred rows in which somebody searches obeys the law of lists`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let snapshots = try await history(&random, keys: 400)
        try judge(CityView.byCountry, groups: Self.countries, snapshots, seed, rounds: Soak.volume(4, soak: 40))
        try judge(CityView.byTag, groups: ["sea", "old"], snapshots, seed, rounds: Soak.volume(4, soak: 40))
    }

    @Test func `A search in a view of two collections shows what it finds, and says of which collection rows are`()
        async throws
    {
        let towns = RecordCollection<City, Visit>("towns")
        let view = ManualView<MixedRecord>("places", of: .cities, towns)
        let database = try await Database.cities()
        try await database.register(Self.text)
        try await database.register(view)
        try await database.write { transaction in
            for number in 0..<200 {
                let city = City(name: number.isMultiple(of: 3) ? "old" : "sea")
                let group = "g\(number % 7)"
                if number.isMultiple(of: 2) {
                    transaction[.cities]["c\(number)"] = city
                    try transaction.append("c\(number)", of: .cities, to: group, in: view)
                } else {
                    transaction[towns]["t\(number)"] = city
                    try transaction.append("t\(number)", of: towns, to: group, in: view)
                }
            }
        }
        let shown = database.snapshot
        var sections = ViewMappings(view)
        try sections.update(to: shown)
        func keys(_ sections: ViewMappings<ManualView<MixedRecord>>) -> [[String]] {
            shown.sections(of: sections).map { $0.map(\.key) }
        }
        for query in [SearchQuery.prefix("ol"), .word("sea"), nil, .word("old"), .word("nowhere"), nil] {
            let (earlier, before) = (sections, keys(sections))
            sections.setSearch(query, in: Self.text)
            try sections.update(to: shown)
            let changes = try sections.changes(since: earlier, in: shown)
            let (old, new) = (Set(before.joined()), Set(keys(sections).joined()))
            if let query {
                #expect(new == Set(shown[Self.text].keys(matching: query)), "\(query)")
            } else {
                #expect(new.count == 200)
            }
            #expect(Set(changes.rowChanges.compactMap { $0.target == nil ? $0.key : nil }) == old.subtracting(new))
            #expect(Set(changes.rowChanges.compactMap { $0.source == nil ? $0.key : nil }) == new.subtracting(old))
            for change in changes.rowChanges {
                #expect(change.collectionName == (change.key.hasPrefix("c") ? "cities" : "towns"), "\(change)")
                #expect(change.group == "g\(Int(change.key.dropFirst())! % 7)", "\(change)")
                if let path = change.target { #expect(keys(sections)[path.section][path.row] == change.key) }
                if let path = change.source { #expect(before[path.section][path.row] == change.key) }
            }
        }
    }

    /// Those found in another snapshot were taken for its own: the program stopped, or showed other rows.
    @Test func `A snapshot without the index of a search shows nothing of the list, and throws where it can`()
        async throws
    {
        let database = try await Database.cities(["c0": City(name: "a")])
        let before = database.snapshot
        try await database.write { transaction in
            for number in 1...9 { transaction[.cities]["c\(number)"] = City(name: "a") }
        }
        try await database.register(Self.text)
        var sections = ViewMappings(CityView.byCountry)
        sections.setSearch(.prefix("a"), in: Self.text)
        try sections.update(to: database.snapshot)
        #expect(database.snapshot.sections(of: sections).map(\.count) == [10])
        try await database.unregister("text")
        try await database.write { $0[.cities]["c9"] = nil }
        for snapshot in [before, database.snapshot] {
            #expect(snapshot.sections(of: sections).isEmpty && snapshot.itemIDs(of: sections).isEmpty)
            let error = #expect(throws: DatabaseError.self) {
                var copy = sections
                try copy.update(to: snapshot)
            }
            #expect(error?.code == .extensionNotRegistered)
        }
    }

    @Test func `A window that is extended while somebody searches shows more of what was found`() async throws {
        var random = SplitMix64(seed: 7)
        let snapshot = try await history(&random).last!
        var sections = ViewMappings(CityView.byCountry)
        sections.setRangeForAllGroups(.flexible(length: 1, from: .beginning))
        sections.setSearch(.prefix("o"), in: Self.text)
        try sections.update(to: snapshot)
        for group in sections.allGroups {
            let before = list(snapshot, sections)
            let extended = try sections.extend(group, by: 2, at: .end, in: snapshot)
            let after = list(snapshot, sections)
            #expect(try before.applying(extended.changes) { Int($0.key.dropFirst()) } == after)
        }
        let counts = sections.allGroups.map { sections.numberOfItems(inGroup: $0) }
        #expect(counts.contains { $0 > 1 })
    }
}

/// The stream of a list in which somebody types.
@Suite(.boundedInPool) struct SearchedListTests {
    @Test func `Each query gives the changes from what was found before, and commits are followed`() async throws {
        let database = try await Database.cities([
            "c1": City(name: "Ankara", people: 5), "c2": City(name: "Van", people: 1),
            "c3": City(name: "Antalya", people: 2),
        ])
        try await database.register(SearchLawTests.text)
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self)
        var updates = database.updates(
            of: ViewMappings(CityView.byCountry, groups: ["tr"]), searching: queries, in: SearchLawTests.text
        ).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.isReload && first.mappings.itemCount == 3)
        typed.yield(.typing("an"))
        let second = try #require(try await updates.next())
        #expect(second.rowChanges.map { "\($0)" } == ["delete 0.2 (c2)"])
        typed.yield(.typing("ant"))
        let third = try #require(try await updates.next())
        #expect(third.rowChanges.map { "\($0)" } == ["delete 0.0 (c1)"])
        #expect(third.mappings.isSearching && third.mappings.itemCount == 1)
        try await database.put(["c4": City(name: "Antakya", people: 9), "c5": City(name: "Rize", people: 9)])
        let fourth = try #require(try await updates.next())
        #expect(fourth.rowChanges.map { "\($0)" } == ["insert 0.0 (c4)"])
        try await database.put(["c3": City(name: "Adalia", people: 2)])
        let fifth = try #require(try await updates.next())
        #expect(fifth.rowChanges.map { "\($0)" } == ["delete 0.1 (c3)"])
        typed.yield(nil)
        let sixth = try #require(try await updates.next())
        #expect(sixth.mappings.itemCount == 5 && sixth.rowChanges.count == 4)
        typed.finish()
        try await database.put(["c6": City(name: "Bursa")])
        #expect(try await updates.next()?.rowChanges.count == 1)
        try await database.close()
        #expect(try await updates.next() == nil)
    }

    @Test func `The newest query wins, however fast they come`() async throws {
        let database = try await Database.cities()
        try await database.write { transaction in
            for number in 0..<300 { transaction[.cities]["c\(number)"] = City(name: "n\(number)", people: number) }
        }
        try await database.register(SearchLawTests.text)
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self)
        var updates = database.updates(
            of: ViewMappings(CityView.byCountry, groups: ["tr"]), searching: queries, in: SearchLawTests.text,
            order: .byRank
        ).makeAsyncIterator()
        _ = try await updates.next()
        for number in 0..<299 { typed.yield(.typing("n\(number)")) }
        typed.yield(.word("n299"))
        var count = 0
        while true {
            let update = try #require(try await updates.next())
            count += 1
            if update.mappings.itemCount == 1,
                update.new.row(at: ListPath(section: 0, row: 0), in: update.mappings)?.key == "c299"
            {
                break
            }
        }
        #expect(count < 300)
    }

    @Test func `A query is answered however steadily commits come`() async throws {
        let database = try await Database.cities(["c0": City(name: "Ankara"), "v": City(name: "Van")])
        try await database.register(SearchLawTests.text)
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self)
        var updates = database.updates(
            of: ViewMappings(CityView.byCountry), searching: queries, in: SearchLawTests.text
        ).makeAsyncIterator()
        _ = try await updates.next()
        typed.yield(.word("ankara"))
        var count = 0
        var isAnswered = false
        while !isAnswered, count < 20 {
            count += 1
            // Each commit changes the list, searched or not.
            try await database.put(["c\(count)": City(name: "Ankara")])
            // The snapshot waits, as the query does, when the next update is asked for.
            try await Task.sleep(for: .milliseconds(20))
            let update = try #require(try await updates.next())
            isAnswered = update.mappings.isSearching
            if isAnswered { #expect(update.rowChanges.contains { "\($0)".hasPrefix("delete") }) }
        }
        #expect(isAnswered, "not in \(count) updates")
        // Commits are not starved by queries, either.
        var isFollowed = false
        for number in 0..<20 where !isFollowed {
            try await database.put(["d\(number)": City(name: "Ankara")])
            typed.yield(number.isMultiple(of: 2) ? nil : .word("ankara"))
            try await Task.sleep(for: .milliseconds(20))
            let update = try #require(try await updates.next())
            isFollowed = update.rowChanges.contains { "\($0)".hasPrefix("insert") && "\($0)".contains("(d") }
        }
        #expect(isFollowed)
    }

    @Test func `Commits that nobody waited for are one update`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        try await database.register(SearchLawTests.text)
        let (queries, typed) = AsyncStream.makeStream(of: SearchQuery?.self)
        var updates = database.updates(
            of: ViewMappings(CityView.byCountry), searching: queries, in: SearchLawTests.text
        ).makeAsyncIterator()
        _ = try await updates.next()
        typed.yield(.typing("an"))
        _ = try await Task { try await Task.sleep(for: .milliseconds(20)) }.value
        for number in 0..<40 {
            try await database.put(["c\(number + 2)": City(name: "An\(number)", people: number)])
        }
        var count = 0
        var found = 0
        while found < 41 {
            let update = try #require(try await updates.next())
            count += 1
            found = update.mappings.itemCount
        }
        #expect(count < 40)
    }

    @Test func `What the queries throw ends the updates, and so does a cancelled task`() async throws {
        struct Tired: Error {}
        let database = try await Database.cities(["c1": City(name: "Ankara")])
        try await database.register(SearchLawTests.text)
        let (queries, typed) = AsyncThrowingStream.makeStream(of: SearchQuery?.self)
        var updates = database.updates(
            of: ViewMappings(CityView.byCountry), searching: queries, in: SearchLawTests.text
        ).makeAsyncIterator()
        _ = try await updates.next()
        typed.finish(throwing: Tired())
        await #expect(throws: Tired.self) { try await updates.next() }

        let (silence, _) = AsyncStream.makeStream(of: SearchQuery?.self)
        let waiting = Task {
            var count = 0
            for try await _ in database.updates(
                of: ViewMappings(CityView.byCountry), searching: silence, in: SearchLawTests.text)
            { count += 1 }
            return count
        }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        #expect(try await waiting.value <= 1)
    }
}
