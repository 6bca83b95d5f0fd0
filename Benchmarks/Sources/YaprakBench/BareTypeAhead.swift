/// The least that a keystroke in a list can do, to compare P21 with: the terms with a prefix in a sorted array, their documents
/// by their places in the view, a bit for each row that is shown, and a change for each bit that differs, with the path, the key
/// and the group.
///
/// Everything is known beforehand, in flat memory: no document comes or goes, no query but one prefix, no ranges, no version.
struct BareTypeAhead {
    struct Change {
        let isInsertion: Bool
        let section: Int
        let row: Int
        let key: String
        let group: String
    }

    /// Which rows are shown: a bit for each row of the view.
    typealias Shown = [UInt64]

    private let terms: [String]
    /// The places of the rows that have a term, ascending.
    private let rows: [[UInt32]]
    private let keys: [String]
    private let groups: [String]
    private let groupOfRow: [UInt16]

    init(_ corpus: SearchCorpus) {
        let order = corpus.keys.indices.sorted { a, b in
            let (one, two) = (corpus.documents[a], corpus.documents[b])
            return (one.group, one.texts[0], corpus.keys[a]) < (two.group, two.texts[0], corpus.keys[b])
        }
        var rowsOfTerm: [String: [UInt32]] = [:]
        var groups: [String] = []
        var groupOfRow: [UInt16] = []
        for (row, number) in order.enumerated() {
            let group = corpus.documents[number].group
            if groups.last != group { groups.append(group) }
            groupOfRow.append(UInt16(groups.count - 1))
            for term in Set(corpus.folded[number].flatMap { $0.split(separator: " ").map(String.init) }) {
                rowsOfTerm[term, default: []].append(UInt32(row))
            }
        }
        let terms = rowsOfTerm.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        (self.terms, self.groups, self.groupOfRow) = (terms, groups, groupOfRow)
        rows = terms.map { rowsOfTerm[$0]! }
        keys = order.map { corpus.keys[$0] }
    }

    var nothing: Shown { Array(repeating: 0, count: (keys.count + 63) / 64) }

    /// The rows with a term that begins with `prefix`.
    @inline(never)
    func search(_ prefix: String) -> Shown {
        var shown = nothing
        let (low, high) = (place { $0.lexicographicallyPrecedes(prefix.utf8) }, place { !isBehind($0, prefix) })
        shown.withUnsafeMutableBufferPointer { bits in
            for index in low..<high { for row in rows[index] { bits[Int(row / 64)] |= 1 << UInt64(row % 64) } }
        }
        return shown
    }

    /// Whether a term comes after all that begin with `prefix`.
    private func isBehind(_ term: String.UTF8View, _ prefix: String) -> Bool {
        !term.starts(with: prefix.utf8) && !term.lexicographicallyPrecedes(prefix.utf8)
    }

    /// How many terms come first for which `isBefore` holds.
    private func place(_ isBefore: (String.UTF8View) -> Bool) -> Int {
        var (low, high) = (0, terms.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(terms[middle].utf8) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Deletes from the last to the first, inserts from the first to the last.
    @inline(never)
    func changes(from old: Shown, to new: Shown) -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(zip(old, new).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount })
        add(to: &changes, in: old, notIn: new, isInsertion: false)
        changes.reverse()
        add(to: &changes, in: new, notIn: old, isInsertion: true)
        return changes
    }

    private func add(to changes: inout [Change], in shown: Shown, notIn other: Shown, isInsertion: Bool) {
        var (group, section, first, row) = (-1, -1, 0, 0)
        for (index, word) in shown.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                let place = index * 64 + rest.trailingZeroBitCount
                if Int(groupOfRow[place]) != group {
                    group = Int(groupOfRow[place])
                    section += 1
                    first = row
                }
                if other[index] & (rest & (~rest &+ 1)) == 0 {
                    changes.append(
                        Change(
                            isInsertion: isInsertion, section: section, row: row - first, key: keys[place],
                            group: groups[group]))
                }
                row += 1
                rest &= rest &- 1
            }
        }
    }
}
