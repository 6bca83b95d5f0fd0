import TestSupport
import Testing
import YaprakCBOR

/// Bytes from hexadecimal digits.
func hex(_ digits: String) -> [UInt8] {
    var bytes: [UInt8] = [], high: UInt8?
    for digit in digits.utf8 {
        guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) else { continue }
        if let first = high {
            bytes.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}

/// One line of RFC 8949 Appendix A. Where our notation is another spelling of theirs, it says so.
struct Example: Sendable, CustomTestStringConvertible {
    let encoded: String
    let diagnostic: String
    let isDeterministic: Bool
    init(_ encoded: String, _ diagnostic: String, deterministic: Bool = true) {
        self.encoded = encoded
        self.diagnostic = diagnostic
        isDeterministic = deterministic
    }
    var testDescription: String { encoded }

    static let all: [Example] = [
        Example("00", "0"), Example("01", "1"), Example("0a", "10"), Example("17", "23"), Example("1818", "24"),
        Example("1819", "25"), Example("1864", "100"), Example("1903e8", "1000"), Example("1a000f4240", "1000000"),
        Example("1b000000e8d4a51000", "1000000000000"), Example("1bffffffffffffffff", "18446744073709551615"),
        // The RFC writes bignums as numbers.
        Example("c249010000000000000000", "2(h'010000000000000000')"),
        Example("3bffffffffffffffff", "-18446744073709551616"),
        Example("c349010000000000000000", "3(h'010000000000000000')"),
        Example("20", "-1"), Example("29", "-10"), Example("3863", "-100"), Example("3903e7", "-1000"),
        Example("f90000", "0.0"), Example("f98000", "-0.0"), Example("f93c00", "1.0"),
        Example("fb3ff199999999999a", "1.1"), Example("f93e00", "1.5"), Example("f97bff", "65504.0"),
        Example("fa47c35000", "100000.0"), Example("fa7f7fffff", "3.4028234663852886e+38"),
        Example("fb7e37e43c8800759c", "1.0e+300"), Example("f90001", "5.960464477539063e-8"),
        // The RFC writes 0.00006103515625.
        Example("f90400", "6.103515625e-5"), Example("f9c400", "-4.0"), Example("fbc010666666666666", "-4.1"),
        Example("f97c00", "Infinity"), Example("f97e00", "NaN"), Example("f9fc00", "-Infinity"),
        Example("fa7f800000", "Infinity", deterministic: false), Example("fa7fc00000", "NaN", deterministic: false),
        Example("faff800000", "-Infinity", deterministic: false),
        Example("fb7ff0000000000000", "Infinity", deterministic: false),
        Example("fb7ff8000000000000", "NaN", deterministic: false),
        Example("fbfff0000000000000", "-Infinity", deterministic: false),
        Example("f4", "false"), Example("f5", "true"), Example("f6", "null"), Example("f7", "undefined"),
        Example("f0", "simple(16)"), Example("f8ff", "simple(255)"),
        Example("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")"),
        Example("c11a514b67b0", "1(1363896240)"), Example("c1fb41d452d9ec200000", "1(1363896240.5)"),
        Example("d74401020304", "23(h'01020304')"), Example("d818456449455446", "24(h'6449455446')"),
        Example("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")"),
        Example("40", "h''"), Example("4401020304", "h'01020304'"), Example("60", "\"\""), Example("6161", "\"a\""),
        Example("6449455446", "\"IETF\""), Example("62225c", "\"\\\"\\\\\""), Example("62c3bc", "\"\u{fc}\""),
        Example("63e6b0b4", "\"\u{6c34}\""), Example("64f0908591", "\"\u{10151}\""), Example("80", "[]"),
        Example("83010203", "[1, 2, 3]"), Example("8301820203820405", "[1, [2, 3], [4, 5]]"),
        Example(
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]"),
        Example("a0", "{}"), Example("a201020304", "{1: 2, 3: 4}"),
        Example("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
        Example("826161a161626163", "[\"a\", {\"b\": \"c\"}]"),
        Example(
            "a56161614161626142616361436164614461656145",
            "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"),
        Example("5f42010243030405ff", "(_ h'0102', h'030405')", deterministic: false),
        Example("7f657374726561646d696e67ff", "(_ \"strea\", \"ming\")", deterministic: false),
        Example("9fff", "[_ ]", deterministic: false),
        Example("9f018202039f0405ffff", "[_ 1, [2, 3], [_ 4, 5]]", deterministic: false),
        Example("9f01820203820405ff", "[_ 1, [2, 3], [4, 5]]", deterministic: false),
        Example("83018202039f0405ff", "[1, [2, 3], [_ 4, 5]]", deterministic: false),
        Example("83019f0203ff820405", "[1, [_ 2, 3], [4, 5]]", deterministic: false),
        Example(
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            "[_ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]",
            deterministic: false),
        Example("bf61610161629f0203ffff", "{_ \"a\": 1, \"b\": [_ 2, 3]}", deterministic: false),
        Example("826161bf61626163ff", "[\"a\", {_ \"b\": \"c\"}]", deterministic: false),
        Example("bf6346756ef563416d7421ff", "{_ \"Fun\": true, \"Amt\": -2}", deterministic: false),
    ]

    /// RFC 8949 Appendix F: not well-formed, and shorter than they need to be.
    static let broken: [String] = [
        "", "18", "19", "1a", "1b", "1901", "1a0102", "1b01020304050607", "38", "58", "78", "98", "9a01ff00", "b8",
        "d8",
        "f8", "f900", "fa0000", "fb000000", "41", "61", "5affffffff00", "5bffffffffffffffff010203", "7affffffff00",
        "7b7fffffffffffffff010203", "81", "818181818181818181", "8200", "a1", "a20102", "a100", "a2000000", "5f4100",
        "7f6100", "9f", "9f0102", "bf", "bf01020102", "819f", "9f8000", "9f9f9f9f9fffffffff", "9f819f819f9fffffff",
        "1c",
        "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc", "bd", "be", "dc",
        "dd",
        "de", "fc", "fd", "fe", "f800", "f801", "f818", "f81f", "5f00ff", "5f21ff", "5f6100ff", "5f80ff", "5fa0ff",
        "5fc000ff", "5fe0ff", "7f4100ff", "5f5f4100ffff", "7f7f6100ffff", "ff", "81ff", "8200ff", "a1ff", "a1ff00",
        "a100ff", "a20000ff", "9f81ff", "9f829f819f9fffffffff", "bf00ff", "bf000000ff", "1f", "3f", "df",
    ]
}

@Suite(.bounded) struct AppendixATests {
    @Test(arguments: Example.all) func `An example of appendix A reads as the RFC prints it`(example: Example) throws {
        let bytes = hex(example.encoded)
        #expect(try CBORItem.length(of: bytes) == bytes.count)
        #expect(try CBORItem.diagnostic(of: bytes) == example.diagnostic)
        #expect(CBORItem.isDeterministic(bytes) == example.isDeterministic)
    }

    @Test(arguments: Example.all) func `Writing what was read gives the deterministic form`(example: Example) throws {
        let bytes = hex(example.encoded)
        let value = try CBORValue(decoding: bytes)
        let again = try value.encoded()
        #expect((again == bytes) == example.isDeterministic)
        #expect(CBORItem.isDeterministic(again))
        #expect(try CBORValue(decoding: again).encoded() == again)
        #expect(try CBOREncoder().encode(value) == again)
        #expect(try CBORDecoder().decode(CBORValue.self, from: bytes) == value)
    }

    @Test(arguments: Example.broken) func `What appendix F calls broken is an error everywhere`(digits: String) {
        let bytes = hex(digits)
        #expect(throws: CBORError.self) { try CBORItem.length(of: bytes) }
        #expect(throws: CBORError.self) { try CBORValue(decoding: bytes) }
        #expect(throws: CBORError.self) { try CBORItem.diagnostic(of: bytes) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode(CBORValue.self, from: bytes) }
        #expect(throws: DecodingError.self) { try CBORDecoder().decode([String: Int].self, from: bytes) }
    }

    @Test func `A half holds exactly what it should`() throws {
        for bits in UInt16.min...UInt16.max {
            let bytes: [UInt8] = [0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)]
            let value = try #require(try CBORValue(decoding: bytes).double)
            let isNaN = bits & 0x7c00 == 0x7c00 && bits & 0x3ff != 0
            #expect(value.isNaN == isNaN)
            #expect(try CBORValue.float(value).encoded() == (isNaN ? [0xf9, 0x7e, 0x00] : bytes))
        }
    }
}
