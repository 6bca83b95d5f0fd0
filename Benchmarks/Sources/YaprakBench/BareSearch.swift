import Foundation

/// The least that a full-text search can do, to compare P20 with: a sorted array of documents for each term in a `Dictionary`, a
/// score for each document that has all terms, the ten best kept, and their rows retained.
///
/// Its texts are folded already. It knows no positions and no columns, has no snapshots, and allows one writer.
final class BareSearch {
    private struct Posting {
        var document: UInt32
        /// How often the term stands in it.
        var count: UInt32
    }

    /// What is found.
    struct Hit {
        let row: Boxed
        let score: Double
    }

    private var postings: [Substring: [Posting]] = [:]
    private var lengths: [UInt32] = []
    private var total = 0
    private let rows: [Boxed]

    init(_ corpus: SearchCorpus) {
        let item = Item.make(1)[0]
        rows = corpus.keys.map { Boxed(key: $0, item: item) }
        for (document, texts) in corpus.folded.enumerated() {
            lengths.append(0)
            update(document, from: texts.map { _ in "" }, to: texts)
        }
    }

    /// How many postings there are.
    var postingCount: Int { postings.values.reduce(0) { $0 + $1.count } }

    // MARK: Searching

    /// The best documents that have one or two terms, the best first.
    @inline(never)
    func top(_ count: Int, for terms: [String]) -> [Hit] {
        precondition(1...2 ~= terms.count, "one or two terms")
        let lists = terms.compactMap { postings[$0[...]] }.sorted { $0.count < $1.count }
        guard lists.count == terms.count else { return [] }
        let (shortest, other) = (lists[0], lists.count > 1 ? lists[1] : [])
        let all = Double(lengths.count)
        func weight(_ list: [Posting]) -> Double {
            let found = Double(list.count)
            return log(1 + (all - found + 0.5) / (found + 0.5))
        }
        let (first, second) = (weight(shortest), weight(other))
        let mean = Double(total) / all
        var best: [(document: UInt32, score: Double)] = []
        best.reserveCapacity(count + 1)
        var from = 0
        for posting in shortest {
            let norm = 1.2 * (0.25 + 0.75 * Double(lengths[Int(posting.document)]) / mean)
            func score(_ count: UInt32) -> Double { Double(count) * 2.2 / (Double(count) + norm) }
            var sum = first * score(posting.count)
            if lists.count > 1 {
                from = Self.place(of: posting.document, in: other, from: from)
                guard from < other.count else { break }
                guard other[from].document == posting.document else { continue }
                sum += second * score(other[from].count)
            }
            if best.count == count, best[count - 1].score >= sum { continue }
            var at = best.count
            while at > 0, best[at - 1].score < sum { at -= 1 }
            best.insert((posting.document, sum), at: at)
            if best.count > count { best.removeLast() }
        }
        return best.map { Hit(row: rows[Int($0.document)], score: $0.score) }
    }

    /// The first posting that is not before a document, sought from a place on in steps that double.
    private static func place(of document: UInt32, in list: [Posting], from start: Int) -> Int {
        var (low, step) = (start, 1)
        while low + step < list.count, list[low + step].document < document {
            low += step
            step *= 2
        }
        var high = min(low + step, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].document < document { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Updating

    /// Brings a document from some texts to others. What both begin with, up to a space, is left out.
    @inline(never)
    func update(_ document: Int, from old: [String], to new: [String]) {
        var changes: [Substring: Int] = [:]
        for (old, new) in zip(old, new) {
            let shared = Self.commonWords(old, new)
            for term in old[shared...].split(separator: " ") { changes[term, default: 0] -= 1 }
            let at = new.utf8.index(new.startIndex, offsetBy: old.utf8.distance(from: old.startIndex, to: shared))
            for term in new[at...].split(separator: " ") { changes[term, default: 0] += 1 }
        }
        let number = UInt32(document)
        for (term, change) in changes where change != 0 {
            lengths[document] = UInt32(Int(lengths[document]) + change)
            total += change
            Self.edit(&postings[term, default: []], number, by: change)
        }
    }

    private static func edit(_ list: inout [Posting], _ document: UInt32, by change: Int) {
        let at = list.last.map { $0.document < document } ?? true ? list.count : place(of: document, in: list, from: 0)
        if at < list.count, list[at].document == document {
            let count = Int(list[at].count) + change
            if count == 0 { list.remove(at: at) } else { list[at].count = UInt32(count) }
        } else {
            list.insert(Posting(document: document, count: UInt32(change)), at: at)
        }
    }

    /// The end of the words that two texts begin with.
    private static func commonWords(_ a: String, _ b: String) -> String.Index {
        let (x, y) = (a.utf8, b.utf8)
        var (i, j) = (x.startIndex, y.startIndex)
        var end = i
        while i < x.endIndex, j < y.endIndex, x[i] == y[j] {
            let isSpace = x[i] == 0x20
            i = x.index(after: i)
            j = y.index(after: j)
            if isSpace { end = i }
        }
        // A text that goes on behind the other one's end, behind a space.
        if i == x.endIndex, j == y.endIndex || y[j] == 0x20 { return i }
        return end
    }
}
