internal import YaprakModel

/// The name of a directory under construction.
enum TemporaryName {
    /// `.shop.yaprak.tmp-0123456789abcdef` for `shop.yaprak`; of a long name only the beginning.
    static func of(_ name: String, _ random: UInt64) -> String { prefix(name) + hexadecimal(random) }

    /// Whether `candidate` is exactly a temporary name for `name`.
    static func isOne(_ candidate: String, for name: String) -> Bool {
        guard candidate.hasPrefix(prefix(name)) else { return false }
        let digits = candidate.dropFirst(prefix(name).count).utf8
        return digits.count == 16
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func prefix(_ name: String) -> String { ".\(cut(name)).tmp-" }

    /// As much of a name as leaves room for the rest in the 255 bytes that file systems allow. Names with the same beginning then
    /// share their temporary names: the locks tell which of these are abandoned.
    private static func cut(_ name: String) -> String {
        var bytes = 0
        let scalars = name.unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= bytesMax
        }
        return String(scalars)
    }

    private static let bytesMax = 255 - ".".utf8.count - ".tmp-".utf8.count - 16
}
