import TestSupport
import Testing
import YaprakCBOR

/// JSON text in, stored values out.
@Suite(.bounded) struct JSONTests {
    private func read(_ text: String) throws -> CBORValue { try CBORValue(json: text) }

    @Test func `Values keep their kind and their digits`() throws {
        #expect(
            try read("[0,-1,18446744073709551615,-9223372036854775808,1.5,1e3,true,null]")
                == [0, -1, .unsigned(.max), .integer(.min), 1.5, 1000.0, true, nil])
        #expect(try read(#"{"bb":1,"a":{},"c":[]}"#) == ["a": [:], "c": [], "bb": 1])
        #expect(try read(#""\u00e9\ud83d\ude00\n\/\"""#) == "é😀\n/\"")
        #expect(try read("\"é😀\"") == "é😀")
    }

    @Test(arguments: [
        "18446744073709551616", "-18446744073709551616", "-18446744073709551617", "99999999999999999999999",
        "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455",
    ])
    func `Integers beyond 64 bits keep all their digits, as values and as integers of a type`(text: String) throws {
        let value = try read(text)
        #expect(value.json() == text)
        #expect(try CBORValue(decoding: value.encoded()) == value)
        if let integer = Int128(text) {
            #expect(try CBORDecoder().decode(Int128.self, from: value.encoded()) == integer)
            #expect(try CBOREncoder().encode(integer) == value.encoded())
        }
        // To a double it is the nearest, as in any other reader of JSON; one of 64 bits has to be exact.
        if case .tag = value {
            #expect(try CBORDecoder().decode(Double.self, from: value.encoded()) == Double(text)!)
        } else {
            let double = try? CBORDecoder().decode(Double.self, from: value.encoded())
            #expect(double == Int128(text).flatMap { Double(exactly: $0) })
        }
        // Beyond 128 bits only a double is left.
        let longer = text + String(repeating: "0", count: 20)
        #expect(try read(longer) == .float(Double(longer)!))
    }

    @Test(arguments: [
        "", " ", "nul", "01", "-", "1.", ".5", "1e", "+1", "1e999", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}",
        "{\"a\":1,\"a\":2}", "\"", "\"\t\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\u12g4\"", "1 2",
        "[1]]", "\u{feff}1", "NaN", "'a'",
    ])
    func `What is not JSON is refused`(text: String) {
        #expect(throws: CBORError.self) { try read(text) }
    }

    @Test func `Bytes that are not UTF-8, and depths beyond the limit, are refused`() {
        #expect(throws: CBORError.self) { try CBORValue(json: [0x22, 0xff, 0x22]) }
        let deep =
            String(repeating: "[", count: CBORItem.depthMax + 1) + String(repeating: "]", count: CBORItem.depthMax + 1)
        #expect(throws: CBORError.self) { try read(deep) }
        #expect(throws: Never.self) { try read(String(deep.dropFirst().dropLast())) }
    }

    @Test func `The error of a text quotes nothing of it`() throws {
        let error = #expect(throws: CBORError.self) { try CBORValue(json: #"{"secret":1,"secret":2}"#) }
        #expect(error?.description.contains("secret") == false)
    }
}
