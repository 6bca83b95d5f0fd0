/// Places in a text as bits: 64 of them are moved and compared at once.
struct PlaceBits {
    private var words: [UInt64]

    /// No places, with room for those up to `last`.
    init(last: Int) { words = [UInt64](repeating: 0, count: last / 64 + 1) }

    /// Whether bits are worth it: they are looked at once for each offset, as places in lists would be.
    static func areFewer(last: Int, than places: Int, offsets: Int) -> Bool { offsets > 8 && last / 64 < places }

    mutating func insert(_ place: Int) { words[place >> 6] |= 1 << UInt64(place & 63) }

    func contains(_ place: Int) -> Bool {
        place >> 6 < words.count && words[place >> 6] >> UInt64(place & 63) & 1 == 1
    }

    /// Keeps the places that have one of others so far behind them.
    mutating func formIntersection(_ other: PlaceBits, ahead distance: Int) {
        let (skipped, shift) = (distance / 64, UInt64(distance % 64))
        for index in words.indices {
            let at = index + skipped
            guard at < other.words.count else {
                words[index] = 0
                continue
            }
            var ahead = other.words[at] >> shift
            if shift > 0, at + 1 < other.words.count { ahead |= other.words[at + 1] << (64 - shift) }
            words[index] &= ahead
        }
    }
}
