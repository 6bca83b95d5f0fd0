public import YaprakCore
import YaprakTrees

/// Says which rows of a view another view keeps.
///
///     .byObject { $0.rating >= 4 }                       // runs when the object changes
///     .byKey { !$0.hasPrefix("draft/") }                 // runs once for each row
///     .byMetadata { $0?.isRead == false }
///     .byRow { row in row.metadata?.isRead == false && row.object.date > start }
///     .byRowInGroup { row, group in group != "spam" }    // runs when the group changes, too
///
/// What a closure gets says what it reads, so a change of anything else doesn't run it.
public struct ViewFilter<Element: ViewRow>: Sendable {
    let rule: FilterRule

    init(_ reads: Aspects, readsGroup: Bool = false, _ isIncluded: @escaping @Sendable (ViewRecord) -> Bool) {
        rule = FilterRule(reads: reads, readsGroup: readsGroup, isIncluded: isIncluded)
    }

    /// By the key. Runs once for each row of the parent.
    public static func byKey(_ isIncluded: @escaping @Sendable (_ key: String) -> Bool) -> Self {
        Self(.key) { isIncluded($0.placement.key) }
    }

    /// By the object. Runs when the object is set or touched, and for rows that are new in the parent.
    public static func byObject<Object, Metadata>(_ isIncluded: @escaping @Sendable (_ object: Object) -> Bool) -> Self
    where Element == Record<Object, Metadata> {
        Self(.object) { $0.placement.record.lendObject(to: isIncluded) }
    }

    /// By the metadata. Runs when the metadata is set or touched, and for rows that are new in the parent.
    public static func byMetadata<Object, Metadata>(
        _ isIncluded: @escaping @Sendable (_ metadata: Metadata?) -> Bool
    ) -> Self
    where Element == Record<Object, Metadata> {
        Self(.metadata) { isIncluded(Element($0).metadata) }
    }

    /// By key, object and metadata. Runs whenever the record is set or touched.
    public static func byRow(_ isIncluded: @escaping @Sendable (_ row: Element) -> Bool) -> Self {
        Self(.row) { isIncluded(Element($0)) }
    }

    /// By the row and the group it is in. Runs whenever the record is set or touched, or comes into another group.
    public static func byRowInGroup(_ isIncluded: @escaping @Sendable (_ row: Element, _ group: String) -> Bool) -> Self
    {
        Self(.row, readsGroup: true) { isIncluded(Element($0), $0.placement.group) }
    }

    /// By the key and the group it is in. Runs when the row comes into a group.
    public static func byKeyInGroup(_ isIncluded: @escaping @Sendable (_ key: String, _ group: String) -> Bool) -> Self
    {
        Self(.key, readsGroup: true) { isIncluded($0.placement.key, $0.placement.group) }
    }
}

/// A ``ViewFilter`` without its types.
struct FilterRule: Sendable {
    let reads: Aspects
    let readsGroup: Bool
    let isIncluded: @Sendable (ViewRecord) -> Bool
}

/// What a filtered view does with the rows of its parent, whose order is its own.
final class FilterConfiguration: ViewConfiguration, @unchecked Sendable {
    let rule: FilterRule
    /// As the parent's.
    override package var rowsHaveOnePlace: Bool { parentRowsHaveOnePlace }
    private let parentRowsHaveOnePlace: Bool
    override package var rowsAreRecords: Bool { parentRowsAreRecords }
    private let parentRowsAreRecords: Bool
    override package func madeObject(of placement: Placement) -> (any Codable & Sendable & Equatable)? {
        parentMadeObject(placement)
    }
    private let parentMadeObject: @Sendable (Placement) -> (any Codable & Sendable & Equatable)?

    /// - Parameter parent: that of the parent, or an earlier one of the view itself, of which the rule is left behind.
    init(versionTag: String, _ rule: FilterRule, over parent: ViewConfiguration) {
        self.rule = rule
        parentRowsHaveOnePlace = parent.rowsHaveOnePlace
        parentRowsAreRecords = parent.rowsAreRecords
        // A filter is not held, but what it held: otherwise each rule that is set would keep all rules before it.
        if let filter = parent as? FilterConfiguration {
            parentMadeObject = filter.parentMadeObject
        } else {
            parentMadeObject = { parent.madeObject(of: $0) }
        }
        super.init(versionTag: versionTag, of: parent.collections, order: parent.order)
    }

    /// Asks the closure about a placement of the parent.
    func accepts(_ placement: Placement) -> Bool { rule.isIncluded(ViewRecord(placement, rowCollections)) }
}
