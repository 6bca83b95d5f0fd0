public import YaprakCore

public import struct Foundation.Date

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

    /// Groups a view by an integer of the object from now on, a group for each number. See
    /// ``setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
    ///
    ///     try transaction.setGrouping(of: salesRank, groupedBy: \.year, versionTag: "by year")
    ///
    /// Groups are called what the number is in decimal digits, so they order as text: see ``Grouping``. A `nil` group leaves
    /// the record out.
    public mutating func setGrouping<Object, Metadata, Number>(
        of view: AutoView<Record<Object, Metadata>>, groupedBy group: @escaping @Sendable (Object) -> Number?,
        versionTag: String
    ) throws where Number: BinaryInteger & SendableMetatype {
        try setGrouping(of: view, groupedBy: .byObject(group), versionTag: versionTag)
    }

    /// Groups a view by the day of a date of the object, in UTC, from now on. See
    /// ``setGrouping(of:groupedBy:versionTag:)-(_,Grouping<Object,Metadata>,_)``.
    ///
    ///     try transaction.setGrouping(of: mails, groupedByDay: \.received, versionTag: "by day")
    ///
    /// Groups such as `"2026-11-21"`, which order as the days do. For days of another time zone give
    /// ``Grouping/byDay(secondsFromGMT:_:)``. A `nil` date leaves the record out.
    public mutating func setGrouping<Object, Metadata>(
        of view: AutoView<Record<Object, Metadata>>, groupedByDay date: @escaping @Sendable (Object) -> Date?,
        versionTag: String
    ) throws {
        try setGrouping(of: view, groupedBy: .byDay(date), versionTag: versionTag)
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
