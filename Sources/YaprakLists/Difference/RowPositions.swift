package import YaprakExtensions

/// Positions in the groups of a view, without the view: what a list keeps of a choice.
package struct RowPositions: Sendable {
    /// The names of the groups that have any, ascending by their bytes.
    package let groupNames: [String]
    /// Of each of these groups: its number among all of the view.
    let numbers: [Int]
    /// Of each of these groups: how many positions there are up to its end.
    private let ends: [Int]
    /// The positions in the first group, then those in the second …
    let all: [UInt32]
    /// The rows by their places, if they stand as in the view; `nil` if they have a sequence of their own.
    let bits: RowBits?
    /// The rows of the state that the positions are of, if they are at hand.
    let table: RowTable?

    /// - Parameters:
    ///   - numbers: the groups that have any, by their numbers in the table; ascending.
    ///   - ends: how many positions there are up to the end of each.
    ///   - positions: those of the first group, then those of the second; as they are shown.
    ///   - bits: the same rows, if positions ascend.
    package init(_ table: RowTable, groups numbers: [Int], ends: [Int], positions: [UInt32], bits: RowBits?) {
        groupNames = numbers.map { table.groupNames[$0] }
        self.numbers = numbers
        self.ends = ends
        all = positions
        self.bits = bits
        self.table = table
    }

    /// Whether rows stand as in the view, so that positions ascend.
    package var isInViewOrder: Bool { bits != nil }

    /// All rows of a view.
    package init(allOf state: ViewState) {
        groupNames = state.groupNames
        numbers = Array(groupNames.indices)
        var (ends, all): ([Int], [UInt32]) = ([], [])
        ends.reserveCapacity(groupNames.count)
        all.reserveCapacity(state.root.count)
        for name in groupNames {
            all += 0..<UInt32(state.count(ofGroup: name))
            ends.append(all.count)
        }
        (self.ends, self.all) = (ends, all)
        bits = RowBits(allOf: all.count)
        table = nil
    }

    /// The positions in a group. O(log *groups*).
    package subscript(group: String) -> ArraySlice<UInt32> {
        place(ofGroup: group, near: 0).map { all[range($0)] } ?? []
    }

    /// The position in the view of one of a group's rows that are chosen. It must be there.
    package func position(at index: Int, inGroup group: String) -> Int {
        let its = self[group]
        return Int(its[its.startIndex + index])
    }

    /// Where the positions of one of the groups are among all.
    func range(_ place: Int) -> Range<Int> { (place == 0 ? 0 : ends[place - 1])..<ends[place] }

    /// Which of the groups has a name; `nil` if none. O(1) if `place` is it, else O(log *groups*).
    func place(ofGroup name: String, near place: Int) -> Int? {
        if place < groupNames.count, groupNames[place] == name { return place }
        let found = prefixCount(groupNames.count) { groupNames[$0].utf8.lexicographicallyPrecedes(name.utf8) }
        return found < groupNames.count && groupNames[found] == name ? found : nil
    }

    /// Which of a group's rows that are chosen has a position in the view.
    package func index(ofPosition position: Int, inGroup group: String) -> Int? {
        guard let wanted = UInt32(exactly: position) else { return nil }
        let its = self[group]
        let first = its.startIndex
        guard isInViewOrder else { return its.firstIndex(of: wanted).map { $0 - first } }
        let index = prefixCount(its.count) { its[first + $0] < wanted }
        return index < its.count && its[first + index] == wanted ? index : nil
    }
}
