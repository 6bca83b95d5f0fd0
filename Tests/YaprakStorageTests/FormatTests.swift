import SystemPackage
import TestSupport
import Testing
import YaprakModel

@testable import YaprakStorage

@Suite(.bounded) struct FormatTests {
    @Test func `XXH64 gives the published values`() {
        #expect(XXH64.hash([], seed: 0) == 0xEF46_DB37_51D8_E999)
        #expect(XXH64.hash(Array("a".utf8), seed: 0) == 0xD24E_C4F1_A98C_6E5B)
        #expect(XXH64.hash(Array("abc".utf8), seed: 0) == 0x44BC_2CF5_AD77_0999)
        // The sanity buffer of the reference implementation.
        var generator: UInt64 = 2_654_435_761
        let buffer = (0..<222).map { _ -> UInt8 in
            defer { generator = generator &* 11_400_714_785_074_694_797 }
            return UInt8(truncatingIfNeeded: generator >> 56)
        }
        #expect(XXH64.hash(Array(buffer[..<1]), seed: 0) == 0xE934_A84A_DB05_2768)
        #expect(XXH64.hash(Array(buffer[..<14]), seed: 0) == 0x8282_DCC4_994E_35C8)
        #expect(XXH64.hash(buffer, seed: 0) == 0xB641_AE8C_B691_C174)
        #expect(XXH64.hash(buffer, seed: 2_654_435_761) == 0x20CB_8AB7_AE10_C14A)
    }

    @Test func `What LZ4 packs it unpacks, and nothing else`() {
        for count in [0, 1, 255, 256, 1000, 70_000] {
            let raw = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
            var output: [UInt8] = [1, 2, 3]
            let stored = raw.withUnsafeBytes { LZ4Block.append($0, to: &output) }
            guard let stored else {
                #expect(count < 1000 && output == [1, 2, 3])
                continue
            }
            #expect(stored == output.count - 3 && stored <= count - max(64, count / 8))
            for size in [count - 1, count, count + 1] {
                var back = [UInt8](repeating: 0, count: size)
                let isWhole = output[3...].withUnsafeBytes { packed in
                    back.withUnsafeMutableBytes { LZ4Block.decompress(packed, into: $0) }
                }
                #expect(isWhole == (size == count))
                if isWhole { #expect(back == raw) }
            }
        }
    }

    @Test func `Noise is stored as it is, and after a while not tried`() {
        var random = SplitMix64(seed: 5)
        let noise = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var output: [UInt8] = []
        #expect(noise.withUnsafeBytes { LZ4Block.append($0, to: &output) } == nil)
        #expect(output.isEmpty)
        var gate = CompressionGate()
        func opens(_ gate: inout CompressionGate) -> Bool { gate.opens() }
        for _ in 0..<16 {
            #expect(opens(&gate))
            gate.note(success: false)
        }
        for _ in 0..<64 { #expect(!opens(&gate)) }
        #expect(opens(&gate))
    }

    static let header = FileHeader(
        kind: .segment, databaseID: DatabaseID(high: 1, low: 2), epoch: 3, first: 4, previousFirst: 5, previousEpoch: 6,
        previousEnd: 7, previousChain: 8, attested: 9, salt: 10, padShift: 9, maxStored: 11, maxRaw: 12, createdNs: -13)

    @Test func `A header comes back as it was written`() throws {
        #expect(try UnprovenFileHeader(bytes: Self.header.encoded()).prove(as: .segment) == Self.header)
        #expect(throws: HeaderDamage.foreign) {
            try UnprovenFileHeader(bytes: Self.header.encoded()).prove(as: .checkpoint)
        }
    }

    @Test func `Every changed bit of a header is noticed`() {
        let bytes = Self.header.encoded()
        for bit in stride(from: 0, to: bytes.count * 8, by: Harness.soak > 1 ? 1 : 37) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: HeaderDamage.self) { try UnprovenFileHeader(bytes: changed).prove(as: .segment) }
        }
    }

    @Test func `A header that needs a feature we lack says so`() {
        var newer = Self.header
        newer.incompatible = 4
        #expect { try UnprovenFileHeader(bytes: newer.encoded()).prove(as: .segment) } throws: { error in
            if case HeaderDamage.newer(let what)? = error as? HeaderDamage { what.contains("Yaprak 1") } else { false }
        }
    }

    @Test func `A frame verifies at its offset in its file and nowhere else`() {
        var gate = CompressionGate()
        var file = Self.header
        file.maxRaw = 1 << 20
        file.maxStored = 1 << 20
        let payload = [UInt8](repeating: 42, count: 3000)
        for alignment in [8, 512, 4096] {
            var builder = FrameBuilder(salt: file.salt, base: 4096, chain: 77)
            payload.withUnsafeBytes {
                builder.add(.commitGroup, $0, first: 9, count: 1, durable: 8, alignment: alignment, gate: &gate)
            }
            #expect(builder.end % UInt64(alignment) == 0)
            builder.bytes.withUnsafeBytes { bytes in
                let unproven = UnprovenFrameHeader(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<64]))
                guard case .success(let frame) = unproven.prove(in: file, at: 4096, end: builder.end) else {
                    Issue.record("the frame does not verify")
                    return
                }
                #expect(frame.codec == .lz4 && frame.rawLength == 3000 && frame.previousChain == 77)
                let stored = UnsafeRawBufferPointer(rebasing: bytes[64..<64 + frame.storedLength])
                #expect(frame.proves(stored, salt: file.salt, offset: 4096))
                #expect(!frame.proves(stored, salt: file.salt, offset: 4104))
                #expect(frame.decompressed(stored) == payload)
                #expect(!unproven.verifies(salt: file.salt, offset: 4104))
                #expect(!unproven.verifies(salt: 11, offset: 4096))
                guard case .failure(let error) = unproven.prove(in: file, at: 4096, end: builder.end - 1) else {
                    Issue.record("a frame reaches over the end")
                    return
                }
                #expect(error.damage == .bounds)
            }
        }
    }

    @Test func `Only exact names are ours`() {
        let name = FileName(first: 12, epoch: 3)
        #expect(name.string(.segment) == "00000000000000000012-0000000003.wal")
        #expect(FileName(name.string(.segment), .segment) == name)
        #expect(FileName.isTemporary(name.temporary(.checkpoint), .checkpoint))
        for wrong in [
            "", "12-3.wal", "00000000000000000012-0000000003.wal ", "0000000000000000001२-0000000003.wal",
            "99999999999999999999-0000000003.wal", "00000000000000000012-0000000003.ckpt", "../../etc/passwd",
        ] {
            #expect(FileName(wrong, .segment) == nil)
        }
    }

    @Test func `A seal comes back as it was written, and not shorter or longer`() {
        let seal = Seal(
            kind: 2, last: 9, chain: 8, firstNs: 1, lastNs: 2, index: [.init(first: 1, offset: 4096)])
        let bytes = seal.encoded()
        #expect(Seal(bytes) == seal)
        #expect(Seal(Array(bytes.dropLast())) == nil)
        #expect(Seal(bytes + [0]) == nil)
        #expect(Seal([]) == nil)
    }
}
