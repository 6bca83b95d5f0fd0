import Foundation
import TestSupport

/// Types of many shapes for round trips.
struct Note: Codable, Hashable, Sendable {
    var id: Int64
    var title: String
    var group: String
    var body: String
    var rank: Double
    var count: Int
    var done: Bool
}

enum Shade: Codable, Hashable, Sendable {
    case none
    case gray(Double)
    case color(red: UInt8, green: UInt8, blue: UInt8)
    indirect case mixed([Shade])
}

enum Season: String, Codable, Hashable, Sendable { case spring, summer, autumn, winter }

struct Everything: Codable, Hashable, Sendable {
    var i8: Int8, i16: Int16, i32: Int32, i64: Int64, i128: Int128, int: Int
    var u8: UInt8, u16: UInt16, u32: UInt32, u64: UInt64, u128: UInt128, uint: UInt
    var float: Float, double: Double, flag: Bool, text: String
    var maybe: Int?, maybeText: String?, nested: [Note?], bytes: [UInt8], data: Data
    var byName: [String: Note], byNumber: [Int: String], bySeason: [Season: Int]
    var shade: Shade, season: Season, date: Date, id: UUID, url: URL
    var deep: [[[Int]]], pairs: [[String: [Int?]]]
    var ünïcode_key_that_is_longer_than_any_prefix: Int
}

class Animal: Codable {
    var name: String
    init(_ name: String) { self.name = name }
}

final class Dog: Animal {
    var tricks: [String] = []
    private enum Key: String, CodingKey { case tricks, parent }
    override init(_ name: String) { super.init(name) }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        tricks = try container.decode([String].self, forKey: .tricks)
        try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try super.encode(to: container.superEncoder())
        try container.encode(tricks, forKey: .tricks)
    }
}

/// Uses nested containers side by side, and out of step.
struct Interleaved: Codable, Equatable {
    var left: [Int], right: [String: Int], list: [Int]
    private enum Key: String, CodingKey { case left, right, list, after }
    private enum Name: String, CodingKey { case a, b, c }
    init(_ seed: Int) {
        left = [seed, seed + 1]
        right = ["a": seed, "b": -seed]
        list = [seed]
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var left = try container.nestedUnkeyedContainer(forKey: .left)
        let right = try container.nestedContainer(keyedBy: Name.self, forKey: .right)
        let first = try left.decode(Int.self)
        let a = try right.decode(Int.self, forKey: .a)
        self.left = [first, try left.decode(Int.self)]
        self.right = ["a": a, "b": try right.decode(Int.self, forKey: .b)]
        list = [try container.decode(Int.self, forKey: .after)]
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var left = container.nestedUnkeyedContainer(forKey: .left)
        var right = container.nestedContainer(keyedBy: Name.self, forKey: .right)
        try container.encode(list[0], forKey: .after)
        try left.encode(self.left[0])
        try right.encode(self.right["b"]!, forKey: .b)
        try left.encode(self.left[1])
        try right.encode(self.right["a"]!, forKey: .a)
    }
}

extension SplitMix64 {
    mutating func note() -> Note {
        Note(
            id: Int64(bitPattern: next() >> UInt64(below(64))), title: text(), group: text(), body: text(),
            rank: double(), count: below(1000), done: chance(50))
    }

    mutating func shade(_ depth: Int = 4) -> Shade {
        switch below(depth > 0 ? 4 : 3) {
        case 0: .none
        case 1: .gray(double())
        case 2: .color(red: UInt8(below(256)), green: 0, blue: 255)
        default: .mixed((0..<below(4)).map { _ in shade(depth - 1) })
        }
    }

    mutating func everything() -> Everything {
        let wide = UInt128(next()) << 64 | UInt128(next()), shift = UInt128(below(128))
        return Everything(
            i8: Int8(truncatingIfNeeded: next()), i16: Int16(truncatingIfNeeded: next()),
            i32: Int32(truncatingIfNeeded: next()), i64: Int64(bitPattern: next()),
            i128: Int128(truncatingIfNeeded: wide) >> Int128(shift), int: chance(50) ? .min : .max,
            u8: UInt8(truncatingIfNeeded: next()), u16: UInt16(truncatingIfNeeded: next()),
            u32: UInt32(truncatingIfNeeded: next()), u64: next(), u128: wide >> shift, uint: .max,
            float: Float(below(1000)) / 3, double: double(), flag: chance(50), text: text(),
            maybe: chance(50) ? below(100) : nil, maybeText: chance(50) ? text() : nil,
            nested: (0..<below(4)).map { _ in chance(30) ? nil : note() }, bytes: bytes(below(40)),
            data: Data(bytes(below(300))), byName: Dictionary((0..<below(40)).map { _ in (text(), note()) }) { $1 },
            byNumber: [-1: text(), 7: text(), below(1000) + 10: text()], bySeason: [.summer: 1, .winter: below(9)],
            shade: shade(), season: .autumn, date: Date(timeIntervalSinceReferenceDate: Double(below(1_000_000)) / 4),
            id: UUID(), url: URL(string: "https://example.org/\(below(100))")!,
            deep: [[], [[]], [[below(9)], [1, 2]]], pairs: [["a": [1, nil]], [:]],
            ünïcode_key_that_is_longer_than_any_prefix: below(10))
    }

}
