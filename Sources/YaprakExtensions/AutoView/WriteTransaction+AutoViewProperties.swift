public import YaprakCore

// Changing grouping and sorting at run time by properties of the object, as the initializers of a view take them.
extension WriteTransaction {
    /// Groups a view by a property of the object from now on. As
    /// ``setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
    ///
    ///     try transaction.setGrouping(of: salesRank, groupedBy: \.publisher, versionTag: "by publisher")
    public mutating func setGrouping<Object, Metadata>(
        of view: AutoView<Record<Object, Metadata>>, groupedBy group: @escaping @Sendable (Object) -> String?,
        versionTag: String
    ) throws {
        try setGrouping(of: view, groupedBy: .byObject(group), versionTag: versionTag)
    }

    /// Groups a view by an enumeration of the object from now on. See
    /// ``setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
    public mutating func setGrouping<Object, Metadata, Group>(
        of view: AutoView<Record<Object, Metadata>>, groupedBy group: @escaping @Sendable (Object) -> Group?,
        versionTag: String
    ) throws where Group: RawRepresentable & SendableMetatype, Group.RawValue == String {
        try setGrouping(of: view, groupedBy: .byObject(group), versionTag: versionTag)
    }

    /// Puts a record into a group for each of several names from now on. See
    /// ``setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
    public mutating func setGrouping<Object, Metadata, Names>(
        of view: AutoView<Record<Object, Metadata>>, groupedByEach names: @escaping @Sendable (Object) -> Names,
        versionTag: String
    ) throws where Names: Sequence & SendableMetatype, Names.Element: StringProtocol & SendableMetatype {
        try setGrouping(of: view, groupedBy: .byEachObject(names), versionTag: versionTag)
    }

    /// Sorts a view by a property of the object from now on. See
    /// ``setSorting(of:sortedBy:order:versionTag:)``.
    ///
    ///     try transaction.setSorting(of: salesRank, sortedBy: \.title, versionTag: "by title")
    public mutating func setSorting<Object, Metadata, Value>(
        of view: AutoView<Record<Object, Metadata>>, sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, versionTag: String
    ) throws where Value: Comparable & Sendable {
        try setSorting(of: view, sortedBy: .byObject(value), order: order, versionTag: versionTag)
    }
}
