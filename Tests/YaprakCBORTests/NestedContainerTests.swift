import TestSupport
import Testing

@testable import YaprakCBOR

/// The keys that a decoder keeps for the containers within a value, and for how long.
@Suite(.bounded) struct NestedContainerTests {
    /// Opens a container within its own, and decodes others of its kind through that.
    private struct Nest: Decodable {
        enum Key: CodingKey { case inner, items }
        init(from decoder: any Decoder) throws {
            let state = (decoder as! ItemDecoder).state, before = state.pathCount
            let path = decoder.codingPath.map(\.stringValue)
            let inner = try decoder.container(keyedBy: Key.self).nestedContainer(keyedBy: Key.self, forKey: .inner)
            #expect(state.pathCount == before + 1)
            _ = try inner.decodeIfPresent([Nest].self, forKey: .items)
            #expect(state.pathCount == before + 1)
            #expect(inner.codingPath.map(\.stringValue) == path + ["inner"])
            let error = #expect(throws: DecodingError.self) { try inner.decode(Int.self, forKey: .inner) }
            guard case .keyNotFound(_, let context)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(context.codingPath.map(\.stringValue) == path + ["inner"])
            #expect(before == path.count / 3)
        }
    }

    // They stayed until the call ended: some 100 bytes for each enumeration case with values.
    @Test func `The keys of a nested container go with the value that opened it`() throws {
        let leaf: CBORValue = ["inner": ["name": "x"]]
        let nest: CBORValue = ["inner": ["items": .array([leaf, leaf, leaf])]]
        let list = CBORValue.array([nest, leaf, ["inner": ["items": .array([nest, leaf, nest])]], nest])
        _ = try CBORDecoder().decode([Nest].self, from: list.encoded())
    }

    /// Opens a container for each item of a list, all in one value.
    private struct ItemReader: Decodable {
        enum Key: CodingKey { case name, list }
        init(from decoder: any Decoder) throws {
            let state = (decoder as! ItemDecoder).state
            let top = try decoder.container(keyedBy: Key.self)
            var list = try top.nestedUnkeyedContainer(forKey: .list), index = 0
            while !list.isAtEnd {
                let item = try list.nestedContainer(keyedBy: Key.self)
                if index % 1000 < 2 {
                    let path = ["list", "Index \(index)"]
                    #expect(item.codingPath.map(\.stringValue) == path)
                    guard
                        case .keyNotFound(_, let context)? = #expect(
                            throws: DecodingError.self, performing: { try item.decode(String.self, forKey: .name) })
                    else { return }
                    #expect(context.codingPath.map(\.stringValue) == path)
                    let inner = try? item.nestedContainer(keyedBy: Key.self, forKey: .list)
                    if let inner { #expect(inner.codingPath.map(\.stringValue) == path + ["list"]) }
                }
                index += 1
            }
            #expect(index == 100_000)
            #expect(state.pathCount <= 1 + index / 1000, "\(state.pathCount) paths are kept")
        }
    }

    /// Tries whether each of its parts is a map.
    private struct Trier: Decodable {
        enum Key: CodingKey { case name }
        init(from decoder: any Decoder) throws {
            let state = (decoder as! ItemDecoder).state, map = try decoder.container(keyedBy: AnyKey.self)
            var maps = 0
            for key in map.allKeys {
                if (try? map.nestedContainer(keyedBy: Key.self, forKey: key)) != nil { maps += 1 }
            }
            #expect(maps == 2 && state.pathCount == 2)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test func `The keys of a part that is no map are not kept`() throws {
        var parts = (0..<1000).map { CBORValue.Pair(.text("k\($0)"), []) }
        for index in [3, 500] { parts[index] = CBORValue.Pair(.text("k\(index)"), [:]) }
        _ = try CBORDecoder().decode(Trier.self, from: CBORValue.map(parts).encoded())
    }

    // Each took some 100 bytes until the list was read, though an item may be a single byte.
    @Test func `A list whose items are opened one by one keeps its keys once`() throws {
        let empty: CBORValue = [:], full: CBORValue = ["list": [:]]
        let list: CBORValue = ["list": .array((0..<100_000).map { $0 % 1000 == 0 ? full : empty })]
        _ = try CBORDecoder().decode(ItemReader.self, from: list.encoded())
    }
}
