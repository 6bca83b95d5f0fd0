/// A bit for each row of a view, by its place in a ``RowTable``.
package struct RowBits: Sendable {
    package private(set) var words: [UInt64]

    /// No row of so many.
    package init(count: Int) { words = [UInt64](repeating: 0, count: (count + 63) / 64) }

    /// All rows of so many.
    init(allOf count: Int) {
        words = [UInt64](repeating: .max, count: (count + 63) / 64)
        if count % 64 > 0 { words[words.count - 1] = (1 << UInt64(count % 64)) - 1 }
    }

    /// Hands out the words, to set bits of many rows.
    @inline(__always)
    package mutating func withWords<R>(_ body: (UnsafeMutableBufferPointer<UInt64>) -> R) -> R {
        words.withUnsafeMutableBufferPointer { body($0) }
    }

    /// How many rows there are.
    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The bits of a word that stand for places of a range, which must touch the word.
    @inline(__always)
    static func mask(ofWord index: Int, in places: Range<Int>) -> UInt64 {
        var mask = UInt64.max
        if places.lowerBound > index << 6 { mask &= .max << UInt64(places.lowerBound & 63) }
        if places.upperBound < (index + 1) << 6 { mask &= ~(.max << UInt64(places.upperBound & 63)) }
        return mask
    }

    /// Adds the rows of another set in a range of places.
    mutating func formUnion(_ other: RowBits, in places: Range<Int>) {
        guard !places.isEmpty else { return }
        for index in places.lowerBound >> 6...(places.upperBound - 1) >> 6 {
            words[index] |= other.words[index] & Self.mask(ofWord: index, in: places)
        }
    }
}
