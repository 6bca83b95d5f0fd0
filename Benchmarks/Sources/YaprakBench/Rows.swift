import Foundation
import Yaprak

/// About 100 bytes of payload: two strings that live on the heap, one that is small, numbers, a flag.
struct Item: Codable, Sendable, Equatable {
    var id: Int64
    var title: String
    var group: String
    var body: String
    var rank: Double
    var count: Int
    var done: Bool
}

extension Item {
    init(_ i: Int, _ random: inout SplitMix64) {
        id = Int64(i)
        title = "Buy \(random.next() % 1000) apples, pears"
        group = "group\(i % 100)"
        body = "note \(String(random.next(), radix: 16)) for the customer no \(i)"
        rank = Double(random.next() % 1_000_000) / 1000
        count = Int(random.next() % 100)
        done = random.next() & 1 == 0
    }

    static func make(_ n: Int, seed: UInt64 = 7) -> [Item] {
        var random = SplitMix64(seed)
        return (0..<n).map { Item($0, &random) }
    }
}

extension RecordCollection where Object == Item, Metadata == NoMetadata {
    static var items: Self { Self("items") }
}

/// What a program without a database would keep in a dictionary.
final class Boxed: Sendable {
    let key: String
    let item: Item
    init(key: String, item: Item) {
        self.key = key
        self.item = item
    }
}

/// The bytes that peers without types store: as many as an item has.
func blob(_ i: Int) -> [UInt8] {
    var random = SplitMix64(UInt64(i))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(104)
    for _ in 0..<13 { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    bytes.removeLast(4)
    return bytes
}

enum KeyShape: String, CaseIterable {
    case random = "random keys"
    case product = "product/ keys"
    case departures = "departures' keys"

    /// Distinct keys in no order.
    func keys(_ n: Int, seed: UInt64 = 1) -> [String] {
        var random = SplitMix64(seed)
        switch self {
        case .random:
            return (0..<n).map { _ in
                let hex = String(random.next(), radix: 16)
                return String(repeating: "0", count: 16 - hex.count) + hex
            }.map(fresh)
        case .product:
            return (0..<n).map { fresh(String(format: "product/%08d", $0)) }.shuffled(using: &random)
        case .departures:
            return Self.departures(n, &random).shuffled(using: &random)
        }
    }

    /// The keys of the real departures where the fixtures are there, and as many that look like them as are missing.
    private static func departures(_ n: Int, _ random: inout SplitMix64) -> [String] {
        var known = Set<String>()
        var keys: [String] = []
        func take(_ key: String) { if keys.count < n, known.insert(key).inserted { keys.append(fresh(key)) } }
        for line in Fixture.lines(of: "departures-2013-01.ndjson") {
            guard let start = line.firstRange(of: "\"key\":\"".utf8)?.upperBound else { continue }
            take(String(decoding: line[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
        }
        let carriers = ["UA", "B6", "EV", "DL", "AA", "MQ", "US", "9E", "WN", "VX", "FL", "AS", "F9", "YV", "HA"]
        let origins = ["EWR", "JFK", "LGA"]
        let destinations = [
            "ATL", "ORD", "LAX", "BOS", "MCO", "CLT", "SFO", "FLL", "MIA", "DCA", "DTW", "DFW", "RDU", "IAH",
        ]
        while keys.count < n {
            let day = String(format: "%02d", Int.random(in: 1...31, using: &random))
            take(
                "\(carriers.randomElement(using: &random)!)\(Int.random(in: 1...6200, using: &random))-\(day)-"
                    + "\(origins.randomElement(using: &random)!)-\(destinations.randomElement(using: &random)!)")
        }
        return keys
    }
}

/// The same string in memory of its own, so that no comparison is cut short by a shared address.
func fresh(_ string: String) -> String { String(decoding: Array(string.utf8), as: UTF8.self) }

/// The keys in another order, each in memory of its own.
func probes(_ keys: [String], seed: UInt64 = 99) -> [String] {
    var random = SplitMix64(seed)
    return keys.shuffled(using: &random).map(fresh)
}

struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension Database {
    /// Puts rows in, `per` in each transaction.
    func fill(_ keys: [String], _ items: [Item], per: Int = 1000) async throws {
        for start in stride(from: 0, to: keys.count, by: per) {
            try await write { transaction in
                for i in start..<min(keys.count, start + per) { transaction[.items][keys[i]] = items[i] }
            }
        }
    }

    /// Replaces rows, one in each transaction.
    func update(_ keys: ArraySlice<String>, _ items: [Item]) async throws {
        for (i, key) in keys.enumerated() {
            let item = items[i % items.count]
            try await write { transaction in transaction[.items][key] = item }
        }
    }

    static func filled(_ keys: [String], _ items: [Item], per: Int = 1000) async throws -> Database {
        let database = Database.inMemory()
        try await database.fill(keys, items, per: per)
        return database
    }
}
