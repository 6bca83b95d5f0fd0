import TestSupport
import Testing
import YaprakCBOR

/// Nothing here expects a value or an error: it expects one of them, for every input.
@Suite(.bounded) struct DamageTests {
    let decoder = CBORDecoder()

    /// Sends bytes through every API. Returns whether they are well-formed.
    @discardableResult
    func feed(_ bytes: [UInt8], _ note: @autoclosure () -> String, asTypes: Bool = true) -> Bool {
        let length = try? CBORItem.length(of: bytes)
        let skipped = bytes.withUnsafeBytes { raw -> Int? in
            var reader = CBORReader(raw)
            return (try? reader.skip()).map { reader.position }
        }
        let shown = try? CBORItem.diagnostic(of: bytes)
        if length != skipped || (length == nil) != (shown == nil) { Issue.record("\(note()): \(bytes)") }
        if let shown, shown.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) }) {
            Issue.record("\(note()): a control character in \(bytes)")
        }
        if let value = try? CBORValue(decoding: bytes) {
            if length != bytes.count { Issue.record("\(note()): \(bytes)") }
            _ = value.json()
            if let again = try? value.encoded(), (try? CBORValue(decoding: again).encoded()) != again {
                Issue.record("\(note()): \(bytes)")
            }
        }
        if asTypes {
            _ = try? decoder.decode(Everything.self, from: bytes)
            _ = try? decoder.decode(Note.self, from: bytes)
            _ = try? decoder.decode([Int: [String: Shade]].self, from: bytes)
            _ = try? decoder.decode(Interleaved.self, from: bytes)
            _ = try? decoder.decode([[UInt8]].self, from: bytes)
        }
        return length != nil
    }

    static let samples: [[UInt8]] = {
        var random = SplitMix64(seed: 7)
        var samples = Example.all.map { hex($0.encoded) }
        samples.append((try? CBOREncoder().encode(random.note())) ?? [])
        samples.append((try? CBOREncoder().encode(Interleaved(3))) ?? [])
        samples.append((try? CBOREncoder().encode(random.shade())) ?? [])
        return samples
    }()

    @Test func `Every truncation and every flipped bit is an error or a value`() {
        for sample in DamageTests.samples {
            for end in sample.indices {
                #expect(!feed(Array(sample[..<end]), "cut at \(end) of \(sample)"))
            }
            for bit in 0..<sample.count * 8 {
                var bytes = sample
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                feed(bytes, "bit \(bit) of \(sample)")
            }
        }
    }

    @Test func `A large record survives cuts and flips at random places`() throws {
        var random = SplitMix64(seed: 11)
        let sample = try CBOREncoder().encode(random.everything())
        for _ in 0..<400 {
            let cut = random.below(sample.count)
            #expect(!feed(Array(sample[..<cut]), "seed 11, cut at \(cut)"))
            var bytes = sample
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
            feed(bytes, "seed 11")
        }
    }

    @Test func `A hundred thousand random strings are an error or a value`() {
        var random = SplitMix64(seed: 99)
        var count = 0
        for round in 0..<100_000 {
            var bytes = random.bytes(1 + random.below(24))
            // Half of them begin with a container, so that more of them get somewhere.
            if round % 2 == 0 { bytes[0] = [0x82, 0xa2, 0x9f, 0xbf, 0xa1, 0x5f][random.below(6)] }
            if feed(bytes, "seed 99, round \(round)", asTypes: round % 8 == 0) { count += 1 }
        }
        #expect(count > 1000)
    }

    @Test(arguments: ["81", "9f", "a100", "bf00", "d81c", "c1", "a1", "5f", "7f"])
    func `A nesting bomb is an error`(level: String) {
        let bytes = Array(repeatElement(hex(level), count: 100_000).joined()) + [0]
        feed(bytes, level)
        #expect(throws: CBORError.self) { try CBORItem.length(of: bytes) }
    }

    @Test(arguments: [
        "9a7fffffff", "9b7fffffffffffffff", "9bffffffffffffffff", "ba7fffffff", "bbffffffffffffffff", "5a7fffffff",
        "7bffffffffffffffff", "9affffffff00", "ba00000004000000000000",
    ])
    func `A huge count is an error before it is memory`(head: String) {
        let bytes = hex(head)
        feed(bytes, head)
        feed([0x81] + bytes, head)
        #expect(throws: CBORError.self) { try CBORItem.length(of: bytes) }
        let error = #expect(throws: CBORError.self) { try CBORValue(decoding: bytes) }
        #expect(error?.code == .truncated)
    }

    @Test func `Offsets outside of the bytes are errors`() {
        for offset in [-1, 3, 4, .max, .min] {
            #expect(throws: CBORError.self) { try CBORItem.length(of: [1, 2, 3], from: offset) }
            #expect(throws: CBORError.self) {
                try CBORItem.length(of: [0, 1, 2, 3][1...], from: offset == 3 ? 0 : offset)
            }
        }
        #expect(throws: Never.self) { try CBORItem.length(of: [0, 1, 0x18, 3][1...], from: 2) == 2 }
    }

    @Test func `Text that is not UTF-8 is an error, and its display is harmless`() throws {
        for digits in ["61ff", "62c0af", "63eda080", "64f4908080", "7f61c361bcff"] {
            #expect(throws: CBORError.self) { try CBORValue(decoding: hex(digits)) }
            #expect(throws: DecodingError.self) { try CBORDecoder().decode(String.self, from: hex(digits)) }
            #expect(try CBORItem.diagnostic(of: hex(digits)).contains("\u{fffd}"))
        }
    }
}
