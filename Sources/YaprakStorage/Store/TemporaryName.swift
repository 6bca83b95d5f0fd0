internal import YaprakModel

/// The name of a directory under construction.
enum TemporaryName {
    /// `.shop.yaprak.tmp-0123456789abcdef` for `shop.yaprak`.
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

    private static func prefix(_ name: String) -> String { ".\(name).tmp-" }
}
