extension BinaryInteger {
    /// The number with a comma between thousands: `31,108`.
    package var grouped: String {
        var digits = Array(String(magnitude))
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return (self < 0 ? "-" : "") + String(digits)
    }

    /// The number with what is counted: `1 file`, `31,108 files`.
    ///
    ///     count.counted("record")             // 0 records, 1 record, 2 records
    ///     count.counted("entry", "entries")   // 0 entries, 1 entry, 2 entries
    package func counted(_ one: String, _ several: String? = nil) -> String { "\(grouped) \(word(one, several))" }

    /// The word that stands beside the number: `one` for 1, otherwise `several`, by default `one` with an s.
    ///
    ///     "\(count) of them \(count.word("is", "are")) left"
    package func word(_ one: String, _ several: String? = nil) -> String { self == 1 ? one : several ?? one + "s" }
}
