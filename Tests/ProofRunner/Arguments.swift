/// The arguments: a part, and options with numbers.
struct Arguments {
    let part: String
    private let words: [String]
    private let deadline: ContinuousClock.Instant

    init() {
        let words = Array(CommandLine.arguments.dropFirst())
        self.words = words
        part = words.first ?? ""
        let place = words.firstIndex(of: "--seconds").map { $0 + 1 }
        let seconds = place.flatMap { words.indices.contains($0) ? Int(words[$0]) : nil }
        deadline = .now + .seconds(seconds ?? 1_000_000_000)
    }

    /// The number behind `--name`.
    func number(_ name: String, _ fallback: Int) -> Int { text(name).flatMap { Int($0) } ?? fallback }

    /// The word behind `--name`.
    func text(_ name: String) -> String? {
        guard let index = words.firstIndex(of: "--" + name), words.indices.contains(index + 1) else { return nil }
        return words[index + 1]
    }

    /// Whether the time is up.
    var isLate: Bool { .now >= deadline }

    /// Calls `body` with one seed after the other, until there were enough or the time is up.
    /// - Returns: the range, for the totals.
    func forEachSeed(_ body: (UInt64) -> Void) -> [String: Int] {
        let from = number("from", 1)
        var seed = from
        while seed < from + number("count", 1000), !isLate {
            body(UInt64(seed))
            seed += 1
        }
        return ["from": from, "to": seed, "seeds": seed - from]
    }
}
