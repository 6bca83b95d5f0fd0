import Foundation
import TestSupport
import Testing

@testable import YaprakCBOR

/// How many stacks are made for a value with many items at the level at which recursions leave that of the caller.
///
/// Each item got its own: a million zeros in 16 arrays took a million threads.
@Suite(.bounded) struct StackCountTests {
    /// The threads on which somebody came by. A thread's own dictionary is gone with it, whatever becomes of its number.
    final class Threads: @unchecked Sendable {
        static let key = CodingUserInfoKey(rawValue: "threads")!
        private(set) var count = 0
        private let mark = UUID().uuidString
        var decoder: (any Decoder)?
        var left = 0

        // One thread at a time: the others wait for it.
        func note() {
            let own = Thread.current.threadDictionary
            if own[mark] != nil { return }
            own[mark] = true
            count += 1
        }
    }

    /// A list of lists.
    private struct Nest: Decodable {
        init(from decoder: any Decoder) throws {
            (decoder.userInfo[Threads.key] as? Threads)?.note()
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd { _ = try list.decode(Nest.self) }
        }
    }

    /// Is decoded three times for two containers.
    private struct Branch: Decodable {
        enum Key: CodingKey { case c }
        init(from decoder: any Decoder) throws {
            (decoder.userInfo[Threads.key] as? Threads)?.note()
            _ = try decoder.container(keyedBy: Key.self).decodeIfPresent([Branch?].self, forKey: .c)
        }
    }

    private func stacks<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> Int {
        let threads = Threads()
        var decoder = CBORDecoder()
        decoder.userInfo[Threads.key] = threads
        threads.note()
        _ = try decoder.decode(type, from: bytes)
        return threads.count - 1
    }

    private static func wide(_ count: UInt8, within levels: Int) -> [UInt8] {
        [UInt8](repeating: 0x81, count: levels) + [0x98, count] + [UInt8](repeating: 0x80, count: Int(count))
    }

    @Test func `Few bytes of many levels take one stack, few levels none`() throws {
        for levels in 0..<15 { #expect(try stacks(Nest.self, Self.wide(200, within: levels)) == 0, "\(levels)") }
        for levels in [15, 16, 17, 30, 31, 32, 33, 100] {
            #expect(try stacks(Nest.self, Self.wide(200, within: levels)) == 1, "\(levels)")
        }
        #expect(try stacks(Nest.self, [0x81, 0x80]) == 0)
    }

    @Test func `A type that is decoded more often than there are containers takes no stack for each item`() throws {
        func tree(_ levels: Int) throws -> [UInt8] {
            let leaves = CBORValue.array((0..<200).map { _ in .map([]) })
            return try (0..<levels).reduce(["c": leaves] as CBORValue) { inner, _ in ["c": [inner]] }.encoded()
        }
        for levels in 0...6 { #expect(try stacks(Branch.self, tree(levels)) == 0, "\(levels)") }
        for levels in [8, 9, 20] { #expect(try stacks(Branch.self, tree(levels)) == 1, "\(levels)") }
    }

    @Test func `A list deep in a small map takes one stack, a map of shallow ones none`() throws {
        struct Around: Decodable { let a: UInt64, b: Nest, c: Nest }
        let head: [UInt8] = [0xa3, 0x61, 0x61, 0x1b] + [UInt8](repeating: 0x9f, count: 8)
        for levels in [0, 1, 12, 13, 14, 15, 30, 100] {
            for isFirst in [true, false] {
                let deep = Self.wide(100, within: levels), shallow = Self.wide(100, within: 2)
                let (b, c) = isFirst ? (deep, shallow) : (shallow, deep)
                let bytes = head + [0x61, 0x62] + b + [0x61, 0x63] + c
                #expect(try stacks(Around.self, bytes) == (levels < 14 ? 0 : 1), "\(levels)")
            }
        }
    }

    @Test func `No deep item of a map is taken for a shallow one`() throws {
        for shape in DepthTests.Shape.allCases {
            for depth in 1...40 {
                let bytes = shape.bytes(depth)
                let isDeep = try bytes.withUnsafeBytes { raw in
                    [try CBORItem.measure(raw, from: 0).isDeep, try CBORItem.measure(raw, from: 0, 15).isDeep]
                }
                #expect(isDeep == [depth > 16, depth > 15], "\(shape) \(depth)")
            }
        }
    }

    // MARK: Values and other coders

    /// `{"k":0}`, many times, in a list within others.
    private static func value(_ count: Int, within levels: Int) -> CBORValue {
        (0..<levels).reduce(.array((0..<count).map { _ in ["k": 0] })) { value, _ in .array([value]) }
    }

    @Test(arguments: [3, 12, 13, 14, 15, 16, 17, 30])
    func `A value that another coder reads and writes takes one stack at most`(levels: Int) throws {
        let value = Self.value(300, within: levels), threads = Threads()
        let decoder = JSONDecoder(), encoder = JSONEncoder()
        // Asked on the thread that is at the map.
        decoder.keyDecodingStrategy = .custom { path in
            threads.note()
            return path.last!
        }
        encoder.keyEncodingStrategy = .custom { path in
            threads.note()
            return path.last!
        }
        threads.note()
        let json = try encoder.encode(value)
        #expect(threads.count <= 2)
        #expect(String(decoding: json, as: UTF8.self) == value.json())
        let before = threads.count
        #expect(try decoder.decode(CBORValue.self, from: json) == value)
        #expect(threads.count - before <= 1)
    }

    @Test func `A value deep in a type that another coder reads is read on its own stack`() throws {
        struct Around: Codable, Equatable {
            var inner: [Around]?
            var value: CBORValue?
        }
        let deep = Self.value(2, within: 40)
        let around = (0..<10).reduce(Around(value: deep)) { around, _ in Around(inner: [around]) }
        try SmallStack.run {
            let json = try JSONEncoder().encode(around)
            #expect(try JSONDecoder().decode(Around.self, from: json) == around)
        }
    }

    /// A list of one list, and so on, of a coder that makes its own error of any.
    struct Wrapping: Decoder, UnkeyedDecodingContainer {
        struct Wrapped: Error { let error: any Error }
        var levels: Int
        var codingPath: [any CodingKey] = []
        var userInfo: [CodingUserInfoKey: Any] { [:] }
        var currentIndex = 0
        var count: Int? { levels == 0 ? 0 : 1 }
        var isAtEnd: Bool { currentIndex == count }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
            var inner = Wrapping(levels: levels - 1)
            inner.codingPath = codingPath + [AnyIndex(intValue: 0)]
            currentIndex += 1
            do { return try T(from: inner) } catch { throw Wrapped(error: error) }
        }
        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { self }

        struct Missing: Error {}
        func decodeNil() throws -> Bool { false }
        func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw Missing() }
        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Missing() }
        func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            throw Missing()
        }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Missing() }
        func superDecoder() throws -> any Decoder { throw Missing() }
    }
    struct AnyIndex: CodingKey {
        let intValue: Int?
        var stringValue: String { "" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }

    // The attempt on the caller's stack was known by its error.
    @Test(arguments: [0, 13, 15, 16, 17, 40])
    func `A value is read on its own stack by a coder that wraps errors`(levels: Int) throws {
        let expected = (0..<levels).reduce(CBORValue.array([])) { value, _ in .array([value]) }
        #expect(try CBORValue(from: Wrapping(levels: levels)) == expected)
    }

    // MARK: What is kept of another stack

    /// Goes down without going into an item, and keeps a decoder there.
    private struct Diver: Decodable {
        init(from decoder: any Decoder) throws {
            let threads = decoder.userInfo[Threads.key] as! Threads
            threads.left -= 1
            if threads.left > 0 {
                _ = try decoder.singleValueContainer().decode(Diver.self)
            } else {
                threads.decoder = try decoder.container(keyedBy: SuperKey.self).superDecoder()
            }
        }
    }
    private struct Surface: Decodable {
        init(from decoder: any Decoder) throws {
            let threads = decoder.userInfo[Threads.key] as! Threads
            threads.left = 40
            threads.note()
            _ = try decoder.singleValueContainer().decode(Diver.self)
            let before = threads.count
            _ = try threads.decoder!.singleValueContainer().decode(Nest.self)
            // Level 41 is over. It was counted on from there.
            #expect(threads.count == before)
        }
    }

    // It took the stack on which it was made for the one on which it was used.
    @Test func `A decoder that was kept of a deep stack counts the levels of the stack it is used on`() throws {
        let threads = Threads()
        var decoder = CBORDecoder()
        decoder.userInfo[Threads.key] = threads
        _ = try decoder.decode(Surface.self, from: (["super": [[]]] as CBORValue).encoded())
        threads.decoder = nil
    }
}
