import ToolSupport
package import YaprakCBOR

/// Random items.
package enum CBORValueModel {
    /// A random item of at most `depth` levels.
    package static func value(_ random: inout SplitMix64, _ depth: Int = 5) -> CBORValue {
        switch random.below(depth > 0 ? 13 : 9) {
        case 0: return .unsigned(random.next() >> UInt64(random.below(64)))
        case 1: return .negative(random.next() >> UInt64(random.below(64)))
        case 2: return .bytes(random.bytes(random.below(30)))
        case 3: return .text(random.text())
        case 4: return .bool(random.chance(50))
        case 5: return .null
        case 6: return .undefined
        case 7: return .float(random.chance(5) ? .nan : random.double())
        case 8: return .simple(UInt8(random.chance(50) ? random.below(20) : 32 + random.below(224)))
        case 9, 10: return .array((0..<random.below(random.chance(5) ? 40 : 5)).map { _ in value(&random, depth - 1) })
        case 11: return .tag(100 + random.next() >> UInt64(random.below(64)), value(&random, depth - 1))
        default:
            var pairs: [CBORValue: CBORValue] = [:]
            for _ in 0..<random.below(random.chance(5) ? 60 : 6) {
                pairs[random.chance(70) ? .text(random.text()) : value(&random, 1)] = value(&random, depth - 1)
            }
            return .map(pairs.map { CBORValue.Pair($0.key, $0.value) })
        }
    }
}

extension SplitMix64 {
    /// A text of any length up to 400 characters, with signs that are hard to write down.
    package mutating func text() -> String {
        let alphabet = Array("abcXYZ 019\u{fc}\u{6c34}\u{1f600}\"\\\n\u{1b}")
        return String((0..<below(chance(10) ? 400 : 12)).map { _ in alphabet[below(alphabet.count)] })
    }

    /// A number that is no NaN.
    package mutating func double() -> Double {
        switch below(4) {
        case 0: Double(below(1000)) / 8
        case 1: Double(Float(bitPattern: UInt32(truncatingIfNeeded: next()) & 0x7f7f_ffff))
        case 2: [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude][below(6)]
        default: Double(bitPattern: next() & 0xffef_ffff_ffff_ffff)
        }
    }

    /// Random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
