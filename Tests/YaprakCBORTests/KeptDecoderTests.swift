import Foundation
import TestSupport
import Testing

@testable import YaprakCBOR

/// Types that keep a decoder or a container, and use it when their own `init(from:)` has returned.
///
/// The decoder was one object, which was at the item of the moment: a kept one read the map around it, without an error. A
/// kept container found the pairs of another map in the place of its own.
@Suite(.bounded) struct KeptDecoderTests {
    struct Extractor: Decodable {
        let decoder: any Decoder
        init(from decoder: any Decoder) throws { self.decoder = decoder }
    }

    struct Payload: Codable, Equatable { var name: String, count: Int, tags: [String]? }

    /// Has the fields of its payload itself.
    struct Envelope: Decodable, Equatable {
        enum Key: CodingKey { case name, count, payload }
        let name: String, count: Int, payload: Payload
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let kept = try container.decode(Extractor.self, forKey: .payload).decoder
            name = try container.decode(String.self, forKey: .name)
            payload = try Payload(from: kept)
            count = try container.decode(Int.self, forKey: .count)
        }
    }

    static func envelope(_ payload: CBORValue) -> CBORValue {
        .map([.init("name", "outer"), .init("count", 1), .init("payload", payload)])
    }
    static let payload: CBORValue = ["name": "inner", "count": 2, "tags": ["a", "b"]]

    /// What both coders make of the same value.
    private func both<T: Decodable>(_ type: T.Type, _ value: CBORValue) throws -> [T] {
        [
            try CBORDecoder().decode(type, from: value.encoded()),
            try JSONDecoder().decode(type, from: Data(value.json().utf8)),
        ]
    }

    // With a JSONDecoder of Foundation's on Linux, such a decoder reads the map around its item.
    @Test func `A decoder that was kept reads its own item`() throws {
        let list = CBORValue.array((0..<40).map { _ in Self.envelope(Self.payload) })
        let value = try CBORDecoder().decode([Envelope].self, from: list.encoded())
        #expect(value.count == 40)
        for envelope in value {
            #expect(envelope.name == "outer" && envelope.count == 1)
            #expect(envelope.payload == Payload(name: "inner", count: 2, tags: ["a", "b"]))
        }
    }

    @Test func `An error of a decoder that was kept has the path of its item`() throws {
        let list = CBORValue.array([Self.envelope(Self.payload), Self.envelope(["name": "inner", "count": "two"])])
        for bytes in [try list.encoded(), try CBORValue.tag(55799, ["list": list]).encoded()] {
            let error = #expect(throws: DecodingError.self) {
                if bytes[0] >> 5 == 4 {
                    _ = try CBORDecoder().decode([Envelope].self, from: bytes)
                } else {
                    _ = try CBORDecoder().decode([String: [Envelope]].self, from: bytes)
                }
            }
            guard case .typeMismatch(_, let context)? = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(context.codingPath.suffix(3).map(\.stringValue) == ["Index 1", "payload", "count"])
            #expect(context.codingPath.count == (bytes[0] >> 5 == 4 ? 3 : 4))
        }
    }

    /// An envelope of itself. Reading the map around it, it had no end.
    private struct Doll: Decodable {
        enum Key: CodingKey { case inner }
        let levels: Int
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let kept = try container.decodeIfPresent(Extractor.self, forKey: .inner)
            levels = try kept.map { try Doll(from: $0.decoder).levels + 1 } ?? 0
        }
    }

    @Test(arguments: [0, 1, 7, 15, 16, 17, 200])
    func `A type that keeps a decoder for itself ends, on a small stack`(levels: Int) throws {
        let value = (0..<levels).reduce(CBORValue.map([])) { value, _ in ["inner": value] }
        try SmallStack.run {
            let doll = try CBORDecoder().decode(Doll.self, from: value.encoded())
            #expect(doll.levels == levels)
        }
    }

    private struct KeyedKeeper: Decodable {
        enum Key: CodingKey { case name, count, tags, other, inner }
        let map: KeyedDecodingContainer<Key>
        init(from decoder: any Decoder) throws { map = try decoder.container(keyedBy: Key.self) }
    }

    private struct Shelf: Decodable {
        enum Key: CodingKey { case first, second }
        struct Found: Equatable {
            var names: [String] = [], keys: [Int] = [], has: [Bool] = [], counts: [Int?] = [], inner: [String] = []
            var missing = 0, path: [String] = []
        }
        var found = Found()
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let maps = try [Key.first, .second].map { try container.decode(KeyedKeeper.self, forKey: $0).map }
            // Pairs of another map are recorded where theirs were.
            _ = try container.decode(Payload.self, forKey: .first)
            for map in maps {
                found.names.append(try map.decode(String.self, forKey: .name))
                found.keys.append(map.allKeys.count)
                found.has += [map.contains(.count), map.contains(.other)]
                found.counts.append(try map.decodeIfPresent(Int.self, forKey: .other))
                found.inner += try map.nestedContainer(keyedBy: KeyedKeeper.Key.self, forKey: .inner)
                    .decode([String].self, forKey: .tags)
                found.inner += try map.decode(KeyedKeeper.self, forKey: .inner).map.decode([String].self, forKey: .tags)
                found.path += map.codingPath.map(\.stringValue)
                do { _ = try map.decode(Payload.self, forKey: .other) } catch DecodingError.keyNotFound(_, let context)
                {
                    found.missing += context.codingPath.count
                }
            }
        }
    }

    @Test func `A keyed container that was kept reads its own map, as with JSON`() throws {
        func map(_ name: CBORValue, _ count: CBORValue) -> CBORValue {
            ["name": name, "count": count, "inner": ["tags": [name]]]
        }
        let expected = Shelf.Found(
            names: ["a", "b"], keys: [3, 3], has: [true, false, true, false], counts: [nil, nil],
            inner: ["a", "a", "b", "b"], missing: 2, path: ["first", "second"])
        for value in try both(Shelf.self, ["first": map("a", 1), "second": map("b", 2)]) {
            #expect(value.found == expected)
        }
    }

    private struct ListKeeper: Decodable {
        let list: any UnkeyedDecodingContainer
        init(from decoder: any Decoder) throws { list = try decoder.unkeyedContainer() }
    }
    private struct ValueKeeper: Decodable {
        let value: any SingleValueDecodingContainer
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer() }
    }
    private struct Pair: Decodable {
        enum Key: CodingKey { case list, value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            var list = try container.decode(ListKeeper.self, forKey: .list).list
            let value = try container.decode(ValueKeeper.self, forKey: .value).value
            let first = try list.decode(Int.self)
            #expect(first == 1)
            #expect(try value.decode(Int.self) == 7)
            #expect(list.codingPath.map(\.stringValue) == ["list"])
            #expect(value.codingPath.map(\.stringValue) == ["value"])
            for _ in 0..<2 {
                do {
                    _ = try list.decode(Payload.self)
                    Issue.record("a payload without its count")
                } catch DecodingError.keyNotFound(_, let context) {
                    #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1"])
                }
            }
            let error = #expect(throws: DecodingError.self) { try value.decode(Payload.self) }
            guard case .typeMismatch(_, let context)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(context.codingPath.map(\.stringValue) == ["value"])
        }
    }

    @Test func `Other containers that were kept know where they are`() throws {
        let value: CBORValue = ["list": [1, ["name": "n"]], "value": 7]
        _ = try CBORDecoder().decode(Pair.self, from: value.encoded())
    }

    @Test func `What a kept decoder misses comes from the prototype of its own item`() throws {
        let bytes = try Self.envelope(["name": "inner"]).encoded()
        let prototype = try Self.envelope(["name": "p", "count": 99]).encoded()
        let value = try bytes.withUnsafeBytes {
            try CBORDecoder().decode(Envelope.self, from: $0, filling: prototype)
        }
        #expect(value.payload == Payload(name: "inner", count: 99, tags: nil))
        #expect(value.count == 1)
    }

    @Test func `After the call, what was kept throws, also where an optional is asked for`() throws {
        final class Hold: @unchecked Sendable {
            var map: KeyedDecodingContainer<KeyedKeeper.Key>?
            var list: (any UnkeyedDecodingContainer)?
            var decoder: (any Decoder)?
            var superDecoder: (any Decoder)?
        }
        let key = CodingUserInfoKey(rawValue: "hold")!
        struct Keeper: Decodable {
            init(from decoder: any Decoder) throws {
                let hold = decoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] as! Hold
                let map = try decoder.container(keyedBy: KeyedKeeper.Key.self)
                hold.map = map
                hold.list = try map.nestedUnkeyedContainer(forKey: .tags)
                hold.decoder = try map.decode(Extractor.self, forKey: .inner).decoder
                hold.superDecoder = try map.superDecoder(forKey: .inner)
                #expect(
                    try hold.decoder?.container(keyedBy: KeyedKeeper.Key.self).decode(Int.self, forKey: .count) == 5)
            }
        }
        let hold = Hold()
        var decoder = CBORDecoder()
        decoder.userInfo[key] = hold
        let bytes = try (["count": 1, "inner": ["count": 5], "name": "n", "tags": ["a"]] as CBORValue).encoded()
        _ = try decoder.decode(Keeper.self, from: bytes)
        // Another call has other states, as long as those of this one are kept.
        decoder.userInfo = [:]
        #expect(try decoder.decode([String: Int].self, from: CBOREncoder().encode(["count": 3])) == ["count": 3])

        let map = try #require(hold.map)
        #expect(map.allKeys.isEmpty)
        #expect(Self.isCorrupted { _ = try map.decode(Int.self, forKey: .count) })
        #expect(Self.isCorrupted { _ = try map.decodeIfPresent(Int.self, forKey: .count) })
        #expect(Self.isCorrupted { _ = try map.decodeIfPresent(Payload.self, forKey: .inner) })
        #expect(Self.isCorrupted { _ = try map.nestedContainer(keyedBy: KeyedKeeper.Key.self, forKey: .inner) })
        #expect(
            Self.isCorrupted {
                var list = hold.list
                _ = try list?.decode(String.self)
            })
        for kept in [hold.decoder, hold.superDecoder] {
            #expect(Self.isCorrupted { _ = try kept?.container(keyedBy: KeyedKeeper.Key.self) })
            #expect(Self.isCorrupted { _ = try kept?.unkeyedContainer() })
            #expect(Self.isCorrupted { _ = try kept?.singleValueContainer().decode(Int.self) })
            #expect(Self.isCorrupted { _ = try kept?.singleValueContainer().decode(Payload.self) })
        }
    }

    // MARK: Of values that still decode themselves

    /// What a value lends to those within it.
    final class Lent: @unchecked Sendable {
        static let key = CodingUserInfoKey(rawValue: "lent")!
        var decoder: (any Decoder)?
        var map: KeyedDecodingContainer<AnyName>?
        var list: (any UnkeyedDecodingContainer)?
        var single: (any SingleValueDecodingContainer)?
        var log: [String] = []
        var entriesMax = 0

        func note(_ path: [any CodingKey]) { log.append(path.map(\.stringValue).joined(separator: ".")) }
        func note(_ body: () throws -> Void) {
            do { try body() } catch DecodingError.typeMismatch(_, let context) {
                note(context.codingPath)
            } catch DecodingError.keyNotFound(_, let context) {
                note(context.codingPath)
            } catch { log.append("\(error)") }
        }
    }
    struct AnyName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
        init(_ name: String) { stringValue = name }
    }

    /// Uses what the values around it lent.
    private struct Child: Decodable {
        init(from decoder: any Decoder) throws {
            let lent = decoder.userInfo[Lent.key] as! Lent, map = lent.map!, outer = lent.decoder!
            #expect(try map.decode(String.self, forKey: .init("kind")) == "k")
            #expect(try map.decode([Int].self, forKey: .init("numbers")) == [1, 2])
            #expect(map.allKeys.count == 4 && map.contains(.init("kind")) && !map.contains(.init("none")))
            #expect(try map.decodeIfPresent(String.self, forKey: .init("none")) == nil)
            let inner = try map.nestedContainer(keyedBy: AnyName.self, forKey: .init("inner"))
            #expect(try inner.decode(Int.self, forKey: .init("n")) == 7)
            let again = try outer.container(keyedBy: AnyName.self)
            #expect(try again.decode(String.self, forKey: .init("kind")) == "k")
            #expect(try lent.single!.decode([String: CBORValue].self).count == 4)
            for path in [map.codingPath, outer.codingPath, inner.codingPath, again.codingPath] { lent.note(path) }
            lent.note(lent.single!.codingPath)
            lent.note { _ = try map.decode(Int.self, forKey: .init("kind")) }
            lent.note { _ = try map.decode([String].self, forKey: .init("numbers")) }
            lent.note { _ = try map.decode(Payload.self, forKey: .init("inner")) }
            lent.note { _ = try inner.decode(Bool.self, forKey: .init("n")) }
            lent.note { _ = try outer.unkeyedContainer() }
            lent.note { _ = try map.superDecoder(forKey: .init("inner")).unkeyedContainer() }
            lent.note(try map.nestedUnkeyedContainer(forKey: .init("numbers")).codingPath)
            lent.note { _ = try lent.list?.decode(String.self) }
            // Its own place is the same after all that.
            lent.note(decoder.codingPath)
            lent.note { _ = try decoder.singleValueContainer().decode(Int.self) }
        }
    }

    private struct Lender: Decodable {
        init(from decoder: any Decoder) throws {
            let lent = decoder.userInfo[Lent.key] as! Lent
            let map = try decoder.container(keyedBy: AnyName.self)
            (lent.decoder, lent.map, lent.single) = (decoder, map, try decoder.singleValueContainer())
            lent.list = try map.nestedUnkeyedContainer(forKey: .init("numbers"))
            defer { (lent.decoder, lent.map, lent.single, lent.list) = (nil, nil, nil, nil) }
            _ = try map.decode([Child].self, forKey: .init("children"))
            #expect(try map.decode(String.self, forKey: .init("kind")) == "k")
        }
    }

    @Test func `What an outer value lends is read from within, with its own paths`() throws {
        let item: CBORValue = ["kind": "k", "numbers": [1, 2], "inner": ["n": 7], "children": ["a", "b"]]
        let lent = Lent()
        var decoder = CBORDecoder()
        decoder.userInfo[Lent.key] = lent
        _ = try decoder.decode([String: [Lender]].self, from: (["l": [item]] as CBORValue).encoded())
        let own = "l.Index 0"
        let each = { (index: Int) in
            [
                own, own, "\(own).inner", own, own, "\(own).kind", "\(own).numbers.Index 0", "\(own).inner",
                "\(own).inner.n", own, "\(own).inner", "\(own).numbers", "\(own).numbers.Index 0",
                "\(own).children.Index \(index)", "\(own).children.Index \(index)",
            ]
        }
        #expect(lent.log == each(0) + each(1))
    }

    /// The name of another one in the outermost map.
    private struct Link: Decodable {
        let steps: Int
        init(from decoder: any Decoder) throws {
            let lent = decoder.userInfo[Lent.key] as! Lent
            let state = (decoder as! ItemDecoder).state
            lent.entriesMax = max(lent.entriesMax, state.entries.count)
            #expect(state.call.kept.isEmpty)
            let name = try decoder.singleValueContainer().decode(String.self)
            #expect(lent.map?.codingPath.count == 1)
            #expect(decoder.codingPath.map(\.stringValue).first == "links")
            #expect(decoder.codingPath.count == 2)
            steps = try name.isEmpty ? 0 : lent.map!.decode(Link.self, forKey: .init(name)).steps + 1
        }
    }
    private struct Links: Decodable {
        let steps: Int
        init(from decoder: any Decoder) throws {
            let lent = decoder.userInfo[Lent.key] as! Lent
            let map = try decoder.container(keyedBy: AnyName.self)
            lent.map = map
            defer { lent.map = nil }
            steps = try map.decode(Link.self, forKey: .init("k0")).steps
        }
    }

    // Each step recorded the map again, and took two levels.
    @Test func `A chain through the map of an outer value records it once, and takes one level for each step`() throws {
        let lent = Lent(), steps = 900
        var decoder = CBORDecoder()
        decoder.userInfo[Lent.key] = lent
        let links = (0...steps).map { CBORValue.Pair(.text("k\($0)"), .text($0 < steps ? "k\($0 + 1)" : "")) }
        let bytes = try (["links": .map(links)] as CBORValue).encoded()
        #expect(try decoder.decode([String: Links].self, from: bytes)["links"]?.steps == steps)
        #expect(lent.entriesMax == links.count + 1)
    }

    private struct Rereader: Decodable {
        enum Key: CodingKey { case payload }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let kept = try container.decode(KeyedKeeper.self, forKey: .payload).map
            let state = (decoder as! ItemDecoder).state
            for _ in 0..<100 {
                let inner = try kept.nestedContainer(keyedBy: KeyedKeeper.Key.self, forKey: .inner)
                #expect(try inner.decode(Int.self, forKey: .count) == 3)
                #expect(inner.codingPath.map(\.stringValue) == ["payload", "inner"])
                #expect(state.call.kept.count == 2)
                #expect(state.call.kept.values.allSatisfy { $0.entries.count <= 2 })
            }
        }
    }

    @Test func `A container that was kept records a map within it once`() throws {
        let value: CBORValue = ["payload": ["inner": ["count": 3, "name": "n"]]]
        _ = try CBORDecoder().decode(Rereader.self, from: value.encoded())
    }

    @Test func `Many decoders that were kept and used once take the memory of few`() throws {
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                let state = (decoder as! ItemDecoder).state
                for kept in try [Extractor](from: decoder) {
                    #expect(throws: DecodingError.self) { try Payload(from: kept.decoder) }
                    #expect(state.call.kept.count <= 40)
                }
            }
        }
        let list = CBORValue.array((0..<500).map { ["name": .integer(Int64($0))] })
        _ = try CBORDecoder().decode(Reader.self, from: list.encoded())
    }

    // All stayed until the call ended, with some 900 bytes each: a list of 10 MB took 9 GB.
    @Test(arguments: [0, 100])
    func `Decoders of items that nobody keeps take the memory of few, and those that are kept go on`(every: Int) throws
    {
        final class Hold: @unchecked Sendable {
            let every: Int
            var sum = 0, branchesMax = 0
            var decoders: [Int: any Decoder] = [:], maps: [Int: KeyedDecodingContainer<KeyedKeeper.Key>] = [:]
            init(every: Int) { self.every = every }
        }
        struct Reader: Decodable {
            init(from decoder: any Decoder) throws {
                let hold = decoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] as! Hold
                let call = (decoder as! ItemDecoder).state.call
                var list = try decoder.unkeyedContainer()
                while !list.isAtEnd {
                    let index = list.currentIndex, item = try list.superDecoder()
                    if hold.every == 0 || index % hold.every > 0 {
                        hold.sum += try Payload(from: item).count
                    } else if index % (2 * hold.every) == 0 {
                        hold.decoders[index] = item
                    } else {
                        hold.maps[index] = try item.container(keyedBy: KeyedKeeper.Key.self)
                    }
                    hold.branchesMax = max(hold.branchesMax, call.branches.count)
                }
                for (index, kept) in hold.decoders {
                    #expect(try Payload(from: kept) == Payload(name: "n", count: index, tags: nil))
                    #expect(kept.codingPath.map(\.stringValue) == ["Index \(index)"])
                }
                for (index, map) in hold.maps {
                    #expect(try map.decode(Int.self, forKey: .count) == index)
                    #expect(map.codingPath.map(\.stringValue) == ["Index \(index)"])
                }
            }
        }
        let hold = Hold(every: every), count = 20_000
        var decoder = CBORDecoder()
        decoder.userInfo[CodingUserInfoKey(rawValue: "hold")!] = hold
        let list = CBORValue.array((0..<count).map { ["name": "n", "count": .integer(Int64($0))] })
        _ = try decoder.decode(Reader.self, from: list.encoded())
        let kept = hold.decoders.count + hold.maps.count
        #expect(kept == (every == 0 ? 0 : count / every))
        #expect(hold.branchesMax <= 64 + 2 * kept, "\(hold.branchesMax) for \(kept) that are kept")
        let others = (0..<count).filter { every == 0 || $0 % every > 0 }
        #expect(hold.sum == others.reduce(0, +))
        for kept in hold.decoders.values { #expect(Self.isCorrupted { _ = try Payload(from: kept) }) }
        for map in hold.maps.values { #expect(Self.isCorrupted { _ = try map.decode(Int.self, forKey: .count) }) }
    }

    // It had no more items, so that a loop over it ended early and without an error.
    @Test func `A list without a length that is kept has no end after the call, and throws`() throws {
        struct Keeper: Decodable {
            var list: any UnkeyedDecodingContainer
            init(from decoder: any Decoder) throws {
                list = try decoder.unkeyedContainer()
                #expect(try list.decode(Int.self) == 1)
            }
        }
        let bytes: [UInt8] = [0x9f, 0x01, 0x02, 0xff]
        var list = try CBORDecoder().decode(Keeper.self, from: bytes).list
        #expect(!list.isAtEnd)
        #expect(Self.isCorrupted { _ = try list.decode(Int.self) })
        #expect(Self.isCorrupted { _ = try list.decodeIfPresent(Int.self) })
    }

    /// Keeps a decoder of the byte that it is decoded from, and the one of that again.
    private struct ByteKeeper: Decodable {
        struct Kept: Decodable {
            let decoder: any Decoder
            init(from decoder: any Decoder) { self.decoder = decoder }
        }
        let kept: Kept

        init(from decoder: any Decoder) throws {
            let first = try decoder.singleValueContainer().decode(Kept.self)
            kept = try first.decoder.singleValueContainer().decode(Kept.self)
        }
    }

    // The state of the byte was closed without those of what was kept of it: they read memory that was gone.
    @Test func `What was kept of a byte throws after the call, and is not kept by itself`() throws {
        weak var state: DecodingState?
        do {
            let bytes: [UInt8] = [0x42, 0x01, 0x02]
            let keepers = try CBORDecoder().decode([ByteKeeper].self, from: bytes)
            #expect(keepers.count == 2)
            for keeper in keepers {
                state = (keeper.kept.decoder as? ItemDecoder)?.state
                #expect(throws: DecodingError.self) {
                    try keeper.kept.decoder.singleValueContainer().decode(UInt8.self)
                }
                #expect(throws: DecodingError.self) {
                    try keeper.kept.decoder.singleValueContainer().decode(ByteKeeper.Kept.self)
                }
            }
            withExtendedLifetime(keepers) { #expect(state != nil) }
        }
        #expect(state == nil)
    }

    @Test func `The path to an item is the same, wherever the one before led`() throws {
        let value: CBORValue = [["a": [1, .tag(1, ["b": 2])], "c": 3], [], [[4, 5], .map([.init(7, [6])])], "x"]
        // Keys and offsets, as the item is walked over.
        var expected: [(offset: Int, path: [String])] = []
        func walk(_ value: CBORValue, at offset: Int, _ path: [String]) throws -> Int {
            if offset > 0 { expected.append((offset, path)) }
            switch value {
            case .array(let items):
                var next = offset + 1
                for (index, item) in items.enumerated() { next = try walk(item, at: next, path + ["Index \(index)"]) }
                return next
            case .map(let pairs):
                var next = offset + 1
                for pair in pairs {
                    let key = try pair.key.encoded().count
                    next = try walk(pair.value, at: next + key, path + [pair.key.text ?? pair.key.description])
                }
                return next
            default: return try offset + value.encoded().count
            }
        }
        let bytes = try value.encoded()
        #expect(try walk(value, at: 0, []) == bytes.count)
        bytes.withUnsafeBytes { raw in
            let state = DecodingState()
            state.open(raw, [:])
            defer { state.closeRoot() }
            for first in expected {
                for second in expected + expected.reversed() {
                    #expect(state.path(to: first.offset).map(\.stringValue) == first.path)
                    #expect(state.path(to: second.offset).map(\.stringValue) == second.path)
                }
            }
        }
    }

    private static func isCorrupted(_ body: () throws -> Void) -> Bool {
        do { try body() } catch DecodingError.dataCorrupted { return true } catch { return false }
        return false
    }
}
