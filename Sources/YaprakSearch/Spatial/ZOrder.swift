/// Places on a curve that visits neighbours soon after each other: the bits of latitude and longitude in turn (Morton 1966).
enum ZOrder {
    /// The number of a place on the curve.
    @inline(__always)
    static func code(_ latitude: Double, _ longitude: Double) -> UInt64 {
        spread(fixed(latitude, 90)) << 1 | spread(fixed(longitude, 180))
    }

    /// A number of −half…half as 32 bits, in the same order.
    @inline(__always)
    private static func fixed(_ value: Double, _ half: Double) -> UInt32 {
        UInt32(max(0, min(4_294_967_295, (value + half) / (2 * half) * 4_294_967_296)))
    }

    /// Puts a zero behind each bit.
    @inline(__always)
    private static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value)
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }

    /// The two halves of a box between the codes of its corners, where the curve leaves one and enters the other
    /// (LITMAX and BIGMIN of Tropf and Herzog, 1981).
    @inline(__always)
    static func halves(of low: UInt64, _ high: UInt64) -> (litMax: UInt64, bigMin: UInt64) {
        let bit = UInt64(63 - (low ^ high).leadingZeroBitCount)
        let sameDimension: UInt64 = bit & 1 == 0 ? 0x5555_5555_5555_5555 : 0xAAAA_AAAA_AAAA_AAAA
        let below = sameDimension & (1 << bit - 1)
        return ((high & ~(below | 1 << bit)) | below, (low & ~below) | 1 << bit)
    }

    /// Bytes of a code in keys.
    static let digits = 10

    /// Writes a code as digits of seven bits, the high ones first: valid UTF-8 in the same order.
    @inline(__always)
    static func write(_ code: UInt64, to target: UnsafeMutablePointer<UInt8>) {
        for digit in 0..<9 { target[digit] = UInt8(truncatingIfNeeded: code >> UInt64(57 - 7 * digit) & 0x7F) }
        target[9] = UInt8(truncatingIfNeeded: code << 6 & 0x7F)
    }

    /// A code and a record's key as the key of a page.
    static func key(_ code: UInt64, _ recordKey: String) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { buffer in
            write(code, to: buffer.baseAddress.unsafelyUnwrapped)
            return String(decoding: UnsafeBufferPointer(buffer), as: UTF8.self) + recordKey
        }
    }
}
