import Foundation
import TestSupport
import Testing
import YaprakCBOR

@Suite(.bounded) struct CodableTests {
    let encoder = CBOREncoder()
    let decoder = CBORDecoder()

    func roundTrip<T: Codable & Equatable>(_ value: T, _ note: Comment? = nil) throws {
        let bytes = try encoder.encode(value)
        #expect(try decoder.decode(T.self, from: bytes) == value, note)
        #expect(CBORItem.isDeterministic(bytes), note)
    }

    @Test func `Values of every shape come back`() throws {
        for seed in 0..<150 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            try roundTrip(random.everything(), "seed \(seed)")
        }
    }

    @Test func `Scalars, optionals and empties come back at the top`() throws {
        try roundTrip(1)
        try roundTrip(Int8.min)
        try roundTrip(UInt64.max)
        try roundTrip(Int128.min)
        try roundTrip(UInt128.max)
        try roundTrip(-1 - Int128(UInt64.max))
        try roundTrip("")
        try roundTrip([Int]())
        try roundTrip([String: Int]())
        try roundTrip([UInt8]())
        try roundTrip(Data())
        try roundTrip(Int?.none)
        try roundTrip([1, nil, 3])
        try roundTrip(Season.winter)
        try roundTrip(Float.leastNonzeroMagnitude)
        #expect(try decoder.decode(Double.self, from: encoder.encode(Double.nan)).isNaN)
        #expect(try decoder.decode(Double.self, from: encoder.encode(-0.0)).sign == .minus)
    }

    @Test func `Bytes are byte strings in every type that holds them`() throws {
        #expect(try encoder.encode([1, 2] as [UInt8]) == hex("420102"))
        #expect(try encoder.encode(Data([1, 2])) == hex("420102"))
        #expect(try decoder.decode([UInt8].self, from: hex("82011880")) == [1, 128])
        #expect(try decoder.decode(Data.self, from: hex("82011880")) == Data([1, 128]))
        #expect(try decoder.decode([Int].self, from: hex("420180")) == [1, 128])
        #expect(try decoder.decode([UInt8].self, from: hex("5f41014102ff")) == [1, 2])
        #expect(try decoder.decode(Note?.self, from: Data([0xf6])) == nil)
    }

    @Test func `A collection of bytes that reads itself is asked, and the standard ones are not read byte by byte`()
        throws
    {
        /// Bytes that must be ascending.
        struct Ascending: RangeReplaceableCollection, Codable {
            var bytes: [UInt8] = []
            init() {}
            init(from decoder: any Decoder) throws {
                bytes = try [UInt8](from: decoder)
                guard zip(bytes, bytes.dropFirst()).allSatisfy(<=) else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: decoder.codingPath, debugDescription: "not ascending"))
                }
            }
            func encode(to encoder: any Encoder) throws { try bytes.encode(to: encoder) }
            var startIndex: Int { 0 }
            var endIndex: Int { bytes.count }
            func index(after index: Int) -> Int { index + 1 }
            subscript(index: Int) -> UInt8 { bytes[index] }
            mutating func replaceSubrange(_ range: Range<Int>, with new: some Collection<UInt8>) {
                bytes.replaceSubrange(range, with: new)
            }
        }
        #expect(try decoder.decode(Ascending.self, from: hex("420102")).bytes == [1, 2])
        #expect(throws: DecodingError.self) { try decoder.decode(Ascending.self, from: hex("420201")) }
        #expect(try decoder.decode(ContiguousArray<UInt8>.self, from: hex("420201")) == [2, 1])
        #expect(try decoder.decode([Data].self, from: hex("8240420201")) == [Data(), Data([2, 1])])
    }

    @Test func `Keys are text, so that no two of a dictionary become one`() throws {
        try roundTrip(["7": 1, "07": 2])
        #expect(try encoder.encode([7: true]) == hex("a16137f5"))
        #expect(try decoder.decode([Int: Bool].self, from: hex("a107f5")) == [7: true])
    }

    @Test func `The order of fields makes no difference to the bytes`() throws {
        struct One: Codable { var b = 1, aa = 2, a = 3 }
        struct Two: Codable { var aa = 2, a = 3, b = 1 }
        #expect(try encoder.encode(One()) == encoder.encode(Two()))
        #expect(try encoder.encode(One()) == hex("a3616103616201626161 02"))
        for seed in 0..<50 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let keys = Set((0..<random.below(100)).map { _ in random.text() })
            let pairs = keys.map { (CBORValue.text($0), CBORValue.integer(Int64($0.count))) }
            var forward: [String: Int] = [:]
            for key in keys { forward[key] = key.count }
            let value = CBORValue.map(pairs.shuffled(using: &random).map { CBORValue.Pair($0.0, $0.1) })
            #expect(try encoder.encode(forward) == value.encoded(), "seed \(seed)")
        }
    }

    @Test func `Sets of the same elements have the same bytes where they are sorted`() throws {
        struct Word: Codable, Hashable { var text: String, number: Int }
        struct Sets: Codable, Hashable {
            var names: Set<String>
            var words: Set<Word>?
            var nested: [Set<Set<Int>>]
            var counts: [Word: Set<Int>]
            var list: [String]
        }
        let sorting = CBOREncoder(sortsSets: true)
        for seed in 0..<50 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            // Without texts that are equal and have other scalars: a set keeps the first of them.
            let names = Array(Set((0..<random.below(100)).map { _ in random.text() }))
            func sets(_ names: [String]) -> Sets {
                let words = names.map { Word(text: $0, number: $0.count) }
                return Sets(
                    names: Set(names), words: names.isEmpty ? nil : Set(words),
                    nested: [Set(names.map { [$0.count, 1, $0.utf8.count * 1000] })],
                    counts: Dictionary(words.map { ($0, [$0.number, 300, 70_000]) }, uniquingKeysWith: { $1 }),
                    list: names.sorted())
            }
            let one = sets(names), other = sets(names.shuffled(using: &random))
            let bytes = try sorting.encode(one)
            #expect(try sorting.encode(other) == bytes, "seed \(seed)")
            #expect(try decoder.decode(Sets.self, from: bytes) == one, "seed \(seed)")
        }
        #expect(try sorting.encode([3, 1, 2]) == encoder.encode([3, 1, 2]), "an array has an order")
        #expect(try sorting.encode(Set([300, 7, -1])) == hex("83 07 19012c 20"))
        #expect(try sorting.encode(Set<Int>()) == hex("80"))
    }

    @Test func `Nested containers may be filled in any order`() throws {
        try roundTrip(Interleaved(5))
        try roundTrip([Interleaved(1), Interleaved(70000)])
        try roundTrip(["x": Interleaved(1), "y": Interleaved(-300)])
    }

    // What the superclass wrote was lost, without an error.
    @Test func `A class and its superclass share containers`() throws {
        class Vehicle: Codable {
            enum Key: CodingKey { case attributes, sizes, wheels }
            enum Attribute: CodingKey { case name, seats }
            var name = "Duck"
            init() {}
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let attributes = try container.nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
                name = try attributes.decode(String.self, forKey: .name)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var attributes = container.nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
                try attributes.encode(name, forKey: .name)
                var sizes = container.nestedUnkeyedContainer(forKey: .sizes)
                try sizes.encode(383)
            }
        }
        final class Car: Vehicle {
            var seats = 4
            override init() { super.init() }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let attributes = try container.nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
                seats = try attributes.decode(Int.self, forKey: .seats)
                try super.init(from: decoder)
            }
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(4, forKey: .wheels)
                var attributes = container.nestedContainer(keyedBy: Attribute.self, forKey: .attributes)
                try attributes.encode(seats, forKey: .seats)
                var sizes = container.nestedUnkeyedContainer(forKey: .sizes)
                try sizes.encode(148)
            }
        }
        let car = Car()
        (car.name, car.seats) = ("2CV", 5)
        let bytes = try encoder.encode([car])
        #expect(
            try CBORValue(decoding: bytes)
                == [["sizes": [383, 148], "wheels": 4, "attributes": ["name": "2CV", "seats": 5]]])
        let back = try decoder.decode([Car].self, from: bytes)
        #expect(back.map(\.name) == ["2CV"] && back.map(\.seats) == [5])
    }

    /// A map that is written as a test says.
    private struct Writing: Encodable {
        enum Key: CodingKey { case a, b, c }
        let write: (inout KeyedEncodingContainer<Key>) throws -> Void
        init(_ write: @escaping (inout KeyedEncodingContainer<Key>) throws -> Void) { self.write = write }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try write(&container)
        }
    }

    @Test func `A nested container that is requested again is continued, as Foundation does it`() throws {
        let maps = Writing { container in
            var first = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .b)
            try first.encode(1, forKey: .a)
            try container.encode(true, forKey: .a)
            var second = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .b)
            try second.encode(2, forKey: .b)
            try first.encode(3, forKey: .c)
            try second.encode(4, forKey: .a)
        }
        let lists = Writing { container in
            var first = container.nestedUnkeyedContainer(forKey: .c)
            try first.encode(1)
            try container.encode(true, forKey: .a)
            var second = container.nestedUnkeyedContainer(forKey: .c)
            #expect(second.count == 1)
            try second.encode(2)
            try first.encode(3)
        }
        let inner = Writing { container in
            for name in ["x", "y"] {
                var first = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .a)
                var second = first.nestedUnkeyedContainer(forKey: .b)
                try second.encode(name)
            }
        }
        let replaced = Writing { container in
            var first = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .a)
            try first.encode(1, forKey: .a)
            try container.encode(2, forKey: .a)
            try container.encode(3, forKey: .b)
            try container.encode(4, forKey: .b)
        }
        let expected: [CBORValue] = [
            ["a": true, "b": ["a": 4, "b": 2, "c": 3]], ["a": true, "c": [1, 2, 3]], ["a": ["b": ["x", "y"]]],
            ["a": 2, "b": 4],
        ]
        for (written, wanted) in zip([maps, lists, inner, replaced], expected) {
            #expect(try CBORValue(decoding: encoder.encode(written)) == wanted)
            #expect(try JSONDecoder().decode(CBORValue.self, from: JSONEncoder().encode(written)) == wanted)
        }
    }

    // Foundation stops the program, but for a map that was encoded as a value: it has no bytes there yet, and is continued.
    @Test func `A container under a key that has something else is an error`() throws {
        let wrong = [
            Writing { container in
                _ = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .a)
                _ = container.nestedUnkeyedContainer(forKey: .a)
            },
            Writing { container in
                var list = container.nestedUnkeyedContainer(forKey: .a)
                try list.encode(1)
                _ = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .a)
            },
            Writing { container in
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .b)
                _ = container.nestedUnkeyedContainer(forKey: .a)
            },
            Writing { container in
                try container.encode(["a": 1], forKey: .a)
                _ = container.nestedContainer(keyedBy: Writing.Key.self, forKey: .a)
            },
        ]
        for value in wrong {
            let error = #expect(throws: EncodingError.self) { try encoder.encode(["value": value]) }
            #expect(error.flatMap { CBORError(under: $0) }?.code == .misuse)
        }
        #expect(try encoder.encode(1) == [1])
    }

    @Test func `Containers under many keys are continued, and cost what is written`() async throws {
        struct Refuses: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "refused"))
            }
        }
        struct Many: Encodable {
            struct Key: CodingKey {
                let stringValue: String
                init(_ number: Int) { stringValue = "key \(number)" }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { return nil }
                var intValue: Int? { nil }
            }
            let count: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for round in 0..<2 {
                    for number in 0..<count {
                        let key = Key(round == 0 ? number : count - 1 - number)
                        var inner = container.nestedUnkeyedContainer(forKey: key)
                        try inner.encode(round)
                        try? container.encode([Double.nan: Refuses()], forKey: Key(-1))
                    }
                    try container.encode(round, forKey: Key(count + round))
                }
            }
        }
        for count in [1, 30, 33, 200] {
            let value = try CBORValue(decoding: encoder.encode(Many(count: count)))
            #expect(value.map?.count == count + 2)
            for number in 0..<count { #expect(value["key \(number)"] == [0, 1]) }
            #expect(value["key \(count)"] == 0 && value["key \(count + 1)"] == 1)
        }
        let clock = ProcessorClock()
        try await expectGrowth("containers under many keys", 1_000) { count in
            let value = Many(count: count)
            return try clock.measure { _ = try CBOREncoder().encode(value) }
        }
    }

    @Test func `Many containers of a list hold what is written, little or much`() throws {
        struct List: Encodable {
            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                for number in 0..<100 {
                    var map = list.nestedContainer(keyedBy: Writing.Key.self)
                    for key in [Writing.Key.b, .c, .a].prefix(number % 4) {
                        try map.encode(String(repeating: "x", count: number * number), forKey: key)
                    }
                }
            }
        }
        let expected = (0..<100).map { number in
            let keys = ["b", "c", "a"].prefix(number % 4).sorted()
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, String(repeating: "x", count: number * number)) })
        }
        let bytes = try encoder.encode(List())
        #expect(CBORItem.isDeterministic(bytes))
        #expect(try decoder.decode([[String: String]].self, from: bytes) == expected)
    }

    @Test func `A superclass stands under its own key`() throws {
        let dog = Dog("Rex")
        dog.tricks = ["sit", "roll"]
        let back = try decoder.decode(Dog.self, from: encoder.encode(dog))
        #expect(back.name == "Rex")
        #expect(back.tricks == ["sit", "roll"])
    }

    @Test func `Errors say where`() throws {
        struct Outer: Codable { var list: [Note] }
        var note = try CBORValue(decoding: encoder.encode(SplitMix64.sample))
        guard case .map(var pairs) = note else { return }
        for index in pairs.indices where pairs[index].key == "count" { pairs[index].value = "no number" }
        note = .map(pairs)
        let bytes = try CBORValue.map([.init("list", [note])]).encoded()
        let error = #expect(throws: DecodingError.self) { try decoder.decode(Outer.self, from: bytes) }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["list", "Index 0", "count"])
        #expect((context.underlyingError as? CBORError)?.code == .wrongType)
        #expect(!"\(context)".contains("no number"))
    }

    @Test func `A missing key, a null and a number too large are distinguished`() throws {
        let missing = #expect(throws: DecodingError.self) { try decoder.decode(Shelf.self, from: hex("a0")) }
        let null = #expect(throws: DecodingError.self) { try decoder.decode(Shelf.self, from: hex("a1616ef6")) }
        let large = #expect(throws: DecodingError.self) { try decoder.decode(Shelf.self, from: hex("a1616e190100")) }
        let float = #expect(throws: DecodingError.self) { try decoder.decode(Shelf.self, from: hex("a1616ef93c00")) }
        if case .keyNotFound? = missing {} else { Issue.record("\(missing as Any)") }
        if case .valueNotFound? = null {} else { Issue.record("\(null as Any)") }
        if case .dataCorrupted? = large {} else { Issue.record("\(large as Any)") }
        if case .typeMismatch? = float {} else { Issue.record("\(float as Any)") }
    }
    struct Shelf: Codable { var n: UInt8 }

    @Test func `One key twice is an error for a type, in any order and form`() throws {
        for digits in [
            "a2616101616102", "bf616101616202616103ff", "a26161017f6161ff02", "a2000100 02", "a2616101780161 02",
        ] {
            let error = #expect(throws: DecodingError.self) {
                try decoder.decode([String: Int].self, from: hex(digits))
            }
            guard case .dataCorrupted(let context)? = error else {
                Issue.record("\(digits): \(error as Any)")
                continue
            }
            #expect((context.underlyingError as? CBORError)?.code == .duplicateKey)
        }
    }

    @Test func `Maps in any order, chunks, tags and long heads are read`() throws {
        let bytes = hex("bf 61 63 d9d9f7 1900ff 7f 61 61 ff 7f 61 78 61 79 ff 7801 62 fb3ff0000000000000 ff")
        struct Loose: Codable, Equatable { var a: String, b: Double, c: Int }
        #expect(try decoder.decode(Loose.self, from: bytes) == Loose(a: "xy", b: 1, c: 255))
    }

    @Test func `An encoding that failed leaves nothing behind`() throws {
        struct Refusal: Error {}
        struct Refuses: Encodable { func encode(to encoder: any Encoder) throws { throw Refusal() } }
        struct Tolerant: Encodable {
            enum Key: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .c)
                try? container.encode(["x": Refuses()], forKey: .b)
                try? container.encode([Refuses()], forKey: .b)
                try container.encode(2, forKey: .a)
            }
        }
        #expect(try encoder.encode(Tolerant()) == hex("a2616102616301"))
        var buffer = hex("01")
        #expect(throws: Refusal.self) { try encoder.encode([Refuses()], into: &buffer) }
        #expect(buffer == hex("01"))
        try encoder.encode(2, into: &buffer)
        #expect(buffer == hex("0102"))
    }

    @Test func `A cycle of objects and nesting without end are errors`() throws {
        final class Node: Encodable { var next: Node? }
        let node = Node()
        node.next = node
        #expect(throws: EncodingError.self) { try encoder.encode(node) }
        node.next = nil
        let limit = CBORItem.depthMax
        #expect(throws: CBORError.self) { try nested(limit + 1).encoded() }
        #expect(throws: EncodingError.self) { try encoder.encode(nested(limit + 1)) }
        #expect(throws: EncodingError.self) { try encoder.encode([nested(limit)]) }
        #expect(try CBORItem.length(of: encoder.encode(nested(limit))) == limit + 1)
        #expect(try decoder.decode(CBORValue.self, from: nested(limit).encoded()) == nested(limit))
    }

    private func nested(_ depth: Int) -> CBORValue { (0..<depth).reduce(.integer(1)) { value, _ in .array([value]) } }

    @Test func `A container that was kept has no number of any type`() throws {
        final class Hold: @unchecked Sendable { var container: (any SingleValueDecodingContainer)? }
        let key = CodingUserInfoKey(rawValue: "hold")!
        struct Keeper: Decodable {
            init(from decoder: any Decoder) throws {
                let hold = decoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] as! Hold
                hold.container = try decoder.singleValueContainer()
            }
        }
        let hold = Hold()
        var decoder = decoder
        decoder.userInfo[key] = hold
        _ = try decoder.decode(Keeper.self, from: [0x00])
        let container = try #require(hold.container)
        #expect(throws: DecodingError.self) { try container.decode(Float.self) }
        #expect(throws: DecodingError.self) { try container.decode(Double.self) }
        #expect(throws: DecodingError.self) { try container.decode(Int.self) }
    }

    @Test func `A container that was kept writes nowhere and reads nothing`() throws {
        final class Hold { var unkeyed: (any UnkeyedEncodingContainer)?; var decoder: (any Decoder)? }
        let key = CodingUserInfoKey(rawValue: "hold")!
        struct Keeper: Codable {
            init() {}
            init(from decoder: any Decoder) throws {
                (decoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] as! Sent).hold.decoder = decoder
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                (encoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] as! Sent).hold.unkeyed = container
            }
        }
        struct Sent: @unchecked Sendable { let hold = Hold() }
        let sent = Sent()
        var encoder = encoder, decoder = decoder
        encoder.userInfo[key] = sent
        decoder.userInfo[key] = sent
        #expect(try encoder.encode(Keeper()) == hex("8101"))
        #expect(throws: EncodingError.self) { try sent.hold.unkeyed?.encode(2) }
        #expect(try encoder.encode([1]) == hex("8101"))
        _ = try decoder.decode(Keeper.self, from: hex("8101"))
        #expect(throws: DecodingError.self) { _ = try sent.hold.decoder?.unkeyedContainer() }
    }

    @Test func `What one call may look up the next one may not`() throws {
        struct Curious: Codable {
            var seen: Int
            init() { seen = 0 }
            init(from decoder: any Decoder) throws { seen = decoder.userInfo.count }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo.count)
            }
        }
        var encoder = encoder, decoder = decoder
        let key = CodingUserInfoKey(rawValue: "key")!
        encoder.userInfo[key] = 1
        decoder.userInfo[key] = 1
        #expect(try encoder.encode(Curious()) == [1])
        #expect(try decoder.decode(Curious.self, from: [0]).seen == 1)
        encoder.userInfo = [:]
        decoder.userInfo = [:]
        #expect(try encoder.encode(Curious()) == [0])
        #expect(try decoder.decode(Curious.self, from: [0]).seen == 0)
        #expect(try self.encoder.encode(Curious()) == [0])
    }

    @Test func `One encoder and one decoder serve many threads, and themselves`() async throws {
        struct Inside: Codable, Equatable {
            var note: Note
            static let encoder = CBOREncoder(), decoder = CBORDecoder()
            init(_ note: Note) { self.note = note }
            init(from decoder: any Decoder) throws {
                let bytes = try decoder.singleValueContainer().decode([UInt8].self)
                note = try Inside.decoder.decode(Note.self, from: bytes)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(Inside.encoder.encode(note))
            }
        }
        try await withThrowingTaskGroup { group in
            for seed in 0..<4 as Range<UInt64> {
                group.addTask {
                    var random = SplitMix64(seed: seed)
                    for _ in 0..<300 {
                        let values = [Inside(random.note()), Inside(random.note())]
                        let back = try Inside.decoder.decode([Inside].self, from: Inside.encoder.encode(values))
                        #expect(back == values, "seed \(seed)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `Asking for two kinds of container is an error`() throws {
        struct Both: Encodable {
            enum Key: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                _ = encoder.unkeyedContainer()
                _ = encoder.container(keyedBy: Key.self)
            }
        }
        #expect(throws: EncodingError.self) { try encoder.encode(Both()) }
        #expect(try encoder.encode(1) == [1])
    }

    private struct Forwarding: Codable, Equatable {
        var value: CBORValue
        init(_ value: CBORValue) { self.value = value }
        init(from decoder: any Decoder) throws { value = try CBORValue(from: decoder) }
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }

    // It got base64 text for bytes, doubles for bignums and no tags, and read an array for bytes.
    @Test func `A type that forwards to a value has the item itself, both ways`() throws {
        let values: [CBORValue] = [
            .bytes([0, 255]), .bytes([]), .tag(2, .bytes([1, 0, 0, 0, 0, 0, 0, 0, 1])), .negative(.max), .undefined,
            .null, .simple(99), .tag(1, 1_700_000_000), .float(2), .array([.bytes([1]), .tag(32, "x")]),
            .map([.init(7, "seven"), .init("blob", .bytes([1]))]),
        ]
        for value in values {
            let bytes = try encoder.encode(Forwarding(value))
            #expect(try bytes == value.encoded(), "\(value)")
            #expect(try decoder.decode(Forwarding.self, from: bytes).value == value, "\(value)")
            let inside = try encoder.encode(["key": [Forwarding(value)]])
            #expect(try decoder.decode([String: [Forwarding]].self, from: inside) == ["key": [Forwarding(value)]])
        }
    }

    @Test func `A value goes on with the map that a type began, and that of an absent superclass is null`() throws {
        struct Labelled: Codable {
            enum Keys: CodingKey { case kind }
            var value: CBORValue
            init(_ value: CBORValue) { self.value = value }
            init(from decoder: any Decoder) throws {
                value = try CBORValue(from: decoder.container(keyedBy: Keys.self).superDecoder())
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .kind)
                try value.encode(to: encoder)
            }
        }
        let bytes = try encoder.encode(Labelled(["a": .bytes([7])]))
        #expect(try CBORValue(decoding: bytes) == ["a": .bytes([7]), "kind": 1])
        #expect(try decoder.decode(Labelled.self, from: bytes).value == .null)
        #expect(throws: EncodingError.self) { try encoder.encode(Labelled(.bytes([7]))) }
    }

    @Test func `The elements of a byte string may look up what the decoder was given`() throws {
        struct Element: Decodable {
            let count: Int
            init(from decoder: any Decoder) throws {
                _ = try decoder.singleValueContainer().decode(UInt8.self)
                count = decoder.userInfo.count
            }
        }
        var decoder = decoder
        decoder.userInfo[CodingUserInfoKey(rawValue: "key")!] = 1
        #expect(try decoder.decode([Element].self, from: hex("420102")).map(\.count) == [1, 1])
    }

    // Each was copied out of everything that was written before it.
    @Test func `Bytes that something follows cost what they are long`() async throws {
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(contentsOf: [1, 2, 3] as [UInt8])
                try container.encode("x")
            }
        }
        #expect(try encoder.encode(Mixed()) == hex("840102036178"))
        let clock = ProcessorClock()
        try await expectGrowth("bytes that something follows", 40_000) { count in
            let values = Array(repeating: Mixed(), count: count)
            return try clock.measure { _ = try CBOREncoder().encode(values) }
        }
    }

    // It was missing from the dictionary, without an error.
    @Test(arguments: ["a161ff01", "a168610000000000 00ff01", "a17f61ff ff01", "a2616101 62c32802"])
    func `A key that is not UTF-8 is an error, as a text is`(digits: String) {
        let bytes = hex(digits.replacing(" ", with: ""))
        let error = #expect(throws: DecodingError.self) { try decoder.decode([String: Int].self, from: bytes) }
        #expect(error.flatMap { CBORError(under: $0) }?.code == .invalidText)
    }

    @Test func `Keys of any length and any text are read`() throws {
        try roundTrip(["": 1, "é": 2, "sieben!": 3, "achtacht": 4, "schlüssel": 5, "schlüssel, lang und länger": 6])
    }

    @Test func `A value that can't be encoded says why`() throws {
        let error = #expect(throws: EncodingError.self) {
            try encoder.encode([CBORValue.map([.init("a", 1), .init("a", 2)])])
        }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect((context.underlyingError as? CBORError)?.code == .duplicateKey)
        #expect(context.debugDescription == "a map has one key twice")
    }
}

extension SplitMix64 {
    static var sample: Note {
        var random = SplitMix64(seed: 1)
        return random.note()
    }
}
