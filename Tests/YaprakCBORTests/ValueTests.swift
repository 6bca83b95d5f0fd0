import Foundation
import TestSupport
import Testing
import YaprakCBOR

@Suite(.bounded) struct ValueTests {
    @Test func `Any value comes back from its bytes, and its bytes are deterministic`() throws {
        for seed in 0..<2000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let value = CBORValueModel.value(&random)
            let bytes = try value.encoded()
            let back = try CBORValue(decoding: bytes)
            #expect(try back.encoded() == bytes, "seed \(seed)")
            #expect(CBORItem.isDeterministic(bytes), "seed \(seed)")
            #expect(try CBOREncoder().encode(value) == bytes, "seed \(seed)")
            #expect(try CBORDecoder().decode(CBORValue.self, from: bytes) == back, "seed \(seed)")
            #expect(try CBORItem.length(of: bytes) == bytes.count, "seed \(seed)")
            #expect(try CBORItem.diagnostic(of: bytes) == back.description, "seed \(seed)")
            #expect(back.hashValue == (try CBORValue(decoding: bytes)).hashValue, "seed \(seed)")
        }
    }

    @Test func `JSON goes through a value and stays what it was`() throws {
        let text = #"{"a":[1,-2,3.5,18446744073709551615,true,null,"x\u001b"],"b":{"deep":{}},"big":1e300}"#
        let value = try JSONDecoder().decode(CBORValue.self, from: Data(text.utf8))
        #expect(value["a"]?[0] == 1)
        #expect(value["a"]?[1] == -2)
        #expect(value["a"]?[2] == 3.5)
        #expect(value["a"]?[3] == .unsigned(.max))
        #expect(value["a"]?[4] == true)
        #expect(value["a"]?[5] == nil as CBORValue)
        #expect(value["b"]?["deep"] == [:])
        #expect(value["big"]?.double == 1e300)
        #expect(
            value.json() == #"{"a":[1,-2,3.5,18446744073709551615,true,null,"x\u001b"],"b":{"deep":{}},"big":1.0e+300}"#
        )
        let again = try JSONDecoder().decode(CBORValue.self, from: JSONEncoder().encode(value))
        #expect(again == value)
    }

    @Test func `Setting nil, and a chain that finds nothing, change no value but a map that has the pair`() {
        for before: CBORValue in [.text("plain"), 5, .null, .array([1]), .map([]), ["other": 1]] {
            var value = before
            value["x"] = nil
            #expect(value == before)
            value["x"]?["y"] = 1
            #expect(value == before)
        }
        var value: CBORValue = ["x": ["y": 1], "z": 2]
        value["x"]?["y"] = nil
        #expect(value == ["x": .map([]), "z": 2])
        value["x"] = nil
        #expect(value == ["z": 2])
        var text = CBORValue.text("plain")
        text["x"] = 1
        #expect(text == ["x": 1])
    }

    @Test func `JSON text of every value is JSON`() throws {
        for seed in 0..<500 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let text = CBORValueModel.value(&random).json()
            #expect(throws: Never.self, "seed \(seed): \(text)") {
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            }
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 }, "seed \(seed)")
        }
    }

    @Test func `What JSON can't say has a form of its own`() throws {
        let value: CBORValue = [
            .float(.nan), .float(-.infinity), .undefined, .bytes([0, 255, 16, 1]), .simple(7), .tag(1, 5),
        ]
        #expect(value.json() == #"["NaN","-Infinity",null,"AP8QAQ==","simple(7)",5]"#)
        #expect(CBORValue.map([.init(1, 2), .init([1], 3)]).json() == #"{"1":2,"[1]":3}"#)
        #expect(CBORValue.tag(2, .bytes(hex("010000000000000000"))).json() == "18446744073709551616")
        #expect(
            CBORValue.tag(3, .bytes([UInt8](repeating: 255, count: 16))).json()
                == "-340282366920938463463374607431768211456")
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            #expect(CBORValue.bytes(Array(bytes.utf8)).json() == "\"\(text)\"")
        }
    }

    @Test func `No control character gets through to a terminal`() throws {
        let hostile: CBORValue = .text("\u{1b}[2J\u{7}\u{9b}31m\u{7f}\u{202e}\u{2028}\r\n\u{feff}\u{e0041}")
        let shown = hostile.description
        #expect(shown == #""\u001b[2J\u0007\u009b31m\u007f\u202e\u2028\r\n\ufeff\udb40\udc41""#)
        #expect(hostile.json() == shown)
        #expect(CBORValue.map([.init(hostile, 1)]).json() == "{\(shown):1}")
    }

    @Test func `Keys stand in the order of their encoded bytes, whatever they are`() throws {
        let parts = [
            "a", "b", "aa", "é", "e\u{301}", "a\u{323}\u{307}", "a\u{307}\u{323}", String(repeating: "x", count: 30),
        ]
        for seed in 0..<1000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var keys: Set<[UInt8]> = []
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let text = (0...random.below(3)).map { _ in parts.randomElement(using: &random)! }.joined()
                let isText = random.below(20) > 0 || seed % 2 == 0
                keys.insert(try (isText ? CBORValue.text(text) : .unsigned(random.next())).encoded())
            }
            let pairs = try keys.shuffled(using: &random).map { CBORValue.Pair(try CBORValue(decoding: $0), .null) }
            let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
            let bytes = try CBORValue.map(pairs).encoded()
            #expect(
                Array(bytes.suffix(sorted.reduce(0) { $0 + $1.count + 1 })) == sorted.flatMap { $0 + [0xf6] },
                "seed \(seed)")
            if let twice = pairs.first {
                #expect(throws: CBORError.self, "seed \(seed)") { try CBORValue.map(pairs + [twice]).encoded() }
            }
        }
    }

    /// Escapes stand between texts that are copied in one piece, also within what a reader takes for one character.
    @Test func `Text with escapes anywhere comes back scalar for scalar`() throws {
        let parts = [
            "a", "plain text", "é", "e\u{301}", "👩‍👩‍👧", "\u{301}", "\u{200d}", "\"", "\\", "\r\n", "\u{1b}", "\u{202e}",
            "\u{9b}",
        ]
        for seed in 0..<2000 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
            let shown = CBORValue.text(text).json()
            let again = try #require(try CBORValue(json: shown).text, "seed \(seed): \(shown)")
            #expect(Array(again.unicodeScalars) == Array(text.unicodeScalars), "seed \(seed): \(shown)")
            #expect(
                !shown.unicodeScalars.contains { "\u{1b}\u{202e}\u{9b}\r".unicodeScalars.contains($0) }, "seed \(seed)")
            #expect(CBORValue.text(text).description == shown, "seed \(seed)")
        }
    }

    @Test func `A long value is broken over lines, or cut`() throws {
        let value: CBORValue = ["title": "Dune", "tags": ["sand", "spice"], "blob": .bytes([1, 2, 3])]
        #expect(value.diagnostic(style: .pretty) == value.description)
        #expect(
            value.diagnostic(style: CBORDiagnosticStyle(isPretty: true, lineWidth: 20)) == """
                {
                  "title": "Dune",
                  "tags": ["sand", "spice"],
                  "blob": h'010203'
                }
                """)
        #expect(value.diagnostic(style: CBORDiagnosticStyle(charactersMax: 8)) == #"{"title"…"#)
        #expect(CBORValue.array([]).diagnostic(style: CBORDiagnosticStyle(charactersMax: 2)) == "[]")
        let long = CBORValue.array((0..<100_000).map { .integer($0) })
        #expect(long.diagnostic(style: CBORDiagnosticStyle(charactersMax: 30)).count == 31)
    }

    @Test func `Bignums that fit are integers`() throws {
        #expect(try CBORValue.tag(2, .bytes([0, 0, 7])).encoded() == [7])
        #expect(try CBORValue.tag(3, .bytes([])).encoded() == [0x20])
        #expect(try CBORDecoder().decode(Int.self, from: hex("c2420100")) == 256)
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(Int8.self, from: hex("c34180")) }
    }

    @Test func `A map with one key twice can be shown but not written`() throws {
        let value = try CBORValue(decoding: hex("a2010201 03"))
        #expect(value.description == "{1: 2, 1: 3}")
        #expect(throws: CBORError.self) { try value.encoded() }
    }

    @Test func `A writer's items are read back by a reader`() throws {
        let writer = CBORWriter(capacity: 1)
        writer.writeArrayHead(count: 9)
        writer.write(unsigned: 300)
        writer.write(integer: Int64.min)
        writer.write(text: "commit")
        writer.write(bytes: [1, 2])
        writer.write(tag: 55)
        writer.write(true)
        writer.writeNull()
        writer.write(2.5)
        writer.writeMapHead(count: 1)
        writer.write(simple: 40)
        writer.writeUndefined()
        try CBOREncoder().encode([1, 2], to: writer)
        let bytes = writer.bytes
        #expect(CBORItem.isDeterministic(bytes))
        try bytes.withUnsafeBytes { raw in
            var reader = CBORReader(raw)
            let count = try reader.readArrayHead()
            // A pull of the wrong type moves nothing.
            let wrong = try? reader.readText()
            let number = try reader.readUnsigned(), least = try reader.readInteger(as: Int64.self)
            let text = try reader.readText(), bytes = Array(try reader.readBytesInPlace())
            let tag = try reader.readTag(), flag = try reader.readBool(), isNull = reader.readNull()
            let half = try reader.readDouble(), pairs = try reader.readMapHead(), simple = try reader.readSimple()
            let kind = try reader.peek()
            try reader.skip()
            try reader.skip()
            #expect(
                count == 9 && wrong == nil && number == 300 && least == .min && text == "commit" && bytes == [1, 2])
            #expect(tag == 55 && flag && isNull && half == 2.5 && pairs == 1 && simple == 40 && kind == .undefined)
            #expect(reader.isAtEnd)
        }
    }

    @Test func `A line may be of any width`() {
        let style = CBORDiagnosticStyle(isPretty: true, lineWidth: .max)
        #expect((["a", [1, 2]] as CBORValue).diagnostic(style: style) == #"["a", [1, 2]]"#)
    }

    // It counted bytes: texts of other alphabets were cut where they fit, in the middle of a character, and without a mark.
    @Test func `A limit of characters counts characters`() throws {
        for character in ["e", "é", "€", "𝄞"] {
            let fits = CBORValue.array([.text(String(repeating: character, count: 60)), 7])
            #expect(fits.diagnostic(style: CBORDiagnosticStyle(charactersMax: 100)) == fits.description)
            for limit in [0, 1, 20, 59, 61] {
                let style = CBORDiagnosticStyle(charactersMax: limit)
                let cut = fits.diagnostic(style: style)
                #expect(cut == String(fits.description.unicodeScalars.prefix(limit)) + "…", "\(limit)")
            }
            #expect(fits.diagnostic(style: CBORDiagnosticStyle(charactersMax: .max)) == fits.description)
        }
        // Text that is no UTF-8 has no end of a character to go back to.
        let odd = try CBORItem.diagnostic(
            of: [0x79, 0x03, 0xe8] + [UInt8](repeating: 0x80, count: 1000),
            style: CBORDiagnosticStyle(charactersMax: 20))
        #expect(odd == "\"" + String(repeating: "\u{fffd}", count: 19) + "…")
        let broken = try CBORItem.diagnostic(
            of: [0x44, 0xc3, 0xa9, 0xc3, 0xa9], style: CBORDiagnosticStyle(charactersMax: 100))
        #expect(broken == "h'c3a9c3a9'")
    }

    @Test func `An integer that a float does not hold exactly is no float`() throws {
        #expect(try CBORDecoder().decode(Float.self, from: [0x1a, 0x01, 0x00, 0x00, 0x00]) == 16_777_216)
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Float.self, from: [0x1a, 0x01, 0x00, 0x00, 0x01])
        }
        #expect(throws: DecodingError.self) {
            try CBORDecoder().decode(Float.self, from: [0x3a, 0x01, 0x00, 0x00, 0x00])
        }
        // What was written as a float is rounded.
        let tenth = try CBOREncoder().encode(0.1)
        #expect(try CBORDecoder().decode(Float.self, from: tenth) == 0.1)
    }

    @Test func `A key in chunks that are not text each is refused by every reader`() throws {
        let bytes = hex("bf7f61c361a9ff01ff")
        #expect(throws: CBORError.self) { try CBORValue(decoding: bytes) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode([String: Int].self, from: bytes) }
        #expect(try CBORDecoder().decode([String: Int].self, from: hex("bf7f62c3a96161ff01ff")) == ["éa": 1])
    }
}
