import Foundation
import TestSupport
import Testing
import YaprakCBOR

@testable import YaprakImport

/// A class as programs of YapDatabase's time have them.
final class OldBook: NSObject, NSCoding {
    let title: String
    let rank: Int
    let tags: [String]
    var sequel: OldBook?

    init(title: String, rank: Int, tags: [String] = [], sequel: OldBook? = nil) {
        self.title = title
        self.rank = rank
        self.tags = tags
        self.sequel = sequel
    }

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        coder.encode(title as NSString, forKey: "title")
        coder.encode(rank, forKey: "rank")
        coder.encode(tags.map { $0 as NSString } as NSArray, forKey: "tags")
        coder.encode(sequel, forKey: "sequel")
        coder.encode(true, forKey: "isOld")
        coder.encode(1.5, forKey: "weight")
    }
}

@Suite(.bounded) struct KeyedArchiveTests {
    /// The Swift type that takes the place of the class.
    struct NewBook: Codable, Equatable {
        final class Box: Codable, Equatable {
            let book: NewBook
            init(_ book: NewBook) { self.book = book }
            init(from decoder: any Decoder) throws { book = try NewBook(from: decoder) }
            func encode(to encoder: any Encoder) throws { try book.encode(to: encoder) }
            static func == (a: Box, b: Box) -> Bool { a.book == b.book }
        }

        var title: String, rank: Int, tags: [String], sequel: Box?, isOld: Bool, weight: Double
    }

    private func archive(_ object: Any) throws -> [UInt8] {
        Array(try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
    }

    private func value(_ object: Any) throws -> CBORValue { try CBORValue(keyedArchive: try archive(object)) }

    @Test func `What a reference leads to is counted once`() throws {
        // More than half of what a value may have.
        let data = NSData(data: Data(count: 33 << 20))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: data, requiringSecureCoding: true)
        #expect(throws: Never.self) { try CBORValue(keyedArchive: Array(archive)) }
    }

    @Test func `An object of a program's class is a map that a type with its properties decodes`() throws {
        let second = OldBook(title: "Dune Messiah", rank: 9)
        let value = try value(OldBook(title: "Dune", rank: 3, tags: ["sand", "spice"], sequel: second))
        #expect(value["$class"]?.text?.hasSuffix("OldBook") == true)
        let book = try CBORDecoder().decode(NewBook.self, from: try value.encoded())
        let sequel = NewBook(title: "Dune Messiah", rank: 9, tags: [], sequel: nil, isOld: true, weight: 1.5)
        #expect(
            book
                == NewBook(
                    title: "Dune", rank: 3, tags: ["sand", "spice"], sequel: .init(sequel), isOld: true, weight: 1.5))
        #expect(StoredValue(try archive(second)).form == .keyedArchive)
    }

    @Test func `Foundation's values are what Yaprak's coder writes for Swift's`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12_345.25), id = UUID()
        #expect(try value("text" as NSString) == "text")
        #expect(try value(NSMutableString(string: "more")) == "more")
        #expect(try value([1, 2, 3] as NSArray) == [1, 2, 3])
        #expect(try value(date as NSDate) == .float(12_345.25))
        #expect(try value(Data([1, 2]) as NSData) == .bytes([1, 2]))
        #expect(try value(["a": 1] as NSDictionary) == ["a": 1])
        #expect(try value(id as NSUUID) == .text(id.uuidString))
        #expect(try value(NSSet(array: ["x"])) == ["x"])
        let url = URL(string: "https://example.org/a?b")!
        #expect(try CBORDecoder().decode(URL.self, from: value(url as NSURL).encoded()) == url)
    }

    /// Foundation on Linux ends in a recursion when it archives one, so the archive is made here, with the fields of Apple's.
    @Test(arguments: ["0", "12.50", "-0.001", "123456789012345678901234567890"], [1, 2] as [UInt8])
    func `A decimal number is what Decimal encodes of itself, whatever the order of its bytes`(
        text: String, order: UInt8
    ) throws {
        let decimal = try #require(Decimal(string: text))
        let encoded = try CBORValue(decoding: try CBOREncoder().encode(decimal))
        let parts = try #require(encoded["mantissa"]?.array).compactMap(\.integer)
        let mantissa = parts.flatMap { part -> [UInt8] in
            let bytes = [UInt8(truncatingIfNeeded: part), UInt8(truncatingIfNeeded: part >> 8)]
            return order == 1 ? bytes : bytes.reversed()
        }
        let list = try archive([
            .text("$null"),
            .object(
                2,
                [
                    ("NS.exponent", .integer(UInt8(truncatingIfNeeded: encoded["exponent"]?.integer ?? 0))),
                    ("NS.length", .integer(UInt8(encoded["length"]?.integer ?? 0))),
                    ("NS.negative", .bool(encoded["isNegative"] == .bool(true))),
                    ("NS.compact", .bool(encoded["isCompact"] == .bool(true))),
                    ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(order)),
                ]), .class("NSDecimalNumber", ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]),
        ])
        let value = try CBORValue(keyedArchive: list)
        #expect(try CBORDecoder().decode(Decimal.self, from: value.encoded()) == decimal)
        #expect(value.map?.count == 5)
    }

    @Test func `One object in many places is in each of them, and one that holds itself is refused`() throws {
        let shared = OldBook(title: "Dune", rank: 1)
        let list = try value([shared, shared] as NSArray)
        #expect(list.array?.count == 2)
        #expect(list.array?.first == list.array?.last)
        let circle = OldBook(title: "Ouroboros", rank: 0)
        circle.sequel = circle
        let bytes = try archive(circle)
        #expect { try CBORValue(keyedArchive: bytes) } throws: { ($0 as? ForeignDataError)?.code == .cyclic }
        #expect(StoredValue(bytes).value == .bytes(bytes))
        circle.sequel = nil
    }

    /// An archive as a property list, for forms that Foundation does not write any more.
    private func archive(_ objects: [ArchivedObject], root: Int = 1) throws -> [UInt8] {
        try ArchiveMaker.archive(objects, root: root)
    }

    @Test func `Archives of old systems, with a field for each element, are read`() throws {
        let list = try archive([
            .text("$null"), .object(3, [("NS.object.0", .uid(2)), ("NS.object.1", .uid(2))]), .text("x"),
            .class("NSArray", ["NSArray", "NSObject"]),
        ])
        #expect(try CBORValue(keyedArchive: list) == ["x", "x"])
        let map = try archive([
            .text("$null"), .object(3, [("NS.key.0", .uid(2)), ("NS.object.0", .uid(4))]), .text("k"),
            .class("NSDictionary", ["NSDictionary", "NSObject"]), .integer(7),
        ])
        #expect(try CBORValue(keyedArchive: map) == ["k": 7])
    }

    @Test func `A class of which nothing is known keeps its fields, and so does one that adds to a known one`() throws {
        let color = try archive([
            .text("$null"), .object(2, [("UIRed", .real(0.5)), ("UIColorComponentCount", .integer(4))]),
            .class("UIColor", ["UIColor", "NSObject"]),
        ])
        #expect(
            try CBORValue(keyedArchive: color)["$class"] == "UIColor")
        #expect(try CBORValue(keyedArchive: color)["UIRed"] == .float(0.5))
        // A subclass of NSArray without fields of its own is a list; with one it is an object.
        let plain = try archive([
            .text("$null"), .object(2, [("NS.object.0", .uid(3))]),
            .class("MyList", ["MyList", "NSArray", "NSObject"]),
            .text("x"),
        ])
        #expect(try CBORValue(keyedArchive: plain) == ["x"])
        let more = try archive([
            .text("$null"), .object(2, [("NS.object.0", .uid(3)), ("name", .uid(3))]),
            .class("MyList", ["MyList", "NSArray", "NSObject"]), .text("x"),
        ])
        #expect(try CBORValue(keyedArchive: more)["$class"] == "MyList")
        #expect(try CBORValue(keyedArchive: more)["name"] == "x")
    }

    @Test func `References that lead nowhere and objects without a class are errors, never traps`() throws {
        let nowhere = try archive([.text("$null"), .object(9, []), .text("x")])
        // A chain of references would have no level of its own to be counted.
        let chain = try ArchiveMaker.archive([.text("$null"), .uid(2), .uid(3), .text("x")], root: 1)
        #expect { try CBORValue(keyedArchive: chain) } throws: { ($0 as? ForeignDataError)?.code == .malformed }
        #expect { try CBORValue(keyedArchive: nowhere) } throws: { ($0 as? ForeignDataError)?.code == .malformed }
        let far = try archive([.text("$null")], root: 7)
        #expect { try CBORValue(keyedArchive: far) } throws: { ($0 as? ForeignDataError)?.code == .malformed }
        let noClass = try archive([.text("$null"), .object(2, []), .text("x")])
        #expect { try CBORValue(keyedArchive: noClass) } throws: { ($0 as? ForeignDataError)?.code == .malformed }
        let list = Array(try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0))
        #expect { try CBORValue(keyedArchive: list) } throws: { ($0 as? ForeignDataError)?.code == .malformed }
    }

    @Test func `No change of a byte makes reading an archive trap`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let book = OldBook(
            title: "Dune", rank: 3, tags: ["sand"], sequel: OldBook(title: "Two", rank: 4, tags: ["a", "b"]))
        let good = try archive([
            "book": book, "date": NSDate(), "url": NSURL(string: "a:b")!,
            "id": NSUUID(), "null": NSNull(),
        ])
        let step = max(1, good.count * 8 / Soak.volume(6000, soak: .max))
        for bit in stride(from: random.below(step), to: good.count * 8, by: step) {
            var bytes = good
            bytes[bit / 8] ^= 1 << (bit % 8)
            check(bytes, seed)
        }
        for _ in 0..<Soak.volume(5000, soak: 1_000_000) {
            var bytes = good
            for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            check(bytes, seed)
        }
    }

    private func check(_ bytes: [UInt8], _ seed: UInt64) {
        let stored = StoredValue(bytes)
        #expect((try? stored.value.encoded()) != nil, "seed \(seed)")
    }
}
