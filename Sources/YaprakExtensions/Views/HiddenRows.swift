import HashTreeCollections

/// Rows of a manual view whose records are set aside: they keep their places, and nobody sees them.
///
/// A step of the log counts all rows of its group, hidden or not: who reads it back may be able to read the records, or show
/// them without their types. A reader counts those that it shows. This turns the one into the other.
///
/// - Complexity: a step in a group is O(its hidden rows); O(1) where there are none. A copy is O(1), and shares what is not
///   changed.
struct HiddenRows: Sendable {
    struct Row: Sendable {
        let id: RowID
        /// How many rows of the group that are shown stand before it.
        var shownBefore: Int
    }

    /// Those of each group, in order.
    private var groups: TreeDictionary<String, [Row]> = [:]
    private var groupOf: TreeDictionary<RowID, String> = [:]

    var isEmpty: Bool { groupOf.isEmpty }
    /// The groups that have any.
    var groupNames: some Collection<String> { groups.keys }
    func contains(_ row: RowID) -> Bool { groupOf[row] != nil }
    func contains(group name: String) -> Bool { groups[name] != nil }
    func rows(ofGroup name: String) -> [Row] { groups[name] ?? [] }

    // MARK: Positions

    /// The position among all rows of the row at `index` of those shown, or of the end.
    func position(ofShown index: Int, inGroup name: String) -> Int {
        let rows = rows(ofGroup: name)
        return index + Self.firstIndex(in: rows) { rows[$0].shownBefore > index }
    }

    /// How many of the rows shown stand before a position among all rows.
    func shownCount(before position: Int, inGroup name: String) -> Int {
        position - Self.count(of: rows(ofGroup: name), before: position)
    }

    /// How many hidden rows stand before a position among all rows.
    private static func count(of rows: [Row], before position: Int) -> Int {
        firstIndex(in: rows) { rows[$0].shownBefore + $0 >= position }
    }

    /// The first index for which `isBehind` holds, as it does for all that follow; the end if there is none.
    private static func firstIndex(in rows: [Row], where isBehind: (Int) -> Bool) -> Int {
        var lower = 0
        var upper = rows.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBehind(middle) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }

    // MARK: Rows that come and go

    /// Puts in a hidden row that comes at a position among all rows.
    mutating func insert(_ row: RowID, at position: Int, ofGroup name: String) {
        let index = Self.count(of: rows(ofGroup: name), before: position)
        groups[name, default: []].insert(Row(id: row, shownBefore: position - index), at: index)
        groupOf[row] = name
    }

    /// Notes that a row that is shown came at a position among all rows.
    mutating func noteShown(at position: Int, ofGroup name: String) {
        guard var rows = groups.removeValue(forKey: name) else { return }
        for index in Self.count(of: rows, before: position)..<rows.count { rows[index].shownBefore += 1 }
        groups[name] = rows
    }

    /// Hides the row at `index` of those shown, where it is.
    mutating func hide(_ row: RowID, atShown index: Int, ofGroup name: String) {
        var rows = groups.removeValue(forKey: name) ?? []
        let place = Self.firstIndex(in: rows) { rows[$0].shownBefore > index }
        for later in place..<rows.count { rows[later].shownBefore -= 1 }
        rows.insert(Row(id: row, shownBefore: index), at: place)
        groups[name] = rows
        groupOf[row] = name
    }

    /// Takes out rows that are shown from now on, where they are.
    /// - Returns: those, each with its index among the rows shown when the ones before it have come.
    mutating func show(_ wanted: some Sequence<RowID>) -> [(row: RowID, group: String, index: Int)] {
        var names: Set<String> = []
        for row in wanted { if let name = groupOf.removeValue(forKey: row) { names.insert(name) } }
        var shown: [(row: RowID, group: String, index: Int)] = []
        for name in names.sorted() {
            var rest: [Row] = []
            var came = 0
            for var row in rows(ofGroup: name) {
                row.shownBefore += came
                if groupOf[row.id] == nil {
                    shown.append((row.id, name, row.shownBefore))
                    came += 1
                } else {
                    rest.append(row)
                }
            }
            groups[name] = rest.isEmpty ? nil : rest
        }
        return shown
    }

    /// Takes out rows that go, those of them that are hidden.
    /// - Parameter shown: the indexes of the others among the rows shown, by group, before they went.
    mutating func remove(_ gone: some Sequence<RowID>, shown: [String: [Int]]) {
        var names = Set(shown.keys)
        for row in gone { if let name = groupOf.removeValue(forKey: row) { names.insert(name) } }
        for name in names {
            let indexes = (shown[name] ?? []).sorted()
            var rest: [Row] = []
            var went = 0
            for var row in rows(ofGroup: name) where groupOf[row.id] != nil {
                while went < indexes.count, indexes[went] < row.shownBefore { went += 1 }
                row.shownBefore -= went
                rest.append(row)
            }
            groups[name] = rest.isEmpty ? nil : rest
        }
    }

    /// Takes out all of a group.
    mutating func removeAll(ofGroup name: String) {
        for row in groups.removeValue(forKey: name) ?? [] { groupOf[row.id] = nil }
    }
}
