import TestSupport
import Testing

@testable import YaprakCBOR

/// What encoders and decoders keep between their calls.
///
/// The encoder of all records kept up to four times the size of the largest one, also when its database was closed.
@Suite(.bounded) struct OneObjectPoolTests {
    private func isKeptAfterEncoding(_ value: some Encodable) throws -> Bool {
        let pool = OneObjectPool<EncodingState>()
        var state = EncodingState()
        try state.encodeRoot(value)
        state.reset()
        pool.put(&state)
        return pool.take() != nil
    }

    private func isKeptAfterDecoding(_ bytes: [UInt8]) throws -> Bool {
        let pool = OneObjectPool<DecodingState>()
        var state = DecodingState()
        let value = try bytes.withUnsafeBytes { raw in
            state.open(raw, [:])
            return try state.decodeRoot([String: Int].self, isDeep: nil)
        }
        #expect(!value.isEmpty)
        state.closeRoot()
        pool.put(&state)
        return pool.take() != nil
    }

    private func numbers(_ count: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", 0) })
    }

    @Test func `What a large value has grown is not kept`() throws {
        #expect(try isKeptAfterEncoding("x"))
        #expect(try isKeptAfterEncoding([UInt8](repeating: 7, count: 400_000)))
        #expect(try !isKeptAfterEncoding([UInt8](repeating: 7, count: 8 << 20)))
        #expect(try isKeptAfterEncoding(["a": "x", "b": String(repeating: "y", count: 900_000), "c": "z"]))
        #expect(try isKeptAfterEncoding(numbers(5_000)))
        #expect(try !isKeptAfterEncoding(numbers(300_000)))
        #expect(try isKeptAfterDecoding(CBOREncoder().encode(numbers(5_000))))
        #expect(try !isKeptAfterDecoding(CBOREncoder().encode(numbers(300_000))))
    }

    @Test func `An encoder and a decoder go on behind a large value`() throws {
        let encoder = CBOREncoder(), decoder = CBORDecoder()
        for count in [1, 100_000, 1, 10] {
            let value = numbers(count)
            #expect(try decoder.decode([String: Int].self, from: encoder.encode(value)) == value)
        }
    }
}
