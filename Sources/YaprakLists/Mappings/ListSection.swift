import YaprakCore
public import YaprakExtensions

/// One section of a list: its name, and the rows it shows, in their order.
///
///     let section = snapshot.sections(of: mappings)[0]
///     section.name
///     section[3].key
///
/// A `RandomAccessCollection` that reads from its snapshot: O(log *n*) for a row, nothing is copied.
public struct ListSection<View: OrderedView>: Sendable, Identifiable {
    /// The group, or the name of the section all rows are in.
    public let name: String
    /// The number of the section.
    public let number: Int
    private let mappings: ViewMappings<View>
    private let reader: ViewReader<View.Element>

    init(_ mappings: ViewMappings<View>, number: Int, in snapshot: Snapshot) {
        name = mappings.group(forSection: number) ?? ""
        self.number = number
        self.mappings = mappings
        reader = snapshot[mappings.view]
    }

    /// The name: there is one section of a name.
    public var id: String { name }
}

extension ListSection: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of rows. O(1).
    public var endIndex: Int { mappings.numberOfItems(inSection: number) }

    /// The row at a position.
    /// - Precondition: there is such a row.
    /// - Complexity: O(log *n*).
    public subscript(row: Int) -> View.Element {
        guard let place = mappings.place(at: ListPath(section: number, row: row)) else {
            preconditionFailure("section \(number) has no row \(row)")
        }
        return reader[place.group][place.index]
    }
}
