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

    /// The places in a text that a query found, joined where they meet: indexes of `text`. O(bytes).
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
    private static func bestWindow(
        _ occurrences: [(leaf: Int, found: ScannedText.Occurrence)], of total: Int, terms count: Int
    ) -> (Range<Int>, score: Int) {
        guard total > count else { return (0..<total, score(occurrences.map(\.leaf))) }
        let sorted = occurrences.map { (leaf: $0.leaf, terms: $0.found.terms) }
            .sorted { ($0.terms.lowerBound, $0.leaf) < ($1.terms.lowerBound, $1.leaf) }
        var best = (first: 0, last: 0, score: 0)
        var end = 0
        for start in sorted.indices {
            let limit = sorted[start].terms.lowerBound + count
            end = max(end, start)
            while end < sorted.count, sorted[end].terms.lowerBound < limit { end += 1 }
            // One that does not fit takes no room from those behind it.
            let inside = sorted[start..<end].filter { $0.terms.upperBound <= limit }
            let found = score(inside.map(\.leaf))
            guard found > best.score else { continue }
            best = (sorted[start].terms.lowerBound, inside.map(\.terms.upperBound).max()!, found)
        }
        guard best.score > 0 else { return (0..<count, 0) }
        let (first, last) = (best.first, best.last)
        // What is found stands in the middle, as far as the text allows.
        let before = max(0, (count - (last - first)) / 2)
        let low = min(max(0, first - before), total - count)
        return (low..<low + count, best.score)
    }

    private static func score(_ leaves: [Int]) -> Int {
        Set(leaves).count * 1000 + min(999, leaves.count)
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
