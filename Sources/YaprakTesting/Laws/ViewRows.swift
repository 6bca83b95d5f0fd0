internal import YaprakExtensions

/// The rows of a view, group by group, each with what the view has made of it.
struct ViewRows: Equatable {
    private struct Row: Equatable {
        let group: String
        let id: RowID
        let object: (any Equatable)?

        static func == (a: Row, b: Row) -> Bool {
            guard a.group == b.group, a.id == b.id else { return false }
            guard let object = a.object else { return b.object == nil }
            return isEqual(object, to: b.object)
        }

        private static func isEqual<Object: Equatable>(_ object: Object, to other: (any Equatable)?) -> Bool {
            other as? Object == object
        }
    }

    private var rows: [Row] = []

    init(_ state: ViewState) {
        for group in state.groupNames {
            state.forEachPlacement(ofGroup: group) { placement in
                let object = state.root.configuration.madeObject(of: placement)
                rows.append(Row(group: group, id: placement.row, object: object))
            }
        }
    }
}
