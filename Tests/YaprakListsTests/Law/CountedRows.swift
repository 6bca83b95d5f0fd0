import YaprakCore
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

/// A difference that counts who looks at its rows.
final class CountedDifference: ViewDifference {
    private let whole: ViewStatesDifference
    private let looks: CountedRows.Looks

    init(_ old: ViewState, _ new: ViewState, _ looks: CountedRows.Looks) {
        whole = ViewStatesDifference(from: old, to: new)
        self.looks = looks
    }

    var old: any GroupedRows { CountedRows(rows: whole.old, looks: looks) }
    var new: any GroupedRows { CountedRows(rows: whole.new, looks: looks) }
    var collectionNames: [String] { whole.collectionNames }
    var rowsHaveOnePlace: Bool { whole.rowsHaveOnePlace }
    var differingGroups: [String] { whole.differingGroups }
    func difference(ofGroup name: String) -> GroupDifference { whole.difference(ofGroup: name) }
    func content(of row: RowID) -> ChangeKinds { whole.content(of: row) }
}
