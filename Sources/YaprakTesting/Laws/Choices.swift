internal import ToolSupport

/// The random numbers that an edit of a law draws. What is drawn is recorded, and made smaller when a failure is shrunk.
///
///     try await checkIndex(genreRank) { transaction, choices in
///         let key = choices.key(among: 20)
///         let book = Book(title: key, genre: choices.pick(["sci-fi", "horror"]), salesRank: choices.below(5))
///         transaction[.books][key] = choices.chance(20) ? nil : book
///     }
///
/// A `RandomNumberGenerator`, so that everything of the standard library draws from it: `Int.random(in: 0..<9, using: &choices)`.
/// Small draws lead to small values; put the simplest case first. Draw few different keys, so that edits meet. An edit that draws
/// more than 10,000 numbers is left out of a history as a whole, or not at all: none of its numbers is made smaller.
public struct Choices: RandomNumberGenerator, Sendable {
    /// What was drawn, and what will be drawn first.
    private(set) var draws: [UInt64]
    private var position = 0
    /// Draws behind the recorded ones; the smallest if there is none.
    private var source: SplitMix64?
    /// Whether every draw of the source was recorded.
    private var isRecorded = true

    /// The smallest draw that leads to the first value. Zero would not do: ranges whose length is no power of two reject it,
    /// and draw again.
    static let smallest: UInt64 = 1
    /// An edit that draws so often waits for a value that the smallest draw does not give.
    private static let smallestMax = 1_000
    /// So many draws of an edit are recorded.
    private static let recordedMax = 10_000

    /// New draws, from a seed.
    init(seed: UInt64) {
        draws = []
        source = SplitMix64(seed: seed)
    }

    /// Recorded draws, then the smallest.
    init(replaying draws: [UInt64]) { self.draws = draws }

    /// The next 64 bits. O(1).
    public mutating func next() -> UInt64 {
        defer { position += 1 }
        if position < draws.count { return draws[position] }
        if source == nil, position - draws.count > Self.smallestMax { source = SplitMix64(seed: 0) }
        let draw = source?.next() ?? Self.smallest
        if source != nil {
            if position == draws.count, position < Self.recordedMax { draws.append(draw) } else { isRecorded = false }
        }
        return draw
    }

    /// A number from 0 up to `bound`, without it.
    ///
    /// - Precondition: `bound` is more than 0.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True `percent` times in a hundred.
    public mutating func chance(_ percent: Int) -> Bool { below(100) >= 100 - percent }

    /// One of some values.
    ///
    /// - Precondition: there is one.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// One of `count` keys.
    ///
    /// - Precondition: `count` is more than 0.
    public mutating func key(among count: Int) -> String { "k\(below(count))" }

    /// The draws that were used, without those recorded for nothing; `nil` if some were not recorded.
    var used: [UInt64]? { isRecorded ? Array(draws.prefix(position)) : nil }
}
