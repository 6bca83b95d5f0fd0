public import YaprakCore

public import struct Foundation.Date

extension AutoView {
    /// A view of one collection, with any ``Grouping`` and ``Sorting``.
    ///
    ///     AutoView("unread", of: .mails, groupedBy: .byMetadata { $0?.folder }, sortedBy: .byObject { $0.date })
    ///
    /// - Parameters:
    ///   - name: the name under which it is registered.
    ///   - versionTag: says which code groups and sorts; another tag means another answer.
    ///   - collection: the collection whose records are shown.
    ///   - grouping: says which group a record belongs to.
    ///   - sorting: says in which order rows stand in their group.
    ///   - order: whether small or large values come first.
    ///   - persistence: what of the view is stored in files.
    public init<Object, Metadata, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy grouping: Grouping<Object, Metadata>, sortedBy sorting: Sorting<Object, Metadata, Value>,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) where Element == Record<Object, Metadata> {
        self.init(
            name, persistence: persistence,
            AutoConfiguration(
                versionTag: versionTag, of: [CollectionTypes(collection)], groupings: [grouping.rule],
                sortings: [SortingRules(sorting.rule)], order: sorting.rule.makeOrder(order == .descending)))
    }

    /// A view of one collection, grouped and sorted by properties of the object.
    ///
    ///     AutoView("salesRank", of: .books, groupedBy: \.genre, sortedBy: \.salesRank)
    ///
    /// Key paths or closures. A `nil` group leaves the record out.
    public init<Object, Metadata, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy group: @escaping @Sendable (Object) -> String?, sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) where Element == Record<Object, Metadata>, Value: Comparable & Sendable {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byObject(group), sortedBy: .byObject(value),
            order: order, persistence: persistence)
    }

    /// A view of one collection, grouped by an enumeration of the object and sorted by a property.
    ///
    ///     AutoView("status", of: .flights, groupedBy: \.status, sortedBy: \.departure)
    public init<Object, Metadata, Group, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy group: @escaping @Sendable (Object) -> Group?, sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    )
    where
        Element == Record<Object, Metadata>, Value: Comparable & Sendable, Group: RawRepresentable & SendableMetatype,
        Group.RawValue == String
    {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byObject(group), sortedBy: .byObject(value),
            order: order, persistence: persistence)
    }

    /// A view of one collection, grouped by an integer of the object, a group for each number, and sorted by a property.
    ///
    ///     AutoView("years", of: .books, groupedBy: \.year, sortedBy: \.title)
    ///
    /// Groups are called what the number is in decimal digits, so they order as text: see ``Grouping``. A `nil` group leaves
    /// the record out.
    public init<Object, Metadata, Number, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy group: @escaping @Sendable (Object) -> Number?,
        sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    )
    where
        Element == Record<Object, Metadata>, Value: Comparable & Sendable, Number: BinaryInteger & SendableMetatype
    {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byObject(group), sortedBy: .byObject(value),
            order: order, persistence: persistence)
    }

    /// A view of one collection, grouped by the day of a date of the object, in UTC, and sorted by a property.
    ///
    ///     AutoView("days", of: .mails, groupedByDay: \.received, sortedBy: \.received, order: .descending)
    ///
    /// Groups such as `"2026-11-21"`, which order as the days do. For days of another time zone give
    /// ``Grouping/byDay(secondsFromGMT:_:)``. A `nil` date leaves the record out.
    public init<Object, Metadata, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedByDay date: @escaping @Sendable (Object) -> Date?,
        sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) where Element == Record<Object, Metadata>, Value: Comparable & Sendable {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byDay(date), sortedBy: .byObject(value),
            order: order, persistence: persistence)
    }

    /// A view of one collection that puts a record into a group for each of several names, such as its tags.
    ///
    ///     AutoView("tags", of: .notes, groupedByEach: \.tags, sortedBy: \.title)
    public init<Object, Metadata, Names, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedByEach names: @escaping @Sendable (Object) -> Names,
        sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    )
    where
        Element == Record<Object, Metadata>, Value: Comparable & Sendable, Names: Sequence & SendableMetatype,
        Names.Element: StringProtocol & SendableMetatype
    {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byEachObject(names), sortedBy: .byObject(value),
            order: order, persistence: persistence)
    }

    /// A view of one collection, grouped by a property of the object, with any ``Sorting``.
    public init<Object, Metadata, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy group: @escaping @Sendable (Object) -> String?, sortedBy sorting: Sorting<Object, Metadata, Value>,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) where Element == Record<Object, Metadata> {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: .byObject(group), sortedBy: sorting, order: order,
            persistence: persistence)
    }

    /// A view of one collection, with any ``Grouping``, sorted by a property of the object.
    public init<Object, Metadata, Value>(
        _ name: String, versionTag: String = "", of collection: RecordCollection<Object, Metadata>,
        groupedBy grouping: Grouping<Object, Metadata>, sortedBy value: @escaping @Sendable (Object) -> Value,
        order: ViewOrder = .ascending, persistence: ViewPersistence = .rebuilt
    ) where Element == Record<Object, Metadata>, Value: Comparable & Sendable {
        self.init(
            name, versionTag: versionTag, of: collection, groupedBy: grouping, sortedBy: .byObject(value), order: order,
            persistence: persistence)
    }
}
