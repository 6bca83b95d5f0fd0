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
}
