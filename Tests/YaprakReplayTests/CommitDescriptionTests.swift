import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCBOR
import YaprakReplay

/// A commit that was just made and the same commit in the log say the same, in Swift and in JSON.
@Suite(.bounded) struct CommitDescriptionTests {
    @Test(arguments: [1, 2, 3, 5, 8] as [UInt64])
    func `A changeset and its commit in the log have one description`(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        let database = try await Database.open(at: path, options: replayable(), collections: .books, .notes)
        var changesets = database.changesets().makeAsyncIterator()
        let reader = try ReplayReader(path)
        var commits = reader.commits().makeAsyncIterator()
        for number in 1...60 {
            let draw = SplitMix64(seed: seed &* 1000 &+ UInt64(number))
            try await database.write(origin: number % 2 == 0 ? "sync" : "") { transaction in
                randomStep(&transaction, number, draw)
                if number % 3 == 0 { transaction.setInfo(["number": number]) }
            }
            let changeset = try #require(try await changesets.next())
            let commit = try #require(try await commits.next())
            #expect(described(changeset) == described(commit), "seed \(seed), commit \(number)")
        }
        try await database.close()
    }

    private func described(_ commit: some CommitDescription) -> String {
        "\(commit.commitNumber) \(commit.nanosecondsSince1970) \(commit.changeCount) \(commit.removesAll) "
            + "\(commit.changedRecords) \(commit.json.json())"
    }

    @Test func `The JSON of a step has values, fields with structured paths, and exact times`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("shop.yaprak"))
        var options = replayable()
        options.clock = { 1_767_225_602_000_000_123 }
        let database = try await Database.open(at: path, options: options, collections: .books, .notes)
        try await database.write { $0[.books]["a.b"] = Book(title: "Dune") }
        try await database.write(origin: "sync") { transaction in
            transaction[.books].set(Book(title: "Dune", rank: 3), metadata: 7, for: "a.b")
        }
        try await database.close()
        let cursor = try ReplayReader(path).cursor(at: 1)
        let step = try #require(try cursor.next())
        #expect(
            step.json.json()
                == #"{"commit":2,"time":"2026-01-01T00:00:02.000000123Z","ns":1767225602000000123,"origin":"sync","changes":["#
                + #"{"collection":"books","key":"a.b","kinds":["objectChanged","metadataChanged"],"#
                + #""before":{"rank":0,"genre":"sci-fi","title":"Dune"},"after":{"rank":3,"genre":"sci-fi","title":"Dune"},"#
                + #""metadataAfter":7,"fields":[{"field":["rank"],"path":"rank","before":0,"after":3},"#
                + #"{"field":["metadata"],"path":"metadata","after":7}]}]}"#)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 13, 21] as [UInt64])
    func `A field's path leads to its value, and no two fields have one path`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for round in 0..<200 {
            let before = Self.value(&random, 0), after = Self.value(&random, 0)
            let changes = FieldChange.between(before, after)
            #expect(changes.isEmpty == (before == after), "seed \(seed), round \(round)")
            for change in changes {
                #expect(change.field.value(in: before) == change.before, "seed \(seed), round \(round), \(change.path)")
                #expect(change.field.value(in: after) == change.after, "seed \(seed), round \(round), \(change.path)")
                #expect(change.before != change.after, "seed \(seed), round \(round), \(change.path)")
            }
            #expect(Set(changes.map(\.field)).count == changes.count, "seed \(seed), round \(round)")
            #expect(Set(changes.map { $0.field.json.json() }).count == changes.count, "seed \(seed), round \(round)")
        }
    }

    // Each had all the steps that lead to it.
    @Test func `Many fields below many levels are found in a time that grows as both do`() async {
        await expectGrowth("fields below many levels", 100) { count in
            func value(_ item: CBORValue) -> CBORValue {
                let items = CBORValue.array(Array(repeating: item, count: 200 * count))
                return (0..<count).reduce(items) { inner, _ in .array([inner]) }
            }
            let (before, after) = (value(0), value(1))
            let start = ThreadClock.seconds
            let changes = FieldChange.between(before, after)
            let time = Duration.seconds(ThreadClock.seconds - start)
            #expect(changes.count == 200 * count)
            #expect(changes.last?.field.steps.count == count + 1)
            return time
        }
    }

    @Test func `Paths are equal if their steps are, however they were made, and as long as they may be`() throws {
        var path = FieldPath(["stops", .place(2)])
        path.steps.append("name")
        #expect(path == FieldPath(["stops"]).appending(.place(2)).appending("name"))
        #expect(path.steps == ["stops", .place(2), "name"] && path.description == "stops[2].name")
        #expect(path != FieldPath(["stops", .place(2)]) && path != FieldPath(["halts", .place(2), "name"]))
        #expect(FieldPath().steps.isEmpty && FieldPath() == FieldPath([]))
        // Not even letting it go takes a part of the stack for each step.
        let isSame = try SmallStack.run {
            let steps = (0..<200_000).map { FieldPath.Step.place($0) }
            let made = FieldPath(steps), grown = steps.reduce(FieldPath()) { $0.appending($1) }
            return made == grown && Set([made, grown]).count == 1 && grown.steps == steps
        }
        #expect(isSame)
    }

    private static func value(_ random: inout SplitMix64, _ level: Int) -> CBORValue {
        switch random.below(level > 3 ? 3 : 6) {
        case 0: return .unsigned(UInt64(random.below(3)))
        case 1: return .text(["", "a", "a.b", "[0]"][random.below(4)])
        case 2: return .null
        case 3: return .array((0..<random.below(4)).map { _ in value(&random, level + 1) })
        default:
            let keys: [CBORValue] = ["a", "a.b", "", "[0]", .unsigned(0), .bool(true)]
            return .map(
                keys.filter { _ in random.below(2) == 0 }.map { .init($0, value(&random, level + 1)) })
        }
    }
}
