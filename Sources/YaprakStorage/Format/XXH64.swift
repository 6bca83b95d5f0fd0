/// XXH64, the 64-bit hash by Yann Collet, with a seed. It detects damage and does not authenticate.
///
///     XXH64.hash([], seed: 0)        // 0xEF46DB3751D8E999
package enum XXH64 {
    private static let p1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let p2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let p3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let p4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let p5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The hash of an array. O(*n*).
    static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The hash of a buffer. O(*n*), about 20 GB/s.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        guard let base = bytes.baseAddress else { return avalanche(seed &+ p5) }
        var at = 0
        var h: UInt64
        if count >= 32 {
            var a = seed &+ p1 &+ p2
            var b = seed &+ p2
            var c = seed
            var d = seed &- p1
            while at <= count - 32 {
                a = round(a, load64(base, at))
                b = round(b, load64(base, at + 8))
                c = round(c, load64(base, at + 16))
                d = round(d, load64(base, at + 24))
                at += 32
            }
            h = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
            h = merge(merge(merge(merge(h, a), b), c), d)
        } else {
            h = seed &+ p5
        }
        h &+= UInt64(count)
        while at <= count - 8 {
            h = rotate(h ^ round(0, load64(base, at)), 27) &* p1 &+ p4
            at += 8
        }
        if at <= count - 4 {
            let word = UInt64(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
            h = rotate(h ^ (word &* p1), 23) &* p2 &+ p3
            at += 4
        }
        while at < count {
            let byte = UInt64(base.load(fromByteOffset: at, as: UInt8.self))
            h = rotate(h ^ (byte &* p5), 11) &* p1
            at += 1
        }
        return avalanche(h)
    }

    @inline(__always) private static func load64(_ base: UnsafeRawPointer, _ at: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }

    @inline(__always) private static func rotate(_ x: UInt64, _ bits: UInt64) -> UInt64 {
        (x &<< bits) | (x &>> (64 &- bits))
    }

    @inline(__always) private static func round(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        rotate(sum &+ word &* p2, 31) &* p1
    }

    @inline(__always) private static func merge(_ h: UInt64, _ sum: UInt64) -> UInt64 {
        (h ^ round(0, sum)) &* p1 &+ p4
    }

    private static func avalanche(_ start: UInt64) -> UInt64 {
        var h = start
        h = (h ^ (h >> 33)) &* p2
        h = (h ^ (h >> 29)) &* p3
        return h ^ (h >> 32)
    }
}
