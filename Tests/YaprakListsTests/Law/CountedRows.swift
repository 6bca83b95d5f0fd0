import YaprakExtensions
import YaprakLocks

@testable import YaprakLists

/// A view in a snapshot that counts how often somebody looks at its groups and rows; a list of all groups counts each.
struct CountedRows: GroupedRows {
    final class Looks: Sendable {
        private let count = Mutex(0)
        var now: Int { count.withLock { $0 } }
        fileprivate func add(_ number: Int) { count.withLock { $0 += number } }
    }

    let rows: any GroupedRows
    let looks: Looks

    var groupNames: [String] {
        let names = rows.groupNames
        looks.add(names.count)
        return names
    }

    func count(ofGroup name: String) -> Int {
        looks.add(1)
        return rows.count(ofGroup: name)
    }

    func rowID(inGroup name: String, at index: Int) -> RowID {
        looks.add(1)
        return rows.rowID(inGroup: name, at: index)
    }

    func place(of row: RowID) -> [(group: String, index: Int)] {
        looks.add(1)
        return rows.place(of: row)
    }
}

extension ViewDifference {
    /// The same, and who looks at its rows is counted.
    func counted(by looks: CountedRows.Looks) -> ViewDifference {
        var counted = self
        counted.old = CountedRows(rows: old, looks: looks)
        counted.new = CountedRows(rows: new, looks: looks)
        return counted
    }
}
