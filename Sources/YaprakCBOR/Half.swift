/// IEEE 754 binary16. Swift's `Float16` is available on some systems only.
enum Half {
    /// The bits of the half that equals `value`, or nil if none does. NaN has none here.
    static func exactly(_ value: Float) -> UInt16? {
        let bits = value.bitPattern
        let sign = UInt16(truncatingIfNeeded: (bits >> 16) & 0x8000)
        let exponent = Int((bits >> 23) & 0xff), fraction = bits & 0x7f_ffff
        if exponent == 0xff { return fraction == 0 ? sign | 0x7c00 : nil }
        if exponent == 0 { return fraction == 0 ? sign : nil }
        let power = exponent - 127
        if power >= -14, power <= 15 {
            guard fraction & 0x1fff == 0 else { return nil }
            return sign | UInt16(power + 15) << 10 | UInt16(fraction >> 13)
        }
        if power >= -24, power < -14 {
            let whole = fraction | 0x80_0000, shift = UInt32(-power - 1)
            guard whole & ((1 << shift) - 1) == 0 else { return nil }
            return sign | UInt16(whole >> shift)
        }
        return nil
    }

    /// The value of the half with these bits.
    static func value(_ bits: UInt16) -> Double {
        let sign: Double = bits & 0x8000 == 0 ? 1 : -1
        let exponent = Int((bits >> 10) & 0x1f), fraction = Double(bits & 0x3ff)
        if exponent == 0x1f { return fraction == 0 ? sign * .infinity : .nan }
        if exponent == 0 { return sign * fraction * 0x1p-24 }
        return sign * Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction * 0x1p-10)
    }
}
