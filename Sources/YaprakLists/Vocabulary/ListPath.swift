/// The place of a row in a list: section and row, both counted from 0.
///
///     let path = ListPath(section: 1, row: 0)          // the first row of the second section
///
/// Paths are ordered as rows are on the screen. They mean something only together with the mappings they come from.
public struct ListPath: Hashable, Comparable, Sendable {
    /// The number of the section, from 0.
    public var section: Int
    /// The number of the row in its section, from 0.
    public var row: Int

    /// The row `row` of section `section`. O(1).
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Sections first, then rows. O(1).
    public static func < (left: Self, right: Self) -> Bool {
        (left.section, left.row) < (right.section, right.row)
    }
}

extension ListPath: CustomStringConvertible {
    /// `1.0` for the first row of the second section.
    public var description: String { "\(section).\(row)" }
}
