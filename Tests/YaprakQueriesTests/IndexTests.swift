import Foundation
import SystemPackage
import TestSupport
import Testing
import Yaprak
import YaprakCore
import YaprakExtensions
import YaprakReplay

/// What an index promises beside its entries: uniqueness, costs, errors, files.
@Suite(.bounded) struct IndexTests {
    private let code = RecordIndex("code", of: .goods, \.code, unique: true)

    private func goods(_ count: Int = 1, seed: UInt64 = 1) -> [Goods] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            var goods = Goods.random(&random)
            goods.code = number
            return goods
        }
    }

    private func database(_ count: Int, seed: UInt64 = 1) async throws -> Database {
        let all = goods(count, seed: seed)
        let database = Database.inMemory()
        try await database.write { transaction in
            for (number, goods) in all.enumerated() { transaction[.goods]["g\(number)"] = goods }
        }
        return database
    }

    private func error(_ body: () async throws -> Void) async -> DatabaseError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    // MARK: Uniqueness

    @Test func `Two records exchange their unique values, and a transaction may see both with one`() async throws {
        let database = try await database(3)
        try await database.register(code)
        try await database.write { [code] transaction in
            transaction[.goods]["g2"]?.code = 1
            let rows = try transaction.reader(of: code)
            #expect(try rows.equal(1).map(\.key) == ["g1", "g2"])
            #expect(rows.count == 3)
            #expect(rows.offset(of: "g1") == 1 && rows.offset(of: "g2") == 2)
            transaction[.goods]["g1"]?.code = 2
            #expect(try transaction.reader(of: code).row(for: 1)?.key == "g2")
        }
        #expect(try database.snapshot[code].equal(2).map(\.key) == ["g1"])
    }

    @Test func `A violation names both keys, and nothing of the write stays`() async throws {
        let database = try await database(3)
        try await database.register(code)
        let before = database.snapshot
        let error = await error {
            try await database.write { transaction in
                transaction[.goods]["g0"]?.rank = 99
                transaction[.goods]["new"] = transaction[.goods]["g1"]
            }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.place == .init(collectionName: "goods", key: "new"))
        let violation = error?.cause as? UniqueViolation
        #expect(violation?.keys == ["new", "g1"] && violation?.index == "code" && violation?.collectionName == "goods")
        #expect(error.map { "\($0)".contains("\"new\"") && "\($0)".contains("\"g1\"") } == true)
        #expect(database.snapshot.isIdentical(to: before))
        #expect(database.snapshot[code].count == 3)
        try await database.write { $0[.goods]["g0"]?.rank = 98 }
    }

    @Test func `What is missing collides with nothing`() async throws {
        let database = try await database(3)
        let pair = RecordIndex("pair", of: .goods, \.code, \.discount, unique: true)
        try await database.register(code)
        try await database.register(pair)
        try await database.write { transaction in
            for key in ["g0", "g1", "g"] {
                transaction[.goods][key] = transaction[.goods]["g2"]
                transaction[.goods][key]?.code = nil
            }
        }
        #expect(try database.snapshot[code].equal(Int?.none).map(\.key) == ["g", "g0", "g1"])
        #expect(database.snapshot[pair].count == 4)
    }

    @Test func `Registering over duplicates throws and lists them, and registers nothing`() async throws {
        let database = try await database(4)
        try await database.write { transaction in
            transaction[.goods]["g3"]?.code = 0
            for key in ["m", "mm"] {
                transaction[.goods][key] = transaction[.goods]["g1"]
                transaction[.goods][key]?.code = nil
            }
        }
        let error = await error { try await database.register(code) }
        #expect(error?.code == .uniqueViolation)
        #expect((error?.cause as? UniqueViolation)?.keys == ["g0", "g3"])
        #expect(!database.snapshot.isRegistered("code"))
        try await database.write { $0[.goods]["g3"]?.code = 3 }
        try await database.register(code)
        #expect(database.snapshot[code].count == 6)
    }

    @Test func `A type that comes after its unique index is judged as one that was there before`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        let one = goods()[0]
        do {
            let database = try await Database.open(at: path, collections: .goods)
            try await database.write { transaction in
                transaction[.goods]["a"] = one
                transaction[.goods]["b"] = one
            }
            try await database.close()
        }
        let database = try await Database.open(at: path)
        try await database.register(code)
        let error = await error { try await database.bind(.goods) }
        #expect(error?.code == .uniqueViolation)
        #expect((error?.cause as? UniqueViolation)?.keys == ["a", "b"])
        try await database.write { $0.removeUntyped("a", inCollectionNamed: "goods") }
        try await database.bind(.goods)
        #expect(try database.snapshot[code].row(for: 0)?.key == "b")
        try await database.close()
    }

    @Test func `Recovery and replay do not judge what was committed without the index`() async throws {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        let one = goods()[0]
        let unique = RecordIndex("code", of: .goods, \.code, unique: true, persistence: .checkpoints)
        do {
            let database = try await Database.open(at: path, collections: .goods)
            try await database.register(unique)
            try await database.write { $0[.goods]["a"] = one }
            try await database.checkpoint()
            try await database.close()
        }
        let database = try await Database.open(at: path, collections: .goods)
        try await database.write { $0[.goods]["b"] = one }
        let reader = try ReplayReader(path, collections: .goods, extensions: unique)
        #expect(try reader.snapshot()[unique].equal(0).map(\.key) == ["a", "b"])
        let error = await error { try await database.register(unique) }
        #expect((error?.cause as? UniqueViolation)?.keys == ["a", "b"])
        try await database.write { $0[.goods].remove("a") }
        #expect(await (try database.register(unique)).origin == .adopted)
        #expect(try database.snapshot[unique].row(for: 0)?.key == "b")
        try await database.close()
    }

    // MARK: Costs

    @Test func `A write that leaves the columns alone moves no entry, and one that holds keys is not touched`()
        async throws
    {
        let database = try await database(1_000)
        let records = RecordIndex("records", of: .goods, \.genre, \.code)
        let keys = RecordIndex("keys", of: .goods, \.genre, \.code, entries: .holdKeys)
        try await database.register(records)
        try await database.register(keys)
        func counts() -> [Int] {
            let (a, b) = (database.snapshot[records].source.root, database.snapshot[keys].source.root)
            return [a.edits, a.writings, b.edits, b.writings]
        }
        func cost(_ body: @Sendable (inout WriteTransaction) -> Void) async throws -> [Int] {
            let before = counts()
            try await database.write { body(&$0) }
            return zip(counts(), before).map { $0 - $1 }
        }
        #expect(try await cost { $0[.goods]["g5"]?.rank += 1 } == [1, 1, 0, 0])
        #expect(try await cost { $0[.goods].replaceMetadata("m", for: "g5") } == [1, 1, 0, 0])
        #expect(try await cost { $0[.goods].touchRow(for: "g5") } == [1, 1, 0, 0])
        #expect(try await cost { $0[.goods]["g5"]?.code = -1 } == [2, 2, 2, 2])
        #expect(try await cost { $0[.goods].remove("g5") } == [1, 1, 1, 1])
        #expect(try await cost { $0[RecordCollection<Goods, String>("other")]["g5"] = nil } == [0, 0, 0, 0])
        #expect(database.snapshot[records].map(\.key) == database.snapshot[keys].map(\.key))
    }

    @Test func `A place, an offset, the least and the greatest are found in a large index as fast`() async throws {
        try await expectGrowth("finding places", 4_000) { count in
            let database = try await database(count)
            let index = RecordIndex("rank", of: .goods, \.code)
            try await database.register(index)
            let rows = database.snapshot[index]
            // As often, however many there are.
            return try ContinuousClock().measure {
                for number in 0..<4_000 {
                    let place = number * 7919 % count
                    let key = rows[place].key
                    precondition(rows.offset(of: key) == place)
                    let (least, greatest): (Int?, Int?) = (try rows.minimum(), try rows.maximum())
                    precondition(least == 0 && greatest == count - 1)
                }
            }
        }
    }

    @Test func `Counting takes as long in a large index`() async throws {
        // Reads of a range count by position: what they return is not walked.
        try await expectGrowth("counting half an index", 20_000) { count in
            let database = try await database(count)
            let index = RecordIndex("rank", of: .goods, \.code)
            try await database.register(index)
            let rows = database.snapshot[index]
            return try ContinuousClock().measure {
                for number in 0..<20_000 {
                    let found = try rows.range(..<(number % count)).count
                    precondition(found == number % count)
                }
            }
        }
    }

    // MARK: Errors

    @Test func `What does not fit an index is a typed error`() async throws {
        let database = try await database(5)
        let index = RecordIndex("i", of: .goods, \.price, \.genre)
        try await database.register(index)
        let rows = database.snapshot[index]
        func code(_ body: () throws -> Void) -> DatabaseError.Code? {
            do {
                try body()
                return nil
            } catch {
                return (error as? DatabaseError)?.code
            }
        }
        #expect(code { _ = try rows.equal("a") } == .invalidQuery)
        #expect(code { _ = try rows.row(for: 1) } == .invalidQuery)
        #expect(code { _ = try rows.equal(Double?.none) } == .invalidQuery)
        #expect(code { _ = try rows.equal(Double.nan) } == .invalidQuery)
        #expect(code { _ = try rows.range(Date.distantPast...) } == .invalidQuery)
        #expect(code { _ = try rows.starting(with: "a") } == .invalidQuery)
        #expect(code { _ = try rows.range(0.0...).equal("a") } == .invalidQuery)
        #expect(code { _ = try rows.equal(1.0).equal("a").equal("b") } == .invalidQuery)
        #expect(code { _ = try rows.values(ofColumn: 2, as: Int.self) } == .invalidQuery)
        #expect(code { _ = try rows.values(ofColumn: -1, as: Int.self) } == .invalidQuery)
        #expect(code { _ = try rows.sum(ofColumn: 0) } == .invalidQuery)
        #expect(code { _ = try rows.range(0.0...).minimum(as: String.self) } == .invalidQuery)
        #expect(code { _ = try Database.inMemory().snapshot.reader(of: index) } == .extensionNotRegistered)
        #expect(await error { try await database.register(index) }?.code == .nameTaken)
        // What is registered under the name is what is read.
        let other = RecordIndex("i", of: .goods, \.tags)
        #expect(code { _ = try database.snapshot.reader(of: other).equal("x") } == .invalidQuery)
    }

    @Test func `Each question that an index refuses has a remedy in its message`() async throws {
        let database = try await database(5)
        let index = RecordIndex("i", of: .goods, \.price, \.genre)
        let wide = RecordIndex("wide", of: .goods, columns: .ascending { _ in UInt128.max })
        try await database.register(index)
        try await database.register(wide)
        let (rows, wides) = (database.snapshot[index], database.snapshot[wide])
        let questions: [(remedy: String, ask: () throws -> Void)] = [
            ("counted from 0, and is asked for column 2. Ask for one", { _ = try rows.sum(ofColumn: 2) }),
            ("column -1. Ask for one that it has.", { _ = try rows.values(ofColumn: -1, as: Int.self) }),
            ("counted from 0", { _ = try rows.equal(1.0).equal("a").maximum(as: String.self) }),
            ("Check the number with isNaN before.", { _ = try rows.equal(Double.nan) }),
            ("Check the number with isNaN before.", { _ = try rows.oneOf([1, Double.nan]) }),
            ("Check the number with isNaN before.", { _ = try rows.row(for: Double.nan) }),
            ("go through values(ofColumn:as:).", { _ = try rows.range(0.0...).minimum(as: String.self) }),
            ("Only the last question may be for a range or a prefix", { _ = try rows.range(0.0...).equal("a") }),
            ("Ask for a value of the column's type.", { _ = try rows.equal("a") }),
            ("Ask for it as a type that has all values", { _ = try wides.maximum(as: Int.self) }),
            ("Add in smaller groups.", { _ = try wides.sum(ofColumn: 0) }),
        ]
        for (remedy, ask) in questions {
            let error = #expect(throws: DatabaseError.self, "\(remedy)") { try ask() }
            #expect(error?.message.contains(remedy) == true, "\(String(describing: error))")
        }
    }

    @Test func `A sum is exact, or says that it is out of range`() async throws {
        let database = try await database(3)
        let index = RecordIndex("wide", of: .goods, \.genre, \.wide)
        let unsigned = RecordIndex("unsigned", of: .goods, columns: .ascending { _ in UInt128.max })
        try await database.register(index)
        try await database.register(unsigned)
        try await database.write { transaction in
            for (number, wide) in [Int128.max, .min, 5].enumerated() {
                transaction[.goods]["g\(number)"]?.wide = wide
                transaction[.goods]["g\(number)"]?.genre = "a"
            }
        }
        #expect(try database.snapshot[index].sum(ofColumn: 1) == 4)
        // In range as a whole, if not on the way.
        for (values, sum) in [
            ([Int128.min, -1, 1], Int128.min), ([.max, .max, .min], .max - 1), ([.min, .min + 1, .max], .min),
        ] as [([Int128], Int128)] {
            try await database.write { transaction in
                for (number, wide) in values.enumerated() { transaction[.goods]["g\(number)"]?.wide = wide }
            }
            #expect(try database.snapshot[index].sum(ofColumn: 1) == sum)
        }
        try await database.write { transaction in
            for (number, wide) in [Int128.max, 1, 5].enumerated() { transaction[.goods]["g\(number)"]?.wide = wide }
        }
        let sums = database.snapshot
        #expect(await error { _ = try sums[index].sum(ofColumn: 1) }?.code == .sumOverflow)
        #expect(await error { _ = try sums[unsigned].sum(ofColumn: 0) }?.code == .sumOverflow)
        #expect(try Array(sums[unsigned].values(ofColumn: 0, as: UInt128.self)) == [.max, .max, .max])
    }

    // MARK: Bytes

    @Test func `Bytes order as values do, ascending and descending, and lead back to them`() throws {
        var random = SplitMix64(seed: 42)
        func check<Value: IndexValue>(_ make: (inout SplitMix64) -> Value) {
            func bytes(_ value: Value) -> [UInt8] {
                var writer = IndexKeyWriter()
                value.write(to: &writer)
                return writer.array
            }
            func inverted(_ value: Value) -> [UInt8] {
                var writer = IndexKeyWriter()
                value.write(to: &writer)
                writer.invert(from: 0, isText: Value.indexType.kind == .string)
                return writer.array
            }
            for _ in 0..<300 {
                let (a, b) = (make(&random), make(&random))
                let (x, y) = (Cell(a), Cell(b))
                #expect(bytes(a).lexicographicallyPrecedes(bytes(b)) == (x < y), "\(a), \(b)")
                #expect((bytes(a) == bytes(b)) == (x == y), "\(a), \(b)")
                #expect(inverted(b).lexicographicallyPrecedes(inverted(a)) == (x < y), "\(a), \(b)")
                #expect(
                    String(validating: inverted(a), as: UTF8.self) != nil
                        && String(validating: bytes(a), as: UTF8.self) != nil)
                #expect(x == y || !bytes(b).starts(with: bytes(a)), "no value begins another")
            }
        }
        check { Int(bitPattern: UInt($0.next() >> UInt64($0.below(64)))) }
        check { UInt64($0.next() >> UInt64($0.below(64))) }
        check { Int8(truncatingIfNeeded: $0.next()) }
        check { Int128(truncatingIfNeeded: $0.next()) << Int128($0.below(80)) &+ Int128($0.below(3)) }
        check { UInt128($0.next()) << UInt128($0.below(63)) }
        check { Double(bitPattern: $0.next()) }
        check { Goods.prices[$0.below(Goods.prices.count)] }
        check { Goods.genres[$0.below(Goods.genres.count)] }
        check { Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0.next())) }
        check { $0.chance(50) }
        check { Goods.random(&$0).seal }
        check { Goods.random(&$0).id }
        check { Goods.random(&$0).code }
        check { $0.chance(30) ? nil : Goods.genres[$0.below(Goods.genres.count)] }
        check { Goods.random(&$0).shape }
        check { Self.text(&$0) }
        check { $0.chance(30) ? nil : Self.text(&$0) }
    }

    /// A text of up to three words of eight bytes, with signs that stand for themselves and signs that don't at any place.
    private static func text(_ random: inout SplitMix64) -> String {
        let signs: [Unicode.Scalar] = ["a", "b", "\u{2}", "\u{7F}", "~"]
        let rare: [Unicode.Scalar] = ["\u{0}", "\u{1}", "\u{80}", "é", "\u{301}", "\u{10FFFF}"]
        let mostly = random.chance(50) ? 100 : 85
        var text = ""
        for _ in 0..<random.below(26) {
            let among = random.chance(mostly) ? signs : rare
            text.unicodeScalars.append(among[random.below(among.count)])
        }
        return text
    }

    @Test func `A text is its bytes and a zero, with two bytes for each below two`() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<2_000 {
            let text = Self.text(&random)
            var expected: [UInt8] = []
            for byte in text.precomposedStringWithCanonicalMapping.utf8 {
                expected += byte < 2 ? [1, byte + 1] : [byte]
            }
            var writer = IndexKeyWriter()
            text.write(to: &writer)
            #expect(writer.array == expected + [0], "seed 11, \(text.debugDescription)")
        }
    }

    private struct Wide: Codable, Sendable {
        var byte: UInt8
        var wide: Int128
        var text: String
        var id: UUID?
        var tags: [UInt16]
    }

    private struct Narrow: Codable, Sendable { var byte: UInt8; var text: String }

    @Test func `Stored properties are read where they stand, whatever their alignment`() async throws {
        let database = Database.inMemory()
        let wide = RecordCollection<Wide, Int>("wide")
        let narrow = RecordCollection<Narrow, Int>("narrow")
        let (a, b) = (RecordIndex("a", of: wide, \.text), RecordIndex("b", of: narrow, \.text))
        let (byte, most) = (RecordIndex("byte", of: wide, \.byte), RecordIndex("wide", of: wide, \.wide, unique: true))
        let (id, tags) = (RecordIndex("id", of: wide, \.id), RecordIndex("tags", of: wide, \.tags))
        let ids = (0..<50).map { _ in UUID() }
        for index in [a, byte, most, id, tags] { try await database.register(index) }
        try await database.register(b)
        try await database.write { transaction in
            for i in 0..<50 {
                transaction[wide]["\(i)"] = Wide(
                    byte: UInt8(i / 10), wide: Int128(i) << 70, text: "text \(i)", id: i % 10 == 0 ? nil : ids[i],
                    tags: [UInt16(i), 1_000])
                transaction[narrow].set(
                    Narrow(byte: 1, text: "a longer text than fits in place \(i)"), metadata: i, for: "\(i)")
            }
        }
        let snapshot = database.snapshot
        for i in 0..<50 {
            #expect(try snapshot[a].row(for: "text \(i)")?.key == "\(i)")
            #expect(try snapshot[b].row(for: "a longer text than fits in place \(i)")?.key == "\(i)")
            #expect(try snapshot[byte].equal(UInt8(i / 10)).contains { $0.key == "\(i)" })
            #expect(try snapshot[most].row(for: Int128(i) << 70)?.key == "\(i)")
            #expect(try snapshot[id].equal(ids[i]).map(\.key) == (i % 10 == 0 ? [] : ["\(i)"]))
            #expect(try snapshot[tags].equal(UInt16(i)).map(\.key) == ["\(i)"])
        }
        #expect(try snapshot[byte].equal(UInt8(3)).count == 10 && snapshot[tags].equal(UInt16(1_000)).count == 50)
        let byWidth = RecordQuery(wide, sortedBy: RecordSort(\.wide, .descending))
        #expect(snapshot[byWidth].map(\.key) == (0..<50).reversed().map(String.init))
    }

    // MARK: Files

    @Test
    func
        `A stored index is adopted if its tag, columns and options are the same, and computed again if its order is not`()
        async throws
    {
        let directory = TemporaryDirectory()
        let path = FilePath(directory.appending("db"))
        func origin(_ index: RecordIndex<Goods, String>) async throws -> ExtensionHost.Origin {
            let database = try await Database.open(at: path, collections: .goods)
            let origin = await (try database.register(index)).origin
            let expected = database.snapshot[.goods].map(\.object.rank).sorted()
            if index.versionTag.hasPrefix("1|integer+") {
                #expect(try Array(database.snapshot[index].values(ofColumn: 0, as: Int.self)) == expected)
            }
            try await database.checkpoint()
            try await database.close()
            return origin
        }
        let all = goods(200)
        let database = try await Database.open(at: path, collections: .goods)
        try await database.write { transaction in
            for (number, goods) in all.enumerated() { transaction[.goods]["\(number)"] = goods }
        }
        try await database.close()
        func index(_ tag: String, _ entries: IndexEntries = .holdRecords) -> RecordIndex<Goods, String> {
            RecordIndex("rank", versionTag: tag, of: .goods, \.rank, entries: entries, persistence: .checkpoints)
        }
        #expect(try await origin(index("1")) == .populated)
        #expect(try await origin(index("1")) == .adopted)
        #expect(try await origin(index("2")) == .populated)
        #expect(try await origin(index("1")) == .populated)
        #expect(try await origin(index("1", .holdKeys)) == .populated)
        #expect(
            try await origin(RecordIndex("rank", versionTag: "1", of: .goods, \.genre, persistence: .checkpoints))
                == .populated)
        // The tag says nothing of the code: its order does.
        let turned = RecordIndex(
            "rank", versionTag: "1", of: .goods, columns: .ascending { -$0.rank }, persistence: .checkpoints)
        let down = RecordIndex(
            "rank", versionTag: "1", of: .goods, columns: .descending(\.rank), persistence: .checkpoints)
        #expect(try await origin(down) == .populated)
        #expect(try await origin(index("1")) == .populated)
        #expect(turned.versionTag == index("1").versionTag)
        #expect(RecordIndex("rank", versionTag: "1", of: .goods, \.rank, unique: true).versionTag != turned.versionTag)
        let again = try await Database.open(at: path, collections: .goods)
        #expect(await (try again.register(turned)).origin == .populated)
        #expect(try Array(again.snapshot[turned].values(ofColumn: 0, as: Int.self)) == all.map { -$0.rank }.sorted())
        try await again.close()
    }

    @Test func `A damaged stored index is computed again`() async throws {
        let all = goods(40)
        let index = RecordIndex("tags", of: .goods, \.tags, persistence: .checkpoints)
        let database = Database.inMemory()
        try await database.register(index)
        try await database.write { transaction in
            for (number, goods) in all.enumerated() { transaction[.goods]["\(number)"] = goods }
        }
        let root = database.snapshot[index].source.root
        let stored = try #require(try index.encode(root))
        var random = SplitMix64(seed: 7)
        var refused = 0
        for _ in 0..<200 {
            var bytes = stored
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 1: bytes.remove(at: random.below(bytes.count))
                default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                }
            }
            do {
                // Where it is accepted it must be what the records say.
                #expect(try index.decodedKeys(bytes, over: database.snapshot) == database.snapshot[index].map(\.key))
            } catch {
                refused += 1
            }
        }
        #expect(refused > 150)
        #expect(try index.decodedKeys(stored, over: database.snapshot) == database.snapshot[index].map(\.key))
    }
}
