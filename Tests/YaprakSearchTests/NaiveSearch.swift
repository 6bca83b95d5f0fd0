import Foundation
import Yaprak

@testable import YaprakSearch

/// The plainest search there is: every document is split, and every query asked of its words as they stand there.
struct NaiveSearch {
    struct Document {
        var key: String
        /// The terms of each column, by position; empty where the tokenizer leaves a gap.
        var columns: [[String]]

        var length: Int { columns.reduce(0) { $0 + $1.count { !$0.isEmpty } } }
    }

    var documents: [Document] = []
    var columnNames: [String]
    var weights: [Double]
    let tokenizer: any SearchTokenizer

    init(_ index: MailIndex, in snapshot: Snapshot) {
        columnNames = index.columnNames
        weights = index.columns.map(\.weight)
        tokenizer = index.tokenizer
        for record in snapshot[.mails] {
            let texts = index.columns.map { $0.text(record) ?? "" }
            documents.append(
                Document(
                    key: record.key,
                    columns: texts.map { text in tokenizer.tokens(in: text, for: .document).map(\.term) }))
        }
    }

    struct Unit {
        var term: String
        var isPrefix: Bool
        /// How many words behind the first.
        var offset = 0

        func matches(_ other: String) -> Bool {
            isPrefix ? Array(other.utf8).starts(with: Array(term.utf8)) : Array(other.utf8) == Array(term.utf8)
        }
    }

    private func units(_ phrase: QueryPhrase) -> [Unit] { unitsAndLength(phrase).units }

    /// The terms of a phrase, and how many words of a text it takes from the first on.
    private func unitsAndLength(_ phrase: QueryPhrase) -> (units: [Unit], length: Int) {
        var units: [Unit] = []
        var offset = 0
        for word in phrase.text.split(separator: " ") {
            for (index, token) in tokenizer.tokens(in: String(word), for: .query).enumerated()
            where !token.term.isEmpty {
                units.append(Unit(term: token.term, isPrefix: token.isPrefix, offset: offset + index))
            }
            // The last character of a run of Chinese is a term in a text and none in a query.
            offset += tokenizer.tokens(in: String(word), for: .document).count
        }
        let first = units.first?.offset ?? 0
        for index in units.indices { units[index].offset -= first }
        if phrase.isPrefix, !units.isEmpty { units[units.count - 1].isPrefix = true }
        return (units, offset - first)
    }

    /// Where a phrase begins in a column.
    private func starts(_ units: [Unit], _ terms: [String]) -> [Int] {
        guard let last = units.last?.offset, terms.count > last else { return [] }
        return (0..<terms.count - last).filter { start in
            units.allSatisfy { $0.matches(terms[start + $0.offset]) }
        }
    }

    /// Every choice of a place for each phrase of which the last begins at most `distance` words behind the end of each other.
    private func nearLasts(_ starts: [[Int]], _ lengths: [Int], _ distance: Int) -> Set<Int> {
        var lasts: Set<Int> = []
        func choose(_ chosen: [Int]) {
            if chosen.count == starts.count {
                let last = chosen.max()!
                if zip(chosen, lengths).allSatisfy({ last - ($0 + $1) <= distance }) { lasts.insert(last) }
                return
            }
            for start in starts[chosen.count] { choose(chosen + [start]) }
        }
        choose([])
        return lasts
    }

    /// How often a part of a query stands in each column of a document; `nil` if the part has no terms.
    private func counts(_ node: QueryNode, _ document: Document) -> [Int]? {
        switch node {
        case .phrase(let phrase):
            let units = units(phrase)
            return units.isEmpty ? nil : document.columns.map { starts(units, $0).count }
        case .fuzzy(let word, let distance):
            let units = units(QueryPhrase(text: word))
            if units.count != 1 { return counts(.phrase(QueryPhrase(text: word)), document) }
            let wanted = Array(units[0].term.unicodeScalars)
            return document.columns.map { terms in
                terms.count { !$0.isEmpty && Self.distance(Array($0.unicodeScalars), wanted) <= distance }
            }
        case .near(let phrases, let distance):
            let all = phrases.map(unitsAndLength).filter { !$0.units.isEmpty }
            if all.isEmpty { return nil }
            return document.columns.map { terms in
                let starts = all.map { self.starts($0.units, terms) }
                return all.count == 1 ? starts[0].count : nearLasts(starts, all.map(\.length), distance).count
            }
        default: preconditionFailure("a leaf")
        }
    }

    // MARK: Matching

    /// Whether a document matches; `nil` if the query has no terms.
    private func matches(_ node: QueryNode, _ document: Document, _ columns: Set<String>) -> Bool? {
        switch node {
        case .phrase, .fuzzy, .near:
            return counts(node, document).map { counts in
                zip(columnNames, counts).contains { columns.contains($0) && $1 > 0 }
            }
        case .all(let nodes):
            let answers = nodes.compactMap { matches($0, document, columns) }
            return answers.isEmpty ? nil : answers.allSatisfy { $0 }
        case .any(let nodes):
            let answers = nodes.compactMap { matches($0, document, columns) }
            return answers.isEmpty ? nil : answers.contains(true)
        case .without(let wanted, let unwanted):
            guard let wanted = matches(wanted, document, columns) else { return nil }
            return wanted && matches(unwanted, document, columns) != true
        case .columns(let names, let node): return matches(node, document, columns.intersection(names))
        }
    }

    func keys(matching query: SearchQuery) -> [String] {
        documents.filter { matches(query.node, $0, Set(columnNames)) == true }.map(\.key)
    }

    // MARK: Ranking

    /// A part of a query, and the columns it is sought in.
    struct Part: Hashable {
        var node: QueryNode
        var columns: Set<String>
    }

    /// BM25 as it is written in books. A part of an OR counts only where that whole part matches.
    /// - Parameter found: in how many documents the parts of the query stand, as far as that was counted.
    func score(_ query: SearchQuery, _ document: Document, _ found: inout [Part: Int]) -> Double {
        var known = found
        defer { found = known }
        let mean = Double(max(1, documents.reduce(0) { $0 + $1.length })) / Double(documents.count)
        func sum(_ node: QueryNode, _ columns: Set<String>) -> Double {
            guard matches(node, document, columns) == true else { return 0 }
            switch node {
            case .phrase, .fuzzy, .near:
                let part = Part(node: node, columns: columns)
                let found = known[part] ?? documents.count { matches(node, $0, columns) == true }
                known[part] = found
                let n = Double(found), all = Double(documents.count)
                let idf = log(1 + (all - n + 0.5) / (n + 0.5))
                var frequency = 0.0
                for (number, count) in counts(node, document)!.enumerated() where columns.contains(columnNames[number])
                {
                    frequency += Double(count) * weights[number]
                }
                let length = Double(document.length)
                return idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / mean))
            case .all(let nodes), .any(let nodes): return nodes.reduce(0) { $0 + sum($1, columns) }
            case .without(let wanted, _): return sum(wanted, columns)
            case .columns(let names, let node): return sum(node, columns.intersection(names))
            }
        }
        return sum(query.node, Set(columnNames))
    }

    // MARK: Distances

    /// The optimal string alignment distance, by its definition.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var d = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { d[i][0] = i }
        for j in 0...b.count { d[0][j] = j }
        for i in 0..<a.count {
            for j in 0..<b.count {
                var best = min(d[i][j + 1] + 1, d[i + 1][j] + 1, d[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, d[i - 1][j - 1] + 1) }
                d[i + 1][j + 1] = best
            }
        }
        return d[a.count][b.count]
    }
}
