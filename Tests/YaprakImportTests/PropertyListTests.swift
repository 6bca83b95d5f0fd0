import Foundation
import TestSupport
import Testing
import YaprakCBOR

@testable import YaprakImport

@Suite(.bounded) struct PropertyListTests {
    struct Inner: Codable, Hashable {
        var name: String
        var ranks: [Int]
        var note: String?
    }

    struct Outer: Codable, Hashable {
        var text: String, count: Int, large: UInt64, small: Int8, ratio: Double, float: Float, flag: Bool
        var data: Data, date: Date, id: UUID, url: URL, price: Decimal
        var maybe: Int?, gaps: [Int?]
        var byName: [String: Inner], nested: [[Inner]]
    }

    static func outer(_ random: inout SplitMix64) -> Outer {
        func inner() -> Inner {
            Inner(
                name: random.chance(20) ? "ünï \u{1F4DA} \u{0}" : String(random.next(), radix: 36),
                ranks: (0..<random.below(20)).map { _ in
                    Int(bitPattern: UInt(random.next() >> UInt64(random.below(64))))
                },
                note: random.chance(50) ? "note" : nil)
        }
        return Outer(
            text: random.chance(30) ? "" : String(repeating: "ä", count: random.below(40)),
            count: Int(truncatingIfNeeded: random.next()), large: random.next() | 1 << 63,
            small: Int8(truncatingIfNeeded: random.next()), ratio: Double(random.below(1000)) / 8,
            float: Float(random.below(1000)) / 3, flag: random.chance(50),
            data: Data((0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
            date: Date(timeIntervalSinceReferenceDate: Double(random.below(1_000_000_000)) / 4), id: UUID(),
            url: URL(string: "https://example.org/\(random.below(100))")!, price: Decimal(random.below(100_000)) / 100,
            maybe: random.chance(50) ? random.below(100) : nil,
            gaps: (0..<random.below(5)).map { _ in random.chance(30) ? nil : random.below(9) },
            byName: Dictionary((0..<random.below(9)).map { _ in (String(random.below(1000)), inner()) }) { $1 },
            nested: (0..<random.below(4)).map { _ in (0..<random.below(4)).map { _ in inner() } })
    }

    @Test func `A type that PropertyListEncoder encoded decodes from the value, whatever it holds`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        for _ in 0..<Soak.volume(300, soak: 30_000) {
            let value = Self.outer(&random)
            let list = Array(try encoder.encode(value))
            let read = try CBORValue(propertyList: list)
            let bytes = try read.encoded()
            #expect(try CBORDecoder().decode(Outer.self, from: bytes) == value, "seed \(seed)")
            // A record that the program writes itself is the same, byte for byte: importing again changes nothing.
            #expect(try CBOREncoder().encode(value) == bytes, "seed \(seed)")
            #expect(StoredValue(list).form == .propertyList)
        }
    }

    @Test func `What Foundation reads from a list is what is read here`() throws {
        let plain: [String: Any] = [
            "text": "x", "yes": true, "no": false, "one": 1, "minus": -1, "byte": 200, "word": 60_000,
            "long": 5_000_000_000,
            "min": Int64.min, "max": UInt64.max, "real": 1.5, "date": Date(timeIntervalSinceReferenceDate: 7),
            "data": Data([1, 2, 3]), "list": [1, [2, [3]]], "map": ["a": ["b": "c"]], "umlaut": "äöü", "empty": "",
            "long text": String(repeating: "z", count: 70_000), "many": Array(0..<300),
        ]
        let bytes = Array(try PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0))
        let value = try CBORValue(propertyList: bytes)
        #expect(value["text"] == "x")
        #expect(value["yes"] == .bool(true))
        #expect(value["no"] == .bool(false))
        #expect(value["one"] == .unsigned(1))
        #expect(value["minus"] == .integer(-1))
        #expect(value["byte"] == .unsigned(200))
        #expect(value["word"] == .unsigned(60_000))
        #expect(value["long"] == .unsigned(5_000_000_000))
        #expect(value["min"] == .integer(.min))
        #expect(value["max"] == .unsigned(.max))
        #expect(value["real"] == .float(1.5))
        #expect(value["date"] == .float(7))
        #expect(value["data"] == .bytes([1, 2, 3]))
        #expect(value["list"] == [1, [2, [3]]])
        #expect(value["map"]?["a"]?["b"] == "c")
        #expect(value["umlaut"] == "äöü")
        #expect(value["empty"] == "")
        #expect(value["long text"]?.text?.count == 70_000)
        #expect(value["many"] == .array((0..<300).map { .unsigned($0) }))
    }

    /// A list of objects that refer to each other by a byte.
    private func list(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8), offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xff)] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        bytes += [0, 0, 0, 0, 0, 0, 0, top] + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xff)]
        return bytes
    }

    @Test func `Integers of every width have their value, also those of 128 bits`() throws {
        func value(_ bytes: [UInt8]) throws -> CBORValue { try CBORValue(propertyList: list([bytes])) }
        #expect(try value([0x10, 0xff]) == .unsigned(255))
        #expect(try value([0x11, 0xff, 0xfe]) == .unsigned(0xfffe))
        #expect(try value([0x12, 0xff, 0xff, 0xff, 0xfe]) == .unsigned(0xffff_fffe))
        #expect(try value([0x13] + Array(repeating: 0xff, count: 8)) == .integer(-1))
        #expect(try value([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xff, count: 8)) == .unsigned(.max))
        #expect(try value([0x14] + Array(repeating: 0xff, count: 8) + Array(repeating: 0, count: 8)) == .negative(.max))
        #expect(try value([0x14] + Array(repeating: 0xff, count: 16)) == .integer(-1))
        let big = try value([0x14, 0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 0, count: 8))
        #expect(try CBORDecoder().decode(UInt128.self, from: try big.encoded()) == 1 << 64)
        let small = try value([0x14] + Array(repeating: 0xff, count: 7) + [0xfe] + Array(repeating: 0xff, count: 8))
        #expect(try CBORDecoder().decode(Int128.self, from: try small.encoded()) == -(1 << 64) - 1)
    }

    @Test func `A list that holds itself is refused, and so is one that means more than a record may be`() throws {
        #expect(throws: ForeignDataError.self) { try CBORValue(propertyList: list([[0xa1, 0]])) }
        #expect { try CBORValue(propertyList: list([[0xa1, 1], [0xa1, 0]])) } throws: {
            ($0 as? ForeignDataError)?.code == .cyclic
        }
        // Thirty arrays, each of which holds the next one fifteen times: 15 to the 30th items.
        let bomb = list((1...30).map { [0xae] + Array(repeating: UInt8($0), count: 14) } + [[0x10, 1]])
        #expect { try CBORValue(propertyList: bomb) } throws: { ($0 as? ForeignDataError)?.code == .overLimit }
        // Many items at the level at which the walk leaves its stack cost what they cost at others.
        func time(within levels: Int) throws -> Duration {
            let around = (1...levels).map { [0xa1, UInt8($0)] }
            let wide = (1...2).map { [0xaf, 0x10, 0xff] + Array(repeating: UInt8(levels + $0), count: 255) }
            let list = list(around + wide + [[0x10, 1]])
            return try ContinuousClock().measure { _ = try CBORValue(propertyList: list) }
        }
        let shallow = try time(within: 3)
        for levels in 13...16 { #expect(try time(within: levels) < shallow * 10 + .milliseconds(500), "\(levels)") }
        // One text of 30,000 bytes, in an array 3,000 times in each of two levels.
        let text = [0x5f, 0x11, 0x75, 0x30] + Array(repeating: UInt8(ascii: "x"), count: 30_000)
        let many = [0xaf, 0x11, 0x0b, 0xb8] + Array(repeating: UInt8(1), count: 3000)
        let more = [0xaf, 0x11, 0x0b, 0xb8] + Array(repeating: UInt8(2), count: 3000)
        #expect { try CBORValue(propertyList: list([many, more, text])) } throws: {
            ($0 as? ForeignDataError)?.code == .overLimit
        }
        let stored = StoredValue(bomb)
        #expect(stored.form == .bytes)
        #expect(stored.value == .bytes(bomb))
        #expect(stored.error?.code == .overLimit)
    }

    @Test func `A list may nest as deep as a record, on a small stack, and no deeper`() throws {
        func nested(_ levels: Int) -> [UInt8] {
            // Two bytes for a reference: there are more than 256 objects.
            var bytes = Array("bplist00".utf8), offsets: [Int] = []
            for level in 1...levels {
                offsets.append(bytes.count)
                bytes += [0xa1, UInt8(level >> 8), UInt8(level & 0xff)]
            }
            offsets.append(bytes.count)
            bytes += [0x10, 7]
            let table = bytes.count
            for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xff)] }
            bytes +=
                [0, 0, 0, 0, 0, 0, 2, 2] + [0, 0, 0, 0, 0, 0, UInt8(offsets.count >> 8), UInt8(offsets.count & 0xff)]
            return bytes + Array(repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xff)]
        }
        let deepest = nested(CBORItem.depthMax)
        let stored = try SmallStack.run { StoredValue(deepest) }
        #expect(stored.form == .propertyList)
        #expect(throws: Never.self) { try stored.value.encoded() }
        let tooDeep = try SmallStack.run { StoredValue(nested(CBORItem.depthMax + 1)) }
        #expect(tooDeep.form == .bytes)
        #expect(tooDeep.error?.code == .overLimit)
        let muchTooDeep = try SmallStack.run { StoredValue(nested(20_000)) }
        #expect(muchTooDeep.error?.code == .overLimit)
    }

    @Test func `No change of a byte and no cut makes reading trap, and what can be read can be written`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let good = Array(try encoder.encode(Self.outer(&random)))
        // All of them in a soak.
        let step = max(1, good.count * 8 / Soak.volume(6000, soak: .max))
        for bit in stride(from: random.below(step), to: good.count * 8, by: step) {
            var bytes = good
            bytes[bit / 8] ^= 1 << (bit % 8)
            check(bytes, seed)
        }
        for count in stride(from: 0, to: good.count, by: max(1, step / 8)) { check(Array(good[..<count]), seed) }
        for _ in 0..<Soak.volume(5000, soak: 1_000_000) {
            var bytes = good
            for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            // Where most of the trouble is.
            if random.chance(50) {
                bytes[bytes.count - 32 + random.below(32)] = random.chance(50) ? 0xff : UInt8(random.below(20))
            }
            check(bytes, seed)
        }
    }

    private func check(_ bytes: [UInt8], _ seed: UInt64) {
        let stored = StoredValue(bytes)
        #expect((try? stored.value.encoded()) != nil, "seed \(seed): \(bytes)")
        if stored.form == .bytes { #expect(stored.value == .bytes(bytes), "seed \(seed)") }
    }

    @Test func `The form of a value is found by its bytes`() throws {
        #expect(StoredValue([]).form == .empty)
        #expect(StoredValue([]).value == .null)
        #expect(StoredValue(Array(#"{"a": [1, 2.5, null]}"#.utf8)).value == ["a": [1, .float(2.5), .null]])
        #expect(StoredValue(Array(" [1]".utf8)).form == .json)
        // Eight bytes of JSON are JSON.
        #expect(StoredValue(Array(#"{"a": 1}"#.utf8)).form == .json)
        #expect(StoredValue(Array(#"{"a": 1, "a": 2}"#.utf8)).form == .bytes)
        #expect(StoredValue(Array("{oops".utf8)).form == .bytes)
        // What looks like JSON and is none says why; what may be anything does not.
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        for text in [#"{"a": 1, "a": 2}"#, "[1e999]", " {oops} ", "\"\\q\"", deep] {
            #expect(StoredValue(Array(text.utf8)).error != nil, "\(text)")
        }
        for bytes in [Array("{oops".utf8), [0x5b, 0xff, 0x5d], Array("\"".utf8)] {
            #expect(StoredValue(bytes).error == nil && StoredValue(bytes).form == .bytes)
        }
        #expect(StoredValue(Array("12345".utf8)).form == .bytes)
        let date = Date(timeIntervalSince1970: 1_500_000_000)
        let eight = withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) { Array($0) }
        #expect(StoredValue(eight, mayBeTimestamp: true).form == .timestamp)
        #expect(StoredValue(eight, mayBeTimestamp: true).value == .float(date.timeIntervalSinceReferenceDate))
        #expect(StoredValue(eight).form == .bytes)
        #expect(StoredValue([1, 0, 0, 0, 0, 0, 0, 0], mayBeTimestamp: true).form == .bytes)
        #expect(StoredValue([0, 0, 0, 0, 0, 0, 0, 0], mayBeTimestamp: true).form == .bytes)
        #expect(StoredValue([0xff, 0xd8, 0xff]).value == .bytes([0xff, 0xd8, 0xff]))
        #expect(StoredValue(Array("bplist00".utf8)).error?.code == .malformed)
    }
}
