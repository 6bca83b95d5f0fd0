internal import YaprakExtensions

/// The rows of a view, group by group, each with what the view has made of it.
struct ViewRows: Equatable {
    struct Row: Equatable {
        let group: String
        let id: RowID
        let object: ShownObject?
    }

    private var rows: [Row] = []

    init(_ state: ViewState) {
        for group in state.groupNames {
            state.forEachPlacement(ofGroup: group) { placement in
                let object = state.root.configuration.madeObject(of: placement)
                rows.append(Row(group: group, id: placement.row, object: object.map { ShownObject($0) }))
            }
        }
    }

    /// The first row that is another one than at its place in `other`, or has another object.
    func firstDifference(from other: ViewRows) -> Row? { zip(rows, other.rows).first { $0 != $1 }?.0 }
}
