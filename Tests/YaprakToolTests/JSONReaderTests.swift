import Foundation
import TestSupport
import Testing
import ToolSupport
import Yaprak
import YaprakCBOR

/// JSON text in, stored values out.
@Suite(.bounded) struct JSONReaderTests {
    private func read(_ text: String) throws -> CBORValue { try JSONReader.value(of: Array(text.utf8)[...]) }

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
        #expect(throws: InputError.self) { try read(text) }
    }

    @Test func `Bytes that are not UTF-8, and depths beyond the limit, are refused`() {
        #expect(throws: InputError.self) { try JSONReader.value(of: [0x22, 0xff, 0x22]) }
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(throws: InputError.self) { try read(deep) }
        #expect(throws: Never.self) { try read(String(deep.dropFirst().dropLast())) }
    }

    @Test func `Real lines mean what Foundation reads in them`() throws {
        for name in ["cities", "departures-2013-01"] {
            let lines = try LineReader(fixture(name))
            let decoder = JSONDecoder()
            while let line = try lines.next() {
                guard lines.number % 500 == 1 else { continue }
                #expect(try JSONReader.value(of: line) == decoder.decode(CBORValue.self, from: Data(line)))
            }
        }
    }

    @Test func `Lines end with LF, CR LF and the file; damage of a frame is an error`() throws {
        let folder = try Folder()
        let lines = try LineReader(try folder.write("a\r\n\nb\rc\nd", to: "lines"))
        var read: [String] = []
        while let line = try lines.next() { read.append(String(decoding: line, as: UTF8.self)) }
        #expect(read == ["a", "", "b\rc", "d"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture("cities")))
        try bytes.prefix(100_000).write(to: URL(fileURLWithPath: folder("cut")))
        bytes[50_000] ^= 0xff
        try bytes.write(to: URL(fileURLWithPath: folder("rot")))
        for name in ["cut", "rot"] {
            let lines = try LineReader(folder(name))
            #expect(throws: InputError.self) { while try lines.next() != nil {} }
        }
    }
}
