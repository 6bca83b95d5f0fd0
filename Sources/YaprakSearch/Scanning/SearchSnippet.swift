/// A part of a text in which a query is found, and where.
///
///     let snippet = reader.snippet(of: hit, for: query)
///     print(snippet.marked("[", "]"))                  // … the [dune] sea lay [still] …
public struct SearchSnippet: Sendable, Hashable {
    /// The column it was taken from.
    public let column: String
    /// A stretch of the column's text, as it is written there.
    public let text: String
    /// What of it the query found, ascending and apart from each other: indexes of ``text``.
    public let highlights: [Range<String.Index>]
    /// Whether the column's text begins earlier.
    public let isCutAtStart: Bool
    /// Whether the column's text goes on.
    public let isCutAtEnd: Bool

    /// The text with something around each highlight, and something where it was cut. O(bytes).
    public func marked(_ open: String, _ close: String, ellipsis: String = "…") -> String {
        var result = isCutAtStart ? ellipsis : ""
        var at = text.startIndex
        for range in highlights {
            result += text[at..<range.lowerBound] + open + text[range] + close
            at = range.upperBound
        }
        return result + text[at...] + (isCutAtEnd ? ellipsis : "")
    }
}

/// Finds what a query found in texts: for highlights and snippets.
struct TextHighlighter {
    let scan: SearchScan

    /// The places in a text that a query found, joined where they meet: indexes of `text`.
    /// - Complexity: O(bytes + *k* log *k*) for the *k* places that parts of the query found.
    func highlights(in text: String, column: Int) -> [Range<String.Index>] {
        let scanned = scan.scan(text)
        return Self.indexes(scan.occurrences(in: scanned, column: column).map { scanned.bytes(of: $0.found) }, in: text)
    }

    /// The stretch of at most `count` terms that has most of the query, and how much that is; the beginning if none has
    /// any.
    func snippet(of text: String, column: Int, named name: String, terms count: Int) -> (SearchSnippet, score: Int) {
        let scanned = scan.scan(text)
        let count = max(1, count)
        // What is longer than a snippet is in it as far as there is room.
        let occurrences = scan.occurrences(in: scanned, column: column).map { leaf, found in
            guard found.terms.count > count else { return (leaf: leaf, found: found) }
            return (leaf: leaf, found: ScannedText.Occurrence(terms: found.terms.prefix(count)))
        }
        let (window, score) = Self.bestWindow(occurrences, of: scanned.count, terms: count)
        let bytes = scanned.bytes(of: window)
        let start = window.lowerBound == 0 ? 0 : bytes.lowerBound
        let end = window.upperBound == scanned.count ? text.utf8.count : bytes.upperBound
        let utf8 = text.utf8
        func index(_ offset: Int) -> String.Index { utf8.index(utf8.startIndex, offsetBy: offset) }
        let part = String(text[index(start)..<index(end)])
        // Within the part, which has all of the window's terms.
        let ranges = occurrences.map(\.found).filter { found in
            window.lowerBound <= found.terms.lowerBound && found.terms.upperBound <= window.upperBound
        }
        .map { found in
            let place = scanned.bytes(of: found)
            return place.lowerBound - start..<place.upperBound - start
        }
        return (
            SearchSnippet(
                column: name, text: part, highlights: Self.indexes(ranges, in: part),
                isCutAtStart: start > 0, isCutAtEnd: end < text.utf8.count),
            score
        )
    }

    /// Most different parts of the query first, then most places, then the earliest, with some terms before the first.
    static func bestWindow(
        _ occurrences: [(leaf: Int, found: ScannedText.Occurrence)], of total: Int, terms count: Int
    ) -> (Range<Int>, score: Int) {
        guard total > count else {
            var all = Tally()
            for occurrence in occurrences { all.add(occurrence.leaf) }
            return (0..<total, all.score)
        }
        let byStart = occurrences.map { (leaf: $0.leaf, terms: $0.found.terms) }
            .sorted { ($0.terms.lowerBound, $0.leaf) < ($1.terms.lowerBound, $1.leaf) }
        // Each comes into the window when it ends within, and goes when the window begins behind it. One that does not fit takes
        // no room from those behind it.
        let byEnd = byStart.sorted { $0.terms.upperBound < $1.terms.upperBound }
        var inside = Tally()
        var best = (first: 0, score: 0)
        var next = 0
        for occurrence in byStart {
            let limit = occurrence.terms.lowerBound + count
            while next < byEnd.count, byEnd[next].terms.upperBound <= limit {
                inside.add(byEnd[next].leaf)
                next += 1
            }
            if inside.score > best.score { best = (occurrence.terms.lowerBound, inside.score) }
            inside.remove(occurrence.leaf)
        }
        guard best.score > 0 else { return (0..<count, 0) }
        let first = best.first
        let last = byEnd.last { first <= $0.terms.lowerBound && $0.terms.upperBound <= first + count }!.terms.upperBound
        // What is found stands in the middle, as far as the text allows.
        let before = max(0, (count - (last - first)) / 2)
        let low = min(max(0, first - before), total - count)
        return (low..<low + count, best.score)
    }

    /// Counts the different parts of the query in a window, and all their places.
    private struct Tally {
        private var counts: [Int: Int] = [:]
        private var total = 0

        var score: Int { counts.count * 1000 + min(999, total) }

        mutating func add(_ leaf: Int) {
            counts[leaf, default: 0] += 1
            total += 1
        }

        mutating func remove(_ leaf: Int) {
            let count = counts[leaf] ?? 0
            counts[leaf] = count > 1 ? count - 1 : nil
            total -= 1
        }
    }

    /// Indexes of bytes; places of neighbouring wide terms overlap, and are joined. Empty ones show nothing.
    private static func indexes(_ ranges: [Range<Int>], in text: String) -> [Range<String.Index>] {
        let utf8 = text.utf8
        var apart: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = apart.last, range.lowerBound < last.upperBound {
                apart[apart.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                apart.append(range)
            }
        }
        var at = (offset: 0, index: utf8.startIndex)
        return apart.map { range in
            let start = utf8.index(at.index, offsetBy: range.lowerBound - at.offset)
            let end = utf8.index(start, offsetBy: range.count)
            at = (range.upperBound, end)
            return start..<end
        }
    }
}
