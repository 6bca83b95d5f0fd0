import Foundation
import TestSupport
import Testing
import Yaprak
import YaprakExtensions

/// The order of a group against a plain sort of the same values, for every type that is sorted by.
///
/// Views by Int128, UInt128 and integers of the user's were in the order of their keys: the word that is compared first was
/// taken for all there is to compare, for every type of a fixed width, and these had none.
@Suite(.bounded) struct SortValueTests {
    private static let count = 120

    /// Registers a view early and one late, writes in several commits, and compares both with a plain sort.
    private func check<Value: Comparable & Sendable>(
        _ seed: UInt64, _ type: Value.Type = Value.self, comparing ascending: (Value, Value) -> Bool = { $0 < $1 },
        _ draw: (inout SplitMix64) -> Value
    ) async throws {
        var random = SplitMix64(seed: seed)
        let values = (0..<Self.count).map { _ in draw(&random) }
        let other = (0..<Self.count).map { _ in Int.random(in: 0..<Self.count, using: &random) }
        let keys = (0..<Self.count).map { "\(random.below(1000))-\($0)" }
        for order in [ViewOrder.ascending, .descending] {
            func view(_ name: String) -> AutoView<BookRow> {
                AutoView(
                    name, of: .books, groupedBy: .everything(in: "all"), sortedBy: .byObject { values[$0.rank] },
                    order: order)
            }
            let database = Database.inMemory()
            let (early, late) = (view("early"), view("late"))
            try await database.register(early)
            // First values of others, so that rows move; then their own, ten a commit.
            try await database.write { transaction in
                for index in 0..<Self.count { transaction[.books][keys[index]] = Book(rank: other[index]) }
            }
            for start in stride(from: 0, to: Self.count, by: 10) {
                try await database.write { transaction in
                    for index in start..<start + 10 { transaction[.books][keys[index]] = Book(rank: index) }
                }
            }
            try await database.register(late)
            let expected = keys.indices.sorted { a, b in
                let (first, second) = order == .ascending ? (a, b) : (b, a)
                if ascending(values[first], values[second]) { return true }
                if ascending(values[second], values[first]) { return false }
                return keys[a].utf8.lexicographicallyPrecedes(keys[b].utf8)
            }.map { keys[$0] }
            let snapshot = database.snapshot
            #expect(snapshot[early]["all"].map(\.key) == expected, "\(type), seed \(seed), \(order)")
            #expect(snapshot[late]["all"].map(\.key) == expected, "\(type), seed \(seed), \(order), registered late")
            for (position, key) in expected.enumerated() {
                #expect(snapshot[early]["all"].position(of: key) == position, "\(type), seed \(seed), \(order)")
            }
        }
    }

    /// Small ones, those at the limits, and any.
    private func integer<Value: FixedWidthInteger>(_ random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: Value(truncatingIfNeeded: random.below(21) - 10)
        case 1: [.min, .min &+ 1, .max, .max &- 1, 0][random.below(5)]
        case 2: Value(truncatingIfNeeded: Int64.max) &+ Value(truncatingIfNeeded: random.below(7) - 3)
        default: Value.random(in: .min ... .max, using: &random)
        }
    }

    private func number<Value: BinaryFloatingPoint>(_ random: inout SplitMix64) -> Value {
        switch random.below(4) {
        case 0: [0, -0.0, .infinity, -.infinity, .nan, -.nan, .signalingNaN][random.below(7)]
        case 1: [.leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, 1, -1][random.below(5)]
        case 2: Value(random.below(9) - 4) + Value.ulpOfOne * Value(random.below(3))
        default: Value(Double(random.below(2_000_001) - 1_000_000) / 1000)
        }
    }

    /// NaN comes last, and all of them are equals.
    private func totally<Value: BinaryFloatingPoint>(_ a: Value, _ b: Value) -> Bool {
        a.isNaN ? false : b.isNaN ? true : a < b
    }

    @Test(arguments: [UInt64](1...2))
    func `Integers of every width are in their order`(seed: UInt64) async throws {
        try await check(seed, Int.self, integer)
        try await check(seed, Int8.self, integer)
        try await check(seed, Int16.self, integer)
        try await check(seed, Int32.self, integer)
        try await check(seed, Int64.self, integer)
        try await check(seed, Int128.self, integer)
        try await check(seed, UInt.self, integer)
        try await check(seed, UInt8.self, integer)
        try await check(seed, UInt16.self, integer)
        try await check(seed, UInt32.self, integer)
        try await check(seed, UInt64.self, integer)
        try await check(seed, UInt128.self, integer)
    }

    @Test(arguments: [UInt64](1...2))
    func `Integers of a user's own are in the order they say`(seed: UInt64) async throws {
        try await check(seed) { Countdown<Int>(integer(&$0)) }
        try await check(seed) { Countdown<UInt8>(integer(&$0)) }
        try await check(seed) { Countdown<Int128>(integer(&$0)) }
    }

    @Test(arguments: [UInt64](1...2))
    func `Numbers are in their total order, and NaN comes last`(seed: UInt64) async throws {
        try await check(seed, Double.self, comparing: totally, number)
        try await check(seed, Float.self, comparing: totally, number)
        try await check(seed, CGFloat.self, comparing: totally, number)
        #if arch(arm64) || os(Linux)
            try await check(seed, Float16.self, comparing: totally, number)
        #endif
        #if os(Linux) && arch(x86_64)
            try await check(seed, Float80.self, comparing: totally, number)
        #endif
        try await check(
            seed, Date.self,
            comparing: { totally($0.timeIntervalSinceReferenceDate, $1.timeIntervalSinceReferenceDate) }
        ) { Date(timeIntervalSinceReferenceDate: number(&$0)) }
    }

    @Test(arguments: [UInt64](1...2))
    func `Text is in the order of its scalars in NFC`(seed: UInt64) async throws {
        // Not `<` itself: it says of "e\u{301}" and "éa" that neither comes first.
        func scalars(_ text: String) -> String.UnicodeScalarView {
            text.nfc.unicodeScalars
        }
        try await check(seed, String.self, comparing: { scalars($0).lexicographicallyPrecedes(scalars($1)) }) {
            random in
            let parts = ["", "a", "b", "\u{0}", "é", "e\u{301}", "Z", "long text ", "😀", "\u{ffff}", "i\u{307}"]
            return (0..<random.below(4)).map { _ in parts[random.below(parts.count)] }.joined()
        }
    }

    @Test(arguments: [UInt64](1...2))
    func `Values that may be missing, and pairs, are in the order of their parts`(seed: UInt64) async throws {
        func missingFirst<Value>(
            _ ascending: @escaping (Value, Value) -> Bool
        ) -> (MissingFirst<Value>, MissingFirst<Value>) -> Bool {
            { a, b in b.value.map { b in a.value.map { ascending($0, b) } ?? true } ?? false }
        }
        try await check(seed, MissingFirst<Double>.self, comparing: missingFirst(totally)) {
            MissingFirst($0.chance(30) ? nil : number(&$0))
        }
        // Their words differ in the last bit only.
        try await check(seed, MissingFirst<Int>.self) { MissingFirst($0.chance(20) ? nil : $0.below(5) + .min) }
        try await check(seed, MissingFirst<String>.self) { MissingFirst($0.chance(20) ? nil : "\($0.below(9))") }
        try await check(seed, MissingFirst<Duration>.self) {
            MissingFirst($0.chance(20) ? nil : .milliseconds($0.below(9)))
        }
        let pairs = { (a: ValuePair<Double, Int>, b: ValuePair<Double, Int>) in
            totally(a.first, b.first) || !totally(b.first, a.first) && a.second < b.second
        }
        try await check(seed, ValuePair<Double, Int>.self, comparing: pairs) {
            ValuePair($0.chance(50) ? .nan : number(&$0), $0.below(3))
        }
        let others = { (a: ValuePair<Duration, Double>, b: ValuePair<Duration, Double>) in
            a.first < b.first || a.first == b.first && totally(a.second, b.second)
        }
        try await check(seed, ValuePair<Duration, Double>.self, comparing: others) {
            ValuePair(.milliseconds($0.below(3)), number(&$0))
        }
    }

    @Test func `Other values are in the order of their comparison`() async throws {
        try await check(1, Duration.self) { .milliseconds($0.below(200) - 100) }
        try await check(2, Character.self) { ["a", "b", "é", "😀"][$0.below(4)] }
    }
}

/// An integer of a fixed width that comes before those it is greater than.
private struct Countdown<Base: FixedWidthInteger & Sendable>: FixedWidthInteger, Sendable {
    typealias Words = Base.Words
    typealias Magnitude = Base.Magnitude
    typealias IntegerLiteralType = Int
    var base: Base

    init(_ base: Base) { self.base = base }
    init(integerLiteral value: Int) { base = Base(truncatingIfNeeded: value) }
    init<Source: BinaryInteger>(_ source: Source) { base = Base(source) }
    init?<Source: BinaryInteger>(exactly source: Source) {
        guard let base = Base(exactly: source) else { return nil }
        self.base = base
    }
    init<Source: BinaryInteger>(truncatingIfNeeded source: Source) { base = Base(truncatingIfNeeded: source) }
    init<Source: BinaryInteger>(clamping source: Source) { base = Base(clamping: source) }
    init<Source: BinaryFloatingPoint>(_ source: Source) { base = Base(source) }
    init?<Source: BinaryFloatingPoint>(exactly source: Source) {
        guard let base = Base(exactly: source) else { return nil }
        self.base = base
    }
    init(_truncatingBits bits: UInt) { base = Base(truncatingIfNeeded: bits) }

    static var isSigned: Bool { Base.isSigned }
    static var bitWidth: Int { Base.bitWidth }
    static var min: Self { Self(Base.min) }
    static var max: Self { Self(Base.max) }
    var words: Words { base.words }
    var magnitude: Magnitude { base.magnitude }
    var nonzeroBitCount: Int { base.nonzeroBitCount }
    var leadingZeroBitCount: Int { base.leadingZeroBitCount }
    var trailingZeroBitCount: Int { base.trailingZeroBitCount }
    var byteSwapped: Self { Self(base.byteSwapped) }
    var hashValue: Int { base.hashValue }
    func hash(into hasher: inout Hasher) { base.hash(into: &hasher) }

    static func == (a: Self, b: Self) -> Bool { a.base == b.base }
    static func < (a: Self, b: Self) -> Bool { a.base > b.base }
    static func <= (a: Self, b: Self) -> Bool { a.base >= b.base }
    static func > (a: Self, b: Self) -> Bool { a.base < b.base }
    static func >= (a: Self, b: Self) -> Bool { a.base <= b.base }

    static func + (a: Self, b: Self) -> Self { Self(a.base + b.base) }
    static func - (a: Self, b: Self) -> Self { Self(a.base - b.base) }
    static func * (a: Self, b: Self) -> Self { Self(a.base * b.base) }
    static func / (a: Self, b: Self) -> Self { Self(a.base / b.base) }
    static func % (a: Self, b: Self) -> Self { Self(a.base % b.base) }
    static func += (a: inout Self, b: Self) { a.base += b.base }
    static func -= (a: inout Self, b: Self) { a.base -= b.base }
    static func *= (a: inout Self, b: Self) { a.base *= b.base }
    static func /= (a: inout Self, b: Self) { a.base /= b.base }
    static func %= (a: inout Self, b: Self) { a.base %= b.base }
    static func &= (a: inout Self, b: Self) { a.base &= b.base }
    static func |= (a: inout Self, b: Self) { a.base |= b.base }
    static func ^= (a: inout Self, b: Self) { a.base ^= b.base }
    static func &>>= (a: inout Self, b: Self) { a.base &>>= b.base }
    static func &<<= (a: inout Self, b: Self) { a.base &<<= b.base }

    private static func own(_ result: (partialValue: Base, overflow: Bool)) -> (partialValue: Self, overflow: Bool) {
        (Self(result.partialValue), result.overflow)
    }
    func addingReportingOverflow(_ other: Self) -> (partialValue: Self, overflow: Bool) {
        Self.own(base.addingReportingOverflow(other.base))
    }
    func subtractingReportingOverflow(_ other: Self) -> (partialValue: Self, overflow: Bool) {
        Self.own(base.subtractingReportingOverflow(other.base))
    }
    func multipliedReportingOverflow(by other: Self) -> (partialValue: Self, overflow: Bool) {
        Self.own(base.multipliedReportingOverflow(by: other.base))
    }
    func dividedReportingOverflow(by other: Self) -> (partialValue: Self, overflow: Bool) {
        Self.own(base.dividedReportingOverflow(by: other.base))
    }
    func remainderReportingOverflow(dividingBy other: Self) -> (partialValue: Self, overflow: Bool) {
        Self.own(base.remainderReportingOverflow(dividingBy: other.base))
    }
    func multipliedFullWidth(by other: Self) -> (high: Self, low: Magnitude) {
        let (high, low) = base.multipliedFullWidth(by: other.base)
        return (Self(high), low)
    }
    func dividingFullWidth(_ dividend: (high: Self, low: Magnitude)) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = base.dividingFullWidth((dividend.high.base, dividend.low))
        return (Self(quotient), Self(remainder))
    }
}
