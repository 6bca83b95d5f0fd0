import TestSupport
import Testing
import Yaprak

/// Faults that an independent model of views and lists found in them.
@Suite(.bounded) struct ViewFaultTests {
    private func kinds(_ changes: ListChanges) -> [String] { changes.rowChanges.map { "\($0)" } }

    // MARK: Another view under the same name

    // A change named a row that the list did not have, and no change said that the rows which nobody wrote are others.
    @Test func `Rows that are in one group from now on have other identities: the list is reloaded`() async throws {
        let database = Database.inMemory()
        let view = CityView.byTag, child = FilteredView("child", of: view) { $0.people > 0 }
        try await database.register(view)
        try await database.register(child)
        try await database.put([
            "c1": City(name: "a", country: "tr", people: 1, tags: ["tr"]),
            "c2": City(name: "b", country: "it", people: 2, tags: ["it"]),
        ])
        let updates = database.updates(of: ViewMappings(view))
        var iterator = updates.makeAsyncIterator()
        _ = try #require(await iterator.next())
        let old = database.snapshot
        try await database.write {
            try $0.setGrouping(of: view, groupedBy: .byObject { $0.country }, versionTag: "one")
        }
        let new = database.snapshot
        let next = try #require(await iterator.next())
        #expect(next.changes.isReload)
        try await database.put(["c1": City(name: "a", country: "tr", people: 7, tags: ["tr"])])
        let newest = database.snapshot
        func check<View: OrderedView>(_ view: View) throws {
            var sections = ViewMappings(view)
            for (from, to) in [(old, new), (new, old)] {
                try sections.update(to: from)
                let before = from.itemIDs(of: sections)
                let changes = try sections.advance(from: from, to: to)
                #expect(changes.isReload && changes.rowChanges.isEmpty, "\(view.name)")
                #expect(before.map(\.items) != to.itemIDs(of: sections).map(\.items))
                #expect(to[view].hasChanges(since: from[view]) && to[view].hasChanges(inGroup: "tr", since: from[view]))
            }
            try sections.update(to: new)
            let changes = try sections.advance(from: new, to: newest)
            #expect(kinds(changes) == ["update 1.0 → 1.0 (c1)"])
            let items = newest.itemIDs(of: sections).flatMap(\.items)
            for change in changes.rowChanges { #expect(items.contains(change.itemID), "\(change.itemID), \(items)") }
        }
        try check(view)
        try check(child)
    }

    /// Rows are known by the number of their collection: those of one view were taken for those of the other.
    @Test func `A view of other collections under the same name is a reload`() async throws {
        let database = Database.inMemory()
        let towns = RecordCollection<City, Visit>("towns")
        let first = AutoView("places", of: .cities, groupedBy: \.country, sortedBy: \.people)
        let second = AutoView("places", of: towns, groupedBy: \.country, sortedBy: \.people)
        try await database.register(first)
        try await database.write { transaction in
            transaction[.cities]["a"] = City(name: "city", people: 1)
            transaction[towns]["a"] = City(name: "town", people: 1)
        }
        let before = database.snapshot
        try await database.unregister("places")
        try await database.register(second)
        let after = database.snapshot
        var sections = ViewMappings(second)
        try sections.update(to: after)
        #expect(after.sections(of: sections).flatMap { $0.map(\.object.name) } == ["town"])
        for (old, new) in [(before, after), (after, before)] {
            #expect(try sections.changes(from: old, to: new).isReload)
        }
    }

    /// The mappings before were refreshed to the view of those after, and nothing was different then.
    @Test func `Mappings of another view are no other options: the list is reloaded`() async throws {
        let database = try await Database.cities(["c1": City(country: "tr"), "c2": City(country: "it")])
        let byName = AutoView("by name", of: .cities, groupedBy: \.name, sortedBy: \.people)
        try await database.register(byName)
        let shown = database.snapshot
        let byCountry = ViewMappings(CityView.byCountry), names = ViewMappings(byName)
        for (earlier, later) in [(byCountry, names), (names, byCountry)] {
            let changes = try later.changes(since: earlier, in: shown)
            #expect(changes.isReload && changes.hasChanges && changes.rowChanges.isEmpty)
        }
        // Another handle of the name is no other view.
        var dynamic = ViewMappings(CityView.byCountry)
        dynamic.setDynamicForAllGroups(true)
        #expect(try !dynamic.changes(since: byCountry, in: shown).hasChanges)
    }

    // MARK: Rows in several groups

    /// A view whose parent let rows into several groups, without one moving, went on as if each was in one: its items had
    /// the same identity in all groups, and a row that left one of its groups for another was reported as moved.
    @Test func `A filtered view learns that its parent puts rows into several groups, though none moved`() async throws
    {
        let database = Database.inMemory()
        let parent = CityView.byCountry
        let child = FilteredView("child", of: parent) { $0.people > 0 }
        let grandchild = FilteredView("grandchild", of: child) { $0.people > 1 }
        try await database.register(parent)
        try await database.register(child)
        try await database.register(grandchild)
        try await database.put(["c1": City(country: "tr", people: 5), "c2": City(country: "it", people: 7)])
        try await database.write {
            try $0.setGrouping(of: parent, groupedBy: .byEachObject { [$0.country] + $0.tags }, versionTag: "each")
        }
        let one = database.snapshot
        try await database.put(["c1": City(country: "tr", people: 5, tags: ["sea"])])
        let two = database.snapshot
        try await database.put(["c1": City(country: "tr", people: 5, tags: ["hill"])])
        let three = database.snapshot
        func check<View: OrderedView>(_ view: View) throws -> [[RowChange.Kind]] {
            var sections = ViewMappings(view)
            try sections.update(to: two)
            let items = two.itemIDs(of: sections).flatMap(\.items)
            #expect(Set(items).count == items.count, "\(view.name): \(items)")
            return [
                try sections.changes(from: one, to: two).rowChanges.map(\.kind),
                try sections.changes(from: two, to: three).rowChanges.map(\.kind),
            ]
        }
        let told = try check(parent)
        #expect(told[1].contains(.delete(ListPath(section: 1, row: 0))))
        #expect(try check(child) == told)
        #expect(try check(grandchild) == told)
        // And back: into one group again, and nothing moves.
        try await database.put(["c1": City(country: "tr", people: 5)])
        try await database.write {
            try $0.setGrouping(of: parent, groupedBy: .byObject { $0.country }, versionTag: "one")
        }
        let four = database.snapshot
        try await database.put(["c1": City(country: "it", people: 5)])
        for changes in [
            try ViewMappings(parent).changes(from: four, to: database.snapshot),
            try ViewMappings(child).changes(from: four, to: database.snapshot),
            try ViewMappings(grandchild).changes(from: four, to: database.snapshot),
        ] {
            #expect(kinds(changes) == ["move 1.0 → 0.1 (c1)"])
        }
    }

    @Test func `Grouping and records may change in one write`() async throws {
        let database = Database.inMemory()
        let parent = CityView.byCountry
        let child = FilteredView("child", of: parent) { $0.people > 0 }
        try await database.register(parent)
        try await database.register(child)
        try await database.put(["c1": City(country: "tr", people: 5)])
        try await database.write {
            try $0.setGrouping(of: parent, groupedBy: .byEachObject { [$0.country] + $0.tags }, versionTag: "each")
            try $0.setSorting(of: parent, sortedBy: .byObject { $0.name }, versionTag: "name")
            $0[.cities]["c1"] = City(country: "tr", people: 5, tags: ["sea"])
        }
        var sections = ViewMappings(child)
        try sections.update(to: database.snapshot)
        let items = database.snapshot.itemIDs(of: sections).flatMap(\.items)
        #expect(items.count == 2 && Set(items).count == 2)
    }

    // MARK: Mappings and forks

    /// Mappings took a state of the view for theirs if its commit number and the counts of their groups were the same.
    @Test func `Mappings of one commit are right on a fork's commit of the same number`() async throws {
        let database = try await Database.cities(["c1": City(country: "tr", people: 5)])
        let fork = database.fork()
        try await database.put(["c2": City(country: "tr", people: 4)])
        try await fork.put(["c3": City(country: "it", people: 4), "c4": City(country: "tr", people: 1)])
        #expect(database.snapshot.commitNumber == fork.snapshot.commitNumber)
        let (here, there) = (database.snapshot, fork.snapshot)
        try await fork.put(["c5": City(country: "it", people: 9)])
        for groups in [nil, ["it", "tr"]] {
            func new() -> ViewMappings<CityView> {
                groups.map { ViewMappings(CityView.byCountry, groups: $0) } ?? ViewMappings(CityView.byCountry)
            }
            var sections = new()
            sections.setDynamicForAllGroups(true)
            try sections.update(to: here)
            var fresh = new()
            fresh.setDynamicForAllGroups(true)
            try fresh.update(to: there)
            let along = try sections.changes(from: there, to: fork.snapshot)
            #expect(try along == fresh.changes(from: there, to: fork.snapshot))
            #expect(kinds(along) == ["insert 0.0 (c5)"])
            let across = try sections.changes(from: here, to: there)
            #expect(across.sectionChanges.map(\.kind) == [.insert(0)])
            #expect(kinds(across) == ["delete 0.1 (c2)", "insert 0.0 (c3)", "insert 1.1 (c4)"])
        }
    }

    @Test(arguments: [UInt64](1...4))
    func `The law holds between a database and its forks`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let database = try await Database.cities()
        var databases = [database, database.fork(), database.fork()]
        var snapshots = [database.snapshot]
        for _ in 0..<24 {
            let number = random.below(databases.count)
            if random.chance(10) { databases[number] = databases[random.below(databases.count)].fork() }
            let key = "c\(random.below(12))"
            let city = City(country: ["tr", "it", "de"][random.below(3)], people: random.below(9))
            try await databases[number].write { $0[.cities][key] = city.people == 0 ? nil : city }
            snapshots.append(databases[number].snapshot)
        }
        func list(_ sections: ViewMappings<CityView>, _ snapshot: Snapshot) -> ShownList {
            ShownList(
                sections: snapshot.sections(of: sections).map { section in
                    .init(name: section.name, rows: section.map { Int($0.key.dropFirst())! })
                })
        }
        for _ in 0..<40 {
            var sections = ViewMappings(CityView.byCountry)
            if random.chance(60) { sections.setRangeForAllGroups(.random(&random)) }
            if random.chance(50) { sections.setDynamicForAllGroups(true) }
            // The mappings stand anywhere; the list they lead from is what they show of `old`.
            try sections.update(to: snapshots[random.below(snapshots.count)])
            let old = snapshots[random.below(snapshots.count)]
            let new = snapshots[random.below(snapshots.count)]
            var before = sections
            _ = try before.advance(from: old, to: old)
            let shown = list(before, old)
            let changes = try sections.advance(from: old, to: new)
            let result = try shown.applying(changes) { Int($0.key.dropFirst()) }
            #expect(result == list(sections, new), "seed \(seed), \(old.commitNumber) → \(new.commitNumber)")
        }
    }

    /// Records of another opening say nothing of when they were written: equal numbers would be taken for equal contents.
    @Test func `Snapshots of two openings lead to a list that is reloaded`() async throws {
        let directory = TemporaryDirectory()
        func open() async throws -> Database {
            let database = try await Database.open(at: .init(directory.appending("db")), collections: .cities)
            try await database.register(CityView.byCountry)
            return database
        }
        let first = try await open()
        try await first.put(["c1": City(name: "one", country: "tr")])
        let old = first.snapshot
        try await first.close()
        let second = try await open()
        try await second.put(["c1": City(name: "two", country: "tr"), "c2": City(name: "new", country: "it")])
        var sections = ViewMappings(CityView.byCountry)
        try sections.update(to: old)
        let changes = try sections.advance(from: old, to: second.snapshot)
        #expect(changes.isReload && changes.rowChanges.isEmpty)
        #expect(sections.allGroups == ["it", "tr"] && sections.itemCount == 2)
        let view = CityView.byCountry
        #expect(second.snapshot[view].hasChanges(since: old[view]))
        #expect(second.snapshot[view].hasChanges(inGroup: "tr", since: old[view]))
        var updates = second.updates(of: ViewMappings(view), since: old).makeAsyncIterator()
        #expect(try await updates.next()?.isReload == true)
        try await second.close()
    }

    // MARK: Touches

    private func aspects(_ changes: ListChanges, _ key: String) -> RowAspects? {
        changes.rowChanges.first { $0.key == key }?.aspects
    }

    @Test func `A row that moves to another group takes its own touches along, and not its parent's`() async throws {
        let database = Database.inMemory()
        let parent = CityView.byCountry
        let child = FilteredView("child", of: parent) { _ in true }
        try await database.register(parent)
        try await database.register(child)
        try await database.put(["c1": City(), "c2": City()])
        // The parent's alone: nothing to the child.
        let one = database.snapshot
        try await database.write { try $0.touchRow("c1", in: parent) }
        try await database.put(["c1": City(country: "it")])
        #expect(aspects(try ViewMappings(child).changes(from: one, to: database.snapshot), "c1") == [.object])
        #expect(aspects(try ViewMappings(parent).changes(from: one, to: database.snapshot), "c1") == [.object, .touch])
        // The child's alone, and then it moves.
        let two = database.snapshot
        try await database.write { try $0.touchRow("c1", in: child) }
        let three = database.snapshot
        try await database.put(["c1": City(country: "de")])
        #expect(aspects(try ViewMappings(child).changes(from: two, to: database.snapshot), "c1") == [.object, .touch])
        #expect(aspects(try ViewMappings(child).changes(from: three, to: database.snapshot), "c1") == [.object])
        // The record's.
        let four = database.snapshot
        try await database.write { _ = $0[.cities].touchObject(for: "c1") }
        try await database.put(["c1": City(country: "fr")])
        #expect(aspects(try ViewMappings(child).changes(from: four, to: database.snapshot), "c1") == [.object, .touch])
    }

    @Test func `A row that is moved explicitly keeps its touches`() async throws {
        let database = Database.inMemory()
        let view = ManualView("manual", of: .cities)
        let child = FilteredView("child", of: view) { _ in true }
        try await database.register(view)
        try await database.register(child)
        try await database.write { transaction in
            for key in ["c1", "c2", "c3"] {
                transaction[.cities][key] = City()
                try transaction.append(key, to: "a", in: view)
            }
        }
        let one = database.snapshot
        try await database.write { _ = $0[.cities].touchObject(for: "c1") }
        let two = database.snapshot
        try await database.write { _ = try $0.move("c1", to: 2, of: "a", in: view) }
        let three = database.snapshot
        try await database.write { _ = try $0.move("c1", to: 0, of: "b", in: view) }
        try await database.write { _ = try $0.remove("c1", from: view) }
        try await database.write { _ = try $0.append("c1", to: "a", in: view) }
        let four = database.snapshot
        func check<View: OrderedView>(_ view: View) throws {
            let sections = ViewMappings(view)
            #expect(aspects(try sections.changes(from: one, to: three), "c1") == [.touch])
            #expect(aspects(try sections.changes(from: two, to: three), "c1") == [])
            #expect(aspects(try sections.changes(from: one, to: four), "c1") == [.touch])
            #expect(aspects(try sections.changes(from: three, to: four), "c1") == nil)
            #expect(aspects(try sections.changes(from: four, to: two), "c1") == [])
        }
        try check(view)
        try check(child)
    }

    /// They went with the removal that a move begins with, and the row came back with those of its parent.
    @Test(arguments: ["a", "b"])
    func `A row that is moved explicitly keeps its touches in each filtered view, and not its parent's`(group: String)
        async throws
    {
        let database = Database.inMemory()
        let view = ManualView("manual", of: .cities)
        let child = FilteredView("child", of: view) { _ in true }
        let grandchild = FilteredView("grandchild", of: child) { _ in true }
        try await database.register(view)
        try await database.register(child)
        try await database.register(grandchild)
        try await database.write { transaction in
            for key in ["c1", "c2", "c3"] {
                transaction[.cities][key] = City()
                try transaction.append(key, to: "a", in: view)
            }
        }
        func told<View: OrderedView>(_ view: View, _ old: Snapshot, _ new: Snapshot) throws -> RowAspects? {
            aspects(try ViewMappings(view).changes(from: old, to: new), "c1")
        }
        // The parent's alone is nothing to its children.
        let one = database.snapshot
        try await database.write { transaction in
            try transaction.touchObject("c1", in: view)
            try transaction.move("c1", to: 2, of: group, in: view)
        }
        let two = database.snapshot
        #expect(try told(view, one, two) == [.touch])
        #expect(try told(child, one, two) == [])
        #expect(try told(grandchild, one, two) == [])
        // In one write.
        try await database.write { transaction in
            try transaction.touchObject("c1", in: child)
            try transaction.move("c1", to: 0, of: "a", in: view)
        }
        let three = database.snapshot
        #expect(try told(view, two, three) == [])
        #expect(try told(child, two, three) == [.touch])
        #expect(try told(grandchild, two, three) == [])
        // In two: for a list that shows what is between them, and for one that skips it.
        try await database.write { try $0.touchObject("c1", in: grandchild) }
        let four = database.snapshot
        try await database.write { _ = try $0.move("c1", to: 2, of: group, in: view) }
        let five = database.snapshot
        #expect(try told(child, three, five) == [])
        #expect(try told(grandchild, three, five) == [.touch])
        #expect(try told(grandchild, four, five) == [])
        // Gone with its record, and put back with another.
        try await database.write { $0[.cities]["c1"] = nil }
        try await database.write { transaction in
            transaction[.cities]["c1"] = City(people: 1)
            try transaction.insert("c1", at: 0, of: "a", in: view)
        }
        let six = database.snapshot
        #expect(try told(view, five, six)?.contains(.touch) == false)
        #expect(try told(child, five, six)?.contains(.touch) == false)
        #expect(try told(grandchild, five, six)?.contains(.touch) == false)
        #expect(try told(grandchild, three, six)?.contains(.touch) == true)
    }

    /// The row came back into the filtered view with what that had of it before.
    @Test func `What is touched while a parent's filter leaves a row out is reported in its filtered views, too`()
        async throws
    {
        let database = Database.inMemory()
        let countries = RecordCollection<City, Visit>("countries")
        let country = Relationship("country", from: .cities, \.country, to: countries)
        let cities = CityView.byCountry
        let joined = JoinedView(
            "joined", of: country, groupedBy: { _, _ in "all" }, sortedBy: { city, _ in city.object.name })
        let (child, grandchild) = Self.filtered(cities)
        let (joinedChild, joinedGrandchild) = Self.filtered(joined)
        try await database.register(country)
        try await database.register(cities)
        try await database.register(joined)
        try await database.register(child)
        try await database.register(joinedChild)
        try await database.register(grandchild)
        try await database.register(joinedGrandchild)
        try await database.write { transaction in
            transaction[countries]["it"] = City(name: "Italia")
            transaction[.cities]["c1"] = City()
            transaction[.cities]["c2"] = City(country: "it")
            transaction[.cities]["c3"] = City(country: "de")
            transaction[.cities]["c4"] = City(country: "fr")
            transaction[.cities]["c5"] = City(country: "gr")
        }
        let zero = database.snapshot
        // Two whose rows in the child have touches of their own, which are lost below: that is no touch.
        try await database.write { try $0.touchObject("c5", in: cities) }
        try await database.write { transaction in
            try transaction.touchObject("c4", in: child)
            try transaction.touchObject("c5", in: child)
        }
        try await database.write { transaction in
            try transaction.touchObject("c1", in: grandchild)
            try transaction.touchObject("c3", in: grandchild)
            try transaction.touchObject("c4", in: grandchild)
            try transaction.touchObject("c5", in: grandchild)
            try transaction.touchObject("c2", in: joinedGrandchild)
        }
        let one = database.snapshot
        try await database.write { transaction in
            try transaction.setFiltering(of: child, where: .byObject { _ in false }, versionTag: "none")
            try transaction.setFiltering(of: joinedChild, where: .byObject { _ in false }, versionTag: "none")
        }
        try await database.write { transaction in
            _ = transaction[.cities].touchObject(for: "c1")
            transaction[countries]["it"] = City(name: "Italy")
        }
        try await database.write { transaction in
            try transaction.setFiltering(of: child, where: .byObject { _ in true }, versionTag: "all")
            try transaction.setFiltering(of: joinedChild, where: .byObject { _ in true }, versionTag: "all")
        }
        let two = database.snapshot
        func told<View: OrderedView>(_ view: View, _ key: String, since old: Snapshot) throws -> RowAspects? {
            aspects(try ViewMappings(view).changes(from: old, to: two), key)
        }
        #expect(try told(child, "c1", since: one) == [.touch])
        #expect(try told(grandchild, "c1", since: one) == [.touch])
        #expect(try told(joinedChild, "c2", since: one) == [.touch])
        #expect(try told(joinedGrandchild, "c2", since: one) == [.touch])
        // One that was not touched while it was out is kept as it was.
        #expect(try told(grandchild, "c3", since: zero) == [.touch])
        #expect(try told(grandchild, "c3", since: one) == nil)
        #expect(try told(grandchild, "c4", since: zero) == [.touch])
        #expect(try told(grandchild, "c4", since: one) == nil)
        #expect(try told(grandchild, "c5", since: zero) == [.touch])
        #expect(try told(grandchild, "c5", since: one) == nil)
    }

    /// They came back with what the parent had of it then: none, or those of its own parent.
    @Test func `A row with its parent's touches keeps them where the parent takes it out and puts it back with others`()
        async throws
    {
        let database = Database.inMemory()
        let cities = CityView.byCountry
        let (child, grandchild) = Self.filtered(cities)
        try await database.register(cities)
        try await database.register(child)
        try await database.register(grandchild)
        try await database.put(["c1": City(), "c2": City(country: "it")])
        let zero = database.snapshot
        try await database.write { transaction in
            _ = transaction[.cities].touchObject(for: "c1")
            _ = transaction[.cities].touchObject(for: "c2")
        }
        // This is nothing to the filtered views.
        try await database.write { try $0.touchObject("c2", in: cities) }
        let one = database.snapshot
        func told<View: OrderedView>(_ view: View, _ key: String, since old: Snapshot) throws -> RowAspects? {
            aspects(try ViewMappings(view).changes(from: old, to: database.snapshot), key)
        }
        // With those of the parent's parent.
        try await database.write { try $0.setFiltering(of: child, where: .byObject { _ in false }, versionTag: "none") }
        try await database.write { try $0.setFiltering(of: child, where: .byObject { _ in true }, versionTag: "all") }
        #expect(try told(grandchild, "c2", since: zero) == [.touch])
        #expect(try told(grandchild, "c2", since: one) == nil)
        // With none.
        try await database.write {
            try $0.setGrouping(of: cities, groupedBy: .byObject { $0.tags.first }, versionTag: "tag")
        }
        #expect(database.snapshot[cities].isEmpty)
        try await database.write {
            try $0.setGrouping(of: cities, groupedBy: .byObject { $0.country }, versionTag: "country")
        }
        #expect(try told(child, "c1", since: zero) == [.touch])
        #expect(try told(child, "c1", since: one) == nil)
        #expect(try told(grandchild, "c1", since: zero) == [.touch])
        #expect(try told(grandchild, "c1", since: one) == nil)
    }

    /// A view with all rows of another, and one with all of that.
    private static func filtered<View: OrderedView>(
        _ view: View
    ) -> (child: FilteredView<View>, grandchild: FilteredView<FilteredView<View>>) {
        let child = FilteredView("\(view.name) child", of: view, where: .byKey { _ in true })
        return (child, FilteredView("\(view.name) grandchild", of: child, where: .byKey { _ in true }))
    }

    @Test func `A record that a restore brings back is the one it was`() async throws {
        let database = try await Database.cities([
            "c1": City(people: 3), "c2": City(people: 2), "c3": City(people: 1),
        ])
        let manual = ManualView("manual", of: .cities)
        try await database.register(manual)
        try await database.write { transaction in
            for key in ["c1", "c2", "c3"] { try transaction.append(key, to: "a", in: manual) }
        }
        let old = database.snapshot
        try await database.put(["c1": City(people: 9), "c2": City(name: "x", people: 2)])
        try await database.write { $0[.cities]["c3"] = nil }
        try await database.restore(old)
        let view = CityView.byCountry
        #expect(!database.snapshot[view].hasChanges(since: old[view]))
        #expect(kinds(try ViewMappings(view).changes(from: old, to: database.snapshot)) == [])
        #expect(kinds(try ViewMappings(manual).changes(from: old, to: database.snapshot)) == ["delete 0.2 (c3)"])
        // A touch is still reported.
        try await database.write { _ = $0[.cities].touchRow(for: "c1") }
        #expect(aspects(try ViewMappings(view).changes(from: old, to: database.snapshot), "c1") == [.touch])
    }

    // MARK: Changes

    @Test func `A view that is sorted again into the same order has no changes`() async throws {
        let database = try await Database.cities([
            "c1": City(name: "a", people: 3), "c2": City(name: "b", people: 2), "c3": City(name: "c", people: 1),
        ])
        let view = CityView.byCountry
        let old = database.snapshot[view]
        try await database.write {
            try $0.setSorting(of: view, sortedBy: .byObject { $0.name }, versionTag: "name")
        }
        let new = database.snapshot[view]
        #expect(!new.hasChanges(since: old) && !new.hasChanges(inGroup: "tr", since: old))
        #expect(!new.hasChanges(inAnyOf: ["tr", "it"], since: old))
        try await database.write {
            try $0.setSorting(of: view, sortedBy: .byObject { $0.people }, versionTag: "people")
        }
        #expect(database.snapshot[view].hasChanges(since: old) && database.snapshot[view].hasChanges(since: new))
        #expect(!old.hasChanges(since: new))
    }

    @Test func `A grouping and a sorting with one tag are both set`() async throws {
        let view = AutoView("view", versionTag: "1", of: .cities, groupedBy: \.country, sortedBy: \.people)
        let database = Database.inMemory()
        try await database.register(view)
        try await database.put(["c1": City(name: "b", people: 1), "c2": City(name: "a", people: 2)])
        for isGroupedFirst in [true, false] {
            try await database.write { transaction in
                func group() throws {
                    try transaction.setGrouping(of: view, groupedBy: .everything(in: "all"), versionTag: "2")
                }
                func sort() throws {
                    try transaction.setSorting(of: view, sortedBy: .byObject { $0.name }, versionTag: "2")
                }
                if isGroupedFirst { try group() }
                try sort()
                if !isGroupedFirst { try group() }
            }
            #expect(database.snapshot[view]["all"].map(\.key) == ["c2", "c1"])
            #expect(database.snapshot[view].versionTag == "2")
            // With the tags they have, nothing happens.
            let number = database.snapshot.commitNumber
            try await database.write { transaction in
                try transaction.setGrouping(of: view, groupedBy: .everything(in: "other"), versionTag: "2")
                try transaction.setSorting(of: view, sortedBy: .byKey, versionTag: "2")
            }
            #expect(database.snapshot.commitNumber == number)
            // One back, and the tag is not that of the registered code; both, and it is.
            try await database.write {
                try $0.setGrouping(of: view, groupedBy: .byObject { $0.country }, versionTag: "1")
            }
            #expect(database.snapshot[view].versionTag == "2")
            try await database.write { try $0.setSorting(of: view, sortedBy: .byObject { $0.people }, versionTag: "1") }
            #expect(database.snapshot[view].versionTag == "1")
            #expect(database.snapshot[view]["tr"].map(\.key) == ["c1", "c2"])
        }
    }

    @Test func `A grown window begins again when its group was empty or away, however one gets there`() async throws {
        for isChosen in [true, false] {
            let database = try await Database.cities(["c1": City(people: 10), "c2": City(people: 20)])
            var sections =
                isChosen ? ViewMappings(CityView.byCountry) : ViewMappings(CityView.byCountry, groups: ["tr"])
            sections.setRange(.flexible(length: 2, from: .beginning), for: "tr")
            try sections.update(to: database.snapshot)
            var snapshots = [database.snapshot]
            try await database.put(["c3": City(people: 30), "c4": City(people: 40)])
            snapshots.append(database.snapshot)
            try await database.write { $0[.cities].removeAll() }
            snapshots.append(database.snapshot)
            try await database.put(["c5": City(), "c6": City(), "c7": City(), "c8": City(), "c9": City()])
            snapshots.append(database.snapshot)
            var followed = sections
            var updated = sections
            var counts: [[Int]] = []
            for (old, new) in zip(snapshots, snapshots.dropFirst()) {
                _ = try followed.advance(from: old, to: new)
                if counts.isEmpty { updated = followed } else { try updated.update(to: new) }
                counts.append([followed.numberOfItems(inGroup: "tr"), updated.numberOfItems(inGroup: "tr")])
            }
            #expect(counts == [[4, 4], [0, 0], [2, 2]], "chosen: \(isChosen)")
        }
    }

    @Test func `A window that was extended stays grown`() async throws {
        let database = try await Database.cities(["c1": City(people: 10), "c2": City(people: 20), "c3": City()])
        var sections = ViewMappings(CityView.byCountry)
        sections.setRange(.flexible(length: 1, from: .beginning), for: "tr")
        try sections.update(to: database.snapshot)
        try sections.extend("tr", by: 2, at: .end, in: database.snapshot)
        var updated = sections
        let old = database.snapshot
        try await database.write { $0[.cities].removeAll() }
        let empty = database.snapshot
        try await database.put(["c5": City(), "c6": City(), "c7": City(), "c8": City(), "c9": City()])
        _ = try sections.advance(from: old, to: empty)
        _ = try sections.advance(from: empty, to: database.snapshot)
        try updated.update(to: empty)
        try updated.update(to: database.snapshot)
        #expect(sections.numberOfItems(inGroup: "tr") == 3 && updated.numberOfItems(inGroup: "tr") == 3)
    }
}
