import Foundation
import TestSupport
import Testing

@testable import YaprakCBOR

/// Values that nest as deep as the limit allows, and deeper, on threads with 512 kB of stack.
///
/// Before there was a stack for them, 64 levels were all that was safe: a keyed type takes 2 to 6 kB for each level.
@Suite(.bounded) struct DepthTests {
    static let limit = CBORItem.depthMax
    /// What a record may take of it; the rest is for the commit around it.
    static let recordLimit = 514

    /// A way to put an item into another.
    enum Shape: String, CaseIterable {
        case array, map, tag, openArray, openMap, mixed

        var heads: [[UInt8]] {
            switch self {
            case .array: [[0x81]]
            case .map: [[0xa1, 0x61, 0x6b]]
            case .tag: [[0xc6]]
            case .openArray: [[0x9f]]
            case .openMap: [[0xbf, 0x61, 0x6b]]
            case .mixed: [[0x81], [0xa1, 0x61, 0x6b], [0xc6], [0x9f], [0x82, 0x00], [0xbf, 0x61, 0x6b]]
            }
        }

        func bytes(_ depth: Int) -> [UInt8] {
            var bytes: [UInt8] = [], stops = 0
            for level in 0..<depth {
                bytes += heads[level % heads.count]
                if heads[level % heads.count][0] & 31 == 31 { stops += 1 }
            }
            return bytes + [0x01] + [UInt8](repeating: 0xff, count: stops)
        }
    }

    /// Everything that walks over values does it.
    static func walk(_ bytes: [UInt8]) throws {
        #expect(try CBORItem.length(of: bytes) == bytes.count)
        let value = try CBORValue(decoding: bytes)
        let other = try CBORValue(decoding: bytes)
        #expect(value == other && value.hashValue == other.hashValue)
        #expect(try CBORValue(decoding: value.encoded()) == value)
        #expect(try CBORDecoder().decode(CBORValue.self, from: CBOREncoder().encode(value)) == value)
        #expect(CBORItem.isDeterministic(try value.encoded()))
        #expect(try CBORValue(diagnostic: value.description) == value)
        _ = try CBORItem.diagnostic(of: bytes)
        #expect(try CBORItem.diagnostic(of: bytes, style: .pretty).count > bytes.count / 2)
        _ = try CBORItem.diagnostic(of: bytes, style: CBORDiagnosticStyle(isPretty: true, charactersMax: 100))
        _ = try CBORValue(json: value.json())
    }

    @Test(arguments: Shape.allCases)
    func `A value at the limit is walked on a small stack, one deeper is refused`(shape: Shape) throws {
        for depth in [1, 15, 16, 17, 18, 100, Self.limit - 1, Self.limit] {
            try SmallStack.run { try Self.walk(shape.bytes(depth)) }
        }
        let over = shape.bytes(Self.limit + 1)
        #expect(Self.isTooDeep { _ = try CBORItem.length(of: over) })
        #expect(Self.isTooDeep { _ = try CBORValue(decoding: over) })
        #expect(Self.isTooDeep { _ = try CBORItem.diagnostic(of: over) })
        #expect(Self.isTooDeep { _ = try CBORDecoder().decode(CBORValue.self, from: over) })
    }

    private static func isTooDeep(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return CBORError(under: error)?.code == .tooDeep }
        return false
    }

    @Test func `Notation that is nested too deep is refused, in diagnostic form and in JSON`() throws {
        for (open, close) in [("[", "]"), ("{\"k\":", "}"), ("6(", ")")] {
            func text(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            let fits = text(Self.limit), over = text(Self.limit + 1), bomb = String(repeating: open, count: 200_000)
            try SmallStack.run {
                _ = try CBORValue(diagnostic: fits)
                #expect(throws: CBORError.self) { try CBORValue(diagnostic: over) }
                #expect(throws: CBORError.self) { try CBORValue(diagnostic: bomb) }
                guard open != "6(" else { return }
                _ = try CBORValue(json: fits)
                #expect(throws: CBORError.self) { try CBORValue(json: over) }
                #expect(throws: CBORError.self) { try CBORValue(json: bomb) }
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func `A bomb of levels is refused by all that reads bytes`(shape: Shape) throws {
        let bomb = Array(shape.bytes(300_000).prefix(600_000))
        try SmallStack.run {
            #expect(throws: CBORError.self) { try CBORItem.length(of: bomb) }
            #expect(throws: CBORError.self) { try CBORValue(decoding: bomb) }
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(CBORValue.self, from: bomb) }
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(Tree.self, from: bomb) }
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(Chain.self, from: bomb) }
        }
    }

    // MARK: Types that hold themselves

    struct Tree: Codable { var name = "", replies: [Tree] = [] }
    struct Book: Codable { var parts: [String: Book]? }
    indirect enum Term: Codable { case leaf, negated(Term) }
    final class Chain: Codable { var k: Chain? }
    /// Asks for a container inside its container, and for one of a superclass.
    struct Nest: Codable {
        var inner: [Nest] = []
        enum Key: CodingKey { case outer, inner }
        init(_ inner: [Nest]) { self.inner = inner }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            inner =
                try container.superDecoder(forKey: .outer).container(keyedBy: Key.self)
                .decodeIfPresent([Nest].self, forKey: .inner) ?? []
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
            if !inner.isEmpty { try nested.encode(inner, forKey: .inner) }
        }
    }

    private static func tree(_ levels: Int) -> Tree { (0..<levels).reduce(Tree()) { tree, _ in Tree(replies: [tree]) } }
    private static func book(_ levels: Int) -> Book {
        (0..<levels).reduce(Book(parts: [:])) { book, _ in Book(parts: ["a": book]) }
    }
    private static func term(_ levels: Int) -> Term { (0..<levels).reduce(.leaf) { term, _ in .negated(term) } }

    private static func chain(_ links: Int) -> Chain {
        let first = Chain()
        var last = first
        for _ in 1..<links {
            last.k = Chain()
            last = last.k!
        }
        return first
    }
    private static func nest(_ levels: Int) -> Nest { (1..<levels).reduce(Nest([])) { nest, _ in Nest([nest]) } }

    /// Encodes and decodes it with the limit for records, and says whether that went well.
    private static func fits(_ value: @autoclosure @escaping () -> some Codable) throws -> Bool {
        try SmallStack.run {
            let value = value()
            let writer = CBORWriter()
            do {
                try CBOREncoder().encode(value, to: writer, depthMax: Self.recordLimit)
            } catch {
                #expect(
                    CBORError(under: error)?.code == .tooDeep, "\(CBORError(under: error)?.code.rawValue ?? "none")")
                #expect(CBOREncoder().isDeeper(value, than: Self.recordLimit))
                return false
            }
            #expect(!CBOREncoder().isDeeper(value, than: Self.recordLimit))
            let again = try CBORDecoder().decode(type(of: value), from: writer.bytes)
            #expect(try CBOREncoder().encode(again) == writer.bytes)
            return true
        }
    }

    @Test(arguments: [0, 7, 8, 15, 16, 17, 40, 255, 256])
    func `A type that holds itself is encoded and decoded 256 levels deep on a small stack`(levels: Int) throws {
        #expect(try Self.fits(Self.tree(levels)))
        #expect(try Self.fits(Self.book(levels)))
        #expect(try Self.fits(Self.term(levels)))
    }

    @Test(arguments: [257, 258, 300, 1000])
    func `Level 257 is refused with a code`(levels: Int) throws {
        #expect(try !Self.fits(Self.tree(levels)))
        #expect(try !Self.fits(Self.book(levels)))
        #expect(try !Self.fits(Self.term(levels)))
    }

    @Test func `A chain takes one container for each link, a nest of containers three`() throws {
        #expect(try Self.fits(Self.chain(Self.recordLimit)))
        #expect(try !Self.fits(Self.chain(Self.recordLimit + 1)))
        #expect(try Self.fits(Self.nest(171)))
        #expect(try !Self.fits(Self.nest(172)))
    }

    /// How a type goes on within itself. Not to be encoded itself: the testing library encodes what it gives a test.
    enum Recursion: CaseIterable { case single, keyed, unkeyed, nested, superclass }

    /// Goes on within itself without end.
    struct Endless: Encodable {
        let recursion: Recursion
        enum Key: CodingKey { case name, next }

        func encode(to encoder: any Encoder) throws {
            switch recursion {
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode(self)
            case .keyed:
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(self, forKey: .next)
            case .unkeyed:
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            case .nested:
                var container = encoder.container(keyedBy: Key.self)
                var inner = container.nestedUnkeyedContainer(forKey: .next)
                try inner.encode(self)
            case .superclass:
                // The encoder is not asked to encode anything that could be too deep.
                var container = encoder.container(keyedBy: Key.self)
                try container.encode("name", forKey: .name)
                try encode(to: container.superEncoder(forKey: .next))
            }
        }
    }

    @Test(arguments: Recursion.allCases)
    func `A type that goes on without end is refused, whatever it writes into`(recursion: Recursion) throws {
        let endless = Endless(recursion: recursion)
        #expect(Self.isTooDeep { _ = try CBOREncoder().encode(endless) })
        #expect(CBOREncoder().isDeeper(endless, than: Self.recordLimit))
    }

    @Test func `Containers in containers, without values between them, end on a small stack`() throws {
        struct Deep: Encodable {
            let levels: Int
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for _ in 1..<levels { container = container.nestedUnkeyedContainer() }
            }
        }
        try SmallStack.run {
            let bytes = try CBOREncoder().encode(Deep(levels: Self.limit))
            #expect(bytes.count == Self.limit)
            #expect(throws: EncodingError.self) { try CBOREncoder().encode(Deep(levels: Self.limit + 1)) }
        }
    }

    @Test func `A value that a coder of another kind takes may be deep`() throws {
        let value = try CBORValue(decoding: Shape.array.bytes(200))
        try SmallStack.run {
            let json = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(CBORValue.self, from: json) == value)
            #expect(String(decoding: json, as: UTF8.self) == value.json())
        }
    }

    @Test func `Shallow values stay on the thread of the caller, deep ones come back with their errors`() throws {
        struct Probe: Codable {
            var inner: [Probe] = []
            static let key = CodingUserInfoKey(rawValue: "seen")!
            final class Seen: @unchecked Sendable { var threads: Set<UInt> = [] }
            struct Refusal: Error {}
            init(_ inner: [Probe]) { self.inner = inner }
            init(from decoder: any Decoder) throws { inner = try decoder.singleValueContainer().decode([Probe].self) }
            func encode(to encoder: any Encoder) throws {
                let seen = encoder.userInfo[Self.key] as! Seen
                seen.threads.insert(UInt(bitPattern: ObjectIdentifier(Thread.current)))
                if inner.isEmpty, encoder.codingPath.count > 100 { throw Refusal() }
                var container = encoder.singleValueContainer()
                try container.encode(inner)
            }
        }
        func encode(_ levels: Int) -> (threads: Int, error: (any Error)?) {
            let seen = Probe.Seen()
            var encoder = CBOREncoder()
            encoder.userInfo[Probe.key] = seen
            let value = (0..<levels).reduce(Probe([])) { probe, _ in Probe([probe]) }
            do { _ = try encoder.encode(value) } catch { return (seen.threads.count, error) }
            return (seen.threads.count, nil)
        }
        #expect(encode(7).threads == 1 && encode(7).error == nil)
        #expect(encode(60).threads == 2 && encode(60).error == nil)
        #expect(encode(200).threads == 2 && encode(200).error is Probe.Refusal)
    }

    /// A list of many items, within others.
    private static func wide(_ count: Int, within levels: Int, of item: [UInt8]) -> [UInt8] {
        let head = [0x9a, 0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
        return [UInt8](repeating: 0x81, count: levels) + head + Array(repeatElement(item, count: count).joined())
    }

    // Each item at the level at which recursions leave the caller's stack got a thread of its own.
    @Test(arguments: [[0x00], [0x80], [0xa0], [0x81, 0x80]] as [[UInt8]])
    func `Many items at any level cost what they cost at others`(item: [UInt8]) throws {
        func time(_ levels: Int) throws -> Duration {
            let bytes = Self.wide(10_000, within: levels, of: item)
            return try ContinuousClock().measure { try Self.walk(bytes) }
        }
        for levels in [14, 15, 16] {
            // Side by side, as often as it takes: a machine has slow seconds.
            let isAsFast = try (0..<20).contains { _ in try time(levels) < time(5) * 4 + .milliseconds(50) }
            #expect(isAsFast, "\(levels)")
        }
    }

    @Test func `Values that differ deep down differ, and are found to on a small stack`() throws {
        for levels in [5, 15, 16, 17, 300] {
            try SmallStack.run {
                let nests = [UInt8](repeating: 0x81, count: levels)
                let (a, b) = (try CBORValue(decoding: nests + [1]), try CBORValue(decoding: nests + [2]))
                #expect(a == a && a != b && Set([a, b, a]).count == 2)
            }
        }
    }

    private final class Branch: Codable {
        var name = "n"
        var children: [Branch] = []
    }

    @Test func `A wide tree of objects is decoded as fast where it leaves the caller's stack`() throws {
        func bytes(_ levels: Int) throws -> [UInt8] {
            let root = Branch()
            var last = root
            for _ in 0..<levels {
                let next = Branch()
                last.children = [next]
                last = next
            }
            last.children = (0..<20_000).map { _ in Branch() }
            return try CBOREncoder().encode(root)
        }
        func time(_ bytes: [UInt8]) throws -> Duration {
            try ContinuousClock().measure { _ = try CBORDecoder().decode(Branch.self, from: bytes) }
        }
        // Two containers for each level; a container is read once for each that is around it.
        let shallow = try bytes(6)
        for levels in [7, 8] {
            let deep = try bytes(levels)
            // Side by side, as often as it takes: a machine has slow seconds.
            let isFast = try (0..<20).contains { _ in try time(deep) < time(shallow) * 2 + .milliseconds(100) }
            #expect(isFast, "\(levels)")
        }
    }
}
