import TestSupport
import Testing
import YaprakCBOR

/// Diagnostic notation in, values out.
@Suite(.bounded) struct DiagnosticReaderTests {
    @Test func `Every value comes back from its notation, on one line and on many`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        for round in 0..<3000 {
            let value = CBORValueModel.value(&random)
            for style in [CBORDiagnosticStyle.oneLine, .pretty] {
                let text = value.diagnostic(style: style)
                #expect(try CBORValue(diagnostic: text) == value, "seed \(seed), round \(round): \(text)")
            }
        }
    }

    @Test(arguments: [
        ("-18446744073709551616", CBORValue.negative(.max)), ("18446744073709551615", .unsigned(.max)),
        ("-0", .unsigned(0)), ("-0.0", .float(-0.0)), ("1.5e-3", .float(0.0015)), (" [ 1 ,2 ] ", .array([1, 2])),
        ("{1: 2}", .map([.init(1, 2)])), ("18446744073709551615(h'')", .tag(.max, .bytes([]))),
        ("simple(255)", .simple(255)), ("h'00fF'", .bytes([0, 255])),
    ])
    func `Values are read as they are meant`(text: String, value: CBORValue) throws {
        #expect(try CBORValue(diagnostic: text) == value)
    }

    @Test(arguments: [
        "", " ", "1 2", "[1", "[1,]", "{1}", "{1:}", "h'0'", "h'0g'", "h'00", "\"a", "\"\\", "\"\\x\"", "1(2",
        "simple(20)",
        "simple(256)", "simple()", "[_ 1]", "(_ \"a\")", "+1", "1.", "1e", "1e999", "18446744073709551616",
        "-18446744073709551617", "99999999999999999999999999999999999999999", "18446744073709551616(1)", "-1(2)", "nul",
        "'a'", "/ comment / 1",
    ])
    func `What is no notation is refused`(text: String) {
        #expect(throws: CBORError.self) { try CBORValue(diagnostic: text) }
    }

    @Test func `Nothing stops the reader, however deep or random the text is`() {
        for opening in ["[", "{1:", "1(", "{["] {
            #expect(throws: CBORError.self) { try CBORValue(diagnostic: String(repeating: opening, count: 100_000)) }
        }
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let signs = Array("[]{}(),:\"\\h'0123456789abcdef.-+eNaInfitysmplerudt u")
        for _ in 0..<20_000 {
            let text = String((0..<random.below(20)).map { _ in signs[random.below(signs.count)] })
            guard let value = try? CBORValue(diagnostic: text) else { continue }
            #expect((try? CBORValue(diagnostic: value.diagnostic())) == value, "seed \(seed): \(text)")
        }
    }
}
