import Observation
import TestSupport
import Testing
import Yaprak
import YaprakLists

/// What the property wrappers of a declarative interface keep: a model and the task that follows the database.
@MainActor @Suite(.boundedInPool) struct FollowedModelTests {
    typealias Model = ListModel<CityView>

    @Test func `A model stays while database and identity stay, and follows`() async throws {
        let database = try await Database.cities(["c1": City(name: "Ankara", people: 5)])
        let followed = FollowedModel<Model>()
        #expect(followed.model == nil)
        followed.adopt(nil, ["a"])
        #expect(followed.model == nil && followed.error == nil)
        followed.adopt(database, ["a"])
        let first = try #require(followed.model)
        followed.adopt(database, ["a"])
        #expect(followed.model === first)
        try await database.put(["c2": City(name: "Bari", country: "it", people: 1)])
        while first.sections.count < 2 { await Task.yield() }
    }

    @Test func `Another identity, another database, and none begin again, and let go of the model before`() async throws
    {
        let database = try await Database.cities(["c1": City(people: 5)])
        let fork = database.fork()
        let followed = FollowedModel<Model>()
        var former: [WeakModel] = []
        for (next, id) in [(database, "a"), (database, "b"), (fork, "b"), (database, "b")] {
            followed.adopt(next, [id])
            let model = try #require(followed.model)
            #expect(former.allSatisfy { $0.model !== model })
            former.append(WeakModel(model: model))
        }
        followed.adopt(nil, ["b"])
        #expect(followed.model == nil)
        while former.contains(where: { $0.model != nil }) { await Task.yield() }
    }

    @Test func `The task ends when nothing refers to what follows`() async throws {
        let database = try await Database.cities(["c1": City(people: 5)])
        var followed: FollowedModel<Model>? = FollowedModel()
        followed?.adopt(database, ["a"])
        let model = WeakModel(model: followed?.model)
        #expect(model.model != nil)
        // The task follows already.
        try await database.put(["c2": City(country: "it", people: 1)])
        while model.model?.sections.count == 1 { await Task.yield() }
        followed = nil
        while model.model != nil { await Task.yield() }
    }

    /// What a property wrapper has, which a user interface makes again and again.
    @MainActor private struct Wrapper {
        let followed = FollowedModel<Model>()
        let mappings = ViewMappings(CityView.byCountry)

        func update(_ database: Database) { followed.show(mappings, in: database, id: nil) }
    }

    /// The closure that made the model kept the wrapper, and so the task that follows kept what ends it.
    @Test func `A list ends with the property wrapper that shows it`() async throws {
        let database = try await Database.cities(["c1": City(people: 5)])
        var wrapper: Wrapper? = Wrapper()
        wrapper?.update(database)
        let model = WeakModel(model: wrapper?.followed.model)
        try await database.put(["c2": City(country: "it", people: 1)])
        while model.model?.sections.count == 1 { await Task.yield() }
        #expect(model.model != nil)
        wrapper = nil
        while model.model != nil { await Task.yield() }
    }

    @Test func `A view that is not registered, and one that goes, are errors that can be read`() async throws {
        let followed = FollowedModel<Model>()
        followed.adopt(Database.inMemory(), ["a"])
        #expect(followed.model == nil && (followed.error as? DatabaseError)?.code == .extensionNotRegistered)
        let database = try await Database.cities(["c1": City(people: 5)])
        followed.adopt(database, ["a"])
        #expect(followed.error == nil && followed.model != nil)
        try await database.unregister(CityView.byCountry.name)
        while followed.error == nil { await Task.yield() }
        #expect((followed.error as? DatabaseError)?.code == .extensionNotRegistered && followed.model != nil)
    }

    @Test func `A view that is registered later is shown then, and shown again when it comes back`() async throws {
        let database = Database.inMemory()
        try await database.put(["c1": City(name: "Ankara", people: 5)])
        let followed = FollowedModel<Model>()
        followed.adopt(database, ["a"])
        #expect(followed.model == nil && followed.error != nil)
        for _ in 0..<3 {
            let (changes, notify) = AsyncStream<Void>.makeStream()
            withObservationTracking {
                _ = followed.model
            } onChange: {
                notify.yield()
            }
            try await database.register(CityView.byCountry)
            for await _ in changes { break }
            while followed.error != nil { await Task.yield() }
            #expect(followed.model?.sections.map(\.name) == ["tr"])
            try await database.unregister(CityView.byCountry.name)
            while followed.error == nil { await Task.yield() }
        }
        // Nothing waits for one that is not wanted any more.
        followed.adopt(nil, ["a"])
        try await database.register(CityView.byCountry)
        for _ in 0..<100 { await Task.yield() }
        #expect(followed.model == nil && followed.error == nil)
    }

    // Another model was made, with the ranges of the beginning, and one that somebody held was not followed any more.
    @Test func `A list whose view goes and comes back is the same model, with what it was extended by`() async throws {
        let database = try await Database.cities([:])
        try await database.write { for people in 0..<9 { $0[.cities]["c\(people)"] = City(people: people) } }
        var mappings = ViewMappings(CityView.byCountry)
        mappings.setRange(.flexible(length: 2, from: .beginning), for: "tr")
        let followed = FollowedModel<Model>()
        followed.show(mappings, in: database, id: nil)
        let model = try #require(followed.model)
        #expect(model.sections.map(\.count) == [2])
        try model.extend("tr", by: 3, at: .end)
        for people in 100..<103 {
            try await database.unregister(CityView.byCountry.name)
            while followed.error == nil { await Task.yield() }
            #expect(followed.model === model && model.sections.map(\.count) == [5])
            try await database.put(["c0": City(people: people)])
            try await database.register(CityView.byCountry)
            while followed.error != nil { await Task.yield() }
            while model.snapshot.commitNumber < database.snapshot.commitNumber { await Task.yield() }
            #expect(followed.model === model && model.sections.map(\.count) == [5])
        }
    }

    @Test func `What waits for a view ends when nothing refers to it`() async throws {
        let database = Database.inMemory()
        var followed: FollowedModel<Model>? = FollowedModel()
        weak let former = followed
        followed?.adopt(database, ["a"])
        for _ in 0..<100 { await Task.yield() }
        followed = nil
        try await database.put(["c1": City(people: 5)])
        while former != nil { await Task.yield() }
    }
}

@MainActor private struct WeakModel {
    weak var model: FollowedModelTests.Model?
}

extension FollowedModel where Model == FollowedModelTests.Model {
    fileprivate func adopt(_ database: Database?, _ id: [String]) {
        show(ViewMappings(CityView.byCountry), in: database, id: id)
    }
}
