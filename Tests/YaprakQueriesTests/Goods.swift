import Foundation
import TestSupport
import Yaprak

/// The records of these suites: goods with a value of each type that an index takes, and odd ones among them.
struct Goods: Codable, Sendable, Equatable {
    enum Shape: Int, Codable, Sendable, IndexValue, CaseIterable { case round = -1, square = 5, flat = 300 }

    struct Maker: Codable, Sendable, Equatable {
        var country: String?
        var city: String
    }

    var genre: String
    var rank: Int
    var price: Double
    var discount: Double?
    var tags: [String]
    var code: Int?
    var shape: Shape
    var maker: Maker
    var isNew: Bool
    var made: Date
    var id: UUID
    var seal: Data
    var wide: Int128
    var byte: UInt8
    var title: String { "\(genre) \(rank)" }
}

extension RecordCollection where Object == Goods, Metadata == String {
    static var goods: Self { Self("goods") }
}

typealias GoodsRecord = Record<Goods, String>

extension Goods {
    static let genres = [
        "", "a", "ab", "b", "\u{0}", "a\u{0}", "a\u{1}", "é", "e\u{301}", "e", "z", "ğ", "👩‍👩‍👧", "क", "क्ष",
        "한", "\u{1112}\u{1161}\u{11ab}", "\u{d558}\u{11ab}", "한국 \u{105d2}", "\u{1100}\u{1176}", "까", "\u{cca}\u{cd5}",
        String(repeating: "long ", count: 20),
    ]
    static let prices: [Double] = [0, -0.0, 1, .nan, -.infinity, .infinity, 2.5, -7.25, 1e-300]
    static let wides: [Int128] = [0, -1, 1, .max, .min, Int128(Int64.max) + 1, Int128(Int64.min) - 1, 1 << 100]

    static func random(_ random: inout SplitMix64) -> Goods {
        Goods(
            genre: genres[random.below(genres.count)], rank: random.below(30) - 10,
            price: prices[random.below(prices.count)],
            discount: random.chance(30) ? nil : prices[random.below(prices.count)],
            tags: (0..<random.below(4)).map { _ in ["x", "y", "é", "e\u{301}", "zz"][random.below(5)] },
            code: random.chance(40) ? nil : random.below(1_000_000),
            shape: Shape.allCases[random.below(3)],
            maker: Maker(country: random.chance(30) ? nil : "c\(random.below(4))", city: "s\(random.below(3))"),
            isNew: random.chance(50), made: Date(timeIntervalSinceReferenceDate: Double(random.below(9)) * 1e8 - 4e8),
            id: UUID(
                uuid: (0, UInt8(random.below(3)), 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(random.below(256)))),
            seal: Data((0..<random.below(3)).map { _ in [0, 1, 254, 255][random.below(4)] }),
            wide: wides[random.below(wides.count)], byte: UInt8(random.below(256)))
    }
}

/// A value as the plainest comparison has it.
enum Cell: Comparable, Hashable {
    case missing
    case integer(Int128)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    init(_ value: (some IndexValue)?) {
        // Out of all optionals that are around it.
        var value = value as Any
        while Mirror(reflecting: value).displayStyle == .optional {
            guard let inside = Mirror(reflecting: value).children.first else {
                self = .missing
                return
            }
            value = inside.value
        }
        switch value {
        case let value as any BinaryInteger: self = .integer(Int128(value))
        case let value as Bool: self = .integer(value ? 1 : 0)
        case let value as Double: self = .real(value == 0 ? 0 : value)
        case let value as Date: self = .real(value.timeIntervalSinceReferenceDate)
        case let value as String: self = .text(value)
        case let value as UUID: self = .bytes(withUnsafeBytes(of: value.uuid) { Array($0) })
        case let value as Data: self = .bytes(Array(value))
        case let value as Goods.Shape: self = .integer(Int128(value.rawValue))
        default: fatalError("no cell for \(value)")
        }
    }

    var isNaN: Bool { if case .real(let value) = self { value.isNaN } else { false } }

    static func < (a: Cell, b: Cell) -> Bool {
        switch (a, b) {
        case (.missing, .missing): false
        case (.missing, _): true
        case (_, .missing): false
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): !a.isNaN && (b.isNaN || a < b)
        case (.text(let a), .text(let b)): a < b
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        default: fatalError("cells of two types")
        }
    }

    static func == (a: Cell, b: Cell) -> Bool { !(a < b) && !(b < a) }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .missing: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.isNaN ? 1 : value)
        case .text(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        }
    }
}
