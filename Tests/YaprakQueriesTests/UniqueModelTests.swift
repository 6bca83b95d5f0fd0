import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak

/// A unique index refuses a write exactly if two records would share their values, whatever happened on the way.
@Suite(.bounded) struct UniqueModelTests {
    static let seeds: [UInt64] = Array(1...UInt64(Soak.volume(6, soak: 300)))

    private struct Undone: Error {}

    /// The values of a record that no other may have.
    private static func values(_ goods: Goods, _ kind: Int) -> Set<String> {
        switch kind {
        case 0: Set(goods.tags.map { $0.nfc })
        case 1: goods.code == nil || goods.discount == nil ? [] : ["\(goods.code!) \(goods.discount! + 0)"]
        default: ["\(goods.rank)"]
        }
    }

    private static func isAllowed(_ model: [String: Goods], _ kind: Int) -> Bool {
        var seen: Set<String> = []
        return model.values.allSatisfy { goods in values(goods, kind).allSatisfy { seen.insert($0).inserted } }
    }

    private static func index(_ kind: Int, _ entries: IndexEntries) -> RecordIndex<Goods, String> {
        switch kind {
        case 0: RecordIndex("u", of: .goods, \.tags, unique: true, entries: entries, persistence: .checkpoints)
        case 1:
            RecordIndex(
                "u", of: .goods, columns: .descending(\.code), .ascending(\.discount), unique: true, entries: entries)
        default: RecordIndex("u", of: .goods, columns: .descending(\.rank), unique: true, entries: entries)
        }
    }

    private static func goods(_ random: inout SplitMix64) -> Goods {
        var goods = Goods.random(&random)
        goods.tags = (0..<random.below(3)).map { _ in ["a", "ab", "é", "e\u{301}", "", "\u{0}"][random.below(6)] }
        goods.code = random.chance(30) ? nil : random.below(3)
        goods.discount = random.chance(20) ? nil : [0, -0.0, 1][random.below(3)]
        goods.rank = random.below(12)
        return goods
    }

    /// One random step, in the model and in the transaction.
    private static func step(
        _ random: inout SplitMix64, _ model: inout [String: Goods], _ transaction: inout WriteTransaction
    ) {
        let (key, other) = ("k\(random.below(8))", "k\(random.below(8))")
        switch random.below(10) {
        case 0..<5:
            let goods = goods(&random)
            model[key] = goods
            transaction[.goods][key] = goods
        case 5..<7:
            model[key] = nil
            transaction[.goods].remove(key)
        case 7..<9:
            let (a, b) = (model[key], model[other])
            (model[key], model[other]) = (b, a)
            transaction[.goods][key] = b
            transaction[.goods][other] = key == other ? b : a
            if key == other { model[key] = a }
        default:
            if random.chance(10) {
                model = [:]
                transaction[.goods].removeAll()
            }
        }
    }

    @Test(arguments: seeds) func `A write is refused if and only if two records share their values at its end`(
        seed: UInt64
    ) async throws {
        let kind = Int(seed % 3)
        let index = Self.index(kind, seed % 2 == 0 ? .holdRecords : .holdKeys)
        let database = Database.inMemory()
        try await database.register(index)
        var random = SplitMix64(seed: seed)
        var model: [String: Goods] = [:]
        var refused = 0
        for round in 0..<200 {
            let before = database.snapshot
            let draw = random.next()
            let start = model
            var isRefused = false
            do {
                model = try await database.write { transaction in
                    var random = SplitMix64(seed: draw)
                    var model = start
                    for _ in 0...random.below(4) {
                        Self.step(&random, &model, &transaction)
                        // Extensions follow in the middle of it, too, and the tree is what a scan says.
                        if random.chance(40) {
                            let rows = try transaction.reader(of: index)
                            let count = model.values.reduce(0) { $0 + (kind == 0 ? Self.values($1, 0).count : 1) }
                            #expect(rows.count == count, "seed \(seed), round \(round)")
                        }
                    }
                    if random.chance(5) { throw Undone() }
                    return model
                }
            } catch is Undone {
                continue
            } catch let error as DatabaseError where error.code == .uniqueViolation {
                isRefused = true
                let keys = (error.cause as? UniqueViolation)?.keys ?? []
                #expect(keys.count == 2 && keys[0] != keys[1], "seed \(seed), round \(round)")
            }
            // What it would have been.
            var copy = SplitMix64(seed: draw)
            let wanted = Self.outcome(&copy, start)
            #expect(isRefused == !Self.isAllowed(wanted, kind), "seed \(seed), round \(round): \(wanted)")
            if isRefused {
                refused += 1
                #expect(database.snapshot.isIdentical(to: before))
            } else {
                #expect(
                    Dictionary(uniqueKeysWithValues: database.snapshot[.goods].map { ($0.key, $0.object.rank) })
                        == wanted.mapValues(\.rank))
            }
        }
        #expect(refused > 10, "seed \(seed): else it says nothing")
    }

    /// The same steps without a database.
    private static func outcome(_ random: inout SplitMix64, _ start: [String: Goods]) -> [String: Goods] {
        var model = start
        for _ in 0...random.below(4) {
            let (key, other) = ("k\(random.below(8))", "k\(random.below(8))")
            switch random.below(10) {
            case 0..<5: model[key] = goods(&random)
            case 5..<7: model[key] = nil
            case 7..<9: if key != other { (model[key], model[other]) = (model[other], model[key]) }
            default: if random.chance(10) { model = [:] }
            }
            _ = random.chance(40)
        }
        return model
    }

    // MARK: Privacy

    /// Encrypts by turning bits round: enough to see that a text is nowhere in clear.
    private struct Turned: RecordCoder {
        var name: String { "turned" }
        func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { try JSONEncoder().encode(value).map { ~$0 } }
        func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
            try JSONDecoder().decode(type, from: Data(bytes.map { ~$0 }))
        }
    }

    @Test func `Of a collection with its own coder no column stands in the files, stored index or not`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        let sealed = RecordCollection<Goods, String>.goods.configured { $0.coder = Turned() }
        let secret = "QwZx7vKp3jYtRb9m"
        var random = SplitMix64(seed: 1)
        var goods = Goods.random(&random)
        (goods.genre, goods.price, goods.discount) = (secret, 1, nil)
        let database = try await Database.open(at: path, collections: sealed)
        try await database.register(RecordIndex("rebuilt", of: .goods, \.genre))
        try await database.register(RecordIndex("stored", of: .goods, \.genre, persistence: .checkpoints))
        try await database.write { [goods] in for number in 0..<50 { $0[.goods]["g\(number)"] = goods } }
        try await database.checkpoint()
        try await database.close()
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.appending("db"))
        var sightings = 0
        for file in files {
            guard let data = FileManager.default.contents(atPath: directory.appending("db/\(file)")) else { continue }
            #expect(data.range(of: Data(secret.utf8)) == nil, "\(file)")
            if data.range(of: Data(secret.utf8.map { ~$0 })) != nil { sightings += 1 }
        }
        #expect(sightings > 0, "turned round it can be found, so the search sees something")
        let again = try await Database.open(at: path, collections: sealed)
        #expect(await again.unclaimedExtensionNames == ["stored"])
        try await again.close()
    }
}
