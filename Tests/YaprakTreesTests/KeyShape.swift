import TestSupport

/// Kinds of keys that treat prefixes differently. Random keys flatter the prefix; the others don't.
enum KeyShape: String, CaseIterable, Sendable {
    case hex, product, prefix5, prefix11, prefix20, prefix40, zeros, nested, long, unicode, departures

    /// One of some 400 keys.
    func key(_ generator: inout SplitMix64, of range: Int = 400) -> String {
        let i = generator.below(range)
        switch self {
        case .hex:
            var own = SplitMix64(seed: UInt64(i))
            return padded(String(own.next(), radix: 16), 16)
        case .product: return "product/" + padded(String(i * 7), 8)
        case .prefix5: return "abcde" + String(i, radix: 3)
        case .prefix11: return "collection:" + padded(String(i), 6)
        case .prefix20: return String(repeating: "p", count: i % 7 == 0 ? 19 : 20) + String(i)
        case .prefix40: return String(repeating: "long/", count: 8) + String(i, radix: 2)
        case .zeros:
            return String(decoding: (0..<i % 12).map { UInt8(($0 * i) % 3 == 0 ? 0 : 1) }, as: UTF8.self)
                + String(repeating: "\0", count: i % 9)
        case .nested: return String(repeating: "a", count: i % 200) + (i.isMultiple(of: 2) ? "" : "b")
        case .long: return String(repeating: "x", count: 300) + String(i) + String(repeating: "y", count: i % 40)
        case .unicode: return unicode(i)
        case .departures:
            let carriers = ["UA", "AA", "B6", "DL"]
            let airports = ["EWR", "IAH", "JFK", "MIA", "BQN", "ATL"]
            return carriers[i % 4] + padded(String(1400 + i / 16), 4) + "-" + padded(String(i % 28 + 1), 2) + "-"
                + airports[i % 3] + "-" + airports[3 + i % 3]
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    private func unicode(_ i: Int) -> String {
        if i == 0 { return "" }
        let scalars = (0...i % 3).compactMap { Unicode.Scalar(UInt32((i * 2_741 + $0 * 77_777) % 0x110000)) }
        return String(String.UnicodeScalarView(scalars))
    }
}
