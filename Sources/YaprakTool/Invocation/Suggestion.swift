import ToolSupport
import Yaprak

/// What a misspelled word may have been meant for.
enum Suggestion {
    /// The known word that is nearest, if it is near enough to be meant.
    static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let limit = max(1, min(3, word.count / 3 + 1))
        var best: (word: String, distance: Int)?
        for candidate in known {
            let isLonger = !word.isEmpty && candidate.lowercased().hasPrefix(word.lowercased())
            let distance = isLonger ? 1 : distance(word.lowercased(), candidate.lowercased())
            // Of two that are as near the shorter is meant.
            let isNearer = (distance, candidate.count) < (best?.distance ?? .max, best?.word.count ?? .max)
            if distance <= limit, isNearer { best = (candidate, distance) }
        }
        return best?.word
    }

    /// `Did you mean "books"?`, or nothing.
    static func sentence(for word: String, among known: some Sequence<String>) -> String? {
        nearest(to: word, among: known).map { "Did you mean \($0.debugDescription)?" }
    }

    /// No list in an error names more.
    private static let namesMax = 20

    /// The first names of a list, and how many others there are: `"a", "b" and 9,980 more`.
    static func list(_ names: some Collection<String>, isQuoted: Bool = true) -> String {
        let first = names.prefix(namesMax).map { name in
            let name = name.cut(to: 60)
            return isQuoted ? name.debugDescription : name
        }
        let more = names.count - first.count
        return first.joined(separator: ", ") + (more > 0 ? " and \(more.grouped) more" : "")
    }

    /// How many letters have to be inserted, removed, replaced or swapped with the next (Damerau, Levenshtein; the
    /// restricted form).
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.prefix(64)), b = Array(b.prefix(64))
        var old: [Int] = [], last = Array(0...b.count)
        for i in a.indices {
            var line = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, line[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, old[j - 1] + 1) }
                line.append(best)
            }
            (old, last) = (last, line)
        }
        return last[b.count]
    }
}
