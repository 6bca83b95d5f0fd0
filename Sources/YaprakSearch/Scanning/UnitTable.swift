/// The units of a query of many parts: one look at each term of a text says for which of them it stands.
struct UnitTable {
    typealias Unit = CompiledQuery.Phrase.Unit

    /// The number of each whole term.
    private var whole: [ArraySlice<UInt8>: Int] = [:]
    /// The number of each beginning, and their lengths, ascending.
    private var beginnings: [ArraySlice<UInt8>: Int] = [:]
    private var lengths: [Int] = []
    private var count = 0

    /// So few units are compared with the terms of a text one by one.
    private static let comparedMax = 8

    /// `nil` if the query has few units.
    init?(_ leaves: [CompiledQuery.Leaf]) {
        let phrases = leaves.flatMap(\.phrases)
        guard phrases.reduce(0, { $0 + $1.units.count }) > Self.comparedMax else { return nil }
        for unit in phrases.lazy.flatMap(\.units) where number(of: unit) == nil {
            if unit.isPrefix { beginnings[unit.term[...]] = count } else { whole[unit.term[...]] = count }
            count += 1
        }
        lengths = Set(beginnings.keys.map(\.count)).sorted()
    }

    private func number(of unit: Unit) -> Int? { (unit.isPrefix ? beginnings : whole)[unit.term[...]] }

    /// The terms of a text that units stand for.
    struct Found {
        fileprivate let table: UnitTable
        /// Of units that stand for any: a text has few of a long query.
        fileprivate var terms: [Int: [Int]] = [:]

        var isEmpty: Bool { terms.isEmpty }

        /// The numbers of the terms that a unit of the query stands for, ascending.
        func terms(of unit: Unit) -> [Int] { table.number(of: unit).flatMap { terms[$0] } ?? [] }
    }

    /// Looks at each term of a text once. O(bytes · lengths of beginnings).
    func found(in text: ScannedText) -> Found {
        var found = Found(table: self)
        for index in 0..<text.count {
            let term = text.term(index)
            if let number = whole[term] { found.terms[number, default: []].append(index) }
            for length in lengths {
                if length > term.count { break }
                if let number = beginnings[term.prefix(length)] { found.terms[number, default: []].append(index) }
            }
        }
        return found
    }
}
